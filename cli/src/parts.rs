//! `cargo mcp parts`: converts tool parts of chat messages to one form.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::Value;
use toolwright_agent::parts::{self, Formats, NotAToolPart, Transcript};

use crate::error::Error;
use crate::exit::Exit;
use crate::flags::OutputArgs;
use crate::shell::{self, Shell};

/// Maximum size of the input: 64 MiB.
const MAX_INPUT_BYTES: u64 = 64 << 20;

#[derive(Debug, Args)]
pub(crate) struct PartsArgs {
    #[command(subcommand)]
    command: PartsCommand,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

impl PartsArgs {
    /// What `--help` shows below the flags.
    pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo mcp parts normalize part.json     a tool part of any library, in one form
  cargo mcp parts all < conversation.jsonl
                                          the tool parts of a conversation, with
                                          results joined to their calls
  cargo mcp parts get --name part.json    the name of its tool
  cargo mcp parts split uv-mcp__load_csv  the server and the tool of a name";
}

#[derive(Debug, Subcommand)]
enum PartsCommand {
    /// Print each part in one form, one per line; `null` for anything but a tool part
    Normalize(InputArgs),
    /// Print one member of a part as JSON: a name, `{}` without arguments, `null` without a result
    Get(GetArgs),
    /// Print the tool parts of one or more messages as an array, with results joined to their calls
    All(InputArgs),
    /// Print the index of a message's last tool part; -1 if there is none
    Last(InputArgs),
    /// Print the server and the tool of a full name, one per line
    Split {
        /// A name such as `server__tool`
        name: String,
    },
}

#[derive(Debug, Args)]
struct InputArgs {
    /// A sequence of JSON values [default: standard input, also for `-`]. Arrays are expanded to their items
    file: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct GetArgs {
    #[command(flatten)]
    member: Member,
    #[command(flatten)]
    input: InputArgs,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Member {
    /// The name of the tool
    #[arg(long)]
    name: bool,
    /// The arguments of the call
    #[arg(long)]
    args: bool,
    /// The result
    #[arg(long)]
    result: bool,
}

/// Runs the command.
///
/// # Errors
///
/// [`Error::Read`] and [`Error::Json`] for the input, and [`Error::NotAName`].
pub(crate) fn run(args: &PartsArgs, shell: Shell) -> Result<Exit, Error> {
    match &args.command {
        PartsCommand::Normalize(input) => {
            for part in read(input)? {
                let read = Formats::standard().read(&part).inspect_err(|reason| explain(shell, reason)).ok();
                print(&serde_json::to_value(read).unwrap_or_default())?;
            }
        }
        PartsCommand::Get(GetArgs { member, input }) => {
            for part in read(input)? {
                print(&match member {
                    Member { name: true, .. } => parts::name(&part).into(),
                    Member { args: true, .. } => parts::args(&part),
                    _ => parts::result(&part).unwrap_or_default(),
                })?;
            }
        }
        PartsCommand::All(input) => {
            let parts = Transcript::of(&read(input)?).into_parts();
            print(&serde_json::to_value(parts).unwrap_or_default())?;
        }
        PartsCommand::Last(input) => {
            for message in read_messages(input)? {
                let last = parts::last_index(&message).and_then(|index| i64::try_from(index).ok());
                print(&last.unwrap_or(-1).into())?;
            }
        }
        PartsCommand::Split { name } => {
            let (server, tool) =
                toolwright_core::names::split(name).ok_or_else(|| Error::NotAName { name: name.clone() })?;
            shell::print(&format!("{server}\n{tool}\n"))?;
        }
    }
    Ok(Exit::Ok)
}

fn explain(shell: Shell, reason: &NotAToolPart) {
    shell.note(reason);
}

fn print(value: &Value) -> Result<(), Error> {
    shell::print_json(&format!("{value}\n"))
}

/// Reads the values of the input; an array is expanded to its items.
fn read(input: &InputArgs) -> Result<Vec<Value>, Error> {
    let values = read_messages(input)?.into_iter().flat_map(|value| match value {
        Value::Array(items) => items,
        other => vec![other],
    });
    Ok(values.collect())
}

/// Reads the values of the input, with arrays unchanged.
fn read_messages(input: &InputArgs) -> Result<Vec<Value>, Error> {
    read_file(input.file.as_deref())
}

/// Reads the values of a file, or of standard input if it is absent or `-`.
///
/// # Errors
/// [`Error::Read`] and [`Error::Json`].
pub(crate) fn read_file(file: Option<&Path>) -> Result<Vec<Value>, Error> {
    let (name, text) = read_input(file)?;
    let values: Result<_, _> = serde_json::Deserializer::from_slice(&text).into_iter().collect();
    values.map_err(|source| Error::Json { file: name, source })
}

/// Returns the name and the bytes of a file, or of standard input if it is absent or `-`; at most 64 MiB.
///
/// # Errors
/// [`Error::Read`].
pub(crate) fn read_input(file: Option<&Path>) -> Result<(PathBuf, Vec<u8>), Error> {
    let file = file.filter(|file| *file != Path::new("-"));
    let name = file.map_or_else(|| PathBuf::from("standard input"), Path::to_owned);
    let text = match file {
        Some(file) => File::open(file).and_then(read_bounded),
        None => read_bounded(io::stdin().lock()),
    };
    match text {
        Ok(text) => Ok((name, text)),
        Err(source) => Err(Error::Read { file: name, source }),
    }
}

fn read_bounded(input: impl io::Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(MAX_INPUT_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_INPUT_BYTES {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it is longer than {MAX_INPUT_BYTES} bytes; split it into several runs"),
        ));
    }
    Ok(bytes)
}
