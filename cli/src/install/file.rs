//! Writes a configuration file atomically, with a backup.

use std::fs;
use std::io;
use std::path::PathBuf;

use super::InstallError;
use super::document::Document;
use crate::error::Error;
use crate::new_file::NewFile;

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
        let new = NewFile::write(&target, document.text().as_bytes(), document.is_project());
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
        new.persist().map_err(write_error)?;
        Ok(backup)
    }
}
