//! Takes up changes of the configuration file.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tokio::time::sleep;
use toolwright_core::manifest::visible;
use toolwright_gateway::{Applied, Gateway};

use super::serve::{clients, read};
use crate::shell::{self, Shell};

/// How often the file is looked at.
const INTERVAL: Duration = Duration::from_millis(500);

/// Applies the file to the gateway each time it changes. One that is invalid changes nothing.
pub(super) async fn follow(file: PathBuf, gateway: Gateway, shell: Shell) {
    let mut seen = stamp(&file);
    loop {
        sleep(INTERVAL).await;
        let now = stamp(&file);
        // An editor may write a new file in the place of the old one: for a moment there is none.
        if now.is_none() || now == seen {
            continue;
        }
        seen = now;
        let config = match read(&file) {
            Ok(config) => config,
            Err(error) => {
                shell::error(&error);
                shell::warning(&"the servers stay as they were");
                continue;
            }
        };
        match gateway.apply(config.servers().iter().cloned(), clients(&config)) {
            Ok(applied) => say(&applied, shell),
            Err(error) => {
                shell::warning(&visible(&format!(
                    "{}: {error}; the servers stay as they were",
                    file.display()
                )));
            }
        }
    }
}

/// What changes with the contents of a file.
fn stamp(file: &Path) -> Option<(SystemTime, u64)> {
    let metadata = file.metadata().ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

fn say(applied: &Applied, shell: Shell) {
    for (what, names) in
        [("added", &applied.added), ("replaced", &applied.replaced), ("removed", &applied.removed)]
    {
        if !names.is_empty() {
            shell.note(&visible(&format!("{what}: {}", names.join(", "))));
        }
    }
}
