//! Every key of a resource, in a crate with strict lints.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, unused, nonstandard_style, future_incompatible, rust_2018_idioms, unreachable_pub)]
#![deny(unused_qualifications, unused_results, unused_lifetimes, missing_debug_implementations)]
#![deny(let_underscore_drop, single_use_lifetimes, clippy::all, clippy::pedantic)]

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use toolwright::Resource;
use toolwright::resource::{ResourceDefinition, TypedResource};

/// Not taken.
#[derive(Debug, Resource)]
#[mcp(
    uri = "tickets://open",
    name = "open",
    title = "Open tickets",
    description = "All open tickets.",
    mime_type = "text/markdown",
    size = 1_024,
    audience("user", "assistant"),
    priority = 0.8,
    scopes("tickets:read"),
    icon(src = "data:,"),
    meta("com.example/team" = "support"),
    crate = toolwright
)]
struct Open;

/// A ticket.
#[derive(Debug, Resource, Deserialize, JsonSchema)]
#[mcp(uri = "tickets://{year}/{ticketId}", priority = 1)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "only the definition is looked at")]
struct OneTicket {
    year: u16,
    ticket_id: i64,
    #[serde(skip)]
    private: Option<Vec<String>>,
}

/// The variables are those of another struct.
#[derive(Debug, Resource, Deserialize, JsonSchema)]
#[mcp(uri = "tickets://by/{name}")]
#[expect(dead_code, reason = "only the definition is looked at")]
struct Flat {
    #[serde(flatten)]
    person: Person,
}

/// A person.
#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only the definition is looked at")]
struct Person {
    name: String,
}

fn shown<R: TypedResource>() -> Value {
    match R::definition() {
        ResourceDefinition::Resource(resource) => serde_json::to_value(resource).unwrap(),
        ResourceDefinition::Template(template) => serde_json::to_value(template).unwrap(),
    }
}

fn main() {
    assert_eq!(
        shown::<Open>(),
        json!({
            "uri": "tickets://open",
            "size": 1024,
            "name": "open",
            "title": "Open tickets",
            "description": "All open tickets.",
            "mimeType": "text/markdown",
            "icons": [{"src": "data:,"}],
            "annotations": {"audience": ["user", "assistant"], "priority": 0.8},
            "_meta": {"com.example/team": "support", "io.toolwright/scopes": ["tickets:read"]},
        })
    );
    let ticket = shown::<OneTicket>();
    assert_eq!(ticket["uriTemplate"], "tickets://{year}/{ticketId}");
    assert_eq!((&ticket["name"], &ticket["description"]), (&json!("one_ticket"), &json!("A ticket.")));
    assert_eq!(shown::<Flat>()["uriTemplate"], "tickets://by/{name}");
}
