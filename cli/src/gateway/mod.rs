//! `cargo mcp gateway`: the servers of a configuration file as one server, and the tools of runs.
//!
//! `args` has the flags, `serve` runs the gateway and `reload` follows its file; `state` is the folder with its keys, which `keys`
//! and `sessions` work on; `pins` compares what servers offer with what was reviewed,
//! `internal` asks a gateway that runs, `status` shows how it stands, and `doctor` looks at what it needs.

mod args;
mod doctor;
mod internal;
mod keys;
mod pins;
mod reload;
mod serve;
mod sessions;
mod state;
mod status;

pub(crate) use args::GatewayArgs;
use args::{DoctorCommand, GatewayCommand, KeysCommand, SessionsCommand};

use crate::client::{RequestError, RequestExit};
use crate::shell::Shell;

/// Runs the command.
///
/// # Errors
/// An invalid file, a server that is `required` and cannot be reached, an address that cannot be listened at, keys that cannot be
/// used.
pub(crate) fn run(args: &GatewayArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    match &args.command {
        None => serve::run(&args.serve, shell),
        Some(GatewayCommand::Pins(args)) => pins::run(args, shell),
        Some(GatewayCommand::Status(args)) => status::show(args),
        Some(GatewayCommand::Doctor(args)) => match &args.command {
            DoctorCommand::Redis(args) => doctor::redis(args),
        },
        Some(GatewayCommand::Keys(args)) => match &args.command {
            KeysCommand::Show(args) => keys::show(args),
            KeysCommand::Rotate(args) => keys::rotate(args, shell),
            KeysCommand::Service(args) => keys::service(args, shell),
            KeysCommand::Rekey(args) => keys::rekey(args, shell),
        },
        Some(GatewayCommand::Sessions(args)) => match &args.command {
            SessionsCommand::Mint(args) => sessions::mint(args),
            SessionsCommand::Inspect(args) => sessions::inspect(args),
            SessionsCommand::Revoke(args) => sessions::revoke(args, shell),
        },
    }
}
