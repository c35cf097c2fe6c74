//! What every store of events must do.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use toolwright_server::{EventLimits, EventStore, StoredEvent};

macro_rules! suite {
    ($attribute:meta, $stores:expr) => {
        mod events {
            crate::sides::limited! { $attribute, $stores, events:
                later_events_belong_to_their_stream_and_session
                messages_are_kept_as_they_are
                streams_of_a_session_are_independent
                the_oldest_events_are_evicted_first
                the_size_of_all_sessions_is_limited
                a_session_that_has_ended_is_forgotten
                events_expire_and_make_room
            }
        }
    };
}
pub(crate) use suite;

/// A store as two processes have it.
pub(crate) struct EventStores {
    pub(crate) one: Arc<dyn EventStore>,
    pub(crate) other: Arc<dyn EventStore>,
    pub(crate) _keep: Box<dyn Any + Send>,
}

type Made<F> = fn(EventLimits) -> F;

impl EventStores {
    async fn keep(&self, session: &str, stream: u64, sequence: u64, length: usize) {
        let message = " ".repeat(length).into();
        self.one.append(session, StoredEvent { stream, sequence, message }).await;
    }

    async fn after(&self, session: &str, stream: u64, sequence: u64) -> Option<Vec<u64>> {
        let events = self.other.after(session, stream, sequence).await.unwrap()?;
        assert!(events.iter().all(|event| event.stream == stream));
        Some(events.iter().map(|event| event.sequence).collect())
    }
}

pub(crate) async fn later_events_belong_to_their_stream_and_session<F: Future<Output = EventStores>>(
    stores: Made<F>,
) {
    let stores = stores(EventLimits::default()).await;
    for (session, stream, sequence) in
        [("a", 1, 2), ("a", 2, 3), ("a", 1, 4), ("a", 1, 5), ("a", 1, 10), ("b", 1, 3), ("b", 11, 6)]
    {
        stores.keep(session, stream, sequence, 10).await;
    }
    assert_eq!(stores.after("a", 1, 2).await, Some(vec![4, 5, 10]));
    assert_eq!(stores.after("a", 1, 1).await, Some(vec![2, 4, 5, 10]), "there is no event before the first");
    assert_eq!(stores.after("a", 1, 10).await, Some(vec![]), "all of it was sent");
    for (session, stream, sequence) in [("a", 1, 11), ("a", 3, 1), ("b", 2, 1), ("c", 1, 1)] {
        assert_eq!(stores.after(session, stream, sequence).await, None, "{session} {stream} {sequence}");
    }
}

pub(crate) async fn messages_are_kept_as_they_are<F: Future<Output = EventStores>>(stores: Made<F>) {
    let stores = stores(EventLimits::default()).await;
    let messages = [r#"{"text":"naïve \u0000 \"quoted\" 1 2 3"}"#, "1 2 3 {}", ""];
    for (sequence, message) in (1..).zip(messages) {
        let message = message.as_bytes().into();
        stores.one.append("a", StoredEvent { stream: 7, sequence, message }).await;
    }
    let kept = stores.other.after("a", 7, 0).await.unwrap().unwrap();
    assert_eq!(kept.iter().map(|event| &*event.message).collect::<Vec<_>>(), messages.map(str::as_bytes));
}

pub(crate) async fn streams_of_a_session_are_independent<F: Future<Output = EventStores>>(stores: Made<F>) {
    let stores = stores(EventLimits::default()).await;
    // Streams of a session are appended to at the same time, so numbers may arrive in another order.
    for (stream, sequence) in [(1, 2), (2, 1), (2, 4), (1, 3)] {
        stores.keep("a", stream, sequence, 5).await;
    }
    assert_eq!(stores.after("a", 1, 0).await, Some(vec![2, 3]));
    assert_eq!(stores.after("a", 2, 0).await, Some(vec![1, 4]));
}

pub(crate) async fn the_oldest_events_are_evicted_first<F: Future<Output = EventStores>>(stores: Made<F>) {
    let limits = EventLimits { max_session_bytes: 100, max_session_events: 3, ..EventLimits::default() };
    let stores = stores(limits).await;
    for sequence in 1..=4 {
        stores.keep("a", 1, sequence, 10).await;
    }
    assert_eq!(stores.after("a", 1, 0).await, Some(vec![2, 3, 4]), "three events");
    stores.keep("a", 1, 5, 85).await;
    assert_eq!(stores.after("a", 1, 0).await, Some(vec![4, 5]), "a hundred bytes");
    stores.keep("a", 1, 6, 1_000).await;
    assert_eq!(stores.after("a", 1, 0).await, Some(vec![6]), "the newest, however long");
    stores.keep("a", 1, 7, 10).await;
    assert_eq!(stores.after("a", 1, 0).await, Some(vec![7]));
}

pub(crate) async fn the_size_of_all_sessions_is_limited<F: Future<Output = EventStores>>(stores: Made<F>) {
    let stores = stores(EventLimits { max_bytes: 100, ..EventLimits::default() }).await;
    stores.keep("a", 1, 1, 60).await;
    stores.keep("b", 1, 1, 30).await;
    stores.keep("b", 1, 2, 40).await;
    assert_eq!(stores.after("a", 1, 0).await, Some(vec![1]));
    assert_eq!(stores.after("b", 1, 0).await, Some(vec![2]), "its own make room");
    stores.keep("c", 1, 1, 1).await;
    assert_eq!(stores.after("c", 1, 0).await, None, "there is no room");
    stores.keep("b", 1, 3, 41).await;
    assert_eq!(stores.after("b", 1, 0).await, None, "not even alone");
    stores.keep("c", 1, 1, 40).await;
    assert_eq!(stores.after("c", 1, 0).await, Some(vec![1]));
}

pub(crate) async fn a_session_that_has_ended_is_forgotten<F: Future<Output = EventStores>>(stores: Made<F>) {
    let stores = stores(EventLimits { max_bytes: 100, ..EventLimits::default() }).await;
    stores.keep("a", 1, 1, 60).await;
    stores.keep("b", 1, 1, 40).await;
    stores.one.forget("a").await;
    stores.one.forget("a").await;
    assert_eq!(stores.after("a", 1, 0).await, None);
    stores.keep("c", 1, 1, 60).await;
    assert_eq!(stores.after("c", 1, 0).await, Some(vec![1]), "there is room again");
    assert_eq!(stores.after("b", 1, 0).await, Some(vec![1]));
}

pub(crate) async fn events_expire_and_make_room<F: Future<Output = EventStores>>(stores: Made<F>) {
    let max_age = Duration::from_millis(500);
    let stores = stores(EventLimits { max_age, max_bytes: 100, ..EventLimits::default() }).await;
    stores.keep("silent", 1, 1, 100).await;
    let wait = async {
        while stores.after("silent", 1, 0).await.is_some() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        // Expired events are looked for from time to time.
        while stores.after("other", 1, 0).await.is_none() {
            stores.keep("other", 1, 1, 100).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), wait).await.expect("it should expire");
}
