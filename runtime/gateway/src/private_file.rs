//! Files with secrets, which only their owner may read.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use zeroize::Zeroizing;

/// Maximum size of such a file: 16 KiB.
pub const MAX_PRIVATE_FILE_BYTES: u64 = 16 << 10;

/// The variable with the folder of the credentials of a systemd service (`LoadCredential=`).
const CREDENTIALS_DIRECTORY: &str = "CREDENTIALS_DIRECTORY";

/// Errors of reading a file with secrets. Messages contain no part of it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PrivateFileError {
    /// Other users can read it; the value is its mode.
    #[error(
        "others can read it (mode {0:o}): run `chmod 600` on it, and replace the secret if others may have read it"
    )]
    Readable(u32),
    /// It cannot be read, is not text, or is longer than [`MAX_PRIVATE_FILE_BYTES`].
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Reads a file that only its owner can read, of at most [`MAX_PRIVATE_FILE_BYTES`].
///
/// A credential of a systemd service may also be readable by its group: systemd grants access with an access
/// control list, whose mask appears as the mode of the group, and other users cannot enter the folder.
///
/// # Errors
/// [`PrivateFileError`].
pub fn read_private_file(path: &Path) -> Result<Zeroizing<String>, PrivateFileError> {
    read_from(path, std::env::var_os(CREDENTIALS_DIRECTORY).as_deref().map(Path::new))
}

fn read_from(path: &Path, credentials: Option<&Path>) -> Result<Zeroizing<String>, PrivateFileError> {
    let file = File::open(path)?;
    let is_credential = credentials.is_some_and(|folder| path.parent() == Some(folder));
    if let Some(mode) = forbidden_mode(&file, if is_credential { OTHERS & !GROUP_READS } else { OTHERS })? {
        return Err(PrivateFileError::Readable(mode));
    }
    Ok(read_text(file, MAX_PRIVATE_FILE_BYTES)?)
}

/// Reads a text of at most `max` bytes.
///
/// # Errors
/// It is longer, or is not text; the message names the limit.
pub(crate) fn read_text(input: impl io::Read, max: u64) -> io::Result<Zeroizing<String>> {
    let mut text = Zeroizing::new(String::new());
    input.take(max.saturating_add(1)).read_to_string(&mut text)?;
    if text.len() as u64 > max {
        let why = format!("it has more than {max} bytes, which is the maximum; is it the right one?");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    Ok(text)
}

/// All permissions of other users than the owner.
pub(crate) const OTHERS: u32 = 0o077;
const GROUP_READS: u32 = 0o040;

/// Returns the mode of a file if it has one of the `forbidden` permissions. Only Unix has modes.
pub(crate) fn forbidden_mode(file: &File, forbidden: u32) -> io::Result<Option<u32>> {
    #[cfg(unix)]
    let mode = std::os::unix::fs::PermissionsExt::mode(&file.metadata()?.permissions()) & 0o777;
    #[cfg(not(unix))]
    let mode = file.metadata().map(|_| 0)?;
    Ok(Some(mode).filter(|mode| mode & forbidden != 0))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::{MAX_PRIVATE_FILE_BYTES, PrivateFileError, read_from, read_private_file};

    #[test]
    fn only_credentials_of_systemd_may_show_a_group() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("redis-url");
        std::fs::write(&path, "s3cret").unwrap();
        for (mode, is_private, is_credential) in [
            (0o600, true, true),
            (0o400, true, true),
            (0o440, false, true),
            (0o460, false, false),
            (0o444, false, false),
        ] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            if let Err(error) = read_from(&path, None) {
                assert!(matches!(error, PrivateFileError::Readable(found) if found == mode), "{error}");
            }
            assert_eq!(read_from(&path, None).is_ok(), is_private, "{mode:o}");
            assert_eq!(read_from(&path, Some(folder.path())).is_ok(), is_credential, "{mode:o}");
            assert_eq!(read_from(&path, folder.path().parent()).is_ok(), is_private, "{mode:o}");
        }
    }

    #[test]
    fn files_that_are_too_long_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("long");
        let max = usize::try_from(MAX_PRIVATE_FILE_BYTES).unwrap();
        std::fs::write(&path, "a".repeat(max)).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(read_private_file(&path).unwrap().len(), max);
        std::fs::write(&path, "a".repeat(max + 1)).unwrap();
        let error = read_private_file(&path).unwrap_err().to_string();
        assert!(error.contains("more than 16384 bytes"), "{error}");
    }
}
