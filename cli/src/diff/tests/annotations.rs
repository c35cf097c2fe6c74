//! Every change of a string in a definition is reported.

use serde_json::{Map, Value, json};

use super::{changes, class, ids, manifest};
use crate::diff::change::Change;
use crate::diff::rule::Class;

/// A tool with strings at all locations of a definition.
fn tool() -> Value {
    let of = |text: &str| json!({"type": "string", "title": text, "description": text, "examples": [text, {text: [text]}]});
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": "the root",
        "type": "object",
        "properties": {
            "plain": of("plain"),
            "either": {"anyOf": [of("first"), {"oneOf": [{"allOf": [of("deep")]}, {"const": "left"}]}]},
            "chosen": {"enum": ["red", "green"], "default": "red"},
            "point": {"$ref": "#/$defs/point", "description": "where"},
            "same": {"$ref": "#/$defs/point"},
            "tree": {"$ref": "#/$defs/tree"},
            "list": {"type": "array", "prefixItems": [of("head")], "items": of("item"), "contains": of("some")},
            "map": {
                "type": "object",
                "patternProperties": {"^x": of("pattern")},
                "additionalProperties": of("additional"),
                "propertyNames": {"description": "names"},
                "dependentSchemas": {"a": of("dependent")},
                "dependentRequired": {"a": ["b"]},
            },
            "cases": {"if": of("if"), "then": of("then"), "else": of("else"), "not": of("not")},
            "odd": {"x-note": {"inside": ["a remark", of("unknown")]}, "unevaluatedProperties": of("unevaluated")},
            "code": {"type": "string", "pattern": "^a$", "format": "uuid", "x-mcp-header": "Code"},
        },
        "required": ["plain"],
        "$defs": {
            "point": {"type": "object", "properties": {"left": of("behind a reference")}},
            "tree": {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}},
            "unused": of("nothing leads here"),
        },
    });
    json!({
        "name": "tool",
        "title": "A tool",
        "description": "Does it.",
        "icons": [{"src": "https://example.com/a.png", "mimeType": "image/png", "sizes": ["48x48"]}],
        "annotations": {"title": "Hint", "readOnlyHint": true, "x-more": ["remark"]},
        "_meta": {
            "io.toolwright/scopes": ["read"], "io.toolwright/was": ["former"], "io.toolwright/context": "shop",
            "example.com/more": {"deep": ["text"]},
        },
        "execution": {"taskSupport": "optional", "note": "text"},
        "outputSchema": {"type": "object", "properties": {"either": {"anyOf": [of("first"), of("second")]}}},
        "inputSchema": schema,
        "x-other": {"any": ["text"]},
    })
}

/// A definition of each other kind.
fn others() -> Value {
    json!({
        "manifestVersion": 1,
        "server": {"name": "shop", "version": "1", "title": "Shop", "icons": [{"src": "data:,"}]},
        "instructions": "Be kind.",
        "tools": [],
        "prompts": [{
            "name": "review", "title": "Review", "description": "Reviews.", "_meta": {"a": ["b"]},
            "arguments": [{"name": "code", "title": "Code", "description": "The code.", "required": true}, {"x": "nameless"}],
        }],
        "resources": [{"uri": "shop://a", "name": "a", "description": "A.", "mimeType": "a/b", "annotations": {"audience": ["user"]}}],
        "resourceTemplates": [{"uriTemplate": "shop://{id}", "name": "t", "description": "T.", "icons": [{"src": "data:,"}]}],
    })
}

/// Returns every copy of the value with one string edited, with the location of that string.
fn edited(value: &Value, edit: &dyn Fn(&str) -> String) -> Vec<(String, Value)> {
    match value {
        Value::String(text) => vec![(String::new(), edit(text).into())],
        Value::Array(items) => items
            .iter()
            .enumerate()
            .flat_map(|(at, item)| {
                edited(item, edit).into_iter().map(move |(place, new)| {
                    let mut items = items.clone();
                    items[at] = new;
                    (format!("/{at}{place}"), items.into())
                })
            })
            .collect(),
        Value::Object(members) => {
            let mut found = Vec::new();
            for (name, member) in members {
                let renamed: Map<_, _> = members
                    .iter()
                    .map(|(other, value)| {
                        (if other == name { edit(other) } else { other.clone() }, value.clone())
                    })
                    .collect();
                found.push((format!("/{name} (the name)"), renamed.into()));
                for (place, new) in edited(member, edit) {
                    let mut members = members.clone();
                    members.insert(name.clone(), new);
                    found.push((format!("/{name}{place}"), members.into()));
                }
            }
            found
        }
        _ => Vec::new(),
    }
}

/// Returns every edit of one string with its changes; edits that make the document invalid are omitted.
fn each_edit(document: &Value, edit: &dyn Fn(&str) -> String, check: impl Fn(&str, Vec<Change>)) {
    let mut count = 0;
    for list in ["tools", "prompts", "resources", "resourceTemplates", "server", "instructions"] {
        let Some(part) = document.get(list) else { continue };
        for (place, new) in edited(part, edit) {
            let mut after = document.clone();
            after[list] = new;
            if crate::source::ServerDefinitions::parse(&after.to_string()).is_ok() {
                count += 1;
                check(&format!("/{list}{place}"), changes(document, &after));
            }
        }
    }
    assert!(count > 30, "only {count} texts");
}

fn documents() -> [Value; 2] {
    [manifest(json!([tool()])), others()]
}

#[test]
fn every_changed_character_is_reported() {
    for document in documents() {
        each_edit(&document, &|text| format!("{text}s"), |place, findings| {
            assert!(!findings.is_empty(), "{place}: nothing is reported");
        });
        assert_eq!(changes(&document, &document), [], "nothing changed");
    }
}

#[test]
fn every_hidden_character_is_breaking() {
    for document in documents() {
        each_edit(&document, &|text| format!("{text}\u{200b}"), |place, findings| {
            assert!(ids(&findings).contains(&"hidden-characters-added"), "{place}: {findings:#?}");
            assert_eq!(class(&findings), Some(Class::Breaking), "{place}");
        });
    }
}

/// Checks that the report shows the new string, or points to its member.
#[test]
fn changed_descriptions_are_found_everywhere() {
    let document = manifest(json!([tool()]));
    for text in
        ["first", "deep", "behind a reference", "nothing leads here", "unknown", "a remark", "not", "pattern"]
    {
        let edit = |found: &str| if found == text { "another text".to_owned() } else { found.to_owned() };
        for (place, new) in edited(&document["tools"], &edit) {
            let after = manifest(new);
            if after != document && place.contains("Schema") && !place.contains("(the name)") {
                let findings = changes(&document, &after);
                let is_shown = findings.iter().any(|finding| {
                    finding.new.as_ref().is_some_and(|new| new.to_string().contains("another text"))
                });
                assert!(is_shown, "{place}: {findings:#?}");
                assert_eq!(class(&findings), Some(Class::Documentation), "{place}: {findings:#?}");
            }
        }
    }
}

#[test]
fn a_hidden_character_that_was_there_or_moved_is_not_new() {
    let of = |first: &str, second: &str| {
        manifest(
            json!([{"name": "tool", "title": first, "description": second, "inputSchema": {"type": "object"}}]),
        )
    };
    let hidden = |old: &Value, new: &Value| {
        changes(old, new).iter().filter(|finding| finding.rule.id() == "hidden-characters-added").count()
    };
    assert_eq!(hidden(&of("a\u{200b}", "b"), &of("c\u{200b}", "b")), 0, "the text around it changed");
    assert_eq!(hidden(&of("a\u{200b}", "b"), &of("b", "a\u{200b}")), 0, "it moved");
    assert_eq!(hidden(&of("a\u{200b}", "b"), &of("a\u{200b}", "a\u{200b}")), 1, "it was copied");
    assert_eq!(hidden(&of("a\u{200b}", "b"), &of("a\u{200c}", "b")), 1, "it is another");
    assert_eq!(hidden(&of("a\u{200b}", "b"), &of("a", "b\u{200b}")), 1, "it is in another text");
}
