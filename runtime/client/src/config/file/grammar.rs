//! The grammar of a server's entry, once for the reader, the JSON Schema and the documentation.

/// A member of a server's entry.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rule {
    /// The name, in `snake_case`; `camelCase` is read as well.
    pub(super) name: &'static str,
    /// Other names, in `snake_case`.
    pub(super) aliases: &'static [&'static str],
    pub(super) kind: Kind,
    pub(super) on: On,
    /// Whether its strings are not to be shown.
    pub(super) is_secret: bool,
    pub(super) doc: &'static str,
}

/// What a member holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Bool,
    /// Seconds, or a string with a unit.
    Seconds,
    /// A whole number from 1.
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

/// The transports that a member is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum On {
    All,
    Stdio,
    /// Streamable HTTP, HTTP+SSE and WebSocket.
    Remote,
    /// Streamable HTTP and HTTP+SSE.
    Http,
    StreamableHttp,
}

/// A transport, before the members that belong to it are read.
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

const fn rule(name: &'static str, kind: Kind, on: On, doc: &'static str) -> Rule {
    Rule { name, aliases: &[], kind, on, is_secret: false, doc }
}

impl Rule {
    const fn or(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    const fn secret(mut self) -> Self {
        self.is_secret = true;
        self
    }

    /// Every way to write the name.
    pub(super) fn spellings(&self) -> impl Iterator<Item = String> {
        let names = std::iter::once(self.name).chain(self.aliases.iter().copied());
        names.flat_map(|name| {
            let camel = camel_case(name);
            let differs = camel != name;
            std::iter::once(name.to_owned()).chain(differs.then_some(camel))
        })
    }
}

/// Every member of an entry, in the order of the documentation.
pub(super) const RULES: &[Rule] = &[
    rule(
        "type",
        Kind::OneOf(TRANSPORTS),
        On::All,
        "The transport: `stdio`, `http` (Streamable HTTP), `sse` (HTTP+SSE) or `websocket`. Without it: `stdio` for a \
         `command`, `websocket` for `ws://` and `wss://`, else Streamable HTTP and, where the server does not speak it, HTTP+SSE.",
    )
    .or(&["transport"]),
    rule("description", Kind::Text, On::All, "What the server is for."),
    rule("disabled", Kind::Bool, On::All, "The entry is kept and the server not used."),
    rule("enabled", Kind::Bool, On::All, "The opposite of `disabled`."),
    rule(
        "required",
        Kind::Bool,
        On::All,
        "Nothing works without this server: if it does not start, nothing does. Other servers may fail, and the rest goes on.",
    ),
    rule(
        "request_timeout",
        Kind::Seconds,
        On::All,
        "How long each request may take, 60 seconds by default.",
    ),
    rule(
        "start_timeout",
        Kind::Seconds,
        On::All,
        "How long the server may take to start and to answer the handshake, 60 seconds by default.",
    )
    .or(&["connect_timeout", "startup_timeout"]),
    rule("load_tools", Kind::Bool, On::All, "Whether its tools are offered; they are by default."),
    rule("load_prompts", Kind::Bool, On::All, "Whether its prompts are offered; they are by default."),
    rule(
        "max_concurrency",
        Kind::Count,
        On::All,
        "The most requests that the server gets at once; without it, as many as there are.",
    ),
    rule(
        "config",
        Kind::Object,
        On::All,
        "An object that is handed to the server when it starts: in `_meta` of its requests, and to a program in the \
         environment variable `MCP_CONFIG`.",
    )
    .secret(),
    rule("command", Kind::Text, On::Stdio, "The program to start, without a shell."),
    rule("args", Kind::Texts, On::Stdio, "Its arguments. Every user of the machine can see them.")
        .or(&["arguments"]),
    rule(
        "server",
        Kind::Text,
        On::Stdio,
        "A package that is a server, such as `@modelcontextprotocol/server-memory`, instead of `command`: `launcher` runs it.",
    ),
    rule(
        "launcher",
        Kind::OneOf(LAUNCHERS),
        On::Stdio,
        "What runs `server`: `npx` (`npx -y PACKAGE`, the default), `uvx`, or `docker` (`docker run -i --rm IMAGE`).",
    ),
    rule(
        "env",
        Kind::Variables,
        On::Stdio,
        "Environment variables of the program; `null` keeps one from it that it would have.",
    )
    .secret(),
    rule(
        "env_file",
        Kind::TextOrTexts,
        On::Stdio,
        "Files with environment variables, one `NAME=value` a line. `env` wins over them, and a later file over an earlier one.",
    ),
    rule("cwd", Kind::Text, On::Stdio, "The folder that the program starts in.")
        .or(&["working_directory"]),
    rule(
        "encoding",
        Kind::Text,
        On::Stdio,
        "How the program's input and output are encoded, `utf-8` by default: `utf-16le`, `utf-16be`, `iso-8859-1` (`latin-1`), \
         `iso-8859-15`, `windows-1252` or `ascii`.",
    ),
    rule(
        "resolve_args",
        Kind::Bool,
        On::Stdio,
        "Whether arguments that begin with `./` or `../` are paths from the file's folder. By default they stay as they are.",
    ),
    rule("url", Kind::Text, On::Remote, "The address of the server.").or(&["server_url", "http_url"]),
    rule("headers", Kind::Headers, On::Remote, "HTTP headers that go with each request.")
        .or(&["http_headers"])
        .secret(),
    rule("auth_token", Kind::Text, On::Remote, "A token that is sent as `Authorization: Bearer …`.")
        .secret(),
    rule(
        "oauth",
        Kind::Object,
        On::Http,
        "How tokens are obtained: `client_id` and `client_secret` of a client that the authorization server knows, `scopes`, \
         `grant` (`authorization_code` or `client_credentials`), `redirect_uri` or `callback_port`, `issuer`. Empty for a client \
         that registers itself.",
    )
    .or(&["auth"])
    .secret(),
    rule(
        "timeout",
        Kind::Seconds,
        On::Remote,
        "How long the server may take to accept a connection and to begin its answer, 30 seconds by default. In files of \
         other clients (`mcpServers` in JSON) it is `request_timeout`, of any transport.",
    ),
    rule(
        "sse_read_timeout",
        Kind::Seconds,
        On::Http,
        "How long a stream of events may be silent, 300 seconds by default.",
    ),
    rule(
        "terminate_on_close",
        Kind::Bool,
        On::StreamableHttp,
        "Whether a session is ended with `DELETE`, which it is by default. Servers of 2026-07-28 have no sessions.",
    ),
];

/// Members of other clients that mean nothing here: what their user interface does.
pub(super) const OTHERS: &[&str] = &[
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

/// Members of other clients that would change what a server may do, and are not followed here.
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

/// The rule of a member, by any of its spellings.
pub(super) fn rule_of(name: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.spellings().any(|spelling| spelling == name))
}

/// The rule of this name, which must be one of [`RULES`].
pub(super) fn named(name: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.name == name)
}

impl Transport {
    pub(super) fn of(word: &str) -> Option<Self> {
        let plain: String = word.chars().filter(|c| !matches!(c, '-' | '_')).collect();
        match plain.to_ascii_lowercase().as_str() {
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

    pub(super) fn takes(self, on: On) -> bool {
        match on {
            On::All => true,
            On::Stdio => self == Self::Stdio,
            On::Remote => self != Self::Stdio,
            On::Http => matches!(self, Self::Http | Self::Sse),
            On::StreamableHttp => self == Self::Http,
        }
    }
}

/// `request_timeout` as `requestTimeout`.
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
