//! The interactions of a client with each server, and their expected results.

use serde_json::{Value, json};
use test_client::Events;
use test_servers::installed::Program;
use toolwright_client::config::ServerSpec;
use toolwright_client::{Client, ClientError, ErrorKind, ListedTool};
use toolwright_core::revision::Revision;

/// The features of a server. All strings are parts of expected responses.
pub(crate) struct Case {
    pub(crate) tools: &'static [&'static str],
    /// A tool, its arguments, and the text of the result.
    pub(crate) call: (&'static str, Value, &'static str),
    /// A failing call: a tool, its arguments, and a part of the tool error or protocol error.
    pub(crate) failure: (&'static str, Value, &'static str),
    /// A prompt, its arguments, and the text of the first message.
    pub(crate) prompt: Option<(&'static str, Value, &'static str)>,
    /// The URI and text of a resource.
    pub(crate) resource: Option<(&'static str, &'static str)>,
}

/// Returns the server of rmcp.
pub(crate) fn rmcp() -> Program {
    Program::new(env!("CARGO_BIN_EXE_rmcp-shop").as_ref(), &[])
}

/// The servers of this package.
pub(crate) fn shop() -> Case {
    Case {
        tools: &["add", "fail", "order"],
        call: ("add", json!({"a": 19, "b": 23}), "42"),
        failure: ("fail", json!({"reason": "the shop is closed"}), "the shop is closed"),
        prompt: Some(("greet", json!({"name": "Ada"}), "Say hello to Ada.")),
        resource: Some(("shop://stock", "7 apples")),
    }
}

/// `@modelcontextprotocol/server-everything`.
pub(crate) fn everything() -> Case {
    Case {
        tools: &["echo", "get-sum", "get-tiny-image", "trigger-long-running-operation"],
        call: ("get-sum", json!({"a": 19, "b": 23}), "The sum of 19 and 23 is 42."),
        failure: ("get-sum", json!({"a": "nineteen"}), "Input validation error"),
        prompt: Some(("args-prompt", json!({"city": "Oslo"}), "What's weather in Oslo?")),
        resource: Some(("demo://resource/static/document/features.md", "Everything Server")),
    }
}

/// `@modelcontextprotocol/server-filesystem`, with access to `folder`.
pub(crate) fn filesystem(folder: &str) -> Case {
    Case {
        tools: &["read_text_file", "write_file", "list_directory"],
        call: ("read_text_file", json!({"path": format!("{folder}/note.txt")}), "milk and bread"),
        failure: ("read_text_file", json!({"path": "/etc/passwd"}), "Access denied"),
        prompt: None,
        resource: None,
    }
}

/// `@modelcontextprotocol/server-memory`.
pub(crate) fn memory() -> Case {
    let ada = json!({"name": "Ada", "entityType": "person", "observations": ["wrote programs"]});
    Case {
        tools: &["create_entities", "read_graph", "search_nodes"],
        call: ("create_entities", json!({"entities": [ada]}), "wrote programs"),
        failure: (
            "add_observations",
            json!({"observations": [{"entityName": "Bob", "contents": []}]}),
            "Entity with name Bob not found",
        ),
        prompt: None,
        resource: None,
    }
}

/// `@modelcontextprotocol/server-sequential-thinking`.
pub(crate) fn sequential_thinking() -> Case {
    let thought =
        json!({"thought": "one step", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1});
    Case {
        tools: &["sequentialthinking"],
        call: ("sequentialthinking", thought, "\"thoughtHistoryLength\": 1"),
        failure: ("sequentialthinking", json!({"thought": 7}), "Input validation error"),
        prompt: None,
        resource: None,
    }
}

impl Case {
    /// Runs the case. `revision` is the requested one; without it, the client detects it.
    pub(crate) async fn check(
        &self,
        server: impl Into<ServerSpec>,
        revision: Option<Revision>,
        is_modern: bool,
    ) -> Client {
        let events = Events::default();
        let builder = events.builder();
        let builder = match revision {
            Some(revision) => builder.revision(revision),
            None => builder,
        };
        let client = builder.connect(server).await.unwrap_or_else(|error| panic!("{error}"));
        let server = client.server().await.unwrap();
        assert_eq!(server.revision.is_modern(), is_modern, "{}", server.revision);

        let tools = client.list_tools().await.unwrap();
        for name in self.tools {
            assert!(tools.iter().any(|tool| tool.name() == *name), "no `{name}` in {:?}", names(&tools));
        }
        let (tool, arguments, expected) = &self.call;
        let result = client.call(*tool, arguments).await.unwrap();
        assert!(!result.is_error && result.as_text().contains(expected), "{tool}: {}", result.as_text());
        self.check_errors(&client).await;

        if let Some((name, arguments, expected)) = &self.prompt {
            let prompts = client.list_prompts().await.unwrap();
            assert!(prompts.iter().any(|prompt| prompt.name == *name), "no `{name}` in {prompts:?}");
            let prompt = client.get_prompt(name, arguments).await.unwrap();
            let text = prompt.messages[0].content.to_text();
            assert!(text.contains(expected), "{name}: {text}");
        }
        if let Some((uri, expected)) = &self.resource {
            let resources = client.list_resources().await.unwrap();
            assert!(resources.iter().any(|resource| resource.uri == *uri), "no `{uri}` in {resources:?}");
            let read = json!(client.read_resource(uri).await.unwrap()).to_string();
            assert!(read.contains(expected), "{uri}: {read}");
        }
        assert!(events.warnings().is_empty(), "{:?}", events.warnings());
        client
    }

    /// Checks a failing tool, an unknown tool, and that the connection still works.
    async fn check_errors(&self, client: &Client) {
        let (tool, arguments, expected) = &self.failure;
        let (is_error, text) = outcome(client.call(*tool, arguments).await);
        assert!(is_error && text.contains(expected), "{tool}: no `{expected}` in: {text}");

        let (is_error, text) = outcome(client.call("no-such-tool", ()).await);
        assert!(is_error && text.contains("no-such-tool"), "{text}");
        client.ping().await.unwrap();
    }
}

/// Returns whether a call failed, as a tool error or a protocol error, and its message.
fn outcome(outcome: Result<toolwright_core::result::ToolResult, ClientError>) -> (bool, String) {
    match outcome {
        Ok(result) => (result.is_error, result.as_text()),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Protocol, "{error}");
            assert!(!error.advice().is_empty(), "{error}");
            (true, error.to_string())
        }
    }
}

fn names(tools: &[ListedTool]) -> Vec<&str> {
    tools.iter().map(ListedTool::name).collect()
}
