//! From a server's tools to an agent's conversation, end to end and without a model: a provider writes the tools of a server
//! into a collection, a toolbox is made of it and of other tools, a scripted agent calls, and reads the answers.
#![cfg(all(feature = "tool-values", feature = "in-process"))]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use toolwright::model_api::{Losses, ModelApi};
use toolwright::toolbox::{
    Arguments, BoxFuture, CallError, Connection, Connector, Runner, ServerAddress, Toolbox,
};
use toolwright::value::{CommandTool, McpTool, SchemaVersion, ToolCollection, ToolValue};
use toolwright::{
    Client, Server, Service, Tool, ToolError, ToolResult, Toolset,
    client::{ListedTool, toolbox::Servers},
};

/// Adds two numbers.
#[derive(Tool, Deserialize, JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

/// Divides a number by another one.
#[derive(Tool, Deserialize, JsonSchema)]
struct Divide {
    a: i64,
    b: i64,
}

#[derive(Toolset)]
#[mcp(handler = Calculator)]
enum Sums {
    Add(Add),
    Divide(Divide),
}

struct Calculator;

impl toolwright::Handler<Add> for Calculator {
    type Output = Result<i64, ToolError>;

    async fn call(&self, input: Add, _cx: &toolwright::Context) -> Self::Output {
        Ok(input.a + input.b)
    }
}

impl toolwright::Handler<Divide> for Calculator {
    type Output = Result<i64, ToolError>;

    async fn call(&self, input: Divide, _cx: &toolwright::Context) -> Self::Output {
        input
            .a
            .checked_div(input.b)
            .ok_or_else(|| ToolError::new("cannot divide by zero; choose another number"))
    }
}

fn calculator() -> Service {
    Server::new(Calculator).tools::<Sums>().build().unwrap()
}

/// Counts the connections to a server.
struct Counted {
    inner: Servers,
    connects: AtomicUsize,
}

impl Connector for Counted {
    fn connect<'a>(
        &'a self,
        server: &'a ServerAddress,
    ) -> BoxFuture<'a, Result<Arc<dyn Connection>, CallError>> {
        self.connects.fetch_add(1, Ordering::SeqCst);
        self.inner.connect(server)
    }
}

/// Runs every workflow.
struct Engine;

impl Runner for Engine {
    fn run<'a>(
        &'a self,
        tool: &'a ToolValue,
        _arguments: Arguments,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        Box::pin(async move { Ok(ToolResult::text(format!("{} is done", tool.name().unwrap_or_default()))) })
    }
}

/// What a provider writes for a server: one record a line.
async fn provided(uri: &str, service: &Service) -> String {
    let listed = Client::in_process(service).list_tools().await.unwrap();
    let definitions = listed.iter().map(ListedTool::definition);
    definitions.map(|tool| ToolValue::from(McpTool::from_definition(uri, &tool)).to_json() + "\n").collect()
}

/// Makes the calls that a model would, and keeps the conversation as OpenAI's API has it.
async fn converse(toolbox: &Toolbox, calls: &[(&str, &str)]) -> Vec<Value> {
    let mut conversation = vec![json!({"role": "user", "content": "Add 1 and 2."})];
    for (index, (name, arguments)) in calls.iter().enumerate() {
        let id = format!("call_{index}");
        conversation
            .push(json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments}));
        let message = toolbox.call(name, *arguments).await;
        conversation.push(message.for_model_api(ModelApi::OpenAi, &id));
    }
    conversation
}

#[tokio::test]
async fn a_scripted_agent_lists_calls_and_reads_answers() {
    let service = calculator();
    let workflow = r#"{"tool_type":"WORKFLOW","schema_version":"1.0","name":"report","description":"Writes it.","parameter_schema":{}}"#;
    let lines = format!("{}null\n{workflow}\n", provided("local:sums", &service).await);

    let collection = ToolCollection::from_jsonl(&lines);
    assert!(collection.problems().is_empty() && collection.duplicates().is_empty());
    let inner = Servers::new(Client::builder).in_process("local:sums", &service);
    let servers = Arc::new(Counted { inner, connects: AtomicUsize::new(0) });
    let toolbox = Toolbox::builder(collection.values().cloned())
        .mcp(servers.clone())
        .workflows(Arc::new(Engine))
        .build();

    let mut losses = Losses::default();
    let shown = toolbox.for_model_api(ModelApi::OpenAi, &mut losses);
    let names: Vec<&str> =
        shown.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["add", "divide", "report"]);
    assert_eq!(shown[0]["parameters"]["properties"]["a"]["type"], "integer");
    assert_eq!(losses.into_list(), []);

    let conversation = converse(
        &toolbox,
        &[
            ("add", r#"{"a": 1, "b": 2}"#),
            ("divide", r#"{"a": 1, "b": 0}"#),
            ("add", r#"{"a": "one"}"#),
            ("report", ""),
            ("subtract", "{}"),
            ("add", "{"),
            ("divide", r#"{"a": 6, "b": 3}"#),
        ],
    )
    .await;
    let answers: Vec<&str> = conversation.iter().filter_map(|item| item["output"].as_str()).collect();
    assert_eq!(answers[0], "3");
    assert_eq!(answers[1], "error: cannot divide by zero; choose another number");
    assert!(answers[2].starts_with("error: ") && answers[2].contains('b'), "{}", answers[2]);
    assert_eq!(answers[3], "report is done");
    assert_eq!(answers[4], "error: unknown tool `subtract`; available: add, divide, report");
    assert!(answers[5].starts_with("error: the arguments are not valid JSON"), "{}", answers[5]);
    assert_eq!(answers[6], "2");
    assert_eq!(conversation.len(), 15, "each call has an answer");

    for _ in 0..10 {
        toolbox.call("add", json!({"a": 1, "b": 1})).await;
    }
    assert_eq!(servers.connects.load(Ordering::SeqCst), 1, "one connection for all calls");
}

#[tokio::test]
async fn commands_of_this_process_are_called_as_values() {
    let servers = Servers::new(Client::builder).in_process("sums", &calculator());
    let values = [Add::definition(), Divide::definition()]
        .iter()
        .map(|definition| ToolValue::from(CommandTool::from_definition(Some("sums"), definition)))
        .collect::<Vec<_>>();
    assert!(
        values[0].to_json().starts_with(&format!(
            r#"{{"tool_type":"COMMAND","schema_version":"{}""#,
            SchemaVersion::CURRENT
        ))
    );
    let toolbox = Toolbox::builder(values).commands(Arc::new(servers)).build();
    assert_eq!(toolbox.call("add", json!({"a": 20, "b": 22})).await.text, "42");

    let unnamed = ToolValue::from(CommandTool::from_definition(None, &Add::definition()));
    let servers = Servers::new(Client::builder);
    let toolbox = Toolbox::builder([unnamed.clone()]).commands(Arc::new(servers)).build();
    let message = toolbox.call("add", json!({"a": 20, "b": 22})).await;
    assert!(message.text.contains("the server of this command is not configured"), "{}", message.text);
    let servers = Servers::new(Client::builder).commands_in_process(&calculator());
    let toolbox = Toolbox::builder([unnamed]).commands(Arc::new(servers)).build();
    assert_eq!(toolbox.call("add", json!({"a": 20, "b": 22})).await.text, "42");
}

#[tokio::test]
async fn another_server_is_not_the_one_of_this_process() {
    let tool = ToolValue::from(McpTool::new("add", "local:products", "add"));
    let servers = Servers::new(Client::builder).in_process("local:sums", &calculator());
    let message = Toolbox::builder([tool]).mcp(Arc::new(servers)).build().call("add", json!({})).await;
    assert!(
        message
            .text
            .starts_with("error: cannot connect to local:products: its address does not start with any of"),
        "{}",
        message.text
    );
}
