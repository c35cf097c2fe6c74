//! Resources that clients of the server in front watch, watched at the server behind.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, oneshot};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};
use toolwright_client::{Change, Changes, ErrorKind};

use crate::proxy::Upstream;

/// How many resources a proxy watches at the server behind; further ones are not watched.
pub const MAX_WATCHED: usize = 1024;
/// How long further changes of what is watched are gathered.
const GATHERED: Duration = Duration::from_millis(20);
/// How long is waited after a failure, and before a watch that ended is begun again.
const PAUSE: Duration = Duration::from_secs(1);
/// How long an old watch goes on while the server behind takes up a new one.
const OVERLAP: Duration = Duration::from_secs(5);

/// What is watched.
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

/// A watch over some resources; it ends when this is dropped.
struct Watch(AbortHandle);

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Keeps what is watched at the server behind as what is watched here, until it is aborted.
///
/// A modern server has one stream for all of them, which is opened again with each change; a legacy one is asked for each.
pub(crate) async fn keep_watching(upstream: Arc<Upstream>) {
    let is_modern = !upstream.info.revision.has_resource_watching();
    let mut watches: HashMap<BTreeSet<String>, Watch> = HashMap::new();
    loop {
        upstream.watched.changed.notified().await;
        sleep(GATHERED).await;
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

/// Begins a watch. Returns when a modern server behind has agreed, or is late.
async fn begin(upstream: &Arc<Upstream>, uris: BTreeSet<String>) -> Watch {
    let (agreed, agreement) = oneshot::channel();
    let task = tokio::spawn(watch(Arc::clone(upstream), uris, agreed));
    let watch = Watch(task.abort_handle());
    // An old watch over the same resources ends after that.
    if !upstream.info.revision.has_resource_watching() {
        _ = timeout(OVERLAP, agreement).await;
    }
    watch
}

async fn watch(upstream: Arc<Upstream>, uris: BTreeSet<String>, agreed: oneshot::Sender<()>) {
    let (mut agreed, mut is_again) = (Some(agreed), false);
    let tell = |uri: &str| upstream.tell(|changes| changes.resource_updated(uri));
    let tell_all = || {
        for uri in &uris {
            tell(uri);
        }
    };
    loop {
        let changes = uris.iter().fold(Changes::new(), Changes::resource);
        match upstream.client.subscribe(changes).await {
            Ok(mut subscription) => {
                // Who waits for that may have gone on.
                _ = agreed.take().map(|agreed| agreed.send(()));
                if std::mem::replace(&mut is_again, true) {
                    tell_all();
                }
                loop {
                    match subscription.next().await {
                        Some(Change::Resource(uri)) => tell(&uri),
                        // A modern subscription is started again by itself; a legacy server has forgotten it.
                        Some(Change::Missed) if !upstream.info.revision.has_resource_watching() => {
                            tell_all();
                        }
                        Some(Change::Missed) | None => break,
                        Some(_) => {}
                    }
                }
            }
            // It does not do that, or does not have the resource.
            Err(error) if error.kind() == ErrorKind::Protocol => return,
            Err(_) => {}
        }
        sleep(PAUSE).await;
    }
}
