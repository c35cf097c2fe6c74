//! Runs cargo and takes the built programs from its messages.

use std::env;
use std::ffi::OsString;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cargo_metadata::{Message, Metadata, MetadataCommand};

use crate::command_line::display;
use crate::error::Error;
use crate::flags::PackageArgs;
use crate::shell::Shell;

/// A program that can be queried or run.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    /// Its file.
    pub(crate) file: PathBuf,
    /// The name of its target.
    pub(super) name: String,
    /// The library search path.
    library_folders: Vec<PathBuf>,
}

impl Program {
    /// Creates a program that was built elsewhere.
    pub(super) fn of_file(file: &Path) -> Self {
        let name = file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
        // Without a directory, it would be searched on the PATH.
        let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        Self { file, name, library_folders: Vec::new() }
    }

    /// Creates the command. Like `cargo run`, it sets the library path to what build scripts produced.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.file);
        if self.library_folders.is_empty() {
            return command;
        }
        let variable = if cfg!(windows) {
            "PATH"
        } else if cfg!(target_vendor = "apple") {
            "DYLD_FALLBACK_LIBRARY_PATH"
        } else {
            "LD_LIBRARY_PATH"
        };
        let before = env::var_os(variable).unwrap_or_default();
        let folders = self.library_folders.iter().cloned().chain(env::split_paths(&before));
        // A folder with a separator in its name cannot be represented, which also applies to cargo.
        if let Ok(value) = env::join_paths(folders) {
            command.env(variable, value);
        }
        command
    }
}

/// The cargo command of this run.
#[derive(Debug)]
pub(super) struct Cargo<'a> {
    program: PathBuf,
    pub(super) args: &'a PackageArgs,
    shell: Shell,
}

impl<'a> Cargo<'a> {
    /// Returns `$CARGO`, which cargo sets for its subcommands, or else the `cargo` on the PATH.
    pub(super) fn new(args: &'a PackageArgs, shell: Shell) -> Self {
        let program = env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from);
        Self { program, args, shell }
    }

    /// The workspace's members, without their dependencies.
    pub(super) fn metadata(&self) -> Result<Metadata, Error> {
        let build = &self.args.build;
        let mut command = MetadataCommand::new();
        command.cargo_path(&self.program).no_deps();
        if let Some(path) = &build.manifest_path {
            command.manifest_path(path);
        }
        self.shell.running(&display(&command.cargo_command()));
        command.exec().map_err(|error| match error {
            cargo_metadata::Error::CargoMetadata { stderr } => Error::Workspace { text: stderr },
            cargo_metadata::Error::Io(source) => Error::NoCargo { cargo: self.program.clone(), source },
            other => Error::Workspace { text: other.to_string() },
        })
    }

    /// Runs `cargo build` with these flags; its messages, progress and errors go to standard error.
    pub(super) fn build(&self, flags: &[OsString]) -> Result<Vec<Program>, Error> {
        let mut command = Command::new(&self.program);
        command.arg("build").args(flags);
        let alone = display(&command);
        command.arg("--message-format=json-render-diagnostics").args(self.args.output.to_cargo_flags());
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        self.shell.running(&display(&command));

        let mut child =
            command.spawn().map_err(|source| Error::NoCargo { cargo: self.program.clone(), source })?;
        let output =
            child.stdout.take().into_iter().flat_map(|output| Message::parse_stream(BufReader::new(output)));
        let programs = programs_in(output);
        let status = child.wait().map_err(|source| Error::CargoOutput { source })?;
        if !status.success() {
            return Err(Error::Build { status, command: alone });
        }
        programs.map_err(|source| Error::CargoOutput { source })
    }
}

/// Runs `cargo build` with the user's flags.
pub(super) fn programs(cargo: &Cargo<'_>) -> Result<Vec<Program>, Error> {
    let PackageArgs { packages, build, .. } = cargo.args;
    let mut flags: Vec<OsString> = Vec::new();
    let mut pairs = |flag: &str, values: &[String]| {
        for value in values {
            flags.extend([flag.into(), value.into()]);
        }
    };
    pairs("--package", &packages.package);
    pairs("--exclude", &packages.exclude);
    pairs("--bin", &build.bin);
    pairs("--example", &build.example);
    pairs("--features", &build.features.features);
    for (is_given, flag) in [
        (packages.workspace || packages.all, "--workspace"),
        (build.features.all_features, "--all-features"),
        (build.features.no_default_features, "--no-default-features"),
        (build.locked, "--locked"),
        (build.offline, "--offline"),
        (build.frozen, "--frozen"),
    ] {
        if is_given {
            flags.push(flag.into());
        }
    }
    for (flag, path) in [("--target-dir", &build.target_dir), ("--manifest-path", &build.manifest_path)] {
        if let Some(path) = path {
            flags.extend([flag.into(), path.into()]);
        }
    }
    flags.extend(build.profile_flags());
    cargo.build(&flags)
}

fn programs_in(messages: impl Iterator<Item = std::io::Result<Message>>) -> std::io::Result<Vec<Program>> {
    let mut programs = Vec::new();
    let mut library_folders = Vec::new();
    for message in messages {
        match message? {
            Message::CompilerArtifact(artifact) => {
                // A build script is a program as well, but not one of the user's.
                let is_the_users = artifact.target.is_bin() || artifact.target.is_example();
                if let Some(file) = artifact.executable.filter(|_| is_the_users) {
                    programs.push(Program {
                        file: file.into(),
                        name: artifact.target.name,
                        library_folders: Vec::new(),
                    });
                }
            }
            Message::BuildScriptExecuted(script) => library_folders.extend(
                // Like `cargo run`: the kind may be included, as in `native=/folder`.
                script.linked_paths.iter().map(|path| {
                    let path = path.as_str();
                    PathBuf::from(path.split_once('=').map_or(path, |(_, folder)| folder))
                }),
            ),
            _ => {}
        }
    }
    for program in &mut programs {
        program.library_folders.clone_from(&library_folders);
    }
    Ok(programs)
}
