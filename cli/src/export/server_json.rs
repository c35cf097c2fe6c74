//! `server.json`, the format of the MCP registry
//! (<https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json>).
//!
//! The registry's name of the server is `[package.metadata.mcp] registry-name`, or else derived from the repository: a server
//! of `https://github.com/ada/shop` is `io.github.ada/shop`. The registry lists no tools.
//!
//! The package is `cargo`'s (modelcontextprotocol/registry, `docs/modelcontextprotocol-io/package-types.mdx`, "Cargo (Rust)
//! Packages"): `cargo install` puts the program on the PATH, and clients call it by name, so there is no `runtimeHint`. The
//! registry takes the name only if the README in cargo's registry shows it after `mcp-name:`. The registry removes comments, and the
//! name must not continue as a longer word.

use serde_json::{Map, Value, json};
use toolwright_agent::model_api::Losses;
use toolwright_core::manifest::answer::Origin;

use crate::packages::Document;

pub(super) const SCHEMA: &str =
    "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

/// Maximum number of characters of a description or a title.
const TEXT_LIMIT: usize = 100;

pub(super) fn convert(document: &Document, losses: &mut Losses) -> Value {
    let server = &document.manifest.server;
    let about = &document.sources.about;
    let name = registry_name(document, losses);
    let mut made =
        Map::from_iter([("$schema".to_owned(), SCHEMA.into()), ("name".to_owned(), name.as_str().into())]);
    if let Some(title) = losses.text(None, "/server/title", server.title.as_deref()) {
        made.insert("title".to_owned(), truncate(title, "/server/title", losses).into());
    }
    let said = about.description.clone().filter(|text| !text.trim().is_empty());
    let description = said.unwrap_or_else(|| {
        losses.add(
            None,
            "/description",
            "the package has no description, so it is made from the names of the tools",
        );
        let names: Vec<_> = document.manifest.tools.iter().map(|tool| tool.name.as_str()).collect();
        format!("Tools: {}", names.join(", "))
    });
    made.insert("description".to_owned(), truncate(&description, "/description", losses).into());
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
    if let Some(package) = package(document, &name, losses) {
        made.insert("packages".to_owned(), json!([package]));
    }
    Value::Object(made)
}

/// Returns the package in cargo's registry, if it can be published.
fn package(document: &Document, name: &str, losses: &mut Losses) -> Option<Value> {
    let Origin { package, version, .. } = &document.sources.server;
    let mut lacks = |what: String| losses.add(None, "/packages", what);
    let Some(release) = &document.sources.about.release else {
        lacks(
            "no package of this workspace is known: add the `packages` or `remotes` that you publish"
                .to_owned(),
        );
        return None;
    };
    if !release.is_public {
        lacks(format!(
            "`{package}` is not published in cargo's registry, as `publish` in its Cargo.toml says: add the `packages` or `remotes` \
             that you publish"
        ));
        return None;
    }
    if !release.has_program {
        lacks(format!(
            "`{package}` has no program that `cargo install` could install: add the `packages` or `remotes` that you publish"
        ));
        return None;
    }
    let readme = release.readme.as_deref().unwrap_or_default();
    let line = format!("`mcp-name: {name}`");
    let missing = match find_name(readme, name) {
        NameInReadme::Visibly => None,
        NameInReadme::InComment => Some(format!(
            "cargo's registry takes comments out of the README: put {line} where a reader sees it"
        )),
        NameInReadme::Glued => {
            Some(format!("the README must have {line} with a space or a line end behind it"))
        }
        NameInReadme::Nowhere => {
            Some(format!("the registry looks for {line} in the README of the package: add the line"))
        }
    };
    missing.into_iter().for_each(lacks);
    Some(json!({
        "registryType": "cargo",
        "identifier": package,
        "version": version,
        "transport": { "type": "stdio" },
    }))
}

/// Whether a README proves that its package belongs to the server of this name.
#[derive(Debug, PartialEq, Eq)]
enum NameInReadme {
    Visibly,
    /// Only in a comment.
    InComment,
    /// It may continue as a longer name.
    Glued,
    Nowhere,
}

fn find_name(readme: &str, name: &str) -> NameInReadme {
    let token = format!("mcp-name: {name}");
    let mut is_glued = false;
    for (at, _) in readme.match_indices(&token) {
        // Markdown syntax that ends a name becomes a tag in the page that the registry reads.
        let is_end = |next: char| next.is_whitespace() || "`<*|)]".contains(next);
        if readme[at + token.len()..].starts_with(|next: char| !is_end(next)) {
            is_glued = true;
            continue;
        }
        let before = &readme[..at];
        let in_comment = before.rfind("<!--").is_some_and(|open| !before[open..].contains("-->"));
        if !in_comment {
            return NameInReadme::Visibly;
        }
    }
    match readme.contains(&token) {
        true if is_glued => NameInReadme::Glued,
        true => NameInReadme::InComment,
        false => NameInReadme::Nowhere,
    }
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

/// Truncates to [`TEXT_LIMIT`] characters.
fn truncate(text: &str, pointer: &str, losses: &mut Losses) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= TEXT_LIMIT {
        return text;
    }
    losses.add(None, pointer, format!("the text is cut after {TEXT_LIMIT} characters"));
    text.chars().take(TEXT_LIMIT - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_found_like_in_the_registry() {
        for (readme, expected) in [
            ("# Shop\n\n- MCP Registry name: `mcp-name: io.github.ada/shop`\n", NameInReadme::Visibly),
            ("mcp-name: io.github.ada/shop", NameInReadme::Visibly),
            ("<b>mcp-name: io.github.ada/shop</b>", NameInReadme::Visibly),
            ("<!-- a comment --> mcp-name: io.github.ada/shop\n", NameInReadme::Visibly),
            ("<!-- mcp-name: io.github.ada/shop -->", NameInReadme::InComment),
            ("<!--\nmcp-name: io.github.ada/shop\n-->\n# Shop", NameInReadme::InComment),
            ("<!-- mcp-name: io.github.ada/shop -->\nmcp-name: io.github.ada/shop\n", NameInReadme::Visibly),
            ("mcp-name: io.github.ada/shop.", NameInReadme::Glued),
            ("mcp-name: io.github.ada/shop-two", NameInReadme::Glued),
            ("mcp-name: io.github.ada/shop-two\nmcp-name: io.github.ada/shop\n", NameInReadme::Visibly),
            ("mcp-name:io.github.ada/shop", NameInReadme::Nowhere),
            ("MCP-Name: io.github.ada/shop", NameInReadme::Nowhere),
            ("mcp-name: io.github.ada/Shop", NameInReadme::Nowhere),
            ("", NameInReadme::Nowhere),
        ] {
            assert_eq!(find_name(readme, "io.github.ada/shop"), expected, "{readme:?}");
        }
    }
}
