//! Configuration files, in the formats of other clients and in our own.
//!
//! [`ConfigReader`] reads a file into a [`Config`]: the valid servers, and the [`Problem`]s of the others. It starts no server and
//! opens no connection. The formats are documented in `docs/config.md` of the repository.

mod build;
mod convert;
mod entry;
mod env_file;
mod expand;
mod grammar;
mod inputs;
mod json;
mod name;
mod node;
mod oauth;
mod problem;
mod provider;
mod reader;
mod remote;
mod schema;
mod secrets;
mod sections;
mod source;
mod span;
mod token;
mod toml;
mod variables;
mod yaml;

pub use convert::{Conversion, Dialect, convert};
pub use env_file::MAX_ENV_FILE_SIZE;
pub use expand::{MAX_EXPANDED_SIZE, MAX_VALUE_SIZE};
pub use inputs::{INPUT_VARIABLE_PREFIX, Input};
pub use name::MAX_SERVER_NAME;
pub use problem::{ConfigError, MAX_PROBLEMS, Problem, ProblemKind, Severity};
pub use provider::{CommandToken, DEFAULT_TOKEN_TIMEOUT, FileToken, MAX_TOKEN_SIZE};
pub use reader::{Config, ConfigReader, ServerLookupError};
pub use schema::schema;
pub use source::Source;

/// The most bytes of a file that is JSON. Some clients keep much else in the file that has their servers.
pub const MAX_FILE_SIZE: usize = 16 << 20;

/// The maximum size of a TOML or YAML file, in bytes.
pub const MAX_SMALL_FILE_SIZE: usize = 1 << 20;

/// The maximum number of servers in a file.
pub const MAX_SERVERS: usize = 1_000;

#[cfg(test)]
mod tests;
