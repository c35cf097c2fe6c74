//! `cargo mcp gateway`: the servers of a configuration file as one server, and the tools of runs.
//!
//! `args` defines the flags, `serve` runs the gateway, `reload` watches its files, `telemetry` writes what it records, and
//! `otlp` sends it to a collector; `state` is the folder with
//! its keys, which `keys` and `sessions` use; `pins` compares the tools of servers with their reviewed
//! definitions, `internal` calls the internal API of a running gateway, `status` shows its status, `events` what
//! happened to a run, and `doctor` checks its dependencies.

mod args;
mod doctor;
mod events;
mod internal;
mod keys;
#[cfg(feature = "otel")]
mod otlp;
mod pins;
mod reload;
mod serve;
mod sessions;
mod state;
mod status;
mod telemetry;

pub(crate) use args::GatewayArgs;
use args::{DoctorCommand, GatewayCommand, KeysCommand, SessionsCommand};

use crate::client::{RequestError, RequestExit};
use crate::shell::Shell;

/// Runs the command.
///
/// # Errors
/// An invalid file, a `required` server that cannot be reached, an address that is unavailable, unusable keys.
pub(crate) fn run(args: &GatewayArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    match &args.command {
        None => serve::run(&args.serve, shell),
        Some(GatewayCommand::Pins(args)) => pins::run(args, shell),
        Some(GatewayCommand::Status(args)) => status::show(args),
        Some(GatewayCommand::Events(args)) => events::show(args),
        Some(GatewayCommand::Doctor(args)) => match &args.command {
            DoctorCommand::Redis(args) => doctor::redis(args),
        },
        Some(GatewayCommand::Keys(args)) => match &args.command {
            KeysCommand::Show(args) => keys::show(args),
            KeysCommand::Rotate(args) => keys::rotate(args, shell),
            KeysCommand::Caller(args) => keys::caller(args, shell),
            KeysCommand::Remove(args) => keys::remove(args, shell),
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
