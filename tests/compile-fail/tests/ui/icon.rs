//! `icon(…)` and its keys `src`, `mime_type`, `sizes` and `theme`.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::Tool;

// misuse: text instead of a list of keys
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(icon = "https://example.com/a.png")]
struct First {
    order: String,
}

// misuse: no source
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(icon(theme = "dark"))]
struct Second {
    order: String,
}

// misuse: a scheme that clients refuse
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(icon(src = "http://example.com/a.png"))]
struct Third {
    order: String,
}

// misuse: a number as the source
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(icon(src = 1))]
struct Fourth {
    order: String,
}

// misuse: a type that is not an image
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(icon(src = "https://example.com/a", mime_type = "text/html"))]
struct Fifth {
    order: String,
}

// misuse: invalid sizes
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(icon(src = "https://example.com/a", sizes = ["48", "0x0"]))]
struct Sixth {
    order: String,
}

// misuse: one size outside a list
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(icon(src = "https://example.com/a", sizes = "48x48"))]
struct Seventh {
    order: String,
}

// misuse: an unknown theme
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(icon(src = "https://example.com/a", theme = "blue"))]
struct Eighth {
    order: String,
}

// misuse: an unknown key
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(icon(url = "https://example.com/a"))]
struct Ninth {
    order: String,
}

// misuse: a key of the tool inside
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(icon(src = "https://example.com/a", title = "A"))]
struct Tenth {
    order: String,
}

fn main() {}
