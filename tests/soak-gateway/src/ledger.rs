//! What the tools have done: a file to which they append a line for each effect.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

/// The end of the ledger to which one process appends.
#[derive(Debug)]
pub(crate) struct Pen(File);

impl Pen {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(OpenOptions::new().create(true).append(true).open(path)?))
    }

    /// Records the effect of a call, in one write: lines of several processes do not mix, and none is cut when its process is killed.
    pub(crate) fn write(&self, key: u64) -> io::Result<()> {
        (&self.0).write_all(format!("{key}\n").as_bytes())
    }
}

/// How often each call has had its effect.
#[derive(Debug)]
pub(crate) struct Ledger(Vec<u8>);

impl Ledger {
    pub(crate) fn read(path: &Path) -> io::Result<Self> {
        let mut counts = Vec::new();
        for line in std::fs::read_to_string(path)?.lines() {
            let key: usize = line.parse().map_err(io::Error::other)?;
            if counts.len() <= key {
                counts.resize(key + 1, 0_u8);
            }
            counts[key] = counts[key].saturating_add(1);
        }
        Ok(Self(counts))
    }

    /// The number of effects of a call.
    pub(crate) fn count(&self, key: usize) -> u8 {
        self.0.get(key).copied().unwrap_or(0)
    }

    /// The number of effects of all calls.
    pub(crate) fn total(&self) -> u64 {
        self.0.iter().map(|count| u64::from(*count)).sum()
    }
}
