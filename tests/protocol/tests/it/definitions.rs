//! What attributes say reaches the list, the manifest's definitions and the call alike.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolwright::auth::Access;
use toolwright::toolset::definitions_of;
use toolwright::{
    BuildError, Client, Context, Handler, Json, Server, Service, Tool, ToolError, Toolset,
    client::ListedTool, content::ContentBlock, definition::ToolDefinition,
};

/// The state of the handlers here: none.
struct Desk;

macro_rules! answers {
    ($($tool:ty)*) => {$(
        impl Handler<$tool> for Desk {
            type Output = Result<String, ToolError>;

            async fn call(&self, input: $tool, cx: &Context) -> Self::Output {
                Ok(format!("{input:?} in {:?}", cx.context_path()))
            }
        }
    )*};
}

async fn listed(service: &Service) -> Vec<ToolDefinition> {
    let tools = Client::in_process(service).list_tools().await.expect("a list");
    tools.iter().map(ListedTool::definition).collect()
}

fn named<'a>(definitions: &'a [ToolDefinition], name: &str) -> &'a ToolDefinition {
    definitions.iter().find(|definition| definition.name == name).expect("listed")
}

// Hints.

/// Deletes a note.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(name = "delete_note", destructive)]
struct DeleteNote {
    #[expect(dead_code, reason = "shown by Debug")]
    id: String,
}

/// Adds a note.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(
    name = "add_note",
    destructive = false,
    open_world = false,
    title = "Add a note",
    icon(src = "https://example.com/note.png", mime_type = "image/png", sizes = ["48x48"]),
    tags("notes", "writing"),
    scopes("notes:write"),
    was("new_note"),
    meta("com.example/owner" = "desk")
)]
struct AddNote {
    #[expect(dead_code, reason = "shown by Debug")]
    text: String,
}

/// Lists notes.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(name = "list_notes", read_only)]
struct ListNotes {}

/// No hints at all.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(name = "plain")]
struct Plain {}

#[derive(Toolset)]
enum Notes {
    DeleteNote(DeleteNote),
    AddNote(AddNote),
    ListNotes(ListNotes),
    Plain(Plain),
}

answers!(DeleteNote AddNote ListNotes Plain);

// As reported in apollographql/apollo-mcp-server#510, TryGhost/ghst#183, simonx1/ruby-mcp-client#140.
#[tokio::test]
async fn hints_that_were_given_are_shown_and_no_others() {
    let service = Server::new(Desk).tools::<Notes>().build().expect("right");
    let tools = serde_json::to_value(listed(&service).await).expect("JSON");
    let hints = |name: &str| {
        let tools = tools.as_array().expect("a list");
        tools.iter().find(|tool| tool["name"] == name).expect("listed").get("annotations").cloned()
    };
    assert_eq!(hints("delete_note"), Some(json!({"destructiveHint": true})));
    assert_eq!(hints("add_note"), Some(json!({"destructiveHint": false, "openWorldHint": false})));
    assert_eq!(hints("list_notes"), Some(json!({"readOnlyHint": true})));
    assert_eq!(hints("plain"), None);
}

#[test]
fn definitions_hold_titles_icons_tags_scopes_aliases() {
    let definition = serde_json::to_value(AddNote::definition()).expect("JSON");
    assert_eq!(definition["title"], "Add a note");
    assert_eq!(
        definition["icons"],
        json!([{"src": "https://example.com/note.png", "mimeType": "image/png", "sizes": ["48x48"]}])
    );
    assert_eq!(
        definition["_meta"],
        json!({
            "com.example/owner": "desk",
            "io.toolwright/scopes": ["notes:write"],
            "io.toolwright/was": ["new_note"],
            "io.toolwright/tags": ["notes", "writing"],
        })
    );
}

#[test]
fn current_and_former_names_decode_to_the_variant() {
    let arguments = serde_json::value::to_raw_value(&json!({"text": "x"})).expect("JSON");
    for name in ["add_note", "new_note"] {
        assert!(matches!(Notes::decode(name, Some(&arguments)), Ok(Notes::AddNote(_))), "{name}");
    }
    assert!(Notes::decode("no_note", None).is_err());
    assert!(Notes::decode("add_note", None).is_err());
}

// Credentials and secrets.

/// Looks up an address.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
struct Reputation {
    #[expect(dead_code, reason = "shown by Debug")]
    address: String,
    /// The key of the service that is asked.
    #[mcp(credential)]
    api_key: String,
    /// The caller's own password.
    #[mcp(secret, min_length = 20)]
    #[serde(default)]
    #[expect(dead_code, reason = "shown by Debug")]
    password: Option<String>,
}

impl Handler<Reputation> for Desk {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: Reputation, _cx: &Context) -> Self::Output {
        Ok(format!("asked with a key of {} letters", input.api_key.len()))
    }
}

#[tokio::test]
async fn a_credential_is_bound_by_the_server_and_not_in_the_schema() {
    let service =
        Server::new(Desk).tools::<Reputation>().credential("api_key", "canary-1").build().expect("right");
    let shown = serde_json::to_string(&listed(&service).await).expect("JSON");
    assert!(!shown.contains("api_key"), "{shown}");
    let client = Client::in_process(&service);
    let result = client.call("reputation", json!({"address": "8.8.8.8"})).await.expect("a result");
    assert_eq!(result.as_text(), "asked with a key of 8 letters");
}

#[tokio::test]
async fn a_caller_cannot_set_a_credential_and_no_secret_is_repeated() {
    let service =
        Server::new(Desk).tools::<Reputation>().credential("api_key", "canary-1").build().expect("right");
    let client = Client::in_process(&service);
    let arguments = json!({"address": "8.8.8.8", "api_key": "canary-2", "password": "canary-3"});
    let result = client.call("reputation", arguments).await.expect("a result");
    assert!(result.is_error);
    let text = result.as_text();
    assert!(text.contains("api_key") && text.contains("password"), "{text}");
    assert!(!text.contains("canary"), "{text}");
    assert!(!format!("{service:?}").contains("canary"));
}

#[test]
fn missing_credentials_fail_the_build() {
    let error = Server::new(Desk).tools::<Reputation>().build().expect_err("no credential");
    assert!(matches!(error, BuildError::MissingCredential { .. }), "{error}");
    assert!(error.to_string().contains("Server::credential(\"api_key\", …)"), "{error}");
}

// Output schemas.

/// Some data.
#[derive(Serialize, JsonSchema)]
struct Data {
    count: u32,
}

/// Declares its output.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(output = Data)]
struct Declared {}

/// Does not declare its output.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
struct Hidden {}

/// Declares another output.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(output = Vec<Data>)]
struct Other {}

macro_rules! counts {
    ($($tool:ty)*) => {$(
        impl Handler<$tool> for Desk {
            type Output = Result<Json<Data>, ToolError>;

            async fn call(&self, _input: $tool, _cx: &Context) -> Self::Output {
                Ok(Json(Data { count: 1 }))
            }
        }
    )*};
}
counts!(Declared Hidden Other);

/// A set that knows its handler.
#[derive(Toolset)]
#[mcp(handler = Desk)]
enum Known {
    Declared(Declared),
    Hidden(Hidden),
}

// As reported in kintone/mcp-server#568.
#[tokio::test]
async fn the_definitions_of_a_set_are_what_its_server_lists() {
    let service = Server::new(Desk).tools::<Known>().build().expect("right");
    assert_eq!(listed(&service).await, definitions_of::<Known>());
    assert!(listed(&service).await.iter().all(|tool| tool.output_schema.is_some()));
    let service = Server::new(Desk).tools::<Notes>().build().expect("right");
    assert_eq!(listed(&service).await, definitions_of::<Notes>());
    let service = Server::new(Desk).tools::<Declared>().build().expect("right");
    assert_eq!(listed(&service).await, definitions_of::<Declared>());
}

// As reported in kintone/mcp-server#568.
#[test]
fn an_output_that_the_manifest_could_not_show_is_refused() {
    let hidden = Server::new(Desk).tools::<Hidden>().build().expect_err("hidden");
    assert!(matches!(&hidden, BuildError::HiddenOutput(tool) if tool == "hidden"), "{hidden}");
    let other = Server::new(Desk).tools::<Other>().build().expect_err("other output");
    assert!(matches!(&other, BuildError::OtherOutput(tool) if tool == "other"), "{other}");
}

#[test]
fn duplicate_tool_names_fail_the_build() {
    let error = Server::new(Desk).tools::<Notes>().tools::<Plain>().build().expect_err("twice");
    assert!(matches!(&error, BuildError::DuplicateTool(tool) if tool == "plain"), "{error}");
}

/// Renders a chart.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(read_only)]
struct RenderChart {
    /// `none`, `one` or `both`.
    blocks: String,
}

// As reported in Cocoanetics/SwiftMCP#176.
#[tokio::test]
async fn blocks_have_no_output_schema_and_no_structured_content() {
    async fn render(input: RenderChart) -> Vec<ContentBlock> {
        let image = ContentBlock::image([0x89, b'P', b'N', b'G'], "image/png");
        match input.blocks.as_str() {
            "none" => Vec::new(),
            "one" => vec![image],
            _ => vec![image, ContentBlock::text("a chart")],
        }
    }
    let service = Server::new(render).tools::<RenderChart>().build().expect("right");
    assert_eq!(named(&listed(&service).await, "render_chart").output_schema, None);
    let client = Client::in_process(&service);
    for (blocks, count) in [("none", 0), ("one", 1), ("both", 2)] {
        let result = client.call("render_chart", json!({"blocks": blocks})).await.expect("a result");
        assert_eq!((result.content.len(), result.structured_content), (count, None), "{blocks}");
    }
}

// Workflows.

/// Shows an order.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(context = "orders")]
struct ShowOrder {
    #[expect(dead_code, reason = "shown by Debug")]
    order_id: String,
}

/// Shows the line of an order.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(context = "orders/lines", read_only)]
struct ShowLine {}

/// Says where one is.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
struct WhereAmI {}

#[derive(Toolset)]
#[mcp(workflow)]
enum Flow {
    ShowOrder(ShowOrder),
    ShowLine(ShowLine),
    WhereAmI(WhereAmI),
}

answers!(ShowOrder ShowLine WhereAmI);

fn flow() -> Service {
    Server::new(Desk).tools::<Flow>().build().expect("right")
}

/// The five values of the seed for a command that says nothing of itself.
#[tokio::test]
async fn a_workflow_writes_all_five_annotations_out() {
    let tools = listed(&flow()).await;
    let annotations = |name| serde_json::to_value(&named(&tools, name).annotations).expect("JSON");
    let expected = json!({
        "title": "Show Order", "readOnlyHint": false, "destructiveHint": false, "idempotentHint": false,
        "openWorldHint": true,
    });
    assert_eq!(annotations("show_order"), expected);
    assert_eq!(annotations("show_line")["readOnlyHint"], true, "what was said stays");
}

#[tokio::test]
async fn a_workflow_adds_the_standard_parameters() {
    let tools = listed(&flow()).await;
    let schema = &named(&tools, "show_order").input_schema;
    let properties: Vec<&String> = schema["properties"].as_object().expect("an object").keys().collect();
    assert_eq!(properties, ["order_id", "command", "workitem_path"]);
    assert_eq!(schema["required"], json!(["order_id", "command"]));
    assert_eq!(tools, definitions_of::<Flow>(), "the manifest shows the same");
}

#[tokio::test]
async fn a_context_has_its_own_and_inherited_commands() {
    let client = Client::in_process(&flow());
    for (path, expected) in [
        ("orders", vec!["show_order", "where_am_i"]),
        ("orders/lines", vec!["show_line", "show_order", "where_am_i"]),
        ("orders/lines/7", vec!["show_line", "show_order", "where_am_i"]),
        ("users", vec!["where_am_i"]),
        ("ordersx", vec!["where_am_i"]),
    ] {
        let params = json!({"_meta": {"io.toolwright/contextPath": path}});
        let list = client.request("tools/list", params).await.expect("a list");
        let list: Value = serde_json::from_str(list.get()).expect("JSON");
        let names: Vec<&str> = list["tools"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|tool| tool["name"].as_str())
            .collect();
        assert_eq!(names, expected, "{path}");
    }
}

#[tokio::test]
async fn the_path_selects_the_context_and_is_not_an_argument() {
    let client = Client::in_process(&flow());
    let call = |arguments: Value| async { client.call("show_order", arguments).await.expect("a result") };
    let inside = json!({"order_id": "1", "command": "show_order", "workitem_path": "orders/42"});
    assert_eq!(call(inside).await.as_text(), "ShowOrder { order_id: \"1\" } in Some(\"orders/42\")");
    for (arguments, named) in [
        (json!({"order_id": "1", "command": "show_order", "workitem_path": "users"}), "`orders`"),
        (json!({"order_id": "1", "command": "show_order"}), "`orders`"),
        (json!({"order_id": "1", "workitem_path": "orders"}), "/command"),
        (json!({"order_id": "1", "command": "other", "workitem_path": "orders"}), "/command"),
        (json!({"order_id": "1", "command": "show_order", "workitem_path": 7}), "/workitem_path"),
        (json!({"command": "show_order", "workitem_path": "orders"}), "/order_id"),
    ] {
        let result = call(arguments.clone()).await;
        assert!(result.is_error, "{arguments}");
        assert!(result.as_text().contains(named), "{arguments}: {}", result.as_text());
    }
}

// Functions as handlers, and providers in providers.

/// Says hello.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
struct Hello {
    name: String,
}

#[tokio::test]
async fn a_function_is_a_handler() {
    async fn hello(input: Hello) -> Result<String, ToolError> {
        if input.name.is_empty() {
            return Err(ToolError::new("whom?"));
        }
        Ok(format!("Hello, {}!", input.name))
    }
    let service = Server::new(hello).tools::<Hello>().build().expect("right");
    assert_eq!(
        (service.info().name.as_str(), service.info().version.as_str()),
        ("test-protocol", env!("CARGO_PKG_VERSION"))
    );
    let client = Client::in_process(&service);
    assert_eq!(
        client.call("hello", json!({"name": "Ada"})).await.expect("a result").as_text(),
        "Hello, Ada!"
    );
    let error = client.call("hello", json!({"name": ""})).await.expect("a result");
    assert!(error.is_error);
    assert_eq!(error.as_text(), "whom?");
}

// As reported in Azure/azure-mcp#726.
#[tokio::test]
async fn nested_arguments_reach_a_provider_unchanged() {
    use toolwright::{
        BoxFuture, Provider, ToolResult,
        provider::{Outcome, ToolRequest},
    };

    struct Repeat;

    impl Provider for Repeat {
        fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
            [ToolDefinition::new("chart", json!({"type": "object", "properties": {}}))].into()
        }

        fn call_tool<'a>(&'a self, request: ToolRequest<'a>, _cx: &'a Context) -> BoxFuture<'a, Outcome> {
            let text = request.arguments.map_or("nothing", |arguments| arguments.get()).to_owned();
            Outcome::from_future(std::future::ready(ToolResult::text(text)))
        }
    }

    let inner = Server::new(()).provider(Repeat).build().expect("right");
    let outer = Server::new(()).provider(inner).build().expect("right");
    let arguments = json!({"data_sets": [{"table": "requests", "filters": {"ok": false}}, {"table": "errors", "filters": {}}], "n": 1.0});
    let result = Client::in_process(&outer).call("chart", arguments.clone()).await.expect("a result");
    assert_eq!(result.as_text(), arguments.to_string());
}
