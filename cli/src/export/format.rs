//! The formats of `cargo mcp manifest --format`.

use clap::ValueEnum;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// One JSON document per server
    Mcp,
    /// One record of a tool per line, for `cargo mcp tool` and agents
    Jsonl,
    /// Function tools for OpenAI's Responses API
    Openai,
    /// Function tools in strict mode
    OpenaiStrict,
    /// Tools for Anthropic's Messages API
    Anthropic,
    /// Function declarations for the Gemini API
    Gemini,
    /// An OpenAPI 3.1 document with one operation per tool
    Openapi,
    /// The MCP registry's server.json
    ServerJson,
    /// The manifest of a bundle for desktop clients
    Mcpb,
    /// A reference page
    Markdown,
    /// A reference page with a search box, in one file
    Html,
    /// TypeScript types
    Typescript,
}

impl Format {
    /// Returns the file extension.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Markdown => "md",
            Self::Html => "html",
            Self::Typescript => "ts",
            Self::Mcp
            | Self::Openai
            | Self::OpenaiStrict
            | Self::Anthropic
            | Self::Gemini
            | Self::Openapi
            | Self::ServerJson
            | Self::Mcpb => "json",
        }
    }

    /// Returns whether the format is JSON or JSON Lines.
    pub(crate) fn is_json(self) -> bool {
        matches!(self.extension(), "json" | "jsonl")
    }

    /// Returns whether the format does not support prompts, resources and templates. Formats of registries and bundles locate
    /// the server, which clients query for the rest.
    pub(crate) fn supports_only_tools(self) -> bool {
        match self {
            Self::Jsonl
            | Self::Openai
            | Self::OpenaiStrict
            | Self::Anthropic
            | Self::Gemini
            | Self::Openapi
            | Self::Typescript => true,
            Self::Mcp | Self::ServerJson | Self::Mcpb | Self::Markdown | Self::Html => false,
        }
    }

    /// Returns whether a file contains only one server.
    pub(crate) fn has_one_server(self) -> bool {
        matches!(self, Self::Mcp | Self::Openapi | Self::ServerJson | Self::Mcpb)
    }
}
