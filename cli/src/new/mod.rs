//! `cargo mcp new`: creates a package with one tool, its tests, its manifest and a CI job, without lint findings.
//!
//! `cargo new` creates the package itself: it knows the names that cargo rejects, adds the package to a workspace around
//! it, and creates a Git repository unless there is one. The files of the template then replace its files.

mod dependency;
mod template;

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::{Args, ValueEnum};

use crate::error::{Error, ModuleError};
use crate::escape::quote_lines;
use crate::exit::Exit;
use crate::flags::OutputArgs;
use crate::shell::Shell;
use crate::text_file;

use dependency::Dependency;
use template::Template;

#[derive(Debug, Args)]
pub(crate) struct NewArgs {
    /// Folder to create; its last component is the name of the package
    #[arg(value_name = "PATH")]
    path: PathBuf,
    /// How the program serves
    #[arg(long, value_name = "KIND", value_enum, default_value_t)]
    template: Template,
    /// Depend on Toolwright in this clone, instead of the one that is found or
    /// the published version
    #[arg(long, value_name = "FOLDER")]
    toolwright: Option<PathBuf>,
    /// Create a repository of this kind; by default Git, unless the folder is
    /// already in a repository
    #[arg(long, value_name = "KIND", value_enum)]
    vcs: Option<Vcs>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// What `cargo new --vcs` accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Vcs {
    Git,
    Hg,
    Pijul,
    Fossil,
    None,
}

impl NewArgs {
    /// What `--help` shows below the flags.
    pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo mcp new word-counter                   a server over stdio
  cargo mcp new word-counter --template http   a server over HTTP
  cargo mcp new word-counter --toolwright ../toolwright
                                 with a clone of Toolwright beside it
Then:
  cd word-counter
  cargo test
  cargo mcp lint";
}

/// Why no package was created.
#[derive(Debug, thiserror::Error)]
enum NewError {
    #[error("cargo new failed\n{}", quote_lines(.text))]
    CargoNew { text: String },
}

impl From<NewError> for Error {
    fn from(error: NewError) -> Self {
        Self::Module(ModuleError::new(Exit::Usage, error))
    }
}

/// Runs the command.
///
/// # Errors
/// [`Error::NewName`], [`Error::NewExists`], [`Error::NoCargo`], [`Error::Write`]; what `cargo new` says; a `--toolwright`
/// that is not Toolwright.
pub(crate) fn run(args: &NewArgs, shell: Shell) -> Result<Exit, Error> {
    let name = package_name(&args.path)?;
    if args.path.exists() {
        return Err(Error::NewExists { folder: args.path.clone() });
    }
    let dependency = Dependency::find(args.toolwright.as_deref(), &args.path)?;
    cargo_new(args)?;
    for (file, text) in args.template.files(&name, &dependency) {
        text_file::write(&args.path.join(file), text)?;
    }
    let folder = args.path.display();
    shell.note(&format_args!("created {folder} with {dependency}"));
    if matches!(dependency, Dependency::Published) {
        shell.note(&format_args!(
            "if cargo does not find this version in the registry, get a clone of Toolwright, remove {folder}, and create \
             it again with --toolwright CLONE"
        ));
    }
    shell.note(&format_args!("next: cd {folder} && cargo test && cargo mcp lint"));
    Ok(Exit::Ok)
}

/// Returns the last component of the path, if it is a name for which the created code compiles without warnings.
fn package_name(path: &Path) -> Result<String, Error> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let krate = name.replace('-', "_");
    let fits = name.starts_with(|first: char| first.is_ascii_lowercase())
        && krate.chars().all(|one| one.is_ascii_lowercase() || one.is_ascii_digit() || one == '_')
        // Not in snake case, as the compiler sees it.
        && !krate.contains("__");
    // A crate with this name would shadow those that the templates use.
    let is_taken = ["axum", "schemars", "serde", "serde_json", "tokio", "toolwright"].contains(&&*krate);
    if fits && !is_taken { Ok(name) } else { Err(Error::NewName { name }) }
}

fn cargo_new(args: &NewArgs) -> Result<(), Error> {
    let cargo = env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from);
    let mut command = Command::new(&cargo);
    command.args(["new", "--lib", "--quiet", "--color", "never", "--edition", "2024"]);
    if let Some(vcs) = args.vcs.and_then(|vcs| vcs.to_possible_value()) {
        command.args(["--vcs", vcs.get_name()]);
    }
    command.arg("--").arg(&args.path).stdin(Stdio::null());
    let output = command.output().map_err(|source| Error::NoCargo { cargo, source })?;
    if output.status.success() {
        return Ok(());
    }
    Err(NewError::CargoNew { text: String::from_utf8_lossy(&output.stderr).into_owned() }.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_crate_names_are_rejected() {
        for name in ["shop", "a/b/word-counter", "word_counter2"] {
            assert!(package_name(Path::new(name)).is_ok(), "{name}");
        }
        for name in ["", "2shop", "shöp", "a b", "serde", "serde-json", "..", "-x", "Shop", "a--b", "a-_b"] {
            assert!(package_name(Path::new(name)).is_err(), "{name}");
        }
    }
}
