//! `manifest.json` of a bundle for desktop clients, version 0.4
//! (<https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md>).
//!
//! The program is expected as `server/<package>` in the bundle. A bundle lists the names and descriptions of tools; clients
//! query the server for the rest.

use serde_json::{Map, Value, json};
use toolwright_agent::model_api::Losses;
use toolwright_core::pointer::below;

use crate::packages::Document;

pub(super) fn convert(document: &Document, losses: &mut Losses) -> Value {
    let server = &document.manifest.server;
    let about = &document.sources.about;
    let program = format!("server/{}", document.sources.server.package);
    let mut made = Map::from_iter([
        ("manifest_version".to_owned(), "0.4".into()),
        ("name".to_owned(), server.name.clone().into()),
    ]);
    if let Some(title) = losses.text(None, "/server/title", server.title.as_deref()) {
        made.insert("display_name".to_owned(), title.into());
    }
    made.insert("version".to_owned(), server.version.clone().into());
    let said = about.description.clone().filter(|text| !text.trim().is_empty());
    let description = said.unwrap_or_else(|| {
        losses.add(None, "/description", "the package has no description, so the server's name is used");
        server.name.clone()
    });
    made.insert("description".to_owned(), description.into());
    if let Some(instructions) = losses.text(None, "/instructions", document.manifest.instructions.as_deref())
    {
        made.insert("long_description".to_owned(), instructions.into());
    }
    made.insert("author".to_owned(), author(document, losses));
    if let Some(url) = url("repository", about.repository.as_deref(), losses) {
        made.insert("repository".to_owned(), json!({ "type": "git", "url": url }));
    }
    for (member, text) in [("homepage", &about.homepage), ("documentation", &about.documentation)] {
        if let Some(url) = url(member, text.as_deref(), losses) {
            made.insert(member.to_owned(), url.into());
        }
    }
    if let Some(license) = losses.text(None, "/license", about.license.as_deref()) {
        made.insert("license".to_owned(), license.into());
    }
    if !about.keywords.is_empty() {
        made.insert("keywords".to_owned(), json!(about.keywords));
    }
    made.insert(
        "server".to_owned(),
        json!({
            "type": "binary",
            "entry_point": program,
            "mcp_config": { "command": format!("${{__dirname}}/{program}"), "args": [] },
        }),
    );
    let tools = document.manifest.tools.iter().map(|tool| {
        let mut entry = Map::from_iter([("name".to_owned(), Value::from(tool.name.clone()))]);
        let description = losses.text(Some(&tool.name), "/description", tool.description.as_deref());
        entry.extend(description.map(|text| ("description".to_owned(), Value::from(text))));
        Value::Object(entry)
    });
    let tools: Value = tools.collect();
    made.insert("tools".to_owned(), tools);
    if document.manifest.prompts.as_ref().is_some_and(|prompts| !prompts.is_empty()) {
        // A bundle lists prompts with their messages, which only the server knows; this states that there are some.
        made.insert("prompts_generated".to_owned(), true.into());
    }
    Value::Object(made)
}

/// Returns the text if it is a URL: clients reject a bundle with anything else in its place.
fn url<'t>(member: &str, text: Option<&'t str>, losses: &mut Losses) -> Option<&'t str> {
    let text = text?;
    if ["https://", "http://"].iter().any(|scheme| text.starts_with(scheme)) {
        return Some(text);
    }
    losses.add(None, below("", member), "the format requires a URL, so it is removed");
    None
}

/// Converts `Ada <ada@example.com>`.
fn author(document: &Document, losses: &mut Losses) -> Value {
    let Some(author) = document.sources.about.authors.first() else {
        losses.add(None, "/author", "the package has no authors, so the server's name is used");
        return json!({ "name": document.manifest.server.name });
    };
    if document.sources.about.authors.len() > 1 {
        losses.add(
            None,
            "/author",
            "the format has one author, so that the first of the package stands alone",
        );
    }
    let Some((name, email)) = author.split_once('<') else { return json!({ "name": author.trim() }) };
    let email = email.trim_end_matches('>').trim();
    let is_address = |(name, host): (&str, &str)| !name.is_empty() && host.contains('.');
    if email.split_once('@').is_some_and(is_address) {
        return json!({ "name": name.trim(), "email": email });
    }
    losses.add(None, "/author/email", "the format requires an email address, so it is removed");
    json!({ "name": name.trim() })
}
