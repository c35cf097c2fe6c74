//! A file that takes its place by renaming, so that half of it is never read or left.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

/// A written file that is not in its place yet. Dropping this removes it.
pub(crate) struct NewFile {
    file: NamedTempFile,
    target: PathBuf,
}

impl NewFile {
    /// Writes a file beside `target`, with the permissions of `target` if that exists. Otherwise others may read it if it
    /// `is_shared`, unless the umask forbids it. Creates missing folders.
    ///
    /// # Errors
    /// Those of the file system.
    pub(crate) fn write(target: &Path, content: &[u8], is_shared: bool) -> io::Result<Self> {
        let folder =
            target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let mut builder = Builder::new();
        builder.prefix(".mcp-").suffix(".tmp");
        if is_shared {
            share(&mut builder);
        }
        let mut file = builder.tempfile_in(folder)?;
        match fs::metadata(target) {
            Ok(existing) => fs::set_permissions(file.path(), existing.permissions())?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        file.write_all(content)?;
        file.as_file().sync_all()?;
        Ok(Self { file, target: target.to_owned() })
    }

    /// Moves the file to its place.
    ///
    /// # Errors
    /// Those of the file system.
    pub(crate) fn persist(self) -> io::Result<()> {
        self.file.persist(&self.target)?;
        Ok(())
    }
}

/// Lets others read the file, unless the umask forbids it.
#[cfg(unix)]
fn share(builder: &mut Builder<'_, '_>) {
    use std::os::unix::fs::PermissionsExt as _;
    builder.permissions(fs::Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn share(_builder: &mut Builder<'_, '_>) {}
