//! `cargo mcp manifest`, from top to bottom: choose packages, build them, ask the programs, make one document a
//! server, print or compare.

mod workspace;

mod build;
mod harness;
mod lock;

mod ask;
mod documents;

mod result;

use std::path::Path;

use crate::args::ManifestArgs;
use crate::error::Error;
use crate::exit::Exit;
use crate::shell::{self, Shell};

use ask::Answered;
use build::{Cargo, Program};
use documents::Documents;
use workspace::{Selection, Workspace};

/// Runs the command.
///
/// # Errors
/// Any [`Error`]; its exit code is [`Exit::from`] it.
pub(crate) fn run(args: &ManifestArgs, shell: Shell) -> Result<Exit, Error> {
    let documents = match &args.artifact {
        Some(file) => of_artifact(file, args, shell)?,
        None => of_packages(args, shell)?,
    };
    for orphan in &documents.orphans {
        shell::warning(orphan);
    }
    result::deliver(documents.chosen(args.result.server.as_deref())?, &args.result, shell)
}

fn of_artifact(file: &Path, args: &ManifestArgs, shell: Shell) -> Result<Documents, Error> {
    let program = Program::of_file(file);
    let answered =
        ask::program(&program, shell)?.ok_or_else(|| Error::NotAnswering { file: program.file.clone() })?;
    // Nothing says which package the file belongs to, unless the user does.
    documents::make(&[answered], &args.packages.package, &[file.display().to_string()])
}

fn of_packages(args: &ManifestArgs, shell: Shell) -> Result<Documents, Error> {
    let cargo = Cargo::new(args, shell);
    let workspace = Workspace::load(&cargo)?;
    let selection = Selection::new(&workspace, args)?;

    let mut answers = Vec::new();
    if selection.builds_programs() {
        let built = build::programs(&cargo)?;
        answers.extend(ask_all(&built, shell)?);
    }
    // A library is asked where no program links it: it may be for others to serve.
    let libraries = selection.libraries_without_answer(&answers)?;
    if !libraries.is_empty() {
        let harness = harness::build(&cargo, &workspace, &libraries)?;
        let asked = ask_all(&harness.programs, shell);
        harness.remove_programs();
        answers.extend(asked?.into_iter().map(|answered| answered.relative_to(workspace.root())));
    }
    documents::make(&answers, &selection.package_names(), &selection.places())
}

/// The answers of those programs that have one.
fn ask_all(programs: &[Program], shell: Shell) -> Result<Vec<Answered>, Error> {
    programs.iter().filter_map(|program| ask::program(program, shell).transpose()).collect()
}
