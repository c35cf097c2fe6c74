//! Reloads the files of a running gateway.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::Value;
use tokio::time::sleep;
use toolwright_core::manifest::visible;
use toolwright_gateway::pins::{PinMode, Pins, digest};
use toolwright_gateway::policy::Policy;
use toolwright_gateway::{Applied, Controls, Gateway};

use super::serve::{clients, read};
use crate::shell::{self, Shell};

/// The polling interval.
const INTERVAL: Duration = Duration::from_millis(500);

/// The files of a gateway, and what they configure. An invalid file changes nothing.
pub(super) struct Reloader {
    pub(super) gateway: Gateway,
    pub(super) controls: Controls,
    pub(super) config: Option<Watched>,
    pub(super) pins: Option<(Watched, PinMode)>,
    pub(super) policy: Option<Watched>,
    pub(super) shell: Shell,
}

/// A watched file.
pub(super) struct Watched {
    file: PathBuf,
    last: Option<(SystemTime, u64)>,
}

impl Watched {
    /// Starts watching; must be created before the file is first read.
    pub(super) fn new(file: &Path) -> Self {
        Self { file: file.to_owned(), last: read_stamp(file) }
    }

    /// Returns whether it has changed since the last call.
    fn has_changed(&mut self) -> bool {
        let now = read_stamp(&self.file);
        // An editor may replace the file, so it may be missing for a moment.
        if now.is_none() || now == self.last {
            return false;
        }
        self.last = now;
        true
    }
}

impl Reloader {
    /// Applies each file whenever it changes.
    pub(super) async fn follow(mut self) {
        loop {
            sleep(INTERVAL).await;
            if let Some(config) = self.config.as_mut()
                && config.has_changed()
            {
                let file = config.file.clone();
                self.apply_config(&file);
            }
            if let Some((pins, mode)) = self.pins.as_mut()
                && pins.has_changed()
            {
                match Pins::read(&pins.file) {
                    Ok(pins) => {
                        self.gateway.set_pins(pins, *mode, shell::warning);
                        self.shell.note(&"the pins were reloaded");
                    }
                    Err(error) => warn_unchanged(&pins.file, &error, "pins"),
                }
            }
            if let Some(policy) = self.policy.as_mut()
                && policy.has_changed()
            {
                match Policy::read(&policy.file) {
                    Ok(policy) => {
                        self.controls.set_policy(policy);
                        self.shell.note(&"the policy was reloaded");
                    }
                    Err(error) => warn_unchanged(&policy.file, &error, "policy"),
                }
            }
        }
    }

    fn apply_config(&self, file: &Path) {
        let config = match read(file) {
            Ok(config) => config,
            Err(error) => {
                shell::error(&error);
                shell::warning(&"the servers are unchanged");
                return;
            }
        };
        match self.gateway.apply(config.servers().iter().cloned(), clients(&config)) {
            Ok(applied) => {
                self.controls.set_configuration(&revision(file));
                report(&applied, self.shell);
            }
            Err(error) => warn_unchanged(file, &error, "servers"),
        }
    }
}

/// Computes the digest of a configuration file.
pub(super) fn revision(file: &Path) -> String {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    digest(&Value::String(text))
}

/// Returns the modification time and the length of a file.
fn read_stamp(file: &Path) -> Option<(SystemTime, u64)> {
    let metadata = file.metadata().ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

fn warn_unchanged(file: &Path, error: &dyn std::error::Error, what: &str) {
    shell::warning(&visible(&format!("{}: {error}; the {what} are unchanged", file.display())));
}

fn report(applied: &Applied, shell: Shell) {
    for (what, names) in
        [("added", &applied.added), ("replaced", &applied.replaced), ("removed", &applied.removed)]
    {
        if !names.is_empty() {
            shell.note(&visible(&format!("{what}: {}", names.join(", "))));
        }
    }
}
