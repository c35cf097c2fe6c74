//! Finds the processes of a server: those that inherited a marker in their environment.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use toolwright_client::config::StdioSpec;

const VARIABLE: &str = "TOOLWRIGHT_TEST_MARK";

/// A marker that a server and its child processes inherit.
#[derive(Debug)]
pub struct Mark(String);

impl Mark {
    /// Creates a marker.
    #[expect(clippy::new_without_default, reason = "each marker is different")]
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        Self(format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)))
    }

    /// Adds the marker to a server.
    pub fn on(&self, spec: StdioSpec) -> StdioSpec {
        spec.env(VARIABLE, self.0.as_str())
    }

    /// Returns the variable, for a configuration file.
    pub fn variable(&self) -> (&'static str, &str) {
        (VARIABLE, &self.0)
    }

    /// Returns the running processes with the mark.
    pub fn processes(&self) -> Vec<u32> {
        let marked = format!("{VARIABLE}={}\0", self.0);
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let ids = entries.filter_map(|entry| {
            let id = entry.file_name().to_str()?.parse().ok()?;
            let environment =
                std::fs::read(Path::new("/proc").join(entry.file_name()).join("environ")).ok()?;
            let has_mark = environment.windows(marked.len()).any(|part| part == marked.as_bytes());
            has_mark.then_some(id)
        });
        ids.collect()
    }

    /// Kills the server and its child processes.
    ///
    /// # Panics
    /// If one of them cannot be killed.
    pub fn kill(&self) {
        for id in self.processes() {
            let killed = std::process::Command::new("kill").args(["-9", &id.to_string()]).status();
            assert!(killed.expect("`kill` starts").success(), "{id} cannot be killed");
        }
    }

    /// Asserts that a process with the mark is running. Only checked on Linux.
    ///
    /// # Panics
    /// If none is.
    pub fn assert_running(&self) {
        assert!(!cfg!(target_os = "linux") || !self.processes().is_empty(), "no process has the mark");
    }

    /// Asserts that no process with the mark is running after two seconds.
    ///
    /// # Panics
    /// If one is.
    pub async fn assert_gone(&self) {
        for _ in 0..40 {
            if self.processes().is_empty() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{:?} outlive the client", self.processes());
    }
}
