//! The corpus is complete: every key of the grammar is documented, misused and used.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const GRAMMAR: &str = include_str!("../../../macros/src/attr/keys.rs");
const REFERENCE: &str = include_str!("../../../docs/attributes.md");

/// A table of the grammar, the section of the reference that explains it, and the file that uses its keys.
const PLACES: [(&str, &str, &str); 7] = [
    ("TOOL", "## On a tool", "tool_keys.rs"),
    ("ICON_KEYS", "### In `icon(…)`", "tool_keys.rs"),
    ("FIELD", "## On a field", "field_keys.rs"),
    ("TOOLSET", "## On a toolset", "toolset_keys.rs"),
    ("PROMPT", "## On a prompt", "prompt_keys.rs"),
    ("RESOURCE", "## On a resource", "resource_keys.rs"),
    ("ARGUMENT", "## On a field of a prompt or resource", "argument_keys.rs"),
];

#[test]
fn the_reference_has_the_keys_of_the_grammar() {
    for (table, section, _) in PLACES {
        assert_eq!(keys_of_grammar(table), keys_of_reference(section), "{section}");
    }
}

#[test]
fn every_key_is_used_in_a_passing_case() {
    for (table, _, file) in PLACES {
        let source = fs::read_to_string(folder("tests/pass").join(file)).unwrap();
        let unused: Vec<String> =
            keys_of_grammar(table).into_iter().filter(|key| !source_uses(&source, key)).collect();
        assert!(unused.is_empty(), "{file} does not use {unused:?}");
    }
}

#[test]
fn every_key_is_misused_in_a_failing_case() {
    let sources: String = sources().into_values().collect();
    let keys: BTreeSet<String> = PLACES.iter().flat_map(|(table, ..)| keys_of_grammar(table)).collect();
    let missing: Vec<&String> = keys.iter().filter(|key| !source_uses(&sources, key)).collect();
    assert!(missing.is_empty(), "no case misuses {missing:?}");
}

#[test]
fn there_are_enough_misuses_and_each_is_reported() {
    let mut total = 0;
    for (path, source) in sources() {
        let misuses = source.lines().filter(|line| line.starts_with("// misuse: ")).count();
        assert!(misuses > 0, "{} marks no misuse", path.display());
        let output = fs::read_to_string(path.with_extension("stderr")).unwrap();
        let reports = output.lines().filter(|line| line.starts_with("error")).count();
        assert!(reports >= misuses, "{}: {misuses} misuses, {reports} reports", path.display());
        total += misuses;
    }
    assert!(total >= 60, "only {total} misuses");
}

#[test]
fn no_report_comes_out_of_generated_code() {
    for path in sources().into_keys() {
        let output = fs::read_to_string(path.with_extension("stderr")).unwrap();
        let lines: Vec<&str> = output.lines().collect();
        for (number, line) in lines.iter().enumerate().filter(|(_, line)| line.starts_with("error")) {
            let shown = lines[number..].iter().take(6).find(|line| line.contains(" | ")).unwrap_or(&"");
            assert!(!shown.contains("#[derive("), "{}: `{line}` is at the derive", path.display());
        }
    }
}

/// The keys in one table of `keys.rs`.
fn keys_of_grammar(table: &str) -> BTreeSet<String> {
    let constants: BTreeMap<&str, &str> = GRAMMAR
        .lines()
        .filter_map(|line| line.strip_prefix("pub(crate) const ")?.strip_suffix("\";"))
        .filter_map(|line| line.split_once(": &str = \""))
        .collect();
    let start = GRAMMAR.find(&format!("const {table}: &[Key]")).unwrap_or_else(|| panic!("no table {table}"));
    let rows = GRAMMAR[start..].split("\n];").next().unwrap_or_default();
    let names = rows.split("name: ").skip(1).filter_map(|row| row.split(',').next());
    let keys: BTreeSet<String> = names.map(|name| constants[name].to_owned()).collect();
    assert!(keys.len() > 3, "{table} was not understood: {keys:?}");
    keys
}

/// The keys in the table of one section of the reference.
fn keys_of_reference(section: &str) -> BTreeSet<String> {
    let (_, rest) = REFERENCE.split_once(&format!("{section}\n")).unwrap_or_else(|| panic!("no `{section}`"));
    let rest = rest.lines().take_while(|line| !line.starts_with("##") || line.starts_with("####"));
    rest.filter_map(|line| line.strip_prefix("| `")?.split_once('`')).map(|(key, _)| key.to_owned()).collect()
}

/// Whether `key` is in an attribute of `source`: before `=`, `(`, `,` or `)`.
fn source_uses(source: &str, key: &str) -> bool {
    source.match_indices(key).any(|(start, _)| {
        let before = source[..start].chars().next_back();
        let after = source[start + key.len()..].trim_start();
        before.is_none_or(|letter| matches!(letter, ' ' | '(')) && after.starts_with(['=', '(', ',', ')'])
    })
}

fn sources() -> BTreeMap<PathBuf, String> {
    let entries = fs::read_dir(folder("tests/ui")).unwrap().map(|entry| entry.unwrap().path());
    let sources = entries.filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    sources.map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}
