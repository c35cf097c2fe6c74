//! `server.json`, the format of the MCP registry
//! (<https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json>).
//!
//! The registry's name of the server is `[package.metadata.mcp] registry-name`, else made from the repository: a server
//! of `https://github.com/ada/shop` is `io.github.ada/shop`. The registry lists no tools, and it has no type for packages of Cargo, so the
//! document has no `packages`: add the bundle (`mcpb`) or the image (`oci`) that is published.

use serde_json::{Map, Value, json};

use super::loss::Losses;
use crate::packages::Document;

pub(super) const SCHEMA: &str =
    "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

/// The most characters of a description or a title.
const TEXT_LIMIT: usize = 100;

pub(super) fn document(document: &Document, losses: &mut Losses) -> Value {
    let server = &document.manifest.server;
    let about = &document.sources.about;
    let mut made = Map::from_iter([
        ("$schema".to_owned(), SCHEMA.into()),
        ("name".to_owned(), registry_name(document, losses).into()),
    ]);
    if let Some(title) = &server.title {
        made.insert("title".to_owned(), cut(title, "/server/title", losses).into());
    }
    let description = about.description.clone().unwrap_or_else(|| {
        losses.add(
            None,
            "/description",
            "the package has no description, so it is made from the names of the tools",
        );
        let names: Vec<_> = document.manifest.tools.iter().map(|tool| tool.name.as_str()).collect();
        format!("Tools: {}", names.join(", "))
    });
    made.insert("description".to_owned(), cut(&description, "/description", losses).into());
    made.insert("version".to_owned(), server.version.clone().into());
    if let Some(homepage) = &about.homepage {
        made.insert("websiteUrl".to_owned(), homepage.clone().into());
    }
    if let Some(url) = &about.repository {
        let source = ["github", "gitlab"].into_iter().find(|host| url.contains(&format!("{host}.com")));
        if let Some(source) = source {
            made.insert("repository".to_owned(), json!({ "url": url, "source": source }));
        }
    }
    Value::Object(made)
}

fn registry_name(document: &Document, losses: &mut Losses) -> String {
    let about = &document.sources.about;
    let said = document.sources.package_metadata("registry-name");
    if let Some(name) = said {
        return name;
    }
    let is_plain =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '.' | '-' | '_');
    let server: String =
        document.manifest.server.name.chars().map(|one| if is_plain(one) { one } else { '-' }).collect();
    let repository = about.repository.as_deref().unwrap_or_default();
    let owner = repository.strip_prefix("https://github.com/").and_then(|rest| rest.split('/').next());
    if let Some(owner) = owner.filter(|owner| !owner.is_empty()) {
        return format!("io.github.{owner}/{server}");
    }
    let what = "the registry needs a name such as `io.github.ada/shop`: set `repository` in Cargo.toml, or \
                `registry-name` in `[package.metadata.mcp]`";
    losses.add(None, "/server/name", what);
    format!("local/{server}")
}

/// At most [`TEXT_LIMIT`] characters.
fn cut(text: &str, pointer: &str, losses: &mut Losses) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= TEXT_LIMIT {
        return text;
    }
    losses.add(None, pointer, format!("the text is cut after {TEXT_LIMIT} characters"));
    text.chars().take(TEXT_LIMIT - 1).chain(['…']).collect()
}
