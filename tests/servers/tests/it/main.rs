//! Our client and `cargo mcp` with third-party servers: tools, a call, errors, prompts and resources, over each transport and in each
//! era that a server supports, without processes left running.
//!
//! `tests/setup.sh` installs them at pinned versions into `target/servers`. A missing server fails its test.

mod case;
mod command_line;
mod library;
