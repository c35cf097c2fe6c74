//! `cargo mcp graph`: workflow graphs, and which tools their agents may use.

mod args;

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Value, json};
use toolwright_core::manifest::visible;
use toolwright_gateway::graph::{self, GraphError, Workflow};

use crate::error::{Error, ModuleError};
use crate::exit::Exit;
use crate::parts;
use crate::shell;

pub(crate) use args::GraphArgs;
use args::{GraphCommand, WorkflowArgs};

/// The file is JSON, but not a workflow.
#[derive(Debug, thiserror::Error)]
#[error("{} is not a workflow; `cargo mcp graph schema` prints what is expected", visible(&.file.display().to_string()))]
struct NotAWorkflow {
    file: PathBuf,
    source: serde_json::Error,
}

/// Runs the command.
///
/// # Errors
/// [`Error::Read`] and [`Error::Json`] for the file; a graph that is invalid, with the edges and nodes named.
pub(crate) fn run(args: &GraphArgs) -> Result<Exit, Error> {
    match &args.command {
        GraphCommand::Plan(args) => {
            let plan = graph::plan(&read(args.file.as_deref())?, &args.rules());
            print_result(args, plan)
        }
        GraphCommand::Compile(args) => {
            let compiled = graph::compile(&read(args.file.as_deref())?, &args.rules());
            print_result(args, compiled)
        }
        GraphCommand::Schema(args) => print(&graph::schema(args.of.into())),
    }
}

fn print_result(args: &WorkflowArgs, result: Result<impl Serialize, GraphError>) -> Result<Exit, Error> {
    match result {
        Ok(document) => print(&document),
        Err(error) => {
            if args.json {
                print(&problems(&error))?;
            }
            Err(ModuleError::new(Exit::Usage, error).into())
        }
    }
}

fn print(document: &impl Serialize) -> Result<Exit, Error> {
    // All map keys are strings, so this cannot fail.
    let text = serde_json::to_string_pretty(document).unwrap_or_default();
    shell::print_json(&format!("{text}\n"))?;
    Ok(Exit::Ok)
}

/// The problems as data, each with its message.
fn problems(error: &GraphError) -> Value {
    let problems = error.problems().iter().map(|problem| {
        let mut value = json!(problem);
        value["message"] = problem.to_string().into();
        value
    });
    json!({ "problems": problems.collect::<Vec<_>>(), "leftOut": error.left_out() })
}

fn read(file: Option<&Path>) -> Result<Workflow, Error> {
    let (name, text) = parts::read_input(file)?;
    serde_json::from_slice(&text).map_err(|source| match source.classify() {
        serde_json::error::Category::Data => {
            ModuleError::new(Exit::Usage, NotAWorkflow { file: name, source }).into()
        }
        _ => Error::Json { file: name, source },
    })
}
