//! Our client and `cargo mcp` against servers that others made, as their users install them: tools, a call, errors, prompts and resources,
//! over each transport that the server has, in each era that it speaks, and nothing left running afterwards.
//!
//! `tests/setup.sh` installs them at pinned versions into `target/servers`. One that is missing fails its test.

mod case;
mod command_line;
mod installed;
mod library;
mod processes;
