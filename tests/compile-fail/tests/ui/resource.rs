//! Addresses and variables that do not fit, and keys that a resource does not take.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::{Resource, Server};

// misuse: no address
#[derive(Resource)]
struct First;

// misuse: an address without a scheme
#[derive(Resource)]
#[mcp(uri = "tickets/open")]
struct Second;

// misuse: a space in an address
#[derive(Resource)]
#[mcp(uri = "tickets://all open")]
struct Third;

// misuse: a brace that is not closed
#[derive(Resource)]
#[mcp(uri = "tickets://{id")]
struct Fourth;

// misuse: an operator of RFC 6570
#[derive(Resource, Deserialize, JsonSchema)]
#[mcp(uri = "files://{+path}")]
struct Fifth {
    path: String,
}

// misuse: a variable without a field
#[derive(Resource, Deserialize, JsonSchema)]
#[mcp(uri = "tickets://{year}/{id}")]
struct Sixth {
    id: i64,
}

// misuse: a field without a variable
#[derive(Resource, Deserialize, JsonSchema)]
#[mcp(uri = "tickets://{id}")]
struct Seventh {
    id: i64,
    year: Option<u16>,
}

// misuse: a variable of the Rust name of a renamed field
#[derive(Resource, Deserialize, JsonSchema)]
#[mcp(uri = "tickets://{ticket_id}")]
#[serde(rename_all = "camelCase")]
struct Eighth {
    ticket_id: i64,
}

// misuse: a variable for a list
#[derive(Resource, Deserialize, JsonSchema)]
#[mcp(uri = "tickets://{ids}")]
struct Ninth {
    ids: Vec<i64>,
}

// misuse: variables without text between them
#[derive(Resource, Deserialize, JsonSchema)]
#[mcp(uri = "tickets://{a}{b}")]
struct Tenth {
    a: String,
    b: String,
}

// misuse: another library's word for the address
#[derive(Resource)]
#[mcp(url = "tickets://open")]
struct Eleventh;

// misuse: another spelling of the MIME type
#[derive(Resource)]
#[mcp(uri = "tickets://a", mimeType = "text/plain")]
struct Twelfth;

// misuse: an empty MIME type
#[derive(Resource)]
#[mcp(uri = "tickets://a", mime_type = "")]
struct Thirteenth;

// misuse: a size of all resources of a template
#[derive(Resource, Deserialize, JsonSchema)]
#[mcp(uri = "tickets://{id}", size = 10)]
struct Fourteenth {
    id: i64,
}

// misuse: a negative size
#[derive(Resource)]
#[mcp(uri = "tickets://a", size = -1)]
struct Fifteenth;

// misuse: an unknown audience
#[derive(Resource)]
#[mcp(uri = "tickets://a", audience("user", "model"))]
struct Sixteenth;

// misuse: a priority above 1
#[derive(Resource)]
#[mcp(uri = "tickets://a", priority = 5)]
struct Seventeenth;

// misuse: an enum
#[derive(Resource, Deserialize, JsonSchema)]
#[mcp(uri = "tickets://{state}")]
enum Eighteenth {
    Open,
}

// misuse: an empty name
#[derive(Resource)]
#[mcp(uri = "tickets://a", name = "")]
struct Nineteenth;

// misuse: a missing derive
#[derive(Resource, Deserialize)]
#[mcp(uri = "tickets://{id}")]
struct Twentieth {
    id: i64,
}

struct State;

// misuse: a resource that the state does not handle
fn twenty_first() {
    let _ = Server::new(State).resources::<Thirteenth>();
}

// misuse: a function that is no handler of a resource
fn twenty_second() {
    let _ = Server::new(()).resource_fn(async |_: String| "x");
}

// misuse: contents that are none
fn twenty_third() {
    let _ = Server::new(()).resource_fn(async |_: Thirteenth| 7);
}

fn main() {}
