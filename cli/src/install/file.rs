//! Writes a configuration file atomically, with a backup.

use std::fs::{self, Permissions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::InstallError;
use super::document::Document;
use crate::error::Error;

/// A file of a client on disk.
pub(super) struct ConfigFile;

impl ConfigFile {
    /// Writes the document. Returns the backup of the former file.
    ///
    /// The new file replaces the old one by renaming, so that a client never reads half of it, and has its permissions; a
    /// new one of a user is private, since variables may be secrets. A link keeps pointing to its file.
    ///
    /// # Errors
    /// [`Error::Write`], and [`InstallError::Changed`] if the file is not the one that was read.
    pub(super) fn write(document: &Document) -> Result<Option<PathBuf>, Error> {
        let file = document.path();
        let write_error = |source| Error::Write { file: file.to_owned(), source };
        let target = match document.original() {
            Some(_) => file.canonicalize().map_err(write_error)?,
            None => file.to_owned(),
        };
        let folder =
            target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(write_error)?;
        let text = document.text();
        let new = temporary(folder, document, &target).and_then(|mut new| {
            new.write_all(text.as_bytes())?;
            new.as_file().sync_all()?;
            Ok(new)
        });
        let new = new.map_err(write_error)?;

        let now = match fs::read(&target) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(source) => return Err(write_error(source)),
        };
        if now.as_deref() != document.original() {
            return Err(InstallError::Changed { file: file.to_owned() }.into());
        }
        let backup = match now {
            Some(_) => {
                let mut name = target.file_name().unwrap_or_default().to_owned();
                name.push(".bak");
                let backup = target.with_file_name(name);
                // With its permissions.
                fs::copy(&target, &backup).map_err(|source| Error::Write { file: backup.clone(), source })?;
                Some(backup)
            }
            None => None,
        };
        new.persist(&target).map_err(|error| write_error(error.error))?;
        Ok(backup)
    }
}

fn temporary(folder: &Path, document: &Document, target: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".mcp-").suffix(".tmp");
    let shared;
    if let Some(permissions) = shared_permissions(document) {
        shared = permissions;
        builder.permissions(shared);
    }
    let new = builder.tempfile_in(folder)?;
    if document.original().is_some() {
        fs::set_permissions(new.path(), fs::metadata(target)?.permissions())?;
    }
    Ok(new)
}

/// The permissions of a new file that others may read, which the umask restricts.
#[cfg(unix)]
fn shared_permissions(document: &Document) -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt as _;
    document.is_project().then(|| Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn shared_permissions(_document: &Document) -> Option<Permissions> {
    None
}
