//! `cargo mcp import`: the tools of running servers as records.

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

use super::target::Asked;
use super::{RequestError, RequestExit, ServerArgs, target};
use crate::shell::{self, Shell};
use crate::tool::records;

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The server, unless a command stands after `--`
    #[arg(value_name = "SERVER")]
    words: Vec<String>,
    /// Write to this file: an Arrow IPC file if its name ends in `.arrow`, else JSON lines
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Keep parameters of these types only; optional ones of other types are left out
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

/// A type of parameters that have no parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SimpleType {
    String,
    Integer,
    Number,
    Boolean,
}

/// What becomes of a tool that requires a parameter of another type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Complex {
    /// Leave it out, and say so
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

/// Where a server is, as records say it.
struct Place {
    uri: String,
    credential_ref: Option<String>,
}

impl Place {
    /// A server of a file is found there again by its name, if more than its address is needed.
    fn of(spec: &ServerSpec, is_in_file: bool) -> Self {
        let needs_file = is_in_file && !spec.is_address_sufficient();
        Self { uri: spec.address(), credential_ref: needs_file.then(|| spec.name.clone()) }
    }
}

pub(super) fn run(args: &ImportArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    let (asked, words) = args.server.split(&args.words)?;
    if let [word, ..] = words {
        return Err(RequestError::Usage(format!("`{word}` is one word too many")));
    }
    let places: HashMap<Option<String>, Place> = match &asked {
        Asked::Server(spec) => HashMap::from([(None, Place::of(spec, false))]),
        Asked::File(config) => {
            config.servers().iter().map(|spec| (Some(spec.name.clone()), Place::of(spec, true))).collect()
        }
    };
    let (values, is_refused) = (RefCell::new(Vec::new()), Cell::new(false));
    let outcome =
        target::with_each(asked, &args.server, shell, async |server: Option<String>, client: Client| {
            let Some(place) = places.get(&server) else { return Ok(RequestExit::Ok) };
            let listed = client.list_tools().await?;
            for definition in listed.iter().map(ListedTool::definition) {
                match args.simplified(definition, shell) {
                    Ok(Some(tool)) => values.borrow_mut().push(record(tool, place, server.as_deref())),
                    Ok(None) => {}
                    Err(()) => is_refused.set(true),
                }
            }
            Ok(RequestExit::Ok)
        })?;
    if is_refused.get() {
        return Err(RequestError::Usage(
            "there are tools that simple parameters do not suffice for: leave out --on-complex=error to import the others"
                .to_owned(),
        ));
    }
    records::write(&values.into_inner().into_iter().collect(), args.out.as_deref())?;
    Ok(outcome)
}

/// What a record is made of: what is shown to agents, and the server's schema where that is another.
struct Imported {
    definition: ToolDefinition,
    original: Option<ToolDefinition>,
}

impl ImportArgs {
    /// The tool with simple parameters, if that is asked for. Nothing if it is left out; an error if that is not wanted.
    fn simplified(&self, definition: ToolDefinition, shell: Shell) -> Result<Option<Imported>, ()> {
        if self.simple_types.is_empty() {
            return Ok(Some(Imported { definition, original: None }));
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
                Ok(Some(Imported { definition: simple, original }))
            }
            Ok(Filtered::Excluded(reason)) => {
                shell.note(&format_args!("left out: {}", visible(&reason.to_string())));
                Ok(None)
            }
            Err(reason) => {
                shell::failure(&visible(&reason.to_string()));
                Err(())
            }
        }
    }
}

fn record(tool: Imported, place: &Place, server: Option<&str>) -> ToolValue {
    let mut record = McpTool::from_definition(&place.uri, &tool.definition);
    record.credential_ref.clone_from(&place.credential_ref);
    record.input_schema = tool.original.and_then(|definition| definition.input_schema.as_object().cloned());
    if let Some(joined) = server.and_then(|server| names::join(server, &record.tool_name).ok()) {
        record.name = joined;
    }
    record.into()
}
