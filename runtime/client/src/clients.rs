//! Clients of several servers, such as those of a configuration file.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use tokio::task::JoinSet;
use toolwright_core::names::{Collision, PublicNames, check_server};
use toolwright_core::protocol::{Prompt, ToolResult};

use crate::client::{Client, ClientBuilder};
use crate::config::ServerSpec;
use crate::error::{ClientError, ErrorKind};
use crate::tool::ListedTool;

/// Clients of several servers, with a unique name for each of their tools: `{server}__{tool}`, or a shorter one
/// ([`toolwright_core::names`]).
///
/// An unreachable server does not affect the others, unless it is [`required`](ServerSpec::required). Each later
/// request to it retries.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use toolwright_client::config::{HttpSpec, ServerSpec, StdioSpec};
/// use toolwright_client::{Client, Clients};
///
/// let files = ServerSpec::new("files", StdioSpec::new("files-server"));
/// let web = ServerSpec::new("web", HttpSpec::new("https://example.com/mcp"));
/// let servers = [files, web];
/// let clients = Clients::connect(servers, |_| Client::builder()).await?;
/// let listing = clients.list().await;
/// for tool in &listing.tools {
///     println!("{}", tool.name);
/// }
/// for failure in &listing.failures {
///     eprintln!("{failure}");
/// }
/// let result = clients.call("files__read", serde_json::json!({"path": "notes.txt"})).await?;
/// println!("{}", result.as_text());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Clients {
    members: Vec<Member>,
    /// The names of the last [`Clients::list`].
    names: Mutex<Option<Arc<PublicNames>>>,
}

#[derive(Debug, Clone)]
struct Member {
    name: String,
    client: Client,
    loads_tools: bool,
    loads_prompts: bool,
}

/// The tools and prompts of several servers.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Listing {
    /// The tools of the servers with [`load_tools`](ServerSpec::load_tools), sorted by name.
    pub tools: Vec<NamedTool>,
    /// The prompts of the servers with [`load_prompts`](ServerSpec::load_prompts), each with the name of its server.
    pub prompts: Vec<(String, Prompt)>,
    /// The tools whose names were changed to avoid duplicates.
    pub collisions: Vec<Collision>,
    /// The errors of the servers whose lists are missing.
    pub failures: Vec<ClientError>,
}

/// A tool with the name that [`Clients::call`] accepts.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct NamedTool {
    /// The name, unique among all servers.
    pub name: String,
    /// The name of its server.
    pub server: String,
    /// The tool as its server lists it.
    pub tool: ListedTool,
}

impl Clients {
    /// Connects to all servers concurrently. `build` returns the settings of each client.
    ///
    /// # Errors
    /// If a [`required`](ServerSpec::required) server cannot be reached, a server's name cannot be the prefix of a
    /// tool's name, or two servers have the same name.
    pub async fn connect(
        servers: impl IntoIterator<Item = ServerSpec>,
        build: impl Fn(&ServerSpec) -> ClientBuilder,
    ) -> Result<Self, ClientError> {
        let (mut members, mut connecting, mut taken) = (Vec::new(), JoinSet::new(), HashSet::new());
        for spec in servers {
            let invalid = |problem: String| {
                let name: Arc<str> = spec.name.as_str().into();
                ClientError::new(ErrorKind::Connect, &name, problem, "give the server another name")
            };
            check_server(&spec.name).map_err(|error| invalid(error.to_string()))?;
            if !taken.insert(spec.name.clone()) {
                return Err(invalid("another server has the same name".to_owned()));
            }
            let is_required = spec.required;
            let (name, loads_tools, loads_prompts) = (spec.name.clone(), spec.load_tools, spec.load_prompts);
            let client = build(&spec).connect_lazy(spec);
            members.push(Member { name, client: client.clone(), loads_tools, loads_prompts });
            connecting.spawn(async move { (is_required, client.server().await.err()) });
        }
        while let Some(connected) = connecting.join_next().await {
            // The other failures are part of the list.
            if let Ok((true, Some(error))) = connected {
                return Err(error);
            }
        }
        Ok(Self { members, names: Mutex::default() })
    }

    /// Connects to the servers of a configuration. The clients use its tokens.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use toolwright_client::config::ConfigReader;
    /// use toolwright_client::{Client, Clients};
    ///
    /// let config = ConfigReader::new().read(".mcp.json")?;
    /// for problem in config.problems() {
    ///     eprintln!("{}", problem.message);
    /// }
    /// let clients = Clients::from_config(&config, |_| Client::builder().name("my-agent", "1.0.0")).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Clients::connect`].
    #[cfg(feature = "config")]
    pub async fn from_config(
        config: &crate::config::Config,
        build: impl Fn(&ServerSpec) -> ClientBuilder,
    ) -> Result<Self, ClientError> {
        let build = |spec: &ServerSpec| build(spec).tokens(config.tokens().clone());
        Self::connect(config.servers().iter().cloned(), build).await
    }

    /// Returns the client of a server.
    pub fn client(&self, server: &str) -> Option<&Client> {
        self.members.iter().find(|member| member.name == server).map(|member| &member.client)
    }

    /// Returns the servers and their clients, in the order in which they were passed.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Client)> {
        self.members.iter().map(|member| (member.name.as_str(), &member.client))
    }

    /// Lists what all servers offer, concurrently. Lists that cannot be read are missing, and [`Listing::failures`] has
    /// the errors.
    pub async fn list(&self) -> Listing {
        let mut listing = JoinSet::new();
        for (index, member) in self.members.iter().cloned().enumerate() {
            listing.spawn(async move { (index, member.list().await) });
        }
        let mut lists = listing.join_all().await;
        lists.sort_by_key(|(index, _)| *index);
        let (mut listing, mut tools) = (Listing::default(), Vec::new());
        for (index, (listed, prompts)) in lists {
            let name = &self.members[index].name;
            match listed {
                Ok(listed) => tools.push((name.as_str(), listed)),
                Err(error) => listing.failures.push(error),
            }
            match prompts {
                Ok(prompts) => {
                    listing.prompts.extend(prompts.into_iter().map(|prompt| (name.clone(), prompt)));
                }
                Err(error) => listing.failures.push(error),
            }
        }
        let lists = tools.iter().map(|(server, tools)| (*server, &tools[..]));
        // `connect` has validated the names of the servers.
        let table = PublicNames::from_lists(lists, ListedTool::name).unwrap_or_default();
        for (server, tools) in &tools {
            let named = tools.iter().filter_map(|tool| {
                let name = table.public(server, tool.name())?.to_owned();
                Some(NamedTool { name, server: (*server).to_owned(), tool: tool.clone() })
            });
            listing.tools.extend(named);
        }
        listing.tools.sort_by(|one, other| one.name.cmp(&other.name));
        listing.collisions = table.collisions().to_vec();
        *self.names.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(table));
        listing
    }

    fn names(&self) -> Option<Arc<PublicNames>> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Calls a tool by its name in the last [`Clients::list`]. The first call lists the tools.
    ///
    /// # Errors
    /// As [`Client::call`], and [`ErrorKind::Protocol`] for an unknown name.
    pub async fn call(
        &self,
        name: &str,
        arguments: impl Serialize + Send,
    ) -> Result<ToolResult, ClientError> {
        let arguments = serde_json::to_value(arguments);
        if self.names().is_none() {
            self.list().await;
        }
        let names = self.names().unwrap_or_default();
        let found = names.find(name).and_then(|found| Some((found, self.client(&found.server)?)));
        let Some((found, client)) = found else {
            let problem = format!("no server has a tool named `{}`", crate::error::quote(name));
            let server: Arc<str> = "all servers".into();
            let advice = "list the tools again, and use one of their names";
            return Err(ClientError::new(ErrorKind::Protocol, &server, problem, advice));
        };
        let arguments = arguments.map_err(|error| {
            client.invalid_arguments(&format!("the arguments cannot be serialized: {error}"))
        })?;
        client.call(found.tool.as_str(), arguments).await
    }

    /// Closes all connections concurrently.
    pub async fn close(&self) {
        let mut closing = JoinSet::new();
        for member in self.members.iter().cloned() {
            closing.spawn(async move { member.client.close().await });
        }
        closing.join_all().await;
    }
}

type Listed<T> = Result<T, ClientError>;

impl Member {
    async fn list(&self) -> (Listed<Arc<[ListedTool]>>, Listed<Vec<Prompt>>) {
        let tools = if self.loads_tools { self.client.list_tools().await } else { Ok(Arc::default()) };
        // One error per server is enough.
        let lists_prompts = self.loads_prompts && tools.is_ok();
        let prompts = if lists_prompts { self.client.list_prompts().await } else { Ok(Vec::new()) };
        (tools, prompts)
    }
}
