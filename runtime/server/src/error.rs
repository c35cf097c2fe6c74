//! Protocol errors, by the codes of JSON-RPC and MCP, and the errors of starting and serving.

use jsonrpsee_types::ErrorObjectOwned;
use jsonrpsee_types::error::{
    INTERNAL_ERROR_CODE, INVALID_PARAMS_CODE, INVALID_REQUEST_CODE, METHOD_NOT_FOUND_CODE, PARSE_ERROR_CODE,
};
use serde::Serialize;
use toolwright_core::request::{RequestError, RequestErrorKind};
use toolwright_core::revision::Revision;

use crate::message::Fault;

/// 2026-07-28, basic "Error Codes": the revision asked for is not one of the server's.
const UNSUPPORTED_PROTOCOL_VERSION_CODE: i32 = -32022;

fn error(code: i32, message: impl Into<String>) -> ErrorObjectOwned {
    ErrorObjectOwned::owned(code, message, None::<()>)
}

/// -32700: the bytes are no JSON text.
pub(crate) fn parse(why: &str) -> ErrorObjectOwned {
    error(PARSE_ERROR_CODE, format!("parse error: {why}"))
}

/// The error for what is no message; `what` says where it stood: a line, or a body.
pub(crate) fn malformed(fault: Fault, what: &str) -> ErrorObjectOwned {
    match fault {
        Fault::Syntax => parse(&format!("the {what} is no JSON text in UTF-8")),
        Fault::Message => invalid_request(&format!("the {what} is no JSON-RPC 2.0 message")),
        Fault::Repeated => invalid_request("a member of the message is there more than once; send it once"),
        Fault::Params | Fault::Notification => invalid_params("`params` must be an object"),
        Fault::RepeatedParam => invalid_params("a member of `params` is there more than once; send it once"),
    }
}

/// -32600: JSON, but no request.
pub(crate) fn invalid_request(why: &str) -> ErrorObjectOwned {
    error(INVALID_REQUEST_CODE, format!("invalid request: {why}"))
}

/// -32601.
pub(crate) fn method_not_found(method: &str) -> ErrorObjectOwned {
    error(METHOD_NOT_FOUND_CODE, format!("method not found: {}", shortened(method)))
}

/// -32602.
pub(crate) fn invalid_params(why: &str) -> ErrorObjectOwned {
    error(INVALID_PARAMS_CODE, format!("invalid params: {why}"))
}

/// -32602: no tool of this name (2026-07-28, server/tools "Error Handling"). Other tools are not named: the caller
/// may not be allowed to know them.
pub(crate) fn unknown_tool(name: &str) -> ErrorObjectOwned {
    unknown("tool", name)
}

/// -32600: the caller lacks scopes (2026-07-28, basic/authorization "Runtime Insufficient Scope Errors"; the status and
/// the challenge say it to programs).
#[cfg(feature = "auth")]
pub(crate) fn insufficient_scope(scopes: &[String]) -> ErrorObjectOwned {
    invalid_request(&format!("insufficient scope: a token for this needs `{}`", scopes.join(" ")))
}

/// -32602: nothing of this kind has the name (2026-07-28, server/prompts "Error Handling").
pub(crate) fn unknown(what: &str, name: &str) -> ErrorObjectOwned {
    error(INVALID_PARAMS_CODE, format!("unknown {what}: {}", shortened(name)))
}

/// Up to 2025-11-25: a resource does not exist (2025-11-25, server/resources "Error Handling").
const LEGACY_RESOURCE_NOT_FOUND_CODE: i32 = -32002;

/// No resource at this address: -32602, before 2026-07-28 -32002 (server/resources "Error Handling" of both).
pub(crate) fn unknown_resource(uri: &str, revision: Revision) -> ErrorObjectOwned {
    let code = if revision.is_modern() { INVALID_PARAMS_CODE } else { LEGACY_RESOURCE_NOT_FOUND_CODE };
    about_resource(code, "resource not found", uri)
}

fn about_resource(code: i32, message: impl Into<String>, uri: &str) -> ErrorObjectOwned {
    #[derive(Serialize)]
    struct Data<'a> {
        uri: &'a str,
    }
    const MAX_CHARS: usize = 2_000;
    ErrorObjectOwned::owned(code, message, Some(Data { uri: &cut(uri, MAX_CHARS) }))
}

/// What the code behind a prompt, a resource (at `uri`) or a completion says instead of an answer.
pub(crate) fn of_request(failure: &RequestError, uri: Option<&str>, revision: Revision) -> ErrorObjectOwned {
    match (failure.kind(), uri) {
        (RequestErrorKind::NotFound, Some(uri)) => unknown_resource(uri, revision),
        (RequestErrorKind::NotFound | RequestErrorKind::Invalid, None) => invalid_params(failure.message()),
        (RequestErrorKind::Invalid, Some(uri)) => {
            about_resource(INVALID_PARAMS_CODE, format!("invalid params: {failure}"), uri)
        }
        (RequestErrorKind::MissingCapability, _) => match failure.missing_capability() {
            Some(missing) if revision.is_modern() => missing_capability(failure.message(), &missing.required),
            _ => invalid_request(failure.message()),
        },
        _ => internal(failure.message()),
    }
}

/// -32021: the client has not declared what the request needs (2026-07-28, basic "_meta").
pub(crate) fn missing_capability(why: &str, required: &serde_json::Value) -> ErrorObjectOwned {
    const MISSING_REQUIRED_CLIENT_CAPABILITY_CODE: i32 = -32021;
    let data = serde_json::json!({"requiredCapabilities": required});
    ErrorObjectOwned::owned(MISSING_REQUIRED_CLIENT_CAPABILITY_CODE, why, Some(data))
}

/// -32603.
pub(crate) fn internal(why: &str) -> ErrorObjectOwned {
    error(INTERNAL_ERROR_CODE, format!("internal error: {why}"))
}

/// What is said of a revision that is not one of the server's.
#[derive(Serialize)]
struct Unsupported {
    supported: Vec<&'static str>,
    requested: String,
}

/// -32022, with what the server speaks (2026-07-28, schema `UnsupportedProtocolVersionError`).
pub(crate) fn unsupported_version(requested: &str, is_modern_only: bool) -> ErrorObjectOwned {
    // A legacy revision is spoken here as well, but not by a request that carries its own metadata.
    let supported = supported_versions(is_modern_only);
    let supported = supported.into_iter().filter(|version| *version != requested).collect();
    unsupported(UNSUPPORTED_PROTOCOL_VERSION_CODE, requested, supported)
}

/// The same in the form of the revisions with a handshake, -32602 (2025-11-25, basic/lifecycle "Error Handling").
#[cfg(feature = "http")]
pub(crate) fn unsupported_legacy_version(requested: &str) -> ErrorObjectOwned {
    unsupported(INVALID_PARAMS_CODE, requested, supported_versions(false))
}

fn unsupported(code: i32, requested: &str, supported: Vec<&'static str>) -> ErrorObjectOwned {
    // There are clients that show the text alone.
    let message = format!("Unsupported protocol version; this server speaks {}", supported.join(", "));
    ErrorObjectOwned::owned(code, message, Some(Unsupported { supported, requested: shortened(requested) }))
}

/// -32020: a header is missing or does not say what the body says (2026-07-28, basic/transports/streamable-http
/// "Server Validation").
#[cfg(feature = "http")]
pub(crate) fn header_mismatch(why: &str) -> ErrorObjectOwned {
    const HEADER_MISMATCH_CODE: i32 = -32020;
    error(HEADER_MISMATCH_CODE, format!("header mismatch: {why}"))
}

/// The revisions that the server speaks, or those of the modern era alone, newest first.
pub(crate) fn supported_versions(is_modern_only: bool) -> Vec<&'static str> {
    let spoken = Revision::ALL.into_iter().rev().filter(|revision| revision.is_modern() || !is_modern_only);
    spoken.map(Revision::as_str).collect()
}

/// The start of a name from outside: an error must not become a way to send megabytes back.
pub(crate) fn shortened(name: &str) -> String {
    const MAX_CHARS: usize = 200;
    cut(name, MAX_CHARS)
}

pub(crate) fn cut(text: &str, max_chars: usize) -> String {
    let mut short: String = text.chars().take(max_chars).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// Why a server could not be built. Each is a mistake in the program that any test of it finds.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Two tools have one name (or one has the former name of the other).
    #[error("two tools are named `{0}`: give one of them another name with `#[mcp(name = \"…\")]`")]
    DuplicateTool(String),
    /// A tool needs a credential that the server was not given.
    #[error(
        "the tool `{tool}` needs the credential `{credential}`: set it with `Server::credential(\"{credential}\", …)`"
    )]
    MissingCredential {
        /// The tool's name.
        tool: String,
        /// The field's name.
        credential: String,
    },
    /// The handler returns data, but neither the set nor the tool says so, and so the manifest could not show it.
    #[error(
        "the handler of `{0}` returns `Json`, which the manifest cannot see: put `#[mcp(handler = …)]` on the toolset, or `#[mcp(output = …)]` on the tool"
    )]
    HiddenOutput(String),
    /// `output = …` on the tool promises structured content, and the handler returns none.
    #[error(
        "`#[mcp(output = …)]` of `{0}` promises structured content, and its handler returns none: let it return `Json` of that type, or leave `output` out"
    )]
    NoOutput(String),
    /// `output = …` on the tool names another type than the handler returns.
    #[error("`#[mcp(output = …)]` of `{0}` names another type than its handler returns")]
    OtherOutput(String),
    /// A prompt, resource, resource template or completion is at fault.
    #[error("the {what} `{name}` cannot be served: {reason}")]
    Feature {
        /// What it is.
        what: &'static str,
        /// Its name or address.
        name: String,
        /// What is wrong and what to do.
        reason: String,
    },
    /// The tool's own definition is at fault.
    #[error("the tool `{tool}` cannot be served: {reason}")]
    Tool {
        /// The tool's name.
        tool: String,
        /// What is wrong and what to do.
        reason: String,
    },
}

/// Why serving ended with an error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The server could not be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The streams could not be opened or read.
    #[error("the {stream} stream failed")]
    Stream {
        /// `input` or `output`.
        stream: &'static str,
        /// What the system says.
        source: std::io::Error,
    },
    /// The address could not be listened on.
    #[cfg(any(feature = "http", feature = "socket"))]
    #[error("listening failed")]
    Listen(#[source] std::io::Error),
}
