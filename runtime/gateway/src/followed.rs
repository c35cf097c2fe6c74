//! Values that are read from files, and read again when these change.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use toolwright_server::auth::Clock;

use zeroize::Zeroizing;

use crate::key_file::{self, Stamp};

/// How often the files are checked.
pub(crate) const INTERVAL: Duration = Duration::from_millis(500);

/// A value from a file.
pub(crate) trait FromFile: Sized + Send + Sync + 'static {
    /// What reading depends on as well.
    type Context: Send + Sync;

    /// Reads the value; parts of the previous one that are unchanged may be kept.
    fn load(
        path: &Path,
        context: &Self::Context,
        files: &mut Files,
        previous: Option<&Self>,
    ) -> Result<Self, String>;

    /// Ends what belongs to this value and not to the next one.
    fn retire(&self, _next: &Self) {}

    /// Ends what has expired.
    fn tick(&self, _now: Duration) {}
}

/// The files that a value was read from.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Files(Vec<(PathBuf, Option<Stamp>)>);

impl Files {
    /// Reads a file that only its owner may read.
    pub(crate) fn read_private(&mut self, path: &Path, max: u64) -> io::Result<Zeroizing<String>> {
        self.note(path);
        key_file::read_private(path, max)
    }

    /// Reads a file.
    #[cfg(feature = "oauth")]
    pub(crate) fn read_public(&mut self, path: &Path, max: u64) -> io::Result<String> {
        self.note(path);
        key_file::read_public(path, max)
    }

    /// Notes a file that is read next, so that no change is missed.
    pub(crate) fn note(&mut self, path: &Path) {
        self.0.push((path.to_owned(), key_file::stamp(path).ok()));
    }

    fn have_changed(&self) -> bool {
        self.0.iter().any(|(path, stamp)| key_file::stamp(path).ok() != *stamp)
    }
}

/// Is called after each change, with what is wrong if it cannot be applied.
type OnReload = Box<dyn Fn(Result<(), &str>) + Send + Sync>;

/// A value that follows its files. An invalid file changes nothing.
pub(crate) struct Followed<T: FromFile> {
    path: PathBuf,
    context: T::Context,
    state: Mutex<State<T>>,
    on_reload: OnceLock<OnReload>,
    clock: OnceLock<Clock>,
    is_watched: AtomicBool,
}

struct State<T> {
    value: Arc<T>,
    files: Files,
    looked: Instant,
}

impl<T: FromFile> Followed<T> {
    pub(crate) fn open(path: PathBuf, context: T::Context) -> Result<Arc<Self>, String> {
        let mut files = Files::default();
        let value = Arc::new(T::load(&path, &context, &mut files, None)?);
        let state = Mutex::new(State { value, files, looked: Instant::now() });
        let (on_reload, clock, is_watched) = (OnceLock::new(), OnceLock::new(), AtomicBool::new(false));
        let followed = Arc::new(Self { path, context, state, on_reload, clock, is_watched });
        followed.follow();
        Ok(followed)
    }

    pub(crate) fn on_reload(&self, hear: OnReload) {
        // Only the builder sets it, once.
        _ = self.on_reload.set(hear);
    }

    pub(crate) fn set_clock(&self, clock: Clock) {
        _ = self.clock.set(clock);
    }

    /// Returns the time since 1970.
    pub(crate) fn now(&self) -> Duration {
        self.clock.get().cloned().unwrap_or_default().now()
    }

    /// Returns the value; the files are checked if that was long ago.
    pub(crate) fn current(self: &Arc<Self>) -> Arc<T> {
        self.follow();
        self.value_after(INTERVAL)
    }

    /// Returns the value after checking the files now.
    pub(crate) fn latest(&self) -> Arc<T> {
        self.value_after(Duration::ZERO)
    }

    /// Checks the files, and ends what has expired.
    fn tick(&self) {
        self.latest().tick(self.now());
    }

    fn value_after(&self, interval: Duration) -> Arc<T> {
        let mut state = self.state();
        if state.looked.elapsed() < interval {
            return Arc::clone(&state.value);
        }
        state.looked = Instant::now();
        if !state.files.have_changed() {
            return Arc::clone(&state.value);
        }
        let mut files = Files::default();
        let loaded = T::load(&self.path, &self.context, &mut files, Some(&state.value)).map(Arc::new);
        // If it is invalid, it is not read again until it changes.
        state.files = files;
        let outcome = match loaded {
            Ok(next) => {
                let last = std::mem::replace(&mut state.value, Arc::clone(&next));
                last.retire(&next);
                Ok(())
            }
            Err(why) => Err(format!("{}: {why}", self.path.display())),
        };
        let value = Arc::clone(&state.value);
        drop(state);
        if let Some(hear) = self.on_reload.get() {
            match &outcome {
                Ok(()) => hear(Ok(())),
                Err(why) => hear(Err(why)),
            }
        }
        value
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks the files from now on, even without requests, so that open ones end. Does nothing outside of a Tokio
    /// runtime; then it is called again with the first request.
    fn follow(self: &Arc<Self>) {
        if self.is_watched.load(Ordering::Relaxed) {
            return;
        }
        let Ok(runtime) = Handle::try_current() else { return };
        if self.is_watched.swap(true, Ordering::Relaxed) {
            return;
        }
        let followed = Arc::downgrade(self);
        runtime.spawn(async move {
            loop {
                tokio::time::sleep(INTERVAL).await;
                let Some(followed) = followed.upgrade() else { return };
                followed.tick();
            }
        });
    }
}

impl<T: FromFile> fmt::Debug for Followed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Followed").field(&self.path).finish()
    }
}
