//! Files in the folder of a gateway, which only their owner may read.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::time::SystemTime;

use crate::private_file::{OTHERS, forbidden_mode};
use crate::random;

/// What changes when a file is written: its modification time and length.
pub(crate) type Stamp = (SystemTime, u64);

pub(crate) fn stamp(path: &Path) -> io::Result<Stamp> {
    let metadata = fs::metadata(path)?;
    Ok((metadata.modified()?, metadata.len()))
}

/// Reads a file of at most `max` bytes.
///
/// # Errors
/// Others can read the file, or it is too long; the message says what to do.
pub(crate) fn read_private(path: &Path, max: u64) -> io::Result<String> {
    let file = File::open(path)?;
    if let Some(mode) = forbidden_mode(&file, OTHERS)? {
        return Err(io::Error::other(format!(
            "others can read the file (mode {mode:o}); run `chmod 600` on it"
        )));
    }
    read_all(file, max)
}

/// Reads a file that others may read as well, of at most `max` bytes.
#[cfg(feature = "oauth")]
pub(crate) fn read_public(path: &Path, max: u64) -> io::Result<String> {
    read_all(File::open(path)?, max)
}

fn read_all(file: File, max: u64) -> io::Result<String> {
    let mut text = String::new();
    file.take(max + 1).read_to_string(&mut text)?;
    if text.len() as u64 > max {
        return Err(io::Error::other(format!("the file has more than {max} bytes")));
    }
    Ok(text)
}

/// Atomically writes a file that only its owner can read. If it `is_new`, it must not exist.
pub(crate) fn write_private(path: &Path, text: &str, is_new: bool) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let name = random::name().ok_or_else(|| io::Error::other("no random numbers"))?;
    let temporary = path.with_extension(format!("{name}.tmp"));
    let mut file = options.open(&temporary)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    if is_new {
        // Fails if the file exists by now.
        let made = fs::hard_link(&temporary, path);
        fs::remove_file(&temporary)?;
        return made;
    }
    fs::rename(&temporary, path)
}

/// Runs `change` while no other process that calls this for the same file does.
pub(crate) fn with_lock<T>(path: &Path, change: impl FnOnce() -> T) -> io::Result<T> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // A separate file, since the file itself is replaced.
    let lock = options.open(path.with_extension("lock"))?;
    lock.lock()?;
    let changed = change();
    lock.unlock()?;
    Ok(changed)
}
