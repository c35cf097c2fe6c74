//! `cargo mcp pin`: writes the hash of each definition to a lock file, so that no definition changes without a review.

use clap::Args;
use toolwright_core::manifest::visible;

use crate::error::Error;
use crate::exit::Exit;
use crate::lock_file::{self, Lock, LockArgs};
use crate::shell::Shell;
use crate::source::{self, help_with_sources};

#[derive(Debug, Args)]
pub(crate) struct PinArgs {
    #[command(flatten)]
    pub(crate) lock: LockArgs,
    /// Accept all changes, or those of these names and URIs
    #[arg(long, value_name = "NAME", num_args = 0.., require_equals = true, value_delimiter = ',')]
    update: Option<Vec<String>>,
}

impl PinArgs {
    /// What `--help` shows below the flags.
    pub(crate) fn help() -> String {
        help_with_sources(Self::EXAMPLES)
    }

    const EXAMPLES: &str = "\
Examples:
  cargo mcp pin                       pin the tools of the package
  cargo mcp pin --update              accept every change
  cargo mcp pin --update=search,read  accept the changes of two tools
  cargo mcp pin --lock shop.lock.json -- npx shop-server";
}

/// Writes the lock file. An existing one is only changed as `--update` says.
///
/// # Errors
/// Any [`Error`] of reading the source and the lock file, and of writing it.
pub(crate) fn run(args: PinArgs, shell: Shell) -> Result<Exit, Error> {
    let PinArgs { mut lock, update } = args;
    let source = lock.source();
    let old = lock_file::read(&lock.lock)?;
    let definitions = source::load(&source, &mut lock.tools, shell)?;
    let Some(old) = old else {
        let now = Lock::of(&definitions);
        lock_file::write(&lock.lock, &now)?;
        let (lock, source) = (lock.lock.display(), visible(&source.to_string()));
        shell.note(&format_args!("{lock} pins {} of {source}", now.summary()));
        return Ok(Exit::Ok);
    };
    let new = match update {
        None => old.clone(),
        Some(names) if names.is_empty() => old.with_all_of(&definitions),
        Some(names) => accept_changes(&old, &old.with_same_version(&definitions), &names)?,
    };
    if new != old {
        lock_file::write(&lock.lock, &new)?;
    }
    let now = new.with_same_version(&definitions);
    lock_file::report_uncompared(&new, &now, &lock.lock, shell);
    let left = new.drift(&now);
    if left.is_empty() {
        return Ok(Exit::Ok);
    }
    lock_file::print_drift(&left, &lock.lock)?;
    shell.note(&"review the changes (`cargo mcp diff`), then accept them with --update, or --update=NAME,…");
    Ok(Exit::Drift)
}

/// Returns the old pins with the current ones of these names.
fn accept_changes(old: &Lock, now: &Lock, names: &[String]) -> Result<Lock, Error> {
    let mut new = old.clone();
    for name in names {
        if !new.accept(name, now) {
            return Err(Error::UnknownPin { name: name.clone(), known: now.names() });
        }
    }
    Ok(new)
}
