//! The servers behind the [`Toolbox`](toolwright_agent::toolbox::Toolbox) of an agent.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use toolwright_agent::toolbox::{
    Arguments, BoxFuture, CallError, Connection, Connector, Runner, ServerAddress,
};
use toolwright_agent::value::{ToolValue, stdio_command, stdio_uri};
use toolwright_core::result::ToolResult;
use toolwright_wire::memory::MemoryServer;

use crate::client::{Client, ClientBuilder};
#[cfg(feature = "config")]
use crate::config::Config;
use crate::config::{Expanded, ServerSpec, StdioSpec, Tokens, TransportSpec};
use crate::error::ClientError;

/// The addresses that records of tools may name. Of these only those that can be reached are features of this crate.
const SCHEMES: [&str; 4] = ["http://", "https://", "ws://", "wss://"];

/// Connects a toolbox to servers with a [`Client`] for each: to those that it knows, with their headers, tokens and environment,
/// and to the addresses that tools name.
///
/// Tools come from files and from others, so they decide less than whoever makes the toolbox:
///
/// - A tool with a [`credential_ref`](toolwright_agent::value::McpTool::credential_ref) is called only through the known server of
///   that name, and only if the tool's address is that server's ([`ServerSpec::address`]). No other address gets its secrets.
/// - The program of a `stdio:` address is started only if a known server has that address, or after
///   [`Servers::allow_programs`].
/// - COMMAND tools are called on the known server whose name is the tool's
///   [`server`](toolwright_agent::value::CommandTool::server), or on that of [`Servers::commands`].
///
/// Servers of this process are known by [`Servers::in_process`].
///
/// ```no_run
/// use std::sync::Arc;
///
/// use toolwright_agent::toolbox::Toolbox;
/// use toolwright_agent::value::{McpTool, ToolValue};
/// use toolwright_client::Client;
/// use toolwright_client::toolbox::Servers;
///
/// # async fn example() {
/// let tool = ToolValue::from(McpTool::new("add", "https://example.com/mcp", "add"));
/// let servers = Arc::new(Servers::new(|| Client::builder().name("my-agent", "1.0.0")));
/// let toolbox = Toolbox::builder([tool]).mcp(servers.clone()).commands(servers.clone()).build();
/// println!("{}", toolbox.call("add", r#"{"a": 1, "b": 2}"#).await.text);
/// toolbox.close().await;
/// servers.close().await;
/// # }
/// ```
pub struct Servers {
    client: Box<dyn Fn() -> ClientBuilder + Send + Sync>,
    known: Vec<Known>,
    commands: Option<Known>,
    allows_programs: bool,
    request_timeout: Option<Duration>,
    /// The clients of COMMAND tools, by the address of the server.
    running: Mutex<HashMap<String, Client>>,
}

#[derive(Clone)]
struct Known {
    spec: ServerSpec,
    tokens: Tokens,
    /// The server, where it is one of this process.
    memory: Option<MemoryServer>,
}

impl Servers {
    /// No server is known yet. `client` makes the client of each server that is connected to.
    pub fn new(client: impl Fn() -> ClientBuilder + Send + Sync + 'static) -> Self {
        Self {
            client: Box::new(client),
            known: Vec::new(),
            commands: None,
            allows_programs: false,
            request_timeout: None,
            running: Mutex::default(),
        }
    }

    /// Knows a server.
    #[must_use]
    pub fn server(mut self, spec: impl Into<ServerSpec>, tokens: Tokens) -> Self {
        self.known.push(Known { spec: spec.into(), tokens, memory: None });
        self
    }

    /// Knows a server of this process, as [`ClientBuilder::in_process`] connects to it. `name` is what COMMAND tools call it, and
    /// the address under which MCP tools name it.
    #[must_use]
    pub fn in_process(mut self, name: impl Into<String>, server: impl Into<MemoryServer>) -> Self {
        self.known.push(Known::in_process(name, server));
        self
    }

    /// Knows the servers of a configuration file.
    #[cfg(feature = "config")]
    #[must_use]
    pub fn config(self, config: &Config) -> Self {
        config
            .servers()
            .iter()
            .fold(self, |servers, spec| servers.server(spec.clone(), config.tokens().clone()))
    }

    /// The server that runs COMMAND tools which name none that is known.
    #[must_use]
    pub fn commands(mut self, spec: impl Into<ServerSpec>) -> Self {
        self.commands = Some(Known { spec: spec.into(), tokens: Tokens::new(), memory: None });
        self
    }

    /// As [`Servers::commands`], with a server of this process.
    #[must_use]
    pub fn commands_in_process(mut self, server: impl Into<MemoryServer>) -> Self {
        let server = server.into();
        self.commands = Some(Known::in_process(server.name().to_owned(), server));
        self
    }

    /// Starts the programs that `stdio:` addresses name: for records that one would run as a script.
    #[must_use]
    pub fn allow_programs(mut self) -> Self {
        self.allows_programs = true;
        self
    }

    /// How long requests may take to servers that are not known: 60 s if not set, with progress as in
    /// [`ServerSpec::request_timeout`].
    #[must_use]
    pub fn request_timeout(mut self, timeout: Duration) -> Self {
        self.request_timeout = Some(timeout);
        self
    }

    /// Ends the connections of COMMAND tools. Those of MCP tools are ended by
    /// [`Toolbox::close`](toolwright_agent::toolbox::Toolbox::close).
    pub async fn close(&self) {
        let running: Vec<Client> = {
            let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
            running.drain().map(|(_, client)| client).collect()
        };
        for client in running {
            client.close().await;
        }
    }

    /// How to reach the server of an address.
    fn find(&self, server: &ServerAddress) -> Result<Known, String> {
        let at_address: Vec<&Known> =
            self.known.iter().filter(|known| known.address() == server.uri).collect();
        if let Some(name) = &server.credential_ref {
            return match at_address.iter().find(|known| known.spec.name == *name) {
                Some(known) => Ok((*known).clone()),
                None => Err(format!(
                    "the tool needs the credential `{name}`, and no server of this name and address is known; add it to the \
                     configuration"
                )),
            };
        }
        match at_address.as_slice() {
            [known] => return Ok((*known).clone()),
            [] => {}
            several => {
                let names: Vec<_> = several.iter().map(|known| known.spec.name.as_str()).collect();
                return Err(format!(
                    "several servers have this address: {}; name one as the tool's `credential_ref`",
                    names.join(", ")
                ));
            }
        }
        let mut spec: ServerSpec = match stdio_command(&server.uri) {
            Some(_) if !self.allows_programs => {
                return Err("programs that tools name are not started here; add the server to the configuration, or allow \
                            programs"
                    .to_owned());
            }
            Some(words) => {
                let mut words = words.map_err(|error| error.to_string())?.into_iter();
                let mut program = StdioSpec::new(words.next().unwrap_or_default());
                program.args.extend(words.map(Into::into));
                program.into()
            }
            None if SCHEMES.iter().any(|scheme| server.uri.starts_with(scheme)) => server.uri.as_str().into(),
            None => {
                return Err(format!("its address begins with none of {}, stdio:", SCHEMES.join(", ")));
            }
        };
        spec.request_timeout = self.request_timeout.unwrap_or(spec.request_timeout);
        Ok(Known { spec, tokens: Tokens::new(), memory: None })
    }

    /// The client of the server that has a COMMAND tool.
    fn command_client(&self, server: Option<&str>) -> Result<Client, String> {
        let known = server.and_then(|name| self.known.iter().find(|known| known.spec.name == name));
        let Some(known) = known.or(self.commands.as_ref()) else {
            let name = server.map_or_else(|| "that is not named".to_owned(), |name| format!("`{name}`"));
            return Err(format!(
                "the server {name} of this command is not known; add it to the configuration"
            ));
        };
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let address = format!("{} {}", known.spec.name, known.address());
        let client = running.entry(address).or_insert_with(|| known.client((self.client)()));
        Ok(client.clone())
    }
}

impl Known {
    fn in_process(name: impl Into<String>, server: impl Into<MemoryServer>) -> Self {
        let name = name.into();
        // No program has this name; nothing looks at it.
        let spec = ServerSpec::new(name.as_str(), StdioSpec::new(name.as_str()));
        Self { spec, tokens: Tokens::new(), memory: Some(server.into()) }
    }

    fn address(&self) -> String {
        if self.memory.is_some() { self.spec.name.clone() } else { self.spec.address() }
    }

    /// A client that connects when it is first used.
    fn client(&self, builder: ClientBuilder) -> Client {
        match &self.memory {
            Some(server) => builder.in_process(server.clone()),
            None => builder.tokens(self.tokens.clone()).connect_lazy(self.spec.clone()),
        }
    }
}

impl fmt::Debug for Servers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<_> = self.known.iter().map(|known| &known.spec.name).collect();
        f.debug_struct("Servers").field("known", &known).finish_non_exhaustive()
    }
}

impl Connector for Servers {
    fn connect<'a>(
        &'a self,
        server: &'a ServerAddress,
    ) -> BoxFuture<'a, Result<Arc<dyn Connection>, CallError>> {
        Box::pin(async move {
            let known = self.find(server).map_err(|why| CallError::connect(server, why))?;
            let client = known.client((self.client)());
            client.server().await.map_err(|error| CallError::connect(server, describe(&error)))?;
            Ok(Arc::new(Link(client)) as Arc<dyn Connection>)
        })
    }
}

impl Runner for Servers {
    fn run<'a>(
        &'a self,
        tool: &'a ToolValue,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        Box::pin(async move {
            let ToolValue::Command(tool) = tool else {
                return Err(CallError::failed(format!("servers do not run {} tools", tool.tool_type())));
            };
            let client = self.command_client(tool.server.as_deref()).map_err(CallError::failed)?;
            client.call(&tool.name, arguments).await.map_err(CallError::failed)
        })
    }
}

/// What happened and what to do; the server is named already.
fn describe(error: &ClientError) -> String {
    match error.advice() {
        "" => error.problem().to_owned(),
        advice => format!("{}; {advice}", error.problem()),
    }
}

/// A client as a connection. It connects again by itself after a loss, so it is never given up.
struct Link(Client);

impl Connection for Link {
    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        Box::pin(async move { self.0.call(tool, arguments).await.map_err(CallError::failed) })
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.0.close())
    }
}

impl ServerSpec {
    /// The address under which records of tools name the server: its URL, or `stdio:` and its command line. Variables stay as
    /// they are written, so it has none of their values.
    ///
    /// ```
    /// use toolwright_client::config::{ServerSpec, StdioSpec};
    ///
    /// assert_eq!(ServerSpec::from("https://example.com/mcp").address(), "https://example.com/mcp");
    /// assert_eq!(ServerSpec::from(StdioSpec::new("uv").arg("run server")).address(), "stdio:uv 'run server'");
    /// ```
    pub fn address(&self) -> String {
        match &self.transport {
            TransportSpec::Stdio(spec) => {
                let words: Vec<_> =
                    std::iter::once(&spec.command).chain(&spec.args).map(ToString::to_string).collect();
                stdio_uri(words.iter().map(String::as_str))
            }
            TransportSpec::Http(spec) => spec.url.to_string(),
            TransportSpec::Sse(spec) => spec.url.to_string(),
            TransportSpec::WebSocket(spec) => spec.url.to_string(),
        }
    }

    /// Whether the [address](Self::address) says all that is needed to connect: there are no headers, no environment, no
    /// values of variables and no settings.
    pub fn is_address_sufficient(&self) -> bool {
        let is_plain = |text: &Expanded| text.expose() == text.to_string();
        self.settings.is_none()
            && match &self.transport {
                TransportSpec::Stdio(spec) => {
                    let mut words = std::iter::once(&spec.command).chain(&spec.args);
                    words.all(is_plain) && spec.env.is_empty() && spec.cwd.is_none()
                }
                TransportSpec::Http(spec) => {
                    is_plain(&spec.url) && spec.headers.is_empty() && spec.oauth.is_none()
                }
                TransportSpec::Sse(spec) => {
                    is_plain(&spec.url) && spec.headers.is_empty() && spec.oauth.is_none()
                }
                TransportSpec::WebSocket(spec) => is_plain(&spec.url) && spec.headers.is_empty(),
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::HttpSpec;

    fn named(name: &str, url: &str) -> ServerSpec {
        ServerSpec::new(name, HttpSpec::new(url))
    }

    fn servers() -> Servers {
        Servers::new(Client::builder)
            .server(named("desk", "https://desk.example/mcp"), Tokens::new())
            .server(named("one", "https://two.example/mcp"), Tokens::new())
            .server(named("two", "https://two.example/mcp"), Tokens::new())
            .server(ServerSpec::new("local", StdioSpec::new("serve").arg("--quiet")), Tokens::new())
    }

    #[track_caller]
    fn check(servers: &Servers, uri: &str, credential: Option<&str>, expected: Result<&str, &str>) {
        let address = ServerAddress { uri: uri.to_owned(), credential_ref: credential.map(str::to_owned) };
        match (servers.find(&address), expected) {
            (Ok(known), Ok(name)) => assert_eq!(known.spec.name, name, "{uri}"),
            (Err(why), Err(part)) => assert!(why.contains(part), "{uri}: {why}"),
            (found, _) => panic!("{uri}: {:?}", found.map(|known| known.spec.name)),
        }
    }

    /// A record that names a known credential and another address would have the secret sent there.
    #[test]
    fn credentials_go_to_the_address_that_they_are_for() {
        let servers = servers();
        check(&servers, "https://desk.example/mcp", Some("desk"), Ok("desk"));
        check(&servers, "https://desk.example/mcp", None, Ok("desk"));
        check(&servers, "https://evil.example/mcp", Some("desk"), Err("no server of this name and address"));
        check(
            &servers,
            "https://desk.example/mcp?x",
            Some("desk"),
            Err("no server of this name and address"),
        );
        check(&servers, "https://desk.example/mcp", Some("other"), Err("the credential `other`"));
        check(&servers, "https://two.example/mcp", Some("two"), Ok("two"));
        check(&servers, "https://two.example/mcp", None, Err("several servers have this address: one, two"));
        check(&servers, "https://new.example/mcp", None, Ok("https://new.example/mcp"));
    }

    #[test]
    fn programs_are_started_if_someone_said_so() {
        check(&servers(), "stdio:serve --quiet", None, Ok("local"));
        check(&servers(), "stdio:serve --loud", None, Err("not started here"));
        let allowing = servers().allow_programs();
        check(&allowing, "stdio:serve --loud", None, Ok("serve --loud"));
        check(&allowing, "stdio:'serve", None, Err("unterminated"));
        check(&allowing, "file:///bin/sh", None, Err("begins with none of http://"));
        check(&allowing, "sh", None, Err("begins with none of http://"));
    }

    #[test]
    fn an_address_shows_variables_as_they_are_written() {
        let argument = crate::config::Expanded::new("--token=s3cret", "--token=${TOKEN}");
        let spec = ServerSpec::new("x", StdioSpec::new("serve").arg(argument));
        assert_eq!(spec.address(), "stdio:serve '--token=${TOKEN}'");
        assert!(!spec.is_address_sufficient() && named("x", "http://localhost/mcp").is_address_sufficient());
    }
}
