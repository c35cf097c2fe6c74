//! The members of a server entry: one table for the reader, the JSON Schema and the documentation.

/// A member of a server entry.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rule {
    /// The name in `snake_case`; `camelCase` is accepted too.
    pub(super) name: &'static str,
    /// Other names, in `snake_case`.
    pub(super) aliases: &'static [&'static str],
    pub(super) kind: Kind,
    pub(super) applies_to: AppliesTo,
    /// Whether its values are secret.
    pub(super) is_secret: bool,
    pub(super) doc: &'static str,
}

/// The type of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Bool,
    /// Seconds, or a string with a unit.
    Seconds,
    /// A positive integer.
    Count,
    Texts,
    /// An object of strings, numbers, booleans and nulls.
    Variables,
    /// An object of strings.
    Headers,
    Object,
    OneOf(&'static [&'static str]),
    /// A string, or a list of strings.
    TextOrTexts,
}

/// The transports that a member applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AppliesTo {
    All,
    Stdio,
    /// Streamable HTTP, HTTP+SSE and WebSocket.
    Remote,
    /// Streamable HTTP and HTTP+SSE.
    Http,
    StreamableHttp,
}

/// The transport of an entry, before its members are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transport {
    Stdio,
    Http,
    Sse,
    WebSocket,
}

pub(super) const TRANSPORTS: &[&str] = &[
    "stdio",
    "http",
    "sse",
    "websocket",
    "streamable-http",
    "streamable_http",
    "streamableHttp",
    "ws",
    "local",
    "remote",
];

pub(super) const LAUNCHERS: &[&str] = &["npx", "uvx", "docker"];

const fn rule(name: &'static str, kind: Kind, applies_to: AppliesTo, doc: &'static str) -> Rule {
    Rule { name, aliases: &[], kind, applies_to, is_secret: false, doc }
}

impl Rule {
    const fn alias(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    const fn secret(mut self) -> Self {
        self.is_secret = true;
        self
    }

    /// Iterates over the name and its aliases, each in `snake_case` and `camelCase`.
    pub(super) fn spellings(&self) -> impl Iterator<Item = String> {
        let names = std::iter::once(self.name).chain(self.aliases.iter().copied());
        names.flat_map(|name| {
            let camel = camel_case(name);
            let differs = camel != name;
            std::iter::once(name.to_owned()).chain(differs.then_some(camel))
        })
    }
}

/// All members of an entry, in the order of the documentation.
pub(super) const RULES: &[Rule] = &[
    rule(
        "type",
        Kind::OneOf(TRANSPORTS),
        AppliesTo::All,
        "The transport: `stdio`, `http` (Streamable HTTP), `sse` (HTTP+SSE) or `websocket`. Without it: `stdio` for a \
         `command`, `websocket` for `ws://` and `wss://`, otherwise Streamable HTTP and, if the server does not support that, HTTP+SSE.",
    )
    .alias(&["transport"]),
    rule("description", Kind::Text, AppliesTo::All, "A description of the server."),
    rule("disabled", Kind::Bool, AppliesTo::All, "Keeps the entry, but does not use the server."),
    rule("enabled", Kind::Bool, AppliesTo::All, "The opposite of `disabled`."),
    rule(
        "required",
        Kind::Bool,
        AppliesTo::All,
        "Fails if this server is unavailable. Without it, the other servers are used.",
    ),
    rule(
        "request_timeout",
        Kind::Seconds,
        AppliesTo::All,
        "The timeout of each request, by default 60 seconds.",
    ),
    rule(
        "start_timeout",
        Kind::Seconds,
        AppliesTo::All,
        "The timeout for starting the server and for the handshake, by default 60 seconds.",
    )
    .alias(&["connect_timeout", "startup_timeout"]),
    rule("load_tools", Kind::Bool, AppliesTo::All, "Whether to offer its tools, by default true."),
    rule("load_prompts", Kind::Bool, AppliesTo::All, "Whether to offer its prompts, by default true."),
    rule(
        "max_concurrency",
        Kind::Count,
        AppliesTo::All,
        "The maximum number of concurrent requests, by default unlimited.",
    ),
    rule(
        "config",
        Kind::Object,
        AppliesTo::All,
        "An object that is passed to the server on startup: in `_meta` of requests, and for programs also in the \
         environment variable `MCP_CONFIG`.",
    )
    .secret(),
    rule("command", Kind::Text, AppliesTo::Stdio, "The program, started without a shell."),
    rule("args", Kind::Texts, AppliesTo::Stdio, "Its arguments, which are visible to every user of the machine.")
        .alias(&["arguments"]),
    rule(
        "server",
        Kind::Text,
        AppliesTo::Stdio,
        "A package that is a server, such as `@modelcontextprotocol/server-memory`, instead of `command`. `launcher` runs it.",
    ),
    rule(
        "launcher",
        Kind::OneOf(LAUNCHERS),
        AppliesTo::Stdio,
        "How to run `server`: `npx` (`npx -y PACKAGE`, the default), `uvx`, or `docker` (`docker run -i --rm IMAGE`).",
    ),
    rule(
        "env",
        Kind::Variables,
        AppliesTo::Stdio,
        "Environment variables of the program; `null` removes a variable.",
    )
    .secret(),
    rule(
        "env_file",
        Kind::TextOrTexts,
        AppliesTo::Stdio,
        "Files with `NAME=value` lines. `env` takes precedence over them, and a later file over an earlier one.",
    ),
    rule("cwd", Kind::Text, AppliesTo::Stdio, "The working directory of the program.")
        .alias(&["working_directory"]),
    rule(
        "encoding",
        Kind::Text,
        AppliesTo::Stdio,
        "The encoding of stdin and stdout, by default `utf-8`: `utf-16le`, `utf-16be`, `iso-8859-1` (`latin-1`), \
         `iso-8859-15`, `windows-1252` or `ascii`.",
    ),
    rule(
        "resolve_args",
        Kind::Bool,
        AppliesTo::Stdio,
        "Whether arguments that start with `./` or `../` are paths relative to the file, by default false.",
    ),
    rule("url", Kind::Text, AppliesTo::Remote, "The URL of the server.").alias(&["server_url", "http_url"]),
    rule("headers", Kind::Headers, AppliesTo::Remote, "HTTP headers for each request.")
        .alias(&["http_headers"])
        .secret(),
    rule("auth_token", Kind::Text, AppliesTo::Remote, "A token, sent as `Authorization: Bearer …`.")
        .secret(),
    rule(
        "oauth",
        Kind::Object,
        AppliesTo::Http,
        "How OAuth tokens are obtained: `client_id` and `client_secret` of a registered client, `scopes`, `grant` \
         (`authorization_code` or `client_credentials`), `redirect_uri` or `callback_port`, `issuer`. `{}` for a client that \
         registers itself.",
    )
    .alias(&["auth"])
    .secret(),
    rule(
        "timeout",
        Kind::Seconds,
        AppliesTo::Remote,
        "The timeout for connecting and for the start of a response, by default 30 seconds. In JSON, it is the request \
         timeout of any transport if there is no `request_timeout`, as in other clients.",
    ),
    rule(
        "sse_read_timeout",
        Kind::Seconds,
        AppliesTo::Http,
        "The maximum time without data on an event stream, by default 300 seconds.",
    ),
    rule(
        "terminate_on_close",
        Kind::Bool,
        AppliesTo::StreamableHttp,
        "Whether to end the session with `DELETE`, by default true. Servers of 2026-07-28 have no sessions.",
    ),
];

/// Members of other clients that are ignored, since they are for their user interface.
pub(super) const IGNORED: &[&str] = &[
    "$comment",
    "_comment",
    "alwaysAllow",
    "autoApprove",
    "autoStart",
    "chat.mcp.access",
    "comment",
    "defer_loading",
    "dev",
    "displayName",
    "gallery",
    "icon",
    "is_retrieval",
    "metadata",
    "note",
    "retrieval",
    "title",
    "trust",
    "version",
];

/// Members of other clients that restrict or configure a server, and are not supported. Each has the consequence.
pub(super) const UNSUPPORTED: &[(&str, &str)] = &[
    ("allowed_tools", "all tools of the server are offered"),
    ("disallowed_tools", "all tools of the server are offered"),
    ("allowedTools", "all tools of the server are offered"),
    ("disabledTools", "all tools of the server are offered"),
    ("disallowedTools", "all tools of the server are offered"),
    ("enabledTools", "all tools of the server are offered"),
    ("excludeTools", "all tools of the server are offered"),
    ("includeTools", "all tools of the server are offered"),
    ("headersHelper", "declare the program under `tokens` and write `${runtime:NAME}` in a header"),
    ("sandbox", "the program is started without a sandbox"),
    ("sandboxEnabled", "the program is started without a sandbox"),
];

/// Finds the rule of a member, by any of its spellings.
pub(super) fn find_rule(name: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.spellings().any(|spelling| spelling == name))
}

/// Returns the rule with this name.
pub(super) fn rule_named(name: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.name == name)
}

impl Transport {
    pub(super) fn from_name(name: &str) -> Option<Self> {
        let normalized: String = name.chars().filter(|c| !matches!(c, '-' | '_')).collect();
        match normalized.to_ascii_lowercase().as_str() {
            "stdio" | "local" => Some(Self::Stdio),
            "http" | "streamablehttp" | "remote" => Some(Self::Http),
            "sse" => Some(Self::Sse),
            "ws" | "websocket" => Some(Self::WebSocket),
            _ => None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
            Self::Sse => "sse",
            Self::WebSocket => "websocket",
        }
    }

    pub(super) fn supports(self, applies_to: AppliesTo) -> bool {
        match applies_to {
            AppliesTo::All => true,
            AppliesTo::Stdio => self == Self::Stdio,
            AppliesTo::Remote => self != Self::Stdio,
            AppliesTo::Http => matches!(self, Self::Http | Self::Sse),
            AppliesTo::StreamableHttp => self == Self::Http,
        }
    }
}

/// Converts `request_timeout` to `requestTimeout`.
pub(super) fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let mut camel = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut characters = word.chars();
        camel.extend(characters.next().map(|first| first.to_ascii_uppercase()));
        camel.push_str(characters.as_str());
    }
    camel
}
