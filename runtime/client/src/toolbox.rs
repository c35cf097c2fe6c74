//! The servers of an agent's [`Toolbox`](toolwright_agent::toolbox::Toolbox).

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

/// The URL schemes that tools may name. Of these, only the ones of enabled features can be reached.
const SCHEMES: [&str; 4] = ["http://", "https://", "ws://", "wss://"];

/// Connects a toolbox to servers, with a [`Client`] for each: to configured servers, with their headers, tokens and
/// environment, and to the URLs that tools name.
///
/// Tools may come from untrusted files, so they decide less than the program that creates the toolbox:
///
/// - A tool with a [`credential_ref`](toolwright_agent::value::McpTool::credential_ref) is only called through the
///   configured server of that name, and only if the tool's address is that of the server ([`ServerSpec::address`]). No
///   other address gets its secrets.
/// - The program of a `stdio:` address is only started if a configured server has that address, or after
///   [`Servers::allow_programs`].
/// - COMMAND tools are called on the configured server that the tool names as its
///   [`server`](toolwright_agent::value::CommandTool::server), or on that of [`Servers::commands`].
///
/// [`Servers::in_process`] adds a server of the same process.
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
    configured: Vec<ConfiguredServer>,
    commands: Option<ConfiguredServer>,
    allows_programs: bool,
    request_timeout: Option<Duration>,
    /// The clients of COMMAND tools, by the name and address of the server.
    running: Mutex<HashMap<String, Client>>,
}

#[derive(Clone)]
struct ConfiguredServer {
    spec: ServerSpec,
    tokens: Tokens,
    /// The server, if it is in this process.
    memory: Option<MemoryServer>,
}

impl Servers {
    /// Creates a connector without servers. `client` returns the settings of each client.
    pub fn new(client: impl Fn() -> ClientBuilder + Send + Sync + 'static) -> Self {
        Self {
            client: Box::new(client),
            configured: Vec::new(),
            commands: None,
            allows_programs: false,
            request_timeout: None,
            running: Mutex::default(),
        }
    }

    /// Adds a server.
    #[must_use]
    pub fn server(mut self, spec: impl Into<ServerSpec>, tokens: Tokens) -> Self {
        self.configured.push(ConfiguredServer { spec: spec.into(), tokens, memory: None });
        self
    }

    /// Adds a server of this process, as in [`ClientBuilder::in_process`]. `name` is its name for COMMAND tools, and
    /// its address for MCP tools.
    #[must_use]
    pub fn in_process(mut self, name: impl Into<String>, server: impl Into<MemoryServer>) -> Self {
        self.configured.push(ConfiguredServer::in_process(name, server));
        self
    }

    /// Adds the servers of a configuration file.
    #[cfg(feature = "config")]
    #[must_use]
    pub fn config(self, config: &Config) -> Self {
        config
            .servers()
            .iter()
            .fold(self, |servers, spec| servers.server(spec.clone(), config.tokens().clone()))
    }

    /// Sets the server of COMMAND tools that do not name a configured one.
    #[must_use]
    pub fn commands(mut self, spec: impl Into<ServerSpec>) -> Self {
        self.commands = Some(ConfiguredServer { spec: spec.into(), tokens: Tokens::new(), memory: None });
        self
    }

    /// As [`Servers::commands`], with a server of this process.
    #[must_use]
    pub fn commands_in_process(mut self, server: impl Into<MemoryServer>) -> Self {
        let server = server.into();
        self.commands = Some(ConfiguredServer::in_process(server.name().to_owned(), server));
        self
    }

    /// Allows starting the programs of `stdio:` addresses. Use it only for tools that you trust like scripts.
    #[must_use]
    pub fn allow_programs(mut self) -> Self {
        self.allows_programs = true;
        self
    }

    /// Sets the timeout of requests to servers that are not configured. The default is 60 s; progress extends it as in
    /// [`ServerSpec::request_timeout`].
    #[must_use]
    pub fn request_timeout(mut self, timeout: Duration) -> Self {
        self.request_timeout = Some(timeout);
        self
    }

    /// Closes the connections of COMMAND tools. [`Toolbox::close`](toolwright_agent::toolbox::Toolbox::close) closes
    /// those of MCP tools.
    pub async fn close(&self) {
        let running: Vec<Client> = {
            let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
            running.drain().map(|(_, client)| client).collect()
        };
        for client in running {
            client.close().await;
        }
    }

    /// Returns the server of an address.
    fn find(&self, server: &ServerAddress) -> Result<ConfiguredServer, String> {
        let at_address: Vec<&ConfiguredServer> =
            self.configured.iter().filter(|configured| configured.address() == server.uri).collect();
        if let Some(name) = &server.credential_ref {
            return match at_address.iter().find(|configured| configured.spec.name == *name) {
                Some(configured) => Ok((*configured).clone()),
                None => Err(format!(
                    "the tool needs the credential `{name}`, but no server with this name and address is configured; add it to the \
                     configuration"
                )),
            };
        }
        match at_address.as_slice() {
            [configured] => return Ok((*configured).clone()),
            [] => {}
            several => {
                let names: Vec<_> = several.iter().map(|configured| configured.spec.name.as_str()).collect();
                return Err(format!(
                    "several servers have this address: {}; set the tool's `credential_ref` to one of them",
                    names.join(", ")
                ));
            }
        }
        let mut spec: ServerSpec = match stdio_command(&server.uri) {
            Some(_) if !self.allows_programs => {
                return Err(
                    "programs named by tools are not allowed; add the server to the configuration, or allow programs"
                        .to_owned(),
                );
            }
            Some(words) => {
                let mut words = words.map_err(|error| error.to_string())?.into_iter();
                let mut program = StdioSpec::new(words.next().unwrap_or_default());
                program.args.extend(words.map(Into::into));
                program.into()
            }
            None if SCHEMES.iter().any(|scheme| server.uri.starts_with(scheme)) => server.uri.as_str().into(),
            None => {
                return Err(format!("its address does not start with any of {}, stdio:", SCHEMES.join(", ")));
            }
        };
        spec.request_timeout = self.request_timeout.unwrap_or(spec.request_timeout);
        Ok(ConfiguredServer { spec, tokens: Tokens::new(), memory: None })
    }

    /// Returns the client of the server of a COMMAND tool.
    fn command_client(&self, server: Option<&str>) -> Result<Client, String> {
        let configured =
            server.and_then(|name| self.configured.iter().find(|configured| configured.spec.name == name));
        let Some(configured) = configured.or(self.commands.as_ref()) else {
            let name = server.map_or_else(String::new, |name| format!(" `{name}`"));
            return Err(format!(
                "the server{name} of this command is not configured; add it to the configuration"
            ));
        };
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let address = format!("{} {}", configured.spec.name, configured.address());
        let client = running.entry(address).or_insert_with(|| configured.client((self.client)()));
        Ok(client.clone())
    }
}

impl ConfiguredServer {
    fn in_process(name: impl Into<String>, server: impl Into<MemoryServer>) -> Self {
        let name = name.into();
        // The command is never started.
        let spec = ServerSpec::new(name.as_str(), StdioSpec::new(name.as_str()));
        Self { spec, tokens: Tokens::new(), memory: Some(server.into()) }
    }

    fn address(&self) -> String {
        if self.memory.is_some() { self.spec.name.clone() } else { self.spec.address() }
    }

    /// Creates a client that connects on the first request.
    fn client(&self, builder: ClientBuilder) -> Client {
        match &self.memory {
            Some(server) => builder.in_process(server.clone()),
            None => builder.tokens(self.tokens.clone()).connect_lazy(self.spec.clone()),
        }
    }
}

impl fmt::Debug for Servers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let configured: Vec<_> = self.configured.iter().map(|configured| &configured.spec.name).collect();
        f.debug_struct("Servers").field("configured", &configured).finish_non_exhaustive()
    }
}

impl Connector for Servers {
    fn connect<'a>(
        &'a self,
        server: &'a ServerAddress,
    ) -> BoxFuture<'a, Result<Arc<dyn Connection>, CallError>> {
        Box::pin(async move {
            let configured = self.find(server).map_err(|why| CallError::connect(server, why))?;
            let client = configured.client((self.client)());
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

/// Formats what happened and what to do. The caller names the server.
fn describe(error: &ClientError) -> String {
    match error.advice() {
        "" => error.problem().to_owned(),
        advice => format!("{}; {advice}", error.problem()),
    }
}

/// A client as a connection of a toolbox. It reconnects by itself, so it stays usable.
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
    /// Returns the address with which tools name the server: its URL, or `stdio:` and its command line. Variables are
    /// not expanded, so it does not contain their values.
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

    /// Returns whether the [address](Self::address) is sufficient to connect: there are no headers, environment
    /// variables, expanded variables or settings.
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
            (Ok(configured), Ok(name)) => assert_eq!(configured.spec.name, name, "{uri}"),
            (Err(why), Err(part)) => assert!(why.contains(part), "{uri}: {why}"),
            (found, _) => panic!("{uri}: {:?}", found.map(|configured| configured.spec.name)),
        }
    }

    /// A tool that names a configured credential and another address would have the secret sent there.
    #[test]
    fn credentials_are_only_sent_to_their_server() {
        let servers = servers();
        check(&servers, "https://desk.example/mcp", Some("desk"), Ok("desk"));
        check(&servers, "https://desk.example/mcp", None, Ok("desk"));
        check(
            &servers,
            "https://evil.example/mcp",
            Some("desk"),
            Err("no server with this name and address"),
        );
        check(
            &servers,
            "https://desk.example/mcp?x",
            Some("desk"),
            Err("no server with this name and address"),
        );
        check(&servers, "https://desk.example/mcp", Some("other"), Err("the credential `other`"));
        check(&servers, "https://two.example/mcp", Some("two"), Ok("two"));
        check(&servers, "https://two.example/mcp", None, Err("several servers have this address: one, two"));
        check(&servers, "https://new.example/mcp", None, Ok("https://new.example/mcp"));
    }

    #[test]
    fn programs_are_only_started_if_allowed() {
        check(&servers(), "stdio:serve --quiet", None, Ok("local"));
        check(&servers(), "stdio:serve --loud", None, Err("programs named by tools are not allowed"));
        let allowing = servers().allow_programs();
        check(&allowing, "stdio:serve --loud", None, Ok("serve --loud"));
        check(&allowing, "stdio:'serve", None, Err("unterminated"));
        check(&allowing, "file:///bin/sh", None, Err("does not start with any of http://"));
        check(&allowing, "sh", None, Err("does not start with any of http://"));
    }

    #[test]
    fn variables_in_an_address_are_not_expanded() {
        let argument = crate::config::Expanded::new("--token=s3cret", "--token=${TOKEN}");
        let spec = ServerSpec::new("x", StdioSpec::new("serve").arg(argument));
        assert_eq!(spec.address(), "stdio:serve '--token=${TOKEN}'");
        assert!(!spec.is_address_sufficient() && named("x", "http://localhost/mcp").is_address_sufficient());
    }
}
