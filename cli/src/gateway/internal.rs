//! A client of the internal API of a running gateway.

use toolwright_client::agent::{InternalClient, InternalError};
use toolwright_client::config::Secret;

use super::args::InternalArgs;
use super::state::usage;
use crate::client::RequestError;
use crate::error::Error;
use crate::text_file;

/// The environment variable with the key of a service.
const KEY: &str = "MCP_SERVICE_KEY";

/// Sends a request to the internal API of a gateway.
pub(super) fn ask<T>(
    args: &InternalArgs,
    ask: impl AsyncFnOnce(&InternalClient) -> Result<T, InternalError>,
) -> Result<T, RequestError> {
    let api = InternalClient::new(&args.internal, key(args)?).map_err(usage)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(ask(&api)).map_err(|error| RequestError::Internal(Box::new(error)))
}

fn key(args: &InternalArgs) -> Result<Secret, RequestError> {
    if let Some(file) = &args.key_file {
        let text = text_file::read(file).map_err(|source| Error::Read { file: file.clone(), source })?;
        return Ok(Secret::new(text.trim()));
    }
    let key = std::env::var(KEY).map_err(|_| {
        usage(format!("set {KEY} to the key of a service, or name a file with --key-file: `cargo mcp gateway keys service` makes one"))
    })?;
    Ok(Secret::new(key))
}
