//! Loads manifests from packages: selects packages, builds them, queries the programs, and creates one document
//! per server.

mod choice;
mod workspace;

mod build;
mod harness;
mod lock;

mod documents;
mod query;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::Error;
use crate::flags::{PackageArgs, ToolsArgs};
use crate::shell::{self, Shell};

use build::Cargo;
use documents::Documents;
use query::ProgramAnswer;
use workspace::{Selection, Workspace};

pub(crate) use build::Program;
pub(crate) use choice::choose;
#[cfg(test)]
pub(crate) use documents::{About, Release};
pub(crate) use documents::{Document, Sources, name_conflict};

/// The manifests of the selected servers, sorted by name, with the selected tools.
///
/// # Errors
/// Any [`Error`] of building and querying.
pub(crate) fn documents(args: &ToolsArgs, shell: Shell) -> Result<Vec<Document>, Error> {
    let documents = match &args.artifact {
        Some(file) => of_artifact(file, args, shell)?,
        None => of_packages(&args.packages, args.timeout(), shell)?,
    };
    for orphan in &documents.orphans {
        shell::warning(orphan);
    }
    select(documents.documents, args)
}

/// The selected documents, with the selected tools.
///
/// # Errors
/// [`Error::UnknownServer`], [`Error::OneNameForSeveral`], [`Error::NothingInContext`].
pub(crate) fn select(documents: Vec<Document>, args: &ToolsArgs) -> Result<Vec<Document>, Error> {
    let selected = documents::select_server(documents, args.server.as_deref())?;
    match &args.context {
        Some(path) => documents::in_context(selected, path),
        None => Ok(selected),
    }
}

/// The names of the workspace's packages.
///
/// # Errors
/// Any [`Error`] of reading the workspace.
pub(crate) fn members(args: &PackageArgs, shell: Shell) -> Result<Vec<String>, Error> {
    Ok(Workspace::load(&Cargo::new(args, shell))?.names())
}

/// The folder of the selected package; for several, the folder of this process.
///
/// # Errors
/// Any [`Error`] of reading the workspace and choosing in it.
pub(crate) fn folder(args: &PackageArgs, shell: Shell) -> Result<PathBuf, Error> {
    let workspace = Workspace::load(&Cargo::new(args, shell))?;
    let folder = Selection::new(&workspace, args)?.folder();
    Ok(folder.unwrap_or_else(|| PathBuf::from(".")))
}

/// The name of the selected package; `None` if there are several.
///
/// # Errors
/// Any [`Error`] of reading the workspace and choosing in it.
pub(crate) fn name(args: &PackageArgs, shell: Shell) -> Result<Option<String>, Error> {
    let workspace = Workspace::load(&Cargo::new(args, shell))?;
    let mut names = Selection::new(&workspace, args)?.package_names();
    Ok(if names.len() == 1 { names.pop() } else { None })
}

/// Builds the selected program, which must contain Toolwright to be a server.
///
/// # Errors
/// Any [`Error`] of building, [`Error::NothingToServe`], [`Error::NotServing`], [`Error::SeveralToServe`].
pub(crate) fn program_to_serve(args: &PackageArgs, shell: Shell) -> Result<Program, Error> {
    let cargo = Cargo::new(args, shell);
    let workspace = Workspace::load(&cargo)?;
    let selection = Selection::new(&workspace, args)?;

    let mut built = if selection.builds_programs() { build::programs(&cargo)? } else { Vec::new() };
    if built.is_empty() {
        return Err(Error::NothingToServe { places: selection.places() });
    }
    let names = |programs: &[Program]| programs.iter().map(|program| format!("`{}`", program.name)).collect();
    // Cargo reports them in the order of completion.
    built.sort_by(|left, right| left.name.cmp(&right.name));
    let all = names(&built);
    let mut servers = Vec::new();
    for program in built {
        if query::contains_toolwright(&program.file)? {
            servers.push(program);
        }
    }
    let default = selection.default_program();
    if let Some(position) = servers.iter().position(|program| Some(program.name.as_str()) == default) {
        return Ok(servers.swap_remove(position));
    }
    match <[Program; 1]>::try_from(servers) {
        Ok([program]) => Ok(program),
        Err(servers) if servers.is_empty() => Err(Error::NotServing { programs: all }),
        Err(servers) => Err(Error::SeveralToServe { programs: names(&servers) }),
    }
}

fn of_artifact(file: &Path, args: &ToolsArgs, shell: Shell) -> Result<Documents, Error> {
    let program = Program::of_file(file);
    let answered = query::query(&program, args.timeout(), shell)?
        .ok_or_else(|| Error::NotAnswering { file: program.file.clone() })?;
    // The package of the file is only known if the user selects it.
    documents::from_answers(&[answered], &args.packages.packages.package, &[file.display().to_string()])
}

fn of_packages(args: &PackageArgs, timeout: Duration, shell: Shell) -> Result<Documents, Error> {
    let cargo = Cargo::new(args, shell);
    let workspace = Workspace::load(&cargo)?;
    let selection = Selection::new(&workspace, args)?;

    let mut answers = Vec::new();
    if selection.builds_programs() {
        let built = build::programs(&cargo)?;
        answers.extend(query_all(&built, timeout, shell)?);
    }
    // A library that no program links is queried separately: another package may serve it.
    let libraries = selection.libraries_without_answer(&answers)?;
    if !libraries.is_empty() {
        let harness = harness::build(&cargo, &workspace, &libraries)?;
        let asked = query_all(&harness.programs, timeout, shell);
        harness.remove_programs();
        answers.extend(asked?.into_iter().map(|answered| answered.relative_to(workspace.root())));
    }
    let documents = documents::from_answers(&answers, &selection.package_names(), &selection.places())?;
    Ok(documents.in_workspace(&workspace))
}

/// Queries the programs, and omits those without Toolwright.
fn query_all(programs: &[Program], timeout: Duration, shell: Shell) -> Result<Vec<ProgramAnswer>, Error> {
    programs.iter().filter_map(|program| query::query(program, timeout, shell).transpose()).collect()
}
