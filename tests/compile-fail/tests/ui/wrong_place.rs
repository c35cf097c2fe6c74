//! A key in the wrong place.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::Tool;

// misuse: a field's key on the struct
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(pattern = "^a$")]
struct First {
    order: String,
}

// misuse: a tool's key on a field
#[derive(Tool, Deserialize, JsonSchema)]
struct Second {
    #[mcp(read_only)]
    field: String,
}

// misuse: a toolset's key on a tool
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(instructions = "Be kind")]
struct Third {
    order: String,
}

// misuse: an icon's key on a tool
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(src = "https://example.com/a.png")]
struct Fourth {
    order: String,
}

// misuse: a tool's key on a toolset
#[derive(toolwright::Toolset)]
#[mcp(read_only)]
enum Fifth {}

// misuse: a field's key on a toolset
#[derive(toolwright::Toolset)]
#[mcp(minimum = 1)]
enum Sixth {}

// misuse: a key on a variant of a tool
#[derive(Tool, Deserialize, JsonSchema)]
#[serde(tag = "action")]
enum Seventh {
    #[mcp(title = "T")]
    Create,
}

// misuse: a key on a flattened field
#[derive(Tool, Deserialize, JsonSchema)]
struct Eighth {
    #[serde(flatten)]
    #[mcp(title = "T")]
    field: Ninth,
}

// misuse: a key on a field that serde skips
#[derive(Tool, Deserialize, JsonSchema)]
struct Ninth {
    #[serde(skip)]
    #[mcp(minimum = 1)]
    field: u32,
}

// misuse: a key on the field of a newtype
#[derive(Tool, Deserialize, JsonSchema)]
struct Tenth(#[mcp(title = "T")] Ninth);

// misuse: a key on the field of a transparent struct
#[derive(Tool, Deserialize, JsonSchema)]
#[serde(transparent)]
struct Eleventh {
    #[mcp(title = "T")]
    inner: Ninth,
}

// misuse: a key on a field of a struct that serde reads as another
#[derive(Tool, Deserialize, JsonSchema)]
#[serde(from = "Ninth")]
struct Twelfth {
    #[mcp(title = "T")]
    field: u32,
}

impl From<Ninth> for Twelfth {
    fn from(ninth: Ninth) -> Self {
        Self { field: ninth.field }
    }
}

#[derive(Tool, Deserialize, JsonSchema)]
struct Paging {
    #[mcp(maximum = 100)]
    size: u32,
}

// misuse: a flattened tool with keys
#[derive(Tool, Deserialize, JsonSchema)]
struct Thirteenth {
    #[serde(flatten)]
    paging: Paging,
}

// misuse: a field that is a tool with keys
#[derive(Tool, Deserialize, JsonSchema)]
struct Fourteenth {
    paging: Paging,
}

// misuse: a newtype of a tool with keys
#[derive(Tool, Deserialize, JsonSchema)]
struct Fifteenth(Paging);

fn main() {}
