//! Subscriptions to a channel that are restored when they end.

use std::time::Duration;

use futures_util::StreamExt;
use redis::aio::PubSub;

use super::connection::Connection;

/// The interval of pings on an idle subscription: 5 seconds.
const PING_EVERY: Duration = Duration::from_secs(5);
/// Minimum delay before resubscribing: 50 milliseconds.
const MIN_BACKOFF: Duration = Duration::from_millis(50);
/// Maximum delay before resubscribing: 5 seconds.
const MAX_BACKOFF: Duration = Duration::from_secs(5);

/// Is told of the messages of a channel.
pub(super) trait Listener: Send + Sync {
    /// Messages arrive from now on. Earlier ones may have been missed.
    fn begin(&self);

    /// A message has arrived.
    fn message(&self, text: &str);

    /// Messages are missed from now on.
    fn end(&self) {}
}

/// Tells a listener of the messages of a channel, which `first` is subscribed to, and resubscribes when the connection is lost.
pub(super) async fn listen(connection: Connection, channel: String, first: PubSub, listener: impl Listener) {
    let mut first = Some(first);
    let mut backoff = Duration::ZERO;
    loop {
        let subscription = match first.take() {
            Some(subscription) => Ok(subscription),
            None => connection.subscribe(&channel).await,
        };
        if let Ok(subscription) = subscription {
            backoff = Duration::ZERO;
            listener.begin();
            pass_on(subscription, &listener).await;
            listener.end();
        }
        backoff = (backoff * 2).clamp(MIN_BACKOFF, MAX_BACKOFF);
        tokio::time::sleep(backoff).await;
    }
}

/// Passes messages on until the subscription ends.
async fn pass_on(subscription: PubSub, listener: &impl Listener) {
    let (mut sink, mut messages) = subscription.split();
    loop {
        match tokio::time::timeout(PING_EVERY, messages.next()).await {
            Ok(Some(message)) => {
                // Processes only send text.
                if let Ok(text) = str::from_utf8(message.get_payload_bytes()) {
                    listener.message(text);
                }
            }
            Ok(None) => return,
            Err(_) => {
                let ping = tokio::time::timeout(PING_EVERY, sink.ping::<redis::Value>()).await;
                if !matches!(ping, Ok(Ok(_))) {
                    return;
                }
            }
        }
    }
}
