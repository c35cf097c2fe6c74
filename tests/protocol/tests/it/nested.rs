//! Servers as providers of other servers.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use test_protocol::raw::{RawClient, RawError};
use toolwright::{
    Prompt, Resource, ResourceTemplate, Revision, Server, Service, Tool,
    completion::{CompletionContext, Reference},
};

/// Greets.
#[derive(Tool, Deserialize, JsonSchema)]
struct Hello {
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Item {
    item: String,
}

/// A server with something of each kind.
fn inner() -> Service {
    Server::new(async |hello: Hello| format!("Hello, {}!", hello.name))
        .tools::<Hello>()
        .prompt(Prompt::new("advise"), async |item: Item| format!("take {}", item.item))
        .complete(Reference::prompt("advise"), "item", async |_: String, _: CompletionContext| vec!["tea"])
        .resource(Resource::new("shop://note", "note"), async || "a note")
        .resource_template(ResourceTemplate::new("shop://items/{item}", "items"), async |item: Item| {
            item.item
        })
        .build()
        .expect("a server")
}

fn nested(inner: &Service) -> Service {
    let middle = Server::new(()).provider(inner.clone()).build().expect("a server");
    Server::new(()).provider(middle).name("outer").build().expect("a server")
}

#[tokio::test]
async fn a_nested_server_offers_all_its_features() -> Result<(), RawError> {
    let outer = nested(&inner());
    for revision in Revision::ALL {
        let client = RawClient::in_process_at(&outer, revision).await?;
        assert_eq!(client.call("hello", json!({"name": "Ada"})).await?.as_text(), "Hello, Ada!");
        let prompts = client.request("prompts/list", json!({})).await?;
        assert_eq!(prompts["prompts"][0]["arguments"][0]["name"], "item");
        let params = json!({"name": "advise", "arguments": {"item": "tea"}});
        let filled = client.request("prompts/get", params).await?;
        assert_eq!(filled["messages"][0]["content"]["text"], "take tea");
        let missing = client.request("prompts/get", json!({"name": "advise"})).await;
        assert!(matches!(missing, Err(RawError::Rpc(error)) if error.code == -32602));
        for (uri, text) in [("shop://note", "a note"), ("shop://items/7", "7")] {
            let read = client.request("resources/read", json!({"uri": uri})).await?;
            assert_eq!(read["contents"][0]["text"], text);
        }
        let templates = client.request("resources/templates/list", json!({})).await?;
        assert_eq!(templates["resourceTemplates"][0]["uriTemplate"], "shop://items/{item}");
        let unknown = client.request("resources/read", json!({"uri": "shop://none"})).await;
        let code = revision.resource_not_found_code();
        assert!(matches!(unknown, Err(RawError::Rpc(error)) if i64::from(error.code) == code));
        let argument = json!({"name": "item", "value": ""});
        let params = json!({"ref": {"type": "ref/prompt", "name": "advise"}, "argument": argument});
        let completed = client.request("completion/complete", params).await?;
        assert_eq!(completed["completion"]["values"], json!(["tea"]));
    }
    Ok(())
}

#[tokio::test]
async fn changes_of_a_nested_server_reach_every_client() -> Result<(), RawError> {
    let inner = inner();
    let client = RawClient::in_process_at(&nested(&inner), Revision::NEWEST_LEGACY).await?;
    client.request("resources/subscribe", json!({"uri": "shop://note"})).await?;
    inner.add_prompt(Prompt::new("new"), async || "text").expect("a new name");
    inner.notify_resource_updated("shop://note");
    for method in ["notifications/prompts/list_changed", "notifications/resources/updated"] {
        assert_eq!(client.next_notification().await.expect("a notification")["method"], method);
    }
    let prompts = client.request("prompts/list", json!({})).await?;
    assert_eq!(prompts["prompts"].as_array().map(Vec::len), Some(2));
    Ok(())
}
