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
    /// The file extension.
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

    /// Whether it is JSON, or JSON Lines.
    pub(crate) fn is_json(self) -> bool {
        matches!(self.extension(), "json" | "jsonl")
    }

    /// Whether it has no place for prompts, resources and templates. Those of registries and bundles say where the
    /// server is, and clients ask it for the rest.
    pub(crate) fn holds_tools_only(self) -> bool {
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

    /// Whether a file holds one server only.
    pub(crate) fn holds_one(self) -> bool {
        matches!(self, Self::Mcp | Self::Openapi | Self::ServerJson | Self::Mcpb)
    }
}
