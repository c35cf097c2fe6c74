//! Each export format of the retail example, and of a tool with all kinds of enums, against its golden file.
//!
//! `UPDATE=1 cargo test -p toolwright-cli golden` rewrites the golden files; review the difference.

use std::fs;
use std::path::Path;

use clap::ValueEnum as _;
use serde_json::{Value, json};

use super::super::export;
use super::{retail, with};
use crate::export::Format;
use crate::packages::Document;

/// The kinds of enums with data, in one tool.
fn enums() -> Document {
    let amount = json!({"type": "integer", "description": "In cents.", "minimum": 1, "maximum": 5000});
    let object = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    let described = |mut schema: Value, text: &str| {
        schema["description"] = text.into();
        schema
    };
    let external = json!({"description": "How it is paid.", "oneOf": [
        {"type": "string", "const": "cash", "description": "With notes and coins."},
        described(object(json!({"card": object(json!({"amount": amount, "number": {"type": "string", "pattern": "^\\d{4}|x`$"}}), json!(["amount"]))}), json!(["card"])), "By card."),
    ]});
    let tagged = json!({"anyOf": [
        described(object(json!({"type": {"const": "question"}, "text": {"type": "string"}}), json!(["type", "text"])), "Something is asked."),
        described(object(json!({"type": {"const": "bug"}, "severity": {"enum": ["low", "</td>", "a|b"]}}), json!(["type"])), "Something is broken."),
        {"type": "null"},
    ]});
    let adjacent = json!({"type": "array", "items": {"oneOf": [
        object(json!({"t": {"const": "size"}, "c": {"type": "integer"}}), json!(["t", "c"])),
        object(json!({"t": {"const": "color"}, "c": {"type": "string"}}), json!(["t", "c"])),
    ]}});
    let untagged = json!({"anyOf": [{"type": "string", "maxLength": 3}, {"type": "array", "items": {"$ref": "#/$defs/Value"}}]});
    let filter = json!({"description": "Which orders.", "oneOf": [
        object(json!({"and": {"type": "array", "items": {"$ref": "#/$defs/Filter"}}}), json!(["and"])),
        object(json!({"not": {"$ref": "#/$defs/Filter"}}), json!(["not"])),
        object(json!({"field": {"type": "string"}, "is": {"type": ["string", "number"]}}), json!(["field", "is"])),
    ]});
    let mut document = with(&json!({
        "a": external, "ticket": tagged, "attributes": adjacent, "value": {"$ref": "#/$defs/Value"},
        "filter": {"$ref": "#/$defs/Filter"},
    }));
    document.manifest.tools[0].input_schema["$defs"] = json!({"Value": untagged, "Filter": filter});
    document
}

#[test]
fn every_format_matches_its_golden_file() {
    for format in Format::value_variants() {
        golden("retail", &retail(), *format);
    }
    for format in [Format::Gemini, Format::OpenaiStrict, Format::Markdown, Format::Html, Format::Typescript] {
        golden("enums", &enums(), format);
    }
}

fn golden(what: &str, document: &Document, format: Format) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/export/golden");
    let Some(exported) = export(std::slice::from_ref(document), format) else { return };
    let name = format.to_possible_value().unwrap().get_name().to_owned();
    let extension = format.extension();
    let form = if name == extension { name.clone() } else { format!("{name}.{extension}") };
    let losses: Vec<_> = exported.losses.iter().map(ToString::to_string).collect();
    let losses = losses.join("\n") + "\n";
    for (file, text) in
        [(format!("{what}.{form}"), &exported.text), (format!("{what}.{name}.losses.txt"), &losses)]
    {
        let file = folder.join(file);
        if std::env::var_os("UPDATE").is_some() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&file, text).unwrap();
        }
        let golden = fs::read_to_string(&file).unwrap_or_default();
        assert!(golden == *text, "{} differs: UPDATE=1 cargo test -p toolwright-cli golden", file.display());
    }
}
