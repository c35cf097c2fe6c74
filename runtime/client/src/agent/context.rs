//! The context that an orchestrator passes to an agent.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::config::Secret;

/// The environment variable with the id of the run.
pub const RUN: &str = "MCP_RUN";
/// The environment variable with the organization; unset for runs without one.
pub const ORGANIZATION: &str = "MCP_ORG";
/// The environment variable with the id of the agent's node.
pub const NODE: &str = "MCP_NODE";
/// The environment variable with the ids of the connected tool nodes, as a JSON array of strings.
pub const CONNECTED_TOOL_NODE_IDS: &str = "MCP_CONNECTED_TOOL_NODE_IDS";
/// The environment variable with the URL of the gateway.
pub const GATEWAY_URL: &str = "MCP_GATEWAY_URL";
/// The environment variable with a session token for the gateway.
pub const GATEWAY_TOKEN: &str = "MCP_GATEWAY_TOKEN";

/// Maximum number of connected nodes: 10,000.
pub const MAX_CONNECTED_NODES: usize = 10_000;

/// The run and the node of an agent, and the tools that are connected to it.
///
/// As JSON, its members are `run`, `org`, `node`, `connectedToolNodeIds`, `gatewayUrl` and `token`. JSON and
/// environment variables contain the token, so do not log them; `Debug` hides it.
///
/// ```
/// use toolwright_client::agent::AgentContext;
///
/// let context: AgentContext = serde_json::from_str(
///     r#"{"run": "run-1", "org": null, "node": "agent", "connectedToolNodeIds": ["abuseipdb"]}"#,
/// )?;
/// let mut agent = std::process::Command::new("my-agent");
/// agent.envs(context.to_env());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentContext {
    /// The id of the run.
    pub run: String,
    /// The organization; `None` for runs without one.
    #[serde(default)]
    pub org: Option<String>,
    /// The id of the agent's node.
    pub node: String,
    /// The ids of the tool nodes that are connected to the agent.
    #[serde(default)]
    pub connected_tool_node_ids: Vec<String>,
    /// The URL of the gateway, if the orchestrator knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gateway_url: Option<String>,
    /// A session token for the gateway, if the orchestrator has one.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "serialize_token",
        deserialize_with = "deserialize_token"
    )]
    pub token: Option<Secret>,
}

/// An error in the environment variables of an agent. The messages name the variable without its value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ContextError {
    /// A variable is not set, or is empty.
    #[error("the variable `{0}` is not set: start the agent with the environment of `AgentContext::to_env`")]
    Missing(&'static str),
    /// The list of nodes is not a JSON array of strings.
    #[error(
        "the variable `{CONNECTED_TOOL_NODE_IDS}` is not a JSON array of strings such as `[\"a\", \"b\"]`"
    )]
    Nodes,
    /// More than [`MAX_CONNECTED_NODES`].
    #[error("the variable `{CONNECTED_TOOL_NODE_IDS}` has {0} ids, {MAX_CONNECTED_NODES} are allowed")]
    TooManyNodes(usize),
}

impl AgentContext {
    /// Creates the context of a node in a run, without tools.
    pub fn new(run: impl Into<String>, node: impl Into<String>) -> Self {
        Self {
            run: run.into(),
            org: None,
            node: node.into(),
            connected_tool_node_ids: Vec::new(),
            gateway_url: None,
            token: None,
        }
    }

    /// Reads the environment variables of this process; see [`AgentContext::to_env`].
    ///
    /// # Errors
    /// [`ContextError`].
    pub fn from_env() -> Result<Self, ContextError> {
        Self::from_variables(|name| std::env::var(name).ok())
    }

    /// Reads variables with a function that returns their values by name. Empty values count as unset.
    ///
    /// # Errors
    /// [`ContextError`].
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Self, ContextError> {
        let optional_variable = |name| variable(name).filter(|value| !value.is_empty());
        let required = |name| optional_variable(name).ok_or(ContextError::Missing(name));
        let nodes: Vec<String> = match optional_variable(CONNECTED_TOOL_NODE_IDS) {
            Some(text) => serde_json::from_str(&text).map_err(|_| ContextError::Nodes)?,
            None => Vec::new(),
        };
        if nodes.len() > MAX_CONNECTED_NODES {
            return Err(ContextError::TooManyNodes(nodes.len()));
        }
        Ok(Self {
            run: required(RUN)?,
            org: optional_variable(ORGANIZATION),
            node: required(NODE)?,
            connected_tool_node_ids: nodes,
            gateway_url: optional_variable(GATEWAY_URL),
            token: optional_variable(GATEWAY_TOKEN).map(Secret::new),
        })
    }

    /// Returns the environment variables that an agent reads with [`AgentContext::from_env`]. They contain the token:
    /// unlike arguments, they are not visible to other users in the list of processes.
    pub fn to_env(&self) -> Vec<(&'static str, String)> {
        let nodes = serde_json::Value::from(self.connected_tool_node_ids.clone()).to_string();
        let mut variables =
            vec![(RUN, self.run.clone()), (NODE, self.node.clone()), (CONNECTED_TOOL_NODE_IDS, nodes)];
        let token = self.token.as_ref().map(|token| token.expose().to_owned());
        let optional_values = [
            (ORGANIZATION, self.org.clone()),
            (GATEWAY_URL, self.gateway_url.clone()),
            (GATEWAY_TOKEN, token),
        ];
        variables.extend(optional_values.into_iter().filter_map(|(name, value)| Some((name, value?))));
        variables
    }
}

#[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
fn serialize_token<S: Serializer>(token: &Option<Secret>, serializer: S) -> Result<S::Ok, S::Error> {
    token.as_ref().map(Secret::expose).serialize(serializer)
}

fn deserialize_token<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Secret>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.map(Secret::new))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use serde_json::json;

    use super::*;

    fn context() -> AgentContext {
        AgentContext {
            org: Some("acme".to_owned()),
            connected_tool_node_ids: vec!["a,b".to_owned(), "c \"d\"".to_owned()],
            gateway_url: Some("http://127.0.0.1:8080/mcp/gateway".to_owned()),
            token: Some(Secret::new("s3cret")),
            ..AgentContext::new("run-1", "agent")
        }
    }

    fn read(variables: &[(&str, String)]) -> Result<AgentContext, ContextError> {
        let variables: HashMap<_, _> = variables.iter().cloned().collect();
        AgentContext::from_variables(|name| variables.get(name).cloned())
    }

    #[test]
    fn the_json_has_the_names_of_the_workflow() {
        let value = serde_json::to_value(context()).unwrap();
        let expected = json!({"run": "run-1", "org": "acme", "node": "agent", "connectedToolNodeIds": ["a,b", "c \"d\""],
            "gatewayUrl": "http://127.0.0.1:8080/mcp/gateway", "token": "s3cret"});
        assert_eq!(value, expected);
        assert_eq!(serde_json::from_value::<AgentContext>(value).unwrap(), context());
    }

    #[test]
    fn variables_contain_the_whole_context() {
        assert_eq!(read(&context().to_env()), Ok(context()));
        let minimal = AgentContext::new("r", "n");
        assert_eq!(read(&minimal.to_env()), Ok(minimal));
    }

    #[cfg(unix)]
    #[test]
    fn a_spawned_agent_gets_the_variables() {
        let output = std::process::Command::new("env").env_clear().envs(context().to_env()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let dump: Vec<_> = text
            .lines()
            .filter_map(|line| line.split_once('='))
            .map(|(name, value)| (name, value.to_owned()))
            .collect();
        assert_eq!(read(&dump), Ok(context()));
    }

    #[test]
    fn errors_name_variables_without_their_values() {
        let with = |name: &'static str, value: &str| {
            let mut variables = context().to_env();
            variables.retain(|(other, _)| *other != name);
            variables.push((name, value.to_owned()));
            read(&variables)
        };
        assert_eq!(with(RUN, ""), Err(ContextError::Missing(RUN)));
        assert_eq!(with(NODE, ""), Err(ContextError::Missing(NODE)));
        for nodes in ["a,b", "[1]", "{}", "[\"a\""] {
            assert_eq!(with(CONNECTED_TOOL_NODE_IDS, nodes), Err(ContextError::Nodes));
        }
        let many = serde_json::to_string(&vec!["x"; MAX_CONNECTED_NODES + 1]).unwrap();
        assert_eq!(with(CONNECTED_TOOL_NODE_IDS, &many), Err(ContextError::TooManyNodes(10_001)));
    }

    #[test]
    fn debug_hides_the_token() {
        assert!(!format!("{:?}", context()).contains("s3cret"));
    }
}
