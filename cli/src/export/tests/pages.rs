//! No string of a definition breaks the layout of a page.

use html5gum::{Token, Tokenizer};
use proptest::prelude::*;
use pulldown_cmark::{Event, Tag};
use serde_json::{Value, json};
use test_strings::{hostile, markdown_events};
use toolwright_core::docs;
use toolwright_core::manifest::Manifest;

use super::{exported, of};
use crate::export::Format;
use crate::packages::Document;

/// Returns a server in which every string is this one.
fn document(text: &str) -> Document {
    let object = |tag: &Value| json!({"type": "object", "description": text, "required": [text], "properties": {text: tag}});
    let schema = json!({
        "type": "object",
        "properties": {
            text: {"type": "string", "description": text, "pattern": text, "format": text, "default": text, "examples": [text, "x"]},
            "choice": {"enum": [text, "x"], "title": text},
            "only": {"const": text},
            "either": {"oneOf": [object(&json!({"const": text})), object(&json!({"type": "integer"})), {"const": "x", "description": text}]},
            "map": {"type": "object", "patternProperties": {text: {"type": "string", "maxLength": 3}}, "not": {"const": text}},
            "list": {"type": "array", "items": {"type": "string", "description": text}, "x": text, text: text},
            "elsewhere": {"$ref": text},
            "above": {"$ref": "#/$defs/D"},
        },
        "required": [text, "missing", text],
        "$defs": {"D": {"type": "object", "properties": {text: {"$ref": "#/$defs/D"}}}},
    });
    let mut document = of(Manifest::from_json(
        &json!({
            "manifestVersion": 1,
            "server": {"name": "shop", "version": "1.0.0", "title": text},
            "instructions": text,
            "tools": [{"name": "find", "title": text, "description": text, "inputSchema": schema, "outputSchema": schema}],
        })
        .to_string(),
    )
    .unwrap());
    document.manifest.server.name = text.to_owned();
    document.manifest.server.version = text.to_owned();
    document.manifest.tools[0].name = text.to_owned();
    document
}

/// The elements of a Markdown page, without the words and without what descriptions may have: lists and code.
fn markdown_shape(markdown: &str) -> Result<Vec<String>, String> {
    let mut shape = Vec::new();
    for event in markdown_events(markdown) {
        match event {
            Event::Start(tag @ (Tag::Heading { .. } | Tag::Table(_) | Tag::TableRow | Tag::TableCell)) => {
                shape.push(format!("{tag:?}"));
            }
            Event::Start(Tag::CodeBlock(kind)) => shape.push(format!("{kind:?}")),
            // The only links are those in the table of tools.
            Event::Start(Tag::Link { dest_url, .. }) if dest_url.starts_with('#') => {
                shape.push("link".to_owned());
            }
            Event::Start(Tag::Paragraph | Tag::List(None) | Tag::Item | Tag::Strong | Tag::TableHead)
            | Event::End(_)
            | Event::Text(_)
            | Event::Code(_)
            | Event::SoftBreak => {}
            Event::Start(other) => return Err(format!("{other:?}")),
            other => return Err(format!("{other:?}")),
        }
    }
    Ok(shape)
}

/// The tags of an HTML page with their attributes, in order; every opened tag is closed.
fn html_shape(html: &str) -> Result<Vec<String>, String> {
    const ALONE: [&str; 2] = ["meta", "input"];
    let (mut shape, mut open) = (Vec::new(), Vec::new());
    for token in Tokenizer::new(html) {
        match token.map_err(|error| error.to_string())? {
            Token::StartTag(tag) => {
                let name = String::from_utf8_lossy(&tag.name).into_owned();
                let names = tag.attributes.keys().map(|name| String::from_utf8_lossy(name).into_owned());
                let names: Vec<_> = names.collect();
                // Any number of paragraphs is fine.
                if name != "p" || !names.is_empty() {
                    shape.push(format!("{name} {names:?}"));
                }
                if !ALONE.contains(&name.as_str()) {
                    open.push(name);
                }
            }
            Token::EndTag(tag) => {
                let name = String::from_utf8_lossy(&tag.name).into_owned();
                if open.pop().as_deref() != Some(name.as_str()) {
                    return Err(format!("</{name}> closes something else"));
                }
            }
            Token::Comment(comment) => return Err(format!("a comment: {comment:?}")),
            Token::Error(error) => return Err(format!("{error:?}")),
            Token::String(_) | Token::Doctype(_) => {}
        }
    }
    if open.is_empty() { Ok(shape) } else { Err(format!("never closed: {open:?}")) }
}

/// Returns the TypeScript tokens outside of comments and strings, which must be terminated.
fn typescript_shape(text: &str) -> Result<String, String> {
    let (mut shape, mut rest) = (String::new(), text);
    while let Some(next) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n')
        } else if rest.starts_with("/*") {
            rest.find("*/").map(|end| end + 2)
        } else if next == '"' {
            let text = serde_json::Deserializer::from_str(rest).into_iter::<String>();
            let mut text = text;
            text.next().and_then(Result::ok).map(|_| text.byte_offset())
        } else {
            if !next.is_alphanumeric() && !next.is_whitespace() && next != '_' {
                shape.push(next);
            }
            Some(next.len_utf8())
        };
        rest = &rest[skipped.ok_or_else(|| format!("never ends: {rest}"))?..];
    }
    Ok(shape)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn definitions_cannot_break_the_layout(text in hostile(1..6)) {
        // A name is not empty, and has no meaning in Markdown.
        let text = format!("w{text}");
        let (document, plain) = (document(&text), document("word"));
        let of = |document: &Document, form| exported(document.clone(), form).text;
        for (form, shape) in
            [(Format::Markdown, markdown_shape as fn(&str) -> Result<Vec<String>, String>), (Format::Html, html_shape)]
        {
            prop_assert_eq!(shape(&of(&document, form)), shape(&of(&plain, form)), "{}", of(&document, form));
        }
        let (full, of_plain) = (docs::full(&document.manifest.tools[0]), docs::full(&plain.manifest.tools[0]));
        prop_assert_eq!(markdown_shape(&full), markdown_shape(&of_plain), "{}", full);
        prop_assert_eq!(docs::simple(&document.manifest.tools).lines().count(), 1);
        for form in [Format::Openai, Format::OpenaiStrict, Format::Anthropic, Format::Gemini, Format::Openapi, Format::Mcpb] {
            let made = of(&document, form);
            prop_assert!(serde_json::from_str::<Value>(&made).is_ok(), "{}", made);
        }
        let typescript = of(&document, Format::Typescript);
        prop_assert_eq!(typescript_shape(&typescript), typescript_shape(&of(&plain, Format::Typescript)), "{}", typescript);
    }
}

#[test]
fn links_on_a_markdown_page_lead_to_their_headings() {
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object", "properties": {"a": {"type": "string"}}}});
    let manifest = json!({
        "manifestVersion": 1,
        "server": {"name": "shop", "version": "1.0.0", "title": "Parameters"},
        "tools": [tool("admin.find"), tool("find"), tool("parameters")],
    });
    let document = of(Manifest::from_json(&manifest.to_string()).unwrap());
    let text = exported(document, Format::Markdown).text;
    for link in ["[`admin.find`](#adminfind)", "[`find`](#find)", "[`parameters`](#parameters-3)"] {
        assert!(text.contains(link), "no {link} in\n{text}");
    }
}

#[test]
fn ids_on_an_html_page_are_each_there_once() {
    let mut document = document("word");
    let names = ["a b", "a-b", "a/b", "a-b:2"];
    document.manifest.tools = names
        .map(|name| {
            let mut tool = document.manifest.tools[0].clone();
            tool.name = name.to_owned();
            tool
        })
        .into();
    let html = exported(document, Format::Html).text;
    let mut ids: Vec<_> =
        html.split("<section id=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert!(ids.iter().all(|id| html.contains(&format!("href=\"#{id}\""))));
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), names.len());
}
