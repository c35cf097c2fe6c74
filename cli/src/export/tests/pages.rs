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

/// The elements that descriptions may have, each with the attributes that it may have.
const IN_DESCRIPTIONS: [(&str, &[&str]); 20] = [
    ("a", &["href", "rel"]),
    ("blockquote", &[]),
    ("br", &[]),
    ("code", &[]),
    ("del", &[]),
    ("em", &[]),
    ("hr", &[]),
    ("li", &[]),
    ("ol", &["start"]),
    ("p", &[]),
    ("pre", &[]),
    ("span", &["class"]),
    ("strong", &[]),
    ("table", &[]),
    ("tbody", &[]),
    ("td", &[]),
    ("th", &[]),
    ("thead", &[]),
    ("tr", &[]),
    ("ul", &[]),
];

/// The tags of an HTML page with their attributes, in order; every opened tag is closed. Descriptions may have any number of
/// their elements.
fn html_shape(html: &str) -> Result<Vec<String>, String> {
    const ALONE: [&str; 6] = ["meta", "link", "input", "wbr", "br", "hr"];
    let (mut shape, mut open) = (Vec::new(), Vec::new());
    // The number of open elements around the description that is being read.
    let mut description = None;
    for token in Tokenizer::new(html) {
        match token.map_err(|error| error.to_string())? {
            Token::StartTag(tag) => {
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                let name = text(&tag.name);
                let value = |name: &str| tag.attributes.get(name.as_bytes()).map(|value| text(value));
                let names: Vec<_> = tag.attributes.keys().map(|name| text(name)).collect();
                if description.is_some() {
                    let allowed = IN_DESCRIPTIONS.iter().find(|(allowed, _)| name == *allowed);
                    let (_, attributes) = allowed.ok_or_else(|| format!("<{name}> in a description"))?;
                    if names.iter().any(|name| !attributes.contains(&name.as_str())) {
                        return Err(format!("{names:?} of <{name}> in a description"));
                    }
                    let is_web = |target: &str| {
                        let target = target.to_ascii_lowercase();
                        ["http:", "https:", "mailto:"].iter().any(|scheme| target.starts_with(scheme))
                    };
                    if value("href").is_some_and(|target| !is_web(&target)) {
                        return Err(format!("a link to {:?} in a description", value("href")));
                    }
                } else if name != "wbr" {
                    shape.push(format!("{name} {names:?}"));
                }
                if !tag.self_closing && !ALONE.contains(&name.as_str()) {
                    if value("class").as_deref() == Some("text") {
                        description.get_or_insert(open.len());
                    }
                    open.push(name);
                }
            }
            Token::EndTag(tag) => {
                let name = String::from_utf8_lossy(&tag.name).into_owned();
                if open.pop().as_deref() != Some(name.as_str()) {
                    return Err(format!("</{name}> closes something else"));
                }
                description = description.filter(|depth| open.len() > *depth);
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
    let mut all: Vec<_> = html.split(" id=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), count, "an id is there twice");
}

/// Terminals and runners of GitHub Actions would see other text than browsers, which reject changed styles and scripts.
#[test]
fn the_style_and_script_of_a_page_are_printed_unchanged() {
    let html = exported(document("word"), Format::Html).text;
    for element in ["style", "script"] {
        let start = html.find(&format!("<{element}>")).unwrap();
        let text = &html[start..html.find(&format!("</{element}>")).unwrap()];
        assert_eq!(crate::escape::escape_text(text), text);
    }
}

#[test]
fn a_page_has_each_hint_with_its_icon() {
    let mut document = document("word");
    let label = |class: &str, icon: &str, words: &str| {
        format!(
            "<li class=\"{class}\"><svg aria-hidden=\"true\"><use href=\"#i-{icon}\"></use></svg>{words}</li>"
        )
    };
    let mut check = |hints: Value, expected: &[String]| {
        document.manifest.tools[0].annotations = serde_json::from_value(hints.clone()).unwrap();
        let html = exported(document.clone(), Format::Html).text;
        let labels = html.split("<ul class=\"hints\">").nth(1).unwrap().split("</ul>").next().unwrap();
        assert_eq!(labels, expected.concat(), "{hints}");
        html
    };
    let possible = label("unstated", "danger", "May be destructive");
    check(json!(null), std::slice::from_ref(&possible));
    check(json!({"readOnlyHint": false}), &[possible, label("writes", "pen", "Writes")]);
    check(json!({"readOnlyHint": true}), &[label("read-only", "eye", "Read-only")]);
    let html = check(
        json!({"readOnlyHint": false, "destructiveHint": true, "idempotentHint": true, "openWorldHint": true}),
        &[
            label("destructive", "danger", "Destructive"),
            label("writes", "pen", "Writes"),
            label("idempotent", "repeat", "Idempotent"),
            label("open-world", "globe", "Open world"),
        ],
    );
    assert!(html.contains("class=\"entry destructive\"") && html.contains("<strong>1</strong> destructive"));
    assert!(html.contains("class=\"mark\""), "the menu shows it as well");
}
