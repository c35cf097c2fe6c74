//! What is declared is in the manifest, and a server that shows something else is not built.
#![cfg(feature = "in-process")]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::{
    BuildError, Client, Handler, Prompt, Resource, ResourceTemplate, Server, Tool, ToolError, Toolset,
};

/// Counts the orders.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
struct CountOrders {}

#[derive(Debug, Toolset)]
#[mcp(name = "shop", handler = Shop)]
enum ShopTools {
    CountOrders(CountOrders),
}

#[derive(Debug, Toolset)]
#[mcp(name = "desk", handler = Shop)]
enum DeskTools {
    CountOrders(CountOrders),
}

#[derive(Debug)]
struct Shop;

impl Handler<CountOrders> for Shop {
    type Output = Result<String, ToolError>;

    async fn call(&self, _: CountOrders, _: &toolwright::Context) -> Self::Output {
        Ok("none".to_owned())
    }
}

#[derive(Deserialize, JsonSchema)]
struct Review {
    /// The language of the code.
    language: String,
}

#[derive(Deserialize, JsonSchema)]
struct Order {
    id: String,
}

fn review() -> Prompt {
    Prompt::new("review").description("Asks for a review.").arguments::<Review>()
}

mod more {
    use toolwright::{Resource, ResourceTemplate};

    pub(crate) fn pages() -> Vec<Resource> {
        vec![Resource::new("shop://terms", "terms"), Resource::new("shop://about", "about").title("About us")]
    }

    pub(crate) fn orders() -> ResourceTemplate {
        ResourceTemplate::new("shop://orders/{id}", "orders").mime_type("text/plain")
    }
}

toolwright::declare!(for ShopTools: review, more::pages);
toolwright::declare!(more::orders);

fn no_prompts() -> Vec<Prompt> {
    Vec::new()
}

toolwright::declare! {
    for DeskTools: no_prompts,
}

fn shop() -> Server<Shop> {
    let pages = more::pages().into_iter();
    let server = Server::new(Shop)
        .tools::<ShopTools>()
        .prompt(review(), async |review: Review| review.language)
        .resource_template(more::orders(), async |order: Order| order.id);
    pages.fold(server, |server, page| server.resource(page, async || "words"))
}

#[test]
fn the_manifest_shows_what_is_declared() {
    toolwright::assert_manifest!("tests/declared.json", ShopTools);
    toolwright::assert_manifest!("tests/declared-desk.json", DeskTools);
}

#[tokio::test]
async fn the_server_lists_what_the_manifest_shows() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/declared.json"));
    let manifest: serde_json::Value = serde_json::from_str(&text.expect("a file")).expect("JSON");
    let service = shop().build().expect("the server has what is declared");
    let client = Client::in_process(&service);
    for (method, member) in [
        ("prompts/list", "prompts"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
    ] {
        let listed = client.request(method, ()).await.expect("a list");
        let listed: serde_json::Value = serde_json::from_str(listed.get()).expect("JSON");
        assert_eq!(listed[member], manifest[member], "{method}");
    }
}

#[track_caller]
fn refused(server: Server<Shop>, parts: &[&str]) {
    let error: BuildError = server.build().err().unwrap_or_else(|| panic!("built, without {parts:?}"));
    for part in parts {
        assert!(error.to_string().contains(part), "no {part:?} in {error}");
    }
}

#[test]
fn a_server_with_something_undeclared_is_not_built() {
    refused(shop().prompt(Prompt::new("other"), async || "x"), &["prompt `other`", "declare!"]);
    refused(
        shop().resource(Resource::new("shop://x", "x"), async || "x"),
        &["resource `shop://x`", "declare!"],
    );
    let template = ResourceTemplate::new("shop://users/{id}", "users");
    refused(
        shop().resource_template(template, async |order: Order| order.id),
        &["resource template `shop://users/{id}`", "declare!"],
    );
}

#[test]
fn a_server_with_another_definition_is_not_built() {
    let tools = || Server::new(Shop).tools::<ShopTools>();
    refused(
        tools().prompt(review().description("Another."), async |review: Review| review.language),
        &["prompt `review`", "another `description`"],
    );
    refused(
        tools().prompt(review(), async |order: Order| order.id),
        &["prompt `review`", "its arguments do not match"],
    );
    refused(
        tools().prompt(Prompt::new("review"), async |order: Order| order.id),
        &["prompt `review`", "the manifest has another"],
    );
    refused(
        tools().resource(Resource::new("shop://terms", "conditions"), async || "x"),
        &["resource `shop://terms`", "another `name`"],
    );
}

#[test]
fn a_server_with_a_part_of_what_is_declared_is_not_built() {
    let terms = Resource::new("shop://terms", "terms");
    refused(
        Server::new(Shop).tools::<ShopTools>().resource(terms, async || "x"),
        &["resource `shop://about`", "register it"],
    );
    Server::new(Shop).tools::<ShopTools>().build().expect("a server may leave a kind out");
}

#[test]
fn each_server_has_what_is_declared_for_it() {
    let desk = || Server::new(Shop).tools::<DeskTools>();
    refused(
        desk().prompt(review(), async |review: Review| review.language),
        &["prompt `review`", "declare!"],
    );
    let terms = Resource::new("desk://terms", "terms");
    desk().resource(terms, async || "x").build().expect("no resources are declared for the desk");
    desk()
        .resource_template(more::orders(), async |order: Order| order.id)
        .build()
        .expect("what is declared for no server is for each of the package");
}

#[test]
#[should_panic(expected = "invalid arguments of the prompt `bad`: `names` cannot be read from a string")]
fn arguments_that_no_string_stands_for_are_named() {
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema counts")]
    struct Listed {
        names: Vec<String>,
    }
    _ = Prompt::new("bad").arguments::<Listed>();
}
