//! `cargo mcp verify`: compares definitions with a lock file.

use clap::Args;

use crate::command_line::quote;
use crate::error::Error;
use crate::exit::Exit;
use crate::lock_file::{self, LockArgs};
use crate::shell::Shell;
use crate::source::{self, help_with_sources};

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    pub(crate) lock: LockArgs,
}

impl VerifyArgs {
    /// What `--help` shows below the flags.
    pub(crate) fn help() -> String {
        help_with_sources(Self::EXAMPLES)
    }

    const EXAMPLES: &str = "\
Examples:
  cargo mcp verify                            the package
  cargo mcp verify mcp.json                   a manifest
  cargo mcp verify http://localhost:8080/mcp  a running server
  cargo mcp verify --lock shop.lock.json -- npx shop-server";
}

/// Compares with the lock file.
///
/// # Errors
/// Any [`Error`] of reading the source and the lock file, and [`Error::NoLock`].
pub(crate) fn run(args: VerifyArgs, shell: Shell) -> Result<Exit, Error> {
    let VerifyArgs { lock: mut args } = args;
    let source = args.source();
    let old = lock_file::read(&args.lock)?.ok_or_else(|| Error::NoLock {
        file: args.lock.clone(),
        command: format!("cargo mcp pin --lock {}", quote(args.lock.as_os_str())),
    })?;
    let now = old.with_same_version(&source::load(&source, &mut args.tools, shell)?);
    lock_file::report_uncompared(&old, &now, &args.lock, shell);
    let drift = old.drift(&now);
    if drift.is_empty() {
        return Ok(Exit::Ok);
    }
    lock_file::print_drift(&drift, &args.lock)?;
    shell.note(
        &"do not use unreviewed definitions; after a review, accept them with `cargo mcp pin --update`",
    );
    Ok(Exit::Drift)
}
