//! The lock file of `cargo mcp pin` and `cargo mcp verify`.

mod args;
mod lock;

use std::io;
use std::path::Path;

use toolwright_core::manifest::Kind;

use crate::error::Error;
use crate::shell::{self, Shell};
use crate::text_file;

use lock::Drift;

pub(crate) use args::LockArgs;
pub(crate) use lock::Lock;

/// Reads a lock file; `None` if there is none.
///
/// # Errors
/// [`Error::Read`], [`Error::Lock`].
pub(crate) fn read(file: &Path) -> Result<Option<Lock>, Error> {
    match text_file::read(file) {
        Ok(text) => {
            let lock = Lock::parse(&text)
                .map_err(|source| Error::Lock { file: file.to_owned(), source: source.into() })?;
            Ok(Some(lock))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::Read { file: file.to_owned(), source }),
    }
}

/// Writes a lock file.
///
/// # Errors
/// [`Error::Write`].
pub(crate) fn write(file: &Path, lock: &Lock) -> Result<(), Error> {
    text_file::write(file, lock.to_text())
}

/// Reports the lists that are not compared, with the reason.
pub(crate) fn report_uncompared(lock: &Lock, now: &Lock, file: &Path, shell: Shell) {
    let list = |kinds: Vec<Kind>| kinds.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let unpinned: Vec<Kind> = lock.unpinned(now).collect();
    if !unpinned.is_empty() {
        shell.note(&format_args!(
            "not compared, because {} does not hold them: {}\n  add them with `cargo mcp pin --update`",
            file.display(),
            list(unpinned)
        ));
    }
    let unknown: Vec<Kind> = lock.unknown(now).collect();
    if !unknown.is_empty() {
        shell::warning(&format_args!(
            "not compared, because the source does not declare them: {}\n  query the running server, or add \
             them to the manifest with `toolwright::declare!`",
            list(unknown)
        ));
    }
}

/// Prints what differs from a lock file.
///
/// # Errors
/// [`Error::Write`].
pub(crate) fn print_drift(drift: &[Drift], lock: &Path) -> Result<(), Error> {
    let (count, s) = (drift.len(), if drift.len() == 1 { "" } else { "s" });
    shell::failure(&format_args!("{count} difference{s} from what {} pins", lock.display()));
    let lines: Vec<_> = drift.iter().map(|drift| drift.to_string() + "\n").collect();
    shell::print(&lines.concat())
}
