//! The flags of `cargo mcp tool`.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand, ValueEnum};
use toolwright_agent::value::{FLAT, HttpMethod, ToolCodec};

use crate::flags::OutputArgs;

#[derive(Debug, Args)]
pub(crate) struct ToolArgs {
    #[command(subcommand)]
    pub(super) command: ToolCommand,
}

impl ToolArgs {
    /// What `--help` shows below the flags.
    pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo mcp tool new mcp --name add --server-uri http://localhost:8080/mcp
  cargo mcp tool list tools.jsonl
  cargo mcp tool concat theirs.jsonl ours.jsonl | cargo mcp tool check
  cargo mcp tool migrate old.jsonl > tools.jsonl

FILE is JSON lines, one record a line, one JSON document, or an Arrow IPC file; -
is standard input. Output to FILE.arrow is an Arrow IPC file.";

    pub(crate) fn output(&self) -> &OutputArgs {
        match &self.command {
            ToolCommand::List(args) => &args.output,
            ToolCommand::Concat(args) => &args.records.output,
            ToolCommand::Check(args) => &args.records.output,
            ToolCommand::Migrate(args) => &args.records.output,
            ToolCommand::Decode(args) => &args.records.output,
            ToolCommand::Roundtrip(args) => &args.records.output,
            ToolCommand::Codecs(args) => &args.output,
            ToolCommand::Schema(args) => args,
            ToolCommand::New(args) => match &args.kind {
                NewKind::Mcp { common, .. }
                | NewKind::Workflow { common, .. }
                | NewKind::Http { common, .. }
                | NewKind::Command { common, .. } => &common.output,
            },
        }
    }
}

#[derive(Debug, Subcommand)]
pub(super) enum ToolCommand {
    /// Print name, kind and description of each tool, one per line
    List(RecordsArgs),
    /// Find invalid records and duplicate names
    Check(CheckArgs),
    /// Print the records of all files in the current format
    Concat(ConcatArgs),
    /// Rewrite records in another format
    Migrate(MigrateArgs),
    /// Convert records of one format to the current one
    Decode(DecodeArgs),
    /// Write each record, read it again, and print the result
    Roundtrip(RoundtripArgs),
    /// List the formats of records
    Codecs(CodecsArgs),
    /// Print a new record
    New(NewToolArgs),
    /// Print the JSON Schema of records
    Schema(OutputArgs),
}

/// Selects records.
#[derive(Debug, Args)]
pub(super) struct RecordsArgs {
    /// Files of records [default: standard input]
    #[arg(value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(super) struct ConcatArgs {
    #[command(flatten)]
    pub(super) records: RecordsArgs,
    #[command(flatten)]
    pub(super) out: OutArgs,
}

/// The output of records.
#[derive(Debug, Args)]
pub(super) struct OutArgs {
    /// Write to this file: an Arrow IPC file if its name ends with `.arrow`, otherwise JSON lines
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    pub(super) records: RecordsArgs,
    /// Exit with 100 for records of a deprecated format
    #[arg(long)]
    pub(super) deny_deprecated: bool,
}

#[derive(Debug, Args)]
pub(super) struct MigrateArgs {
    #[command(flatten)]
    pub(super) records: RecordsArgs,
    /// The format to write
    #[arg(long, value_name = "CODEC", default_value = ToolCodec::default().name(), value_parser = writable())]
    pub(super) to: String,
    /// Fail, without writing anything, if the format cannot express everything
    #[arg(long)]
    pub(super) deny_lossy: bool,
    #[command(flatten)]
    pub(super) out: OutArgs,
}

#[derive(Debug, Args)]
pub(super) struct DecodeArgs {
    #[command(flatten)]
    pub(super) records: RecordsArgs,
    /// The format of all records [default: detected per record]
    #[arg(long, value_name = "CODEC", value_parser = readable(), conflicts_with = "flat")]
    codec: Option<String>,
    /// The same as --codec flat/1
    #[arg(long)]
    flat: bool,
    #[command(flatten)]
    pub(super) out: OutArgs,
}

impl DecodeArgs {
    pub(super) fn codec(&self) -> Option<&'static ToolCodec> {
        ToolCodec::find(if self.flat { FLAT } else { self.codec.as_deref()? })
    }
}

#[derive(Debug, Args)]
pub(super) struct RoundtripArgs {
    #[command(flatten)]
    pub(super) records: RecordsArgs,
    /// The format to write and read
    #[arg(long, value_name = "CODEC", default_value = ToolCodec::default().name(), value_parser = writable())]
    pub(super) codec: String,
    /// Write and read an Arrow IPC file as well
    #[arg(long)]
    pub(super) arrow: bool,
}

#[derive(Debug, Args)]
pub(super) struct CodecsArgs {
    /// One JSON object per line
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(super) struct NewToolArgs {
    #[command(subcommand)]
    pub(super) kind: NewKind,
}

#[derive(Debug, Subcommand)]
pub(super) enum NewKind {
    /// A tool of an MCP server
    Mcp {
        #[command(flatten)]
        common: CommonArgs,
        /// The URL of the server
        #[arg(long, value_name = "URI")]
        server_uri: String,
        /// The name of the tool on its server [default: NAME]
        #[arg(long, value_name = "NAME")]
        tool_name: Option<String>,
        /// JSON Schema of the arguments on the server
        #[arg(long, value_name = "JSON")]
        input_schema: Option<String>,
        /// The expected kind of result, such as string
        #[arg(long, value_name = "TYPE")]
        output_type: Option<String>,
        /// The name of the credential for the server; never the secret
        #[arg(long, value_name = "NAME")]
        credential_ref: Option<String>,
    },
    /// A workflow
    Workflow {
        #[command(flatten)]
        common: CommonArgs,
        /// The workflow file; the record contains its path and SHA-256
        #[arg(long, value_name = "FILE")]
        workflow: Option<PathBuf>,
        /// The output port with the message for the model, starting at 0
        #[arg(long, value_name = "INDEX", default_value_t = -1, allow_negative_numbers = true)]
        message_output_port_index: i32,
    },
    /// An endpoint of an HTTP API
    Http {
        #[command(flatten)]
        common: CommonArgs,
        /// The URL, with {parameter} placeholders
        #[arg(long)]
        url: String,
        /// The method
        #[arg(long, value_enum, ignore_case = true, default_value_t = Method::Post)]
        method: Method,
        /// The name of the credential for the API; never the secret
        #[arg(long, value_name = "NAME")]
        credential_ref: Option<String>,
    },
    /// A command of a Rust service; `cargo mcp manifest --format jsonl` writes those of a package
    Command {
        #[command(flatten)]
        common: CommonArgs,
        /// The name of the server
        #[arg(long, value_name = "NAME")]
        server: Option<String>,
    },
}

/// Members of all kinds of tools.
#[derive(Debug, Args)]
pub(super) struct CommonArgs {
    /// The name
    #[arg(long)]
    pub(super) name: String,
    /// What the tool does, for the model
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(super) description: String,
    /// JSON Schema of the arguments
    #[arg(long, value_name = "JSON", default_value = "{}")]
    pub(super) schema: String,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Method {
    #[value(name = "GET")]
    Get,
    #[value(name = "POST")]
    Post,
    #[value(name = "PUT")]
    Put,
    #[value(name = "PATCH")]
    Patch,
    #[value(name = "DELETE")]
    Delete,
}

impl From<Method> for HttpMethod {
    fn from(method: Method) -> Self {
        match method {
            Method::Get => Self::Get,
            Method::Post => Self::Post,
            Method::Put => Self::Put,
            Method::Patch => Self::Patch,
            Method::Delete => Self::Delete,
        }
    }
}

/// Returns the formats that can be written.
fn writable() -> PossibleValuesParser {
    ToolCodec::all().iter().filter(|codec| codec.writes()).map(ToolCodec::name).into()
}

/// Returns the formats that can be read.
fn readable() -> PossibleValuesParser {
    ToolCodec::all().iter().map(ToolCodec::name).into()
}
