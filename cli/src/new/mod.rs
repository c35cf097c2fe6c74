//! `cargo mcp new`: creates a package with one tool and its tests, without lint findings.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use toml::Value;

use crate::error::Error;
use crate::exit::Exit;
use crate::flags::OutputArgs;
use crate::shell::Shell;

#[derive(Debug, Args)]
pub(crate) struct NewArgs {
    /// Folder to create; its last component is the name of the package
    #[arg(value_name = "PATH")]
    path: PathBuf,
    /// Depend on Toolwright in this folder instead of the published version
    #[arg(long, value_name = "FOLDER")]
    toolwright: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

impl NewArgs {
    /// What `--help` shows below the flags.
    pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo mcp new word-counter
  cargo mcp new word-counter --toolwright ../toolwright/runtime/toolwright
                                 with a clone of Toolwright beside it
Then:
  cd word-counter
  cargo test
  cargo mcp lint";
}

/// The files of a package, with `{name}`, `{crate}`, `{toolwright}` and `{toolwright_for_tests}` to fill in.
const FILES: [(&str, &str); 6] = [
    ("Cargo.toml", include_str!("template/Cargo.toml.txt")),
    ("README.md", include_str!("template/README.md.txt")),
    ("src/lib.rs", include_str!("template/lib.rs.txt")),
    ("src/main.rs", include_str!("template/main.rs.txt")),
    ("tests/tools.rs", include_str!("template/tests.rs.txt")),
    (".gitignore", "/target\n"),
];

/// Runs the command.
///
/// # Errors
/// [`Error::NewName`], [`Error::NewExists`], [`Error::Write`].
pub(crate) fn run(args: &NewArgs, shell: Shell) -> Result<Exit, Error> {
    let name = package_name(&args.path)?;
    if args.path.exists() {
        return Err(Error::NewExists { folder: args.path.clone() });
    }
    let (dependency, for_tests) = dependencies(args.toolwright.as_deref())?;
    for (file, template) in FILES {
        let text = template
            .replace("{name}", &name)
            .replace("{crate}", &name.replace('-', "_"))
            .replace("{toolwright}", &dependency)
            .replace("{toolwright_for_tests}", &for_tests);
        let file = args.path.join(file);
        let written = file.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&file, text));
        written.map_err(|source| Error::Write { file, source })?;
    }
    shell
        .note(&format_args!("created {}; next: cd {0} && cargo test && cargo mcp lint", args.path.display()));
    Ok(Exit::Ok)
}

/// Returns the last component of the path, if it is a valid name of a package and a crate.
fn package_name(path: &Path) -> Result<String, Error> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let fits = name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|one| one.is_ascii_alphanumeric() || matches!(one, '-' | '_'));
    // A crate with this name would shadow those that the template uses.
    let is_taken = ["toolwright", "serde", "serde_json", "schemars", "tokio", "std", "core", "test"];
    if fits && !is_taken.contains(&name.as_str()) { Ok(name) } else { Err(Error::NewName { name }) }
}

/// Returns the values of `toolwright = …` in the Cargo.toml, for dependencies and dev-dependencies.
fn dependencies(folder: Option<&Path>) -> Result<(String, String), Error> {
    const TEST_FEATURES: &str = r#"features = ["in-process"]"#;
    let Some(folder) = folder else {
        let version = Value::from(env!("CARGO_PKG_VERSION")).to_string();
        let for_tests = format!("{{ version = {version}, {TEST_FEATURES} }}");
        return Ok((version, for_tests));
    };
    let path = folder.canonicalize().map_err(|source| Error::Read { file: folder.to_owned(), source })?;
    let path = Value::from(&*path.to_string_lossy());
    Ok((format!("{{ path = {path} }}"), format!("{{ path = {path}, {TEST_FEATURES} }}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_crate_names_are_rejected() {
        for name in ["shop", "a/b/word-counter", "word_counter2"] {
            assert!(package_name(Path::new(name)).is_ok(), "{name}");
        }
        for name in ["", "2shop", "shöp", "a b", "serde", "..", "-x"] {
            assert!(package_name(Path::new(name)).is_err(), "{name}");
        }
    }
}
