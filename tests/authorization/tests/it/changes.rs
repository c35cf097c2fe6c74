//! List-changed notifications are sent only to callers who see the changed tools.

use std::sync::{Arc, Mutex};

use serde_json::{Map, json};
use test_authorization::shop::protected;
use test_http::client::Response;
use test_http::lab::Lab;
use toolwright::auth::Access;
use toolwright::auth::ApiKeys;
use toolwright::definition::meta_keys;
use toolwright::{
    BoxFuture, Context, Provider, Server, Service, ToolResult,
    definition::ToolDefinition,
    provider::{Outcome, ToolRequest},
};

const READER: &str = "key-of-the-reader-0123456789";
const WRITER: &str = "key-of-the-writer-0123456789";

/// A provider whose tools change.
#[derive(Clone, Default)]
struct Shelf(Arc<Mutex<Vec<ToolDefinition>>>);

impl Shelf {
    fn add(&self, name: &str, scopes: &[&str], service: &Service) {
        let mut tool = ToolDefinition::new(name, json!({"type": "object", "properties": {}}));
        tool.meta = Some(Map::from_iter([(meta_keys::SCOPES.to_owned(), json!(scopes))]));
        self.0.lock().expect("a list").push(tool);
        service.refresh_tools().expect("different names");
    }

    fn remove(&self, name: &str, service: &Service) {
        self.0.lock().expect("a list").retain(|tool| tool.name != name);
        service.refresh_tools().expect("different names");
    }
}

impl Provider for Shelf {
    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        self.0.lock().expect("a list").clone().into()
    }

    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, _: &'a Context) -> BoxFuture<'a, Outcome> {
        Outcome::from_future(std::future::ready(ToolResult::text(request.name)))
    }
}

fn shelf() -> (Shelf, Service, Lab) {
    let shelf = Shelf::default();
    let service = Server::new(()).provider(shelf.clone()).build().expect("no tools yet");
    let keys =
        ApiKeys::new().key("reader", READER, ["read"]).and_then(|keys| keys.key("writer", WRITER, ["write"]));
    let lab = Lab::serve(service.clone(), protected(keys.expect("good keys")));
    (shelf, service, lab)
}

fn listen(lab: &Lab, key: &str) -> Response {
    let params = json!({"notifications": {"toolsListChanged": true}});
    let call = lab.modern("subscriptions/listen", &params).header("Authorization", &format!("Bearer {key}"));
    let mut stream = call.send();
    let acknowledged = stream.message().expect("the acknowledgment");
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    stream
}

/// The number of notifications on the stream until the server stops.
fn rest(mut stream: Response) -> usize {
    let methods = std::iter::from_fn(|| stream.message());
    methods.filter(|message| message["method"] == "notifications/tools/list_changed").count()
}

#[test]
fn hidden_tools_send_no_list_changed_notifications() {
    let (shelf, service, mut lab) = shelf();
    let (reader, writer) = (listen(&lab, READER), listen(&lab, WRITER));
    shelf.add("cancel", &["write"], &service);
    lab.stop();
    assert_eq!((rest(reader), rest(writer)), (0, 1));

    let (shelf, service, mut lab) = self::shelf();
    shelf.add("cancel", &["write"], &service);
    let (reader, writer) = (listen(&lab, READER), listen(&lab, WRITER));
    shelf.remove("cancel", &service);
    lab.stop();
    assert_eq!((rest(reader), rest(writer)), (0, 1), "the same for a tool that is removed");
}

#[test]
fn callers_who_see_a_change_are_notified() {
    let (shelf, service, mut lab) = shelf();
    let (reader, writer) = (listen(&lab, READER), listen(&lab, WRITER));
    shelf.add("list", &[], &service);
    lab.stop();
    assert_eq!((rest(reader), rest(writer)), (1, 1));
}

/// A tool whose scopes change disappears for some callers and appears for others.
#[test]
fn a_change_of_scopes_notifies_every_affected_caller() {
    let (shelf, service, mut lab) = shelf();
    shelf.add("move", &["write"], &service);
    let (reader, writer) = (listen(&lab, READER), listen(&lab, WRITER));
    shelf.0.lock().expect("a list").clear();
    shelf.add("move", &["read"], &service);
    lab.stop();
    assert_eq!((rest(reader), rest(writer)), (1, 1));
}

/// A tool whose definition from a provider has invalid scopes cannot be called.
#[test]
fn invalid_scopes_make_a_tool_unavailable() {
    let (shelf, service, lab) = shelf();
    for (name, scopes) in [("spaces", json!(["read write"])), ("number", json!(7)), ("object", json!({}))] {
        let mut tool = ToolDefinition::new(name, json!({"type": "object", "properties": {}}));
        tool.meta = Some(Map::from_iter([(meta_keys::SCOPES.to_owned(), scopes)]));
        shelf.0.lock().expect("a list").push(tool);
    }
    service.refresh_tools().expect("different names");
    for name in ["spaces", "number", "object"] {
        let call = lab.call(name, &json!({})).header("Authorization", &format!("Bearer {READER}"));
        assert_eq!(call.send().status, 403, "{name}");
    }
}
