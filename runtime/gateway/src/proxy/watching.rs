//! Watches resources on the upstream server that clients watch here.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, oneshot};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};
use toolwright_client::{Change, Changes, ErrorKind};

use super::Upstream;

/// Maximum number of resources that a proxy watches upstream; further ones are not watched.
pub const MAX_WATCHED: usize = 1024;
/// How long further changes of the watched set are collected.
const DEBOUNCE: Duration = Duration::from_millis(20);
/// The delay after a failure, and before an ended watch is started again.
const PAUSE: Duration = Duration::from_secs(1);
/// How long an old watch continues while the upstream server starts a new one.
const OVERLAP: Duration = Duration::from_secs(5);

/// The watched resources.
#[derive(Debug, Default)]
pub(crate) struct Watched {
    uris: Mutex<BTreeSet<String>>,
    changed: Notify,
}

impl Watched {
    fn uris(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.uris.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, uri: &str) {
        let mut uris = self.uris();
        if uris.len() < MAX_WATCHED {
            uris.insert(uri.to_owned());
            self.changed.notify_one();
        }
    }

    pub(crate) fn remove(&self, uri: &str) {
        self.uris().remove(uri);
        self.changed.notify_one();
    }
}

/// A watch of some resources; dropping it ends the watch.
struct Watch(AbortHandle);

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Keeps the set of resources watched upstream equal to the set watched here, until aborted.
///
/// A modern server has one stream for all resources, which is opened again with each change; a legacy server
/// receives one request per resource.
pub(crate) async fn sync_watches(upstream: Arc<Upstream>) {
    let is_modern = !upstream.info.revision.has_resource_watching();
    let mut watches: HashMap<BTreeSet<String>, Watch> = HashMap::new();
    loop {
        upstream.watched.changed.notified().await;
        sleep(DEBOUNCE).await;
        let wanted = upstream.watched.uris().clone();
        let wanted: Vec<BTreeSet<String>> = if is_modern {
            [wanted].into_iter().filter(|uris| !uris.is_empty()).collect()
        } else {
            wanted.into_iter().map(|uri| BTreeSet::from([uri])).collect()
        };
        for uris in &wanted {
            if !watches.contains_key(uris) {
                let watch = begin(&upstream, uris.clone()).await;
                watches.insert(uris.clone(), watch);
            }
        }
        watches.retain(|uris, _| wanted.contains(uris));
    }
}

/// Starts a watch. Returns when a modern upstream server has acknowledged it, or after a timeout.
async fn begin(upstream: &Arc<Upstream>, uris: BTreeSet<String>) -> Watch {
    let (acknowledged, acknowledgement) = oneshot::channel();
    let task = tokio::spawn(watch(Arc::clone(upstream), uris, acknowledged));
    let watch = Watch(task.abort_handle());
    // An old watch of the same resources ends after that.
    if !upstream.info.revision.has_resource_watching() {
        _ = timeout(OVERLAP, acknowledgement).await;
    }
    watch
}

async fn watch(upstream: Arc<Upstream>, uris: BTreeSet<String>, acknowledged: oneshot::Sender<()>) {
    let (mut acknowledged, mut is_again) = (Some(acknowledged), false);
    let notify = |uri: &str| upstream.notify(|changes| changes.resource_updated(uri));
    let notify_all = || {
        for uri in &uris {
            notify(uri);
        }
    };
    loop {
        let changes = uris.iter().fold(Changes::new(), Changes::resource);
        match upstream.client.subscribe(changes).await {
            Ok(mut subscription) => {
                // The receiver may have been dropped.
                _ = acknowledged.take().map(|acknowledged| acknowledged.send(()));
                if std::mem::replace(&mut is_again, true) {
                    notify_all();
                }
                loop {
                    match subscription.next().await {
                        Some(Change::Resource(uri)) => notify(&uri),
                        // A modern subscription is restarted automatically; a legacy server loses its
                        // subscriptions.
                        Some(Change::Missed) if !upstream.info.revision.has_resource_watching() => {
                            notify_all();
                        }
                        Some(Change::Missed) | None => break,
                        Some(_) => {}
                    }
                }
            }
            // It does not support subscriptions, or does not have the resource.
            Err(error) if error.kind() == ErrorKind::Protocol => return,
            Err(_) => {}
        }
        sleep(PAUSE).await;
    }
}
