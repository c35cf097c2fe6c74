//! Types that cannot be prompts, and keys that a prompt does not take.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::prompt::TypedPrompt;
use toolwright::{Prompt, Server};

// misuse: an enum
#[derive(Prompt, Deserialize, JsonSchema)]
enum First {
    Short,
    Long,
}

// misuse: fields without names
#[derive(Prompt, Deserialize, JsonSchema)]
struct Second(String, String);

// misuse: a parameter
#[derive(Prompt, Deserialize, JsonSchema)]
struct Third<T> {
    text: T,
}

// misuse: a list of strings
#[derive(Prompt, Deserialize, JsonSchema)]
struct Fourth {
    names: Vec<String>,
}

// misuse: a map
#[derive(Prompt, Deserialize, JsonSchema)]
struct Fifth {
    options: Option<std::collections::BTreeMap<String, String>>,
}

// misuse: two arguments of one name
#[derive(Prompt, Deserialize, JsonSchema)]
struct Sixth {
    #[serde(rename = "text")]
    first: String,
    #[serde(alias = "text")]
    second: String,
}

// misuse: a name with a space
#[derive(Prompt)]
#[mcp(name = "review code")]
struct Seventh;

// misuse: a key of a tool
#[derive(Prompt)]
#[mcp(read_only)]
struct Eighth;

// misuse: a misspelt key
#[derive(Prompt)]
#[mcp(titel = "Review")]
struct Ninth;

// misuse: a key of a tool's field
#[derive(Prompt, Deserialize, JsonSchema)]
struct Tenth {
    #[mcp(header = "Region")]
    region: String,
}

// misuse: another library's word for a completion
#[derive(Prompt, Deserialize, JsonSchema)]
struct Eleventh {
    #[mcp(completer = complete)]
    region: String,
}

// misuse: a pattern on a number
#[derive(Prompt, Deserialize, JsonSchema)]
struct Twelfth {
    #[mcp(pattern = "^1$")]
    count: u32,
}

// misuse: an empty title
#[derive(Prompt)]
#[mcp(title = " ")]
struct Thirteenth;

// misuse: a space in a scope
#[derive(Prompt)]
#[mcp(scopes("a b"))]
struct Fourteenth;

// misuse: an icon from a file
#[derive(Prompt)]
#[mcp(icon(src = "file:///icon.png"))]
struct Fifteenth;

// misuse: a reserved member of `_meta`
#[derive(Prompt)]
#[mcp(meta("io.toolwright/scopes" = "x"))]
struct Sixteenth;

// misuse: a missing derive
#[derive(Prompt, JsonSchema)]
struct Seventeenth {
    text: String,
}

// misuse: a borrowed argument
#[derive(Prompt, Deserialize, JsonSchema)]
struct Eighteenth<'a> {
    text: &'a str,
}

struct NotAPrompt;

fn nineteenth() {
    // misuse: a type that is not a prompt
    let _ = NotAPrompt::definition();
    let _ = <NotAPrompt as TypedPrompt>::definition();
}

struct State;

fn twentieth() {
    // misuse: a prompt that the state does not handle
    let _ = Server::new(State).prompts::<Fourteenth>();
}

// misuse: a path of the crate that is text
#[derive(Prompt)]
#[mcp(crate = "toolwright")]
struct TwentyFirst;

// misuse: a duplicate description
#[derive(Prompt)]
#[mcp(description = "One.", description = "Two.")]
struct TwentySecond;

fn main() {}
