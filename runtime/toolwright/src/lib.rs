#![doc = include_str!("../guide.md")]

#[cfg(feature = "server")]
mod serving;

// The root holds what most programs name; everything else is in the module of its concept.
pub use toolwright_core::prompt::Prompt;
pub use toolwright_core::resource::{Resource, ResourceTemplate};
pub use toolwright_core::result::{Json, ToolError, ToolResult};
pub use toolwright_core::revision::Revision;
pub use toolwright_core::tool::Tool;
pub use toolwright_core::toolset::Toolset;
#[cfg(feature = "server")]
pub use toolwright_macros::handlers;
pub use toolwright_macros::{Prompt, Resource, Tool, Toolset};

#[cfg(feature = "server")]
pub use serving::*;

pub use toolwright_core::{
    arguments, content, definition, docs, external, json, manifest, names, prompt, protocol, request,
    resource, result, schema, tool, toolset,
};

#[cfg(feature = "parts")]
pub use toolwright_agent::parts;
#[cfg(feature = "tool-values")]
pub use toolwright_agent::{model_api, toolbox, value};
#[cfg(any(feature = "client", feature = "in-process"))]
pub use toolwright_client as client;
#[cfg(any(feature = "client", feature = "in-process"))]
pub use toolwright_client::Client;
#[cfg(feature = "gateway")]
pub use toolwright_gateway as gateway;

#[doc = include_str!("../attributes.md")]
pub mod attributes {}

mod assert_manifest;
mod declare;

#[doc(hidden)]
pub mod __private {
    pub use crate::assert_manifest::{of_package, of_toolset};
    #[cfg(not(feature = "server"))]
    pub use toolwright_core::__private::*;
    pub use toolwright_macros::Toolset as DeriveToolset;
    #[cfg(feature = "server")]
    pub use toolwright_server::__private::*;

    /// Without the `server` feature a toolset has definitions only.
    #[cfg(not(feature = "server"))]
    #[doc(hidden)]
    #[macro_export]
    macro_rules! __no_dispatch {
        ($($ignored:tt)*) => {};
    }
    #[cfg(not(feature = "server"))]
    pub use __no_dispatch as dispatch;
}

/// Compiles the code that the README shows.
#[cfg(all(doctest, feature = "stdio", feature = "http", feature = "client"))]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// Compiles the code that the page about the gateway shows.
#[cfg(all(
    doctest,
    feature = "agent",
    feature = "auth",
    feature = "http",
    feature = "redis",
    feature = "tasks"
))]
#[doc = include_str!("../../../docs/gateway.md")]
struct GatewayPage;

/// Compiles the code of the book that is not part of the documentation above.
#[cfg(all(doctest, feature = "auth", feature = "axum", feature = "client", feature = "stdio"))]
mod pages {
    #[doc = include_str!("../../../docs/introduction.md")]
    struct Introduction;

    #[doc = include_str!("../../../docs/tutorial.md")]
    struct Tutorial;

    #[doc = include_str!("../../../docs/from-rmcp.md")]
    struct FromRmcp;

    #[doc = include_str!("../../../docs/from-fastmcp.md")]
    struct FromFastMcp;
}
