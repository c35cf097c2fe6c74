//! `cargo mcp import`: writes the tools of running servers as records.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use toolwright_agent::value::{McpTool, ToolValue};
use toolwright_client::config::ServerSpec;
use toolwright_client::{Client, ListedTool};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::docs::{Filtered, OnComplex, SimpleTypes};
use toolwright_core::manifest::visible;
use toolwright_core::names;

use super::target::Target;
use super::{RequestError, RequestExit, ServerArgs, target};
use crate::shell::{self, Shell};
use crate::tool::records;

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The server, unless a command follows `--`
    #[arg(value_name = "SERVER")]
    words: Vec<String>,
    /// Write to this file: an Arrow IPC file if its name ends in `.arrow`, else JSON lines
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Keep parameters of these types only; optional ones of other types are omitted
    #[arg(
        long, value_name = "TYPES", value_enum, value_delimiter = ',', num_args = 0.., require_equals = true,
        default_missing_values = ["string", "integer", "number"]
    )]
    simple_types: Vec<SimpleType>,
    /// What to do with a tool that requires a parameter of another type
    #[arg(long, value_enum, default_value_t = Complex::Exclude, requires = "simple_types")]
    on_complex: Complex,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

/// A simple type of parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SimpleType {
    String,
    Integer,
    Number,
    Boolean,
}

/// What to do with a tool that requires a parameter of another type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Complex {
    /// Omit it, with a note
    Exclude,
    /// Keep it with all its parameters
    Keep,
    /// Fail, and write nothing
    Error,
}

impl ImportArgs {
    /// What `--help` shows below the flags.
    pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo mcp import https://example.com/mcp > tools.jsonl
  cargo mcp import .mcp.json --out tools.arrow     of all servers in a file
  cargo mcp import --simple-types -- npx -y some-server
  cargo mcp import https://example.com/mcp | cargo mcp agent tools -";
}

/// The server of a record.
struct Origin {
    uri: String,
    credential_ref: Option<String>,
}

impl Origin {
    /// Refers to a server of a file by its name if its URI is not sufficient.
    fn of(spec: &ServerSpec, is_in_file: bool) -> Self {
        let needs_file = is_in_file && !spec.is_address_sufficient();
        Self { uri: spec.address(), credential_ref: needs_file.then(|| spec.name.clone()) }
    }
}

pub(super) fn run(args: &ImportArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    let (target, words) = args.server.split(&args.words)?;
    if let [word, ..] = words {
        return Err(RequestError::Usage(format!("unexpected argument `{word}`")));
    }
    let origins: HashMap<Option<String>, Origin> = match &target {
        Target::Server(spec) => HashMap::from([(None, Origin::of(spec, false))]),
        Target::File(config) => {
            config.servers().iter().map(|spec| (Some(spec.name.clone()), Origin::of(spec, true))).collect()
        }
    };
    let (values, has_errors) = (RefCell::new(Vec::new()), Cell::new(false));
    let outcome =
        target::with_each(target, &args.server, shell, async |server: Option<String>, client: Client| {
            let Some(origin) = origins.get(&server) else { return Ok(RequestExit::Ok) };
            let listed = client.list_tools().await?;
            for definition in listed.iter().map(ListedTool::definition) {
                match args.simplify(definition, shell) {
                    Ok(Some(tool)) => values.borrow_mut().push(to_record(tool, origin, server.as_deref())),
                    Ok(None) => {}
                    Err(()) => has_errors.set(true),
                }
            }
            Ok(RequestExit::Ok)
        })?;
    if has_errors.get() {
        return Err(RequestError::Usage(
            "some tools require complex parameters: omit --on-complex=error to import the others".to_owned(),
        ));
    }
    records::write(&values.into_inner().into_iter().collect(), args.out.as_deref())?;
    Ok(outcome)
}

/// The definition for agents, and the original one if it has another schema.
struct SimplifiedTool {
    definition: ToolDefinition,
    original: Option<ToolDefinition>,
}

impl ImportArgs {
    /// Removes complex parameters, if requested. Returns `None` if the tool is omitted, and an error if that is denied.
    fn simplify(&self, definition: ToolDefinition, shell: Shell) -> Result<Option<SimplifiedTool>, ()> {
        if self.simple_types.is_empty() {
            return Ok(Some(SimplifiedTool { definition, original: None }));
        }
        let on_complex = match self.on_complex {
            Complex::Exclude => OnComplex::Exclude,
            Complex::Keep => OnComplex::Keep,
            Complex::Error => OnComplex::Error,
        };
        let has = |kind| self.simple_types.contains(&kind);
        let types = SimpleTypes {
            string: has(SimpleType::String),
            integer: has(SimpleType::Integer),
            number: has(SimpleType::Number),
            boolean: has(SimpleType::Boolean),
            on_complex,
        };
        match types.apply(&definition) {
            Ok(Filtered::Listed(simple)) => {
                let original = (simple.input_schema != definition.input_schema).then_some(definition);
                Ok(Some(SimplifiedTool { definition: simple, original }))
            }
            Ok(Filtered::Excluded(reason)) => {
                shell.note(&format_args!("omitted: {}", visible(&reason.to_string())));
                Ok(None)
            }
            Err(reason) => {
                shell::failure(&visible(&reason.to_string()));
                Err(())
            }
        }
    }
}

fn to_record(tool: SimplifiedTool, origin: &Origin, server: Option<&str>) -> ToolValue {
    let mut record = McpTool::from_definition(&origin.uri, &tool.definition);
    record.credential_ref.clone_from(&origin.credential_ref);
    record.input_schema = tool.original.and_then(|definition| definition.input_schema.as_object().cloned());
    if let Some(joined) = server.and_then(|server| names::join(server, &record.tool_name).ok()) {
        record.name = joined;
    }
    record.into()
}
