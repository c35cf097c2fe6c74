//! Runs of the built `cargo-mcp` on the packages in `tests/fixtures/cli`.

mod common;

mod packages;

mod servers;

mod same_bytes;

mod agent;
mod agent_gateway;
mod bindings;
mod bindings_hostile;
mod bundle;
mod check;

mod config;

mod contexts;

#[cfg(unix)]
mod dev;

mod docs;

mod expand;

mod export;

mod help;

mod lint;
#[cfg(unix)]
mod login;

mod new;

mod serve;

mod tool;

mod diff;

mod pins;

mod live;

mod requests;

mod features;
mod gateway;
mod gateway_callers;
mod gateway_controls;
#[cfg(target_os = "linux")]
mod gateway_faults;
mod gateway_runs;
mod gateway_spans;
mod graph;
mod install;

mod sources;

mod hostile;

mod printed;

mod parts;

mod failures;
