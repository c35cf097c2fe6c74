//! Golden files: the records in `tests/records`, converted in both directions and in each version
//! of the format.

use std::fs;
use std::path::Path;

use super::super::*;
use super::codec;

fn file(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/records").join(name);
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

#[test]
fn flat_records_convert_to_tagged_ones_and_back() {
    let (flat, tagged) = (file("flat.jsonl"), file("tagged.jsonl"));
    let read = ToolCollection::from_jsonl(&flat);
    assert!(read.problems().is_empty(), "{:?}", read.problems());
    assert_eq!(read.to_jsonl(), tagged);
    let read = ToolCollection::from_jsonl(&tagged);
    let written: String =
        read.encode(codec(FLAT)).unwrap().into_iter().map(|record| record.text + "\n").collect();
    assert_eq!(written, flat);
}

#[test]
fn older_records_convert_to_the_current_format() {
    let read = ToolCollection::from_jsonl(&file("older.jsonl"));
    assert!(read.problems().is_empty(), "{:?}", read.problems());
    assert_eq!(read.to_jsonl(), file("older.current.jsonl"));
    assert_eq!(read.deprecations().len(), 2);
}

#[test]
fn versions_are_read_preserved_or_rejected() {
    for name in ["version-1.0.json", "version-1.9.json"] {
        let text = file(name);
        assert_eq!(ToolValue::from_json(&text).unwrap().to_json() + "\n", text, "{name}");
    }
    let error = ToolValue::from_json(&file("version-2.0.json")).unwrap_err().to_string();
    assert!(error.contains("2.0") && error.contains("1.0"), "{error}");
}
