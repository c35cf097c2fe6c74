//! The kinds of errors in `docs/gateway.md` are those of the sources.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// What stands before the kind of an error in the sources, without spaces.
const MARKERS: [&str; 8] = [
    "\"kind\":\"",
    "fault(\"",
    "with_error_kind(\"",
    "Refusal::new(\"",
    "StatusCode::FORBIDDEN,\"",
    "StatusCode::UNAUTHORIZED,\"",
    "StatusCode::SERVICE_UNAVAILABLE,\"",
    "constKIND:&'staticstr=\"",
];

/// The files with a function that is a table of kinds.
const TABLES: [&str; 2] = ["src/calls/bus.rs", "src/store.rs"];

/// What stands after the kind of an error in `proxy/failure.rs`, without spaces.
const RETRYABLE: [&str; 3] = ["\",true,", "\",false,", "\",is_repeatable,"];

#[test]
fn every_kind_of_error_is_documented() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut produced = BTreeSet::new();
    let mut folders = vec![root.join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                collect(&path, &mut produced);
            }
        }
    }
    let guide = fs::read_to_string(root.join("../../docs/gateway.md")).unwrap();
    let section = guide.split("\n## Errors for programs\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix('|')?.split('|').next());
    let others = section.lines().skip_while(|line| !line.starts_with("The internal API has also"));
    let documented: BTreeSet<String> = rows.chain(others).flat_map(in_code_font).collect();
    assert_eq!(documented, produced, "documented, and in the sources");
}

/// Adds the kinds of a source file.
fn collect(path: &Path, kinds: &mut BTreeSet<String>) {
    let text = fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]").next().unwrap();
    let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code: String = code.flat_map(|line| line.chars().filter(|char| !char.is_whitespace())).collect();
    for marker in MARKERS {
        kinds.extend(code.split(marker).skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()));
    }
    if TABLES.iter().any(|file| path.ends_with(file)) {
        let (_, table) = code.split_once("pubfnkind(&self)->&'staticstr{").expect("the table of kinds");
        let table = table.split("}}").next().unwrap();
        kinds.extend(table.split('"').skip(1).step_by(2).map(str::to_owned));
    }
    if path.ends_with("src/proxy/failure.rs") {
        for after in RETRYABLE {
            let before = code.split(after).collect::<Vec<_>>();
            let before = &before[..before.len() - 1];
            kinds.extend(before.iter().map(|text| text.rsplit('"').next().unwrap().to_owned()));
        }
    }
}

fn in_code_font(line: &str) -> Vec<String> {
    let names = line.split('`').skip(1).step_by(2).map(str::to_owned);
    names.filter(|name| !name.contains('/')).collect()
}
