//! The protocol errors of this server, and the errors of building and serving.

use toolwright_core::protocol::error::{INVALID_PARAMS, about_resource};
use toolwright_core::protocol::{self, ErrorObject, MessageFault, Revision};
use toolwright_core::request::{RequestError, RequestErrorKind};

#[cfg(feature = "http")]
pub(crate) use toolwright_core::protocol::error::header_mismatch;
pub(crate) use toolwright_core::protocol::error::{
    internal, invalid_params, invalid_request, method_not_found, missing_capability, parse, shorten, unknown,
    unknown_resource,
};

/// The error for an invalid message; `what` is its container: a line, or a body.
pub(crate) fn malformed(fault: MessageFault, what: &str) -> ErrorObject {
    match fault {
        MessageFault::Syntax => parse(&format!("the {what} is not valid JSON in UTF-8")),
        MessageFault::Message => invalid_request(&format!("the {what} is not a JSON-RPC 2.0 message")),
        MessageFault::Repeated => invalid_request(&fault.to_string()),
        MessageFault::Params | MessageFault::Notification => invalid_params("`params` must be an object"),
        MessageFault::RepeatedParam => invalid_params(&fault.to_string()),
    }
}

/// -32602: no tool of this name (2026-07-28, server/tools "Error Handling").
pub(crate) fn unknown_tool(name: &str) -> ErrorObject {
    unknown("tool", name)
}

/// -32600: the caller lacks scopes (2026-07-28, basic/authorization "Runtime Insufficient Scope Errors"). Programs read
/// the status and the challenge.
#[cfg(feature = "auth")]
pub(crate) fn insufficient_scope(scopes: &[String]) -> ErrorObject {
    invalid_request(&format!("insufficient scope: a token for this needs `{}`", scopes.join(" ")))
}

/// The error of the code behind a prompt, a resource (at `uri`) or a completion.
pub(crate) fn of_request(failure: &RequestError, uri: Option<&str>, revision: Revision) -> ErrorObject {
    match (failure.kind(), uri) {
        (RequestErrorKind::NotFound, Some(uri)) => unknown_resource(uri, revision),
        (RequestErrorKind::NotFound | RequestErrorKind::Invalid, None) => invalid_params(failure.message()),
        (RequestErrorKind::Invalid, Some(uri)) => {
            about_resource(INVALID_PARAMS, format!("invalid params: {failure}"), uri)
        }
        (RequestErrorKind::MissingCapability, _) => match failure.missing_capability() {
            Some(missing) if revision.has_capability_errors() => {
                missing_capability(failure.message(), &missing.required)
            }
            _ => invalid_request(failure.message()),
        },
        _ => internal(failure.message()),
    }
}

/// -32022, with the supported revisions (2026-07-28, schema `UnsupportedProtocolVersionError`).
pub(crate) fn unsupported_version(requested: &str, is_modern_only: bool) -> ErrorObject {
    // Legacy revisions are supported as well, but not for requests with their own metadata.
    let mut supported = supported_versions(is_modern_only);
    supported.retain(|version| *version != requested);
    protocol::error::unsupported_version(requested, &supported)
}

/// The same error in the form of the revisions with a handshake.
#[cfg(feature = "http")]
pub(crate) fn unsupported_legacy_version(requested: &str) -> ErrorObject {
    protocol::error::unsupported_legacy_version(requested, &supported_versions(false))
}

/// The supported revisions, or only those of the modern era, newest first.
pub(crate) fn supported_versions(is_modern_only: bool) -> Vec<&'static str> {
    let spoken =
        Revision::ALL.into_iter().rev().filter(|revision| !(is_modern_only && revision.has_handshake()));
    spoken.map(Revision::as_str).collect()
}

/// A server could not be built, due to a mistake in the program.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// Two tools have the same name, current or former.
    #[error("two tools are named `{0}`; rename one with `#[mcp(name = \"…\")]`")]
    DuplicateTool(String),
    /// A tool requires a credential that was not set.
    #[error(
        "the tool `{tool}` requires the credential `{credential}`; set it with `Server::credential(\"{credential}\", …)`"
    )]
    MissingCredential {
        /// The tool's name.
        tool: String,
        /// The field's name.
        credential: String,
    },
    /// The handler returns data, but neither the toolset nor the tool declares it, so the manifest would lack the
    /// output schema.
    #[error(
        "the handler of `{0}` returns `Json`, which the manifest cannot detect; put `#[mcp(handler = …)]` on the toolset, or `#[mcp(output = …)]` on the tool"
    )]
    HiddenOutput(String),
    /// `output = …` on the tool declares structured content, but the handler returns none.
    #[error(
        "`#[mcp(output = …)]` of `{0}` declares structured content, but its handler returns none; return `Json` of that type, or remove `output`"
    )]
    NoOutput(String),
    /// `output = …` on the tool names another type than the handler returns.
    #[error("`#[mcp(output = …)]` of `{0}` does not name the type that its handler returns")]
    OtherOutput(String),
    /// A prompt, resource, resource template or completion is invalid.
    #[error("invalid {what} `{name}`: {reason}")]
    Feature {
        /// The kind of item.
        what: &'static str,
        /// Its name or URI.
        name: String,
        /// What is wrong, and how to fix it.
        reason: String,
    },
    /// The tool's definition is invalid.
    #[error("invalid tool `{tool}`: {reason}")]
    Tool {
        /// The tool's name.
        tool: String,
        /// What is wrong, and how to fix it.
        reason: String,
    },
}

/// Serving failed.
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
        /// The system's error.
        source: std::io::Error,
    },
    /// Listening on the address failed.
    #[cfg(any(feature = "http", feature = "socket"))]
    #[error("listening failed")]
    Listen(#[source] std::io::Error),
}
