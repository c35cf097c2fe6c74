//! `manifest.json` of a bundle for desktop clients, version 0.4
//! (<https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md>).
//!
//! The program is expected as `server/<package>` in the bundle. Of the tools, a bundle lists names and descriptions;
//! clients ask the server for the rest.

use serde_json::{Map, Value, json};

use super::loss::Losses;
use crate::packages::Document;

pub(super) fn document(document: &Document, losses: &mut Losses) -> Value {
    let server = &document.manifest.server;
    let about = &document.sources.about;
    let program = format!("server/{}", document.sources.server.package);
    let mut made = Map::from_iter([
        ("manifest_version".to_owned(), "0.4".into()),
        ("name".to_owned(), server.name.clone().into()),
    ]);
    if let Some(title) = &server.title {
        made.insert("display_name".to_owned(), title.clone().into());
    }
    made.insert("version".to_owned(), server.version.clone().into());
    let description = about.description.clone().unwrap_or_else(|| {
        losses.add(
            None,
            "/description",
            "the package has no description, so the server's name stands for it",
        );
        server.name.clone()
    });
    made.insert("description".to_owned(), description.into());
    if let Some(instructions) = &document.manifest.instructions {
        made.insert("long_description".to_owned(), instructions.clone().into());
    }
    made.insert("author".to_owned(), author(document, losses));
    if let Some(url) = &about.repository {
        made.insert("repository".to_owned(), json!({ "type": "git", "url": url }));
    }
    for (member, text) in [("homepage", &about.homepage), ("license", &about.license)] {
        if let Some(text) = text {
            made.insert(member.to_owned(), text.clone().into());
        }
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
        entry.extend(tool.description.clone().map(|text| ("description".to_owned(), Value::from(text))));
        Value::Object(entry)
    });
    made.insert("tools".to_owned(), tools.collect());
    Value::Object(made)
}

/// `Ada <ada@example.com>` as the format wants it.
fn author(document: &Document, losses: &mut Losses) -> Value {
    let Some(author) = document.sources.about.authors.first() else {
        losses.add(None, "/author", "the package has no authors, so the server's name stands for one");
        return json!({ "name": document.manifest.server.name });
    };
    match author.split_once('<') {
        Some((name, email)) => json!({ "name": name.trim(), "email": email.trim_end_matches('>').trim() }),
        None => json!({ "name": author.trim() }),
    }
}
