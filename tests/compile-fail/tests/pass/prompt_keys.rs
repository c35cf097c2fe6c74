//! Every key of a prompt, in a crate with strict lints.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, unused, nonstandard_style, future_incompatible, rust_2018_idioms, unreachable_pub)]
#![deny(unused_qualifications, unused_results, unused_lifetimes, missing_debug_implementations)]
#![deny(let_underscore_drop, single_use_lifetimes, clippy::all, clippy::pedantic)]

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use toolwright::Prompt;
use toolwright::prompt::TypedPrompt;

/// Not taken.
#[derive(Debug, Prompt, Deserialize, JsonSchema)]
#[mcp(
    name = "review_code",
    title = "Review code",
    description = "Asks for a review.",
    scopes("code:read"),
    icon(src = "https://example.com/review.png", mime_type = "image/png", sizes = ["48x48"], theme = "light"),
    meta("com.example/team" = "tools"),
    crate = toolwright
)]
#[expect(dead_code, reason = "only the definition is looked at")]
struct Review {
    /// The code.
    code: String,
    remarks: Option<u8>,
    #[serde(skip)]
    private: Option<Vec<String>>,
}

/// Asks for
/// an agenda.
#[derive(Debug, Prompt)]
struct DailyAgenda;

#[derive(Debug, Prompt)]
#[doc = include_str!("prompt_keys.rs")]
struct Included {}

fn main() {
    let review = serde_json::to_value(Review::definition()).unwrap();
    assert_eq!(
        review,
        json!({
            "name": "review_code",
            "title": "Review code",
            "description": "Asks for a review.",
            "arguments": [
                {"name": "code", "description": "The code.", "required": true},
                {"name": "remarks", "description": "An integer from 0 to 255.", "required": false},
            ],
            "icons": [{
                "src": "https://example.com/review.png",
                "mimeType": "image/png",
                "sizes": ["48x48"],
                "theme": "light",
            }],
            "_meta": {"com.example/team": "tools", "io.toolwright/scopes": ["code:read"]},
        })
    );
    let agenda = serde_json::to_value(DailyAgenda::definition()).unwrap();
    assert_eq!(agenda, json!({"name": "daily_agenda", "description": "Asks for\nan agenda."}));
    assert!(Included::definition().description.unwrap().contains("strict lints"));
}
