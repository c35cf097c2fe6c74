//! `cargo mcp pin` and `cargo mcp verify`: nothing is offered under a known name that nobody has looked at.

mod args;
mod canonical;
mod lock;

use std::fs;
use std::io;
use std::path::Path;

use toolwright_core::manifest::{Kind, visible};

use crate::command_line::quoted;
use crate::error::Error;
use crate::exit::Exit;
use crate::offer;
use crate::shell::{self, Shell};
use crate::text;

use lock::{Drift, Lock};

pub(crate) use args::{PinArgs, PinnedArgs, verify_help};
pub(crate) use lock::LockError;

/// Writes the lock file. One that is there is changed only as far as `--update` says.
///
/// # Errors
/// Any [`Error`] of reading the source and the lock file, and of writing it.
pub(crate) fn pin(args: PinArgs, shell: Shell) -> Result<Exit, Error> {
    let PinArgs { mut pinned, update } = args;
    let source = pinned.source();
    let old = read(&pinned.lock)?;
    let offer = offer::read(&source, &mut pinned.tools, shell)?;
    let Some(old) = old else {
        let now = Lock::of(&offer);
        write(&pinned.lock, &now)?;
        let (lock, source) = (pinned.lock.display(), visible(&source.to_string()));
        shell.note(&format_args!("{lock} pins {} of {source}", now.summary()));
        return Ok(Exit::Ok);
    };
    let new = match update {
        None => old.clone(),
        Some(names) if names.is_empty() => old.with_all_of(&offer),
        Some(names) => updated(&old, &old.like(&offer), &names)?,
    };
    if new != old {
        write(&pinned.lock, &new)?;
    }
    let now = new.like(&offer);
    say_what_is_left_out(&new, &now, &pinned.lock, shell);
    let left = new.drift(&now);
    if left.is_empty() {
        return Ok(Exit::Ok);
    }
    tell(&left, &pinned.lock)?;
    shell.note(
        &"look at what changed (`cargo mcp diff`), then take it over with --update, or --update=NAME,…",
    );
    Ok(Exit::Drift)
}

/// Compares with the lock file.
///
/// # Errors
/// As [`pin`], and [`Error::NoLock`].
pub(crate) fn verify(mut args: PinnedArgs, shell: Shell) -> Result<Exit, Error> {
    let source = args.source();
    let old = read(&args.lock)?.ok_or_else(|| Error::NoLock {
        file: args.lock.clone(),
        command: format!("cargo mcp pin --lock {}", quoted(args.lock.as_os_str())),
    })?;
    let now = old.like(&offer::read(&source, &mut args.tools, shell)?);
    say_what_is_left_out(&old, &now, &args.lock, shell);
    let drift = old.drift(&now);
    if drift.is_empty() {
        return Ok(Exit::Ok);
    }
    tell(&drift, &args.lock)?;
    shell.note(&"do not use what nobody has looked at; once it is, `cargo mcp pin --update` takes it over");
    Ok(Exit::Drift)
}

/// Names the lists that are not compared, and why.
fn say_what_is_left_out(lock: &Lock, now: &Lock, file: &Path, shell: Shell) {
    let list = |kinds: Vec<Kind>| kinds.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let unpinned: Vec<Kind> = lock.unpinned(now).collect();
    if !unpinned.is_empty() {
        shell.note(&format_args!(
            "not compared, since {} does not hold them: {}\n  `cargo mcp pin --update` takes them in",
            file.display(),
            list(unpinned)
        ));
    }
    let unknown: Vec<Kind> = lock.unknown(now).collect();
    if !unknown.is_empty() {
        shell::warning(&format_args!(
            "not compared, since it is not known which there are: {}\n  ask the running server, or put them into the \
             manifest with `toolwright::declare!`",
            list(unknown)
        ));
    }
}

fn tell(drift: &[Drift], lock: &Path) -> Result<(), Error> {
    let (count, s) = (drift.len(), if drift.len() == 1 { "" } else { "s" });
    shell::failure(&format_args!("{count} difference{s} from what {} pins", lock.display()));
    let lines: Vec<_> = drift.iter().map(|drift| drift.to_string() + "\n").collect();
    shell::print(&lines.concat())
}

/// The old pins with those of these names as they are now.
fn updated(old: &Lock, now: &Lock, names: &[String]) -> Result<Lock, Error> {
    let mut new = old.clone();
    for name in names {
        if !new.take_over(name, now) {
            return Err(Error::UnknownPin { name: name.clone(), known: now.names() });
        }
    }
    Ok(new)
}

fn read(file: &Path) -> Result<Option<Lock>, Error> {
    match text::read(file) {
        Ok(text) => {
            let lock =
                Lock::of_text(&text).map_err(|source| Error::Lock { file: file.to_owned(), source })?;
            Ok(Some(lock))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::Read { file: file.to_owned(), source }),
    }
}

fn write(file: &Path, lock: &Lock) -> Result<(), Error> {
    fs::write(file, lock.to_text()).map_err(|source| Error::Write { file: file.to_owned(), source })
}
