//! `cargo mcp bundle`: packs the program of a package with its manifest into a `.mcpb` file, which desktop clients install with a
//! double click (<https://github.com/modelcontextprotocol/mcpb>).
//!
//! `settings` has what the client asks its user for, and `archive` writes the ZIP file.

mod archive;
mod settings;

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use crate::error::{Error, ModuleError};
use crate::exit::Exit;
use crate::export::{Format, export};
use crate::flags::ToolsArgs;
use crate::new_file::NewFile;
use crate::packages;
use crate::shell::Shell;

use archive::{Archive, ArchiveError};
use settings::Settings;

#[derive(Debug, Args)]
pub(crate) struct BundleArgs {
    /// File to write; by default NAME.mcpb in the current directory
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) tools: ToolsArgs,
}

impl BundleArgs {
    /// What `--help` shows below the flags.
    pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo mcp bundle                             writes shop.mcpb
  cargo mcp bundle -p shop --out dist/shop.mcpb";
}

/// Why there is no bundle.
#[derive(Debug, thiserror::Error)]
enum BundleError {
    #[error("a bundle needs a package: drop --artifact")]
    NoPackage,
    #[error("a bundle has one server, and the package has {count}: choose one with --server NAME")]
    Servers { count: usize },
    #[error("`[package.metadata.mcp.env]` in {}: {problem}", .file.display())]
    Settings { file: PathBuf, problem: String },
    #[error("cannot pack {}", .file.display())]
    Archive { file: PathBuf, source: ArchiveError },
}

impl From<BundleError> for Error {
    fn from(error: BundleError) -> Self {
        let exit = if matches!(error, BundleError::Archive { .. }) { Exit::File } else { Exit::Usage };
        Self::Module(ModuleError::new(exit, error))
    }
}

/// Runs the command. The program is built in release mode unless a profile is selected, since it is for others.
///
/// # Errors
/// Any [`Error`] of building and querying the package, [`Error::Read`], [`Error::Write`], and those of a bundle.
pub(crate) fn run(mut args: BundleArgs, shell: Shell) -> Result<Exit, Error> {
    if args.tools.artifact.is_some() {
        return Err(BundleError::NoPackage.into());
    }
    packages::choose(&mut args.tools.packages, shell)?;
    let build = &mut args.tools.packages.build;
    build.release |= build.profile.is_none();
    let program = packages::program_to_serve(&args.tools.packages, shell)?;
    let documents = packages::documents(&args.tools, shell)?;
    let [document] = &documents[..] else {
        return Err(BundleError::Servers { count: documents.len() }.into());
    };
    let Some(exported) = export(&documents, Format::Mcpb) else {
        return Err(BundleError::NoPackage.into());
    };
    for loss in &exported.losses {
        shell.note(loss);
    }
    let mut manifest: Value = serde_json::from_str(&exported.text)
        .map_err(|source| Error::Json { file: "manifest.json".into(), source })?;
    let cargo_toml = packages::folder(&args.tools.packages, shell)?.join("Cargo.toml");
    Settings::read(&cargo_toml)?.apply(&mut manifest);
    if let Some(platform) = platform() {
        manifest["compatibility"] = json!({ "platforms": [platform] });
    }

    let entry = manifest["server"]["entry_point"].as_str().unwrap_or_default().to_owned();
    // Clients append `.exe` to the command themselves.
    let entry = Path::new(&entry).with_extension(std::env::consts::EXE_EXTENSION);
    let bytes =
        fs::read(&program.file).map_err(|source| Error::Read { file: program.file.clone(), source })?;
    let out = args.out.unwrap_or_else(|| PathBuf::from(format!("{}.mcpb", document.sources.server.package)));
    let archive_error = |source| Error::from(BundleError::Archive { file: program.file.clone(), source });
    let mut archive = Archive::default();
    let text = format!("{manifest:#}\n");
    archive.add("manifest.json", text.as_bytes(), false).map_err(archive_error)?;
    archive.add(&entry.to_string_lossy(), &bytes, true).map_err(archive_error)?;
    let new = NewFile::write(&out, &archive.finish(), true);
    new.and_then(NewFile::persist).map_err(|source| Error::Write { file: out.clone(), source })?;
    shell.note(&format_args!("wrote {}; open it with a desktop client to install it", out.display()));
    Ok(Exit::Ok)
}

/// The system that the program was built for, if bundles have a name for it.
fn platform() -> Option<&'static str> {
    match std::env::consts::OS {
        "macos" => Some("darwin"),
        "windows" => Some("win32"),
        "linux" => Some("linux"),
        _ => None,
    }
}
