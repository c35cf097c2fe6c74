//! Files in the folder of a gateway, which only their owner may read.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::time::SystemTime;

use zeroize::Zeroizing;

use crate::private_file::{OTHERS, forbidden_mode, read_text};
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
pub(crate) fn read_private(path: &Path, max: u64) -> io::Result<Zeroizing<String>> {
    let file = File::open(path)?;
    if let Some(mode) = forbidden_mode(&file, OTHERS)? {
        return Err(io::Error::other(format!(
            "others can read the file (mode {mode:o}); run `chmod 600` on it"
        )));
    }
    read_text(file, max)
}

/// Reads a file that others may read as well, of at most `max` bytes.
#[cfg(feature = "oauth")]
pub(crate) fn read_public(path: &Path, max: u64) -> io::Result<String> {
    read_text(File::open(path)?, max).map(|mut text| std::mem::take(&mut *text))
}

/// Changes a file, while no other process that calls this for the same file does. `change` receives the text, or `None` if
/// there is no file yet, and returns the new one.
///
/// # Errors
/// Those of [`read_private`] and of `change`; the new text has more than `max` bytes; the file cannot be written.
pub(crate) fn change_private(
    path: &Path,
    max: u64,
    change: impl FnOnce(Option<&str>) -> Result<String, String>,
) -> Result<(), String> {
    let changed = with_lock(path, || {
        let text = match read_private(path, max) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error.to_string()),
        };
        let text = change(text.as_ref().map(|text| text.as_str()))?;
        if text.len() as u64 > max {
            return Err(format!("it would have more than {max} bytes; remove what is no longer needed"));
        }
        write_private(path, &text, false).map_err(|error| error.to_string())
    });
    changed.map_err(|error| error.to_string()).flatten()
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
fn with_lock<T>(path: &Path, change: impl FnOnce() -> T) -> io::Result<T> {
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
