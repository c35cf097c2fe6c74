//! Rules for source files.

use std::fs::read_to_string;

use test_rules::{SourceFile, files, has_extension, root, rust_files};

/// Files that may be longer than the limit, each with the reason. References and data may be long; code is split.
const LONG_FILES: [(&str, &str); 0] = [];

/// The most lines of a file that people read and write.
const LINE_LIMIT: usize = 600;

/// The one file with unsafe code: link-time registration needs it.
const UNSAFE_FILE: &str = "runtime/core/src/link.rs";

/// What may write to standard error, for the person who started the server.
const TRANSPORTS: &str = "runtime/server/src/transport/";

const PRINTS: [&str; 3] = ["println!(", "print!(", "dbg!("];

#[test]
fn libraries_do_not_print() {
    // `eprintln!` ends in `println!` too, so this finds both.
    let found = find(&rust_files(|path| is_library(path) && !path.starts_with(TRANSPORTS)), |line| {
        PRINTS.iter().any(|call| line.contains(call))
    });
    assert_none(&found, "report through a result");
}

#[test]
fn transports_print_to_standard_error_only() {
    // The stdio transport owns standard output: one stray line there breaks the protocol.
    let found = find(&rust_files(|path| path.starts_with(TRANSPORTS)), |line| {
        let line = line.replace("eprint", "");
        PRINTS.iter().any(|call| line.contains(call))
    });
    assert_none(&found, "write to the transport");
}

#[test]
fn only_the_stdio_transport_opens_standard_output() {
    let outside = rust_files(|path| is_library(path) && !path.contains("stdio"));
    let found = find(&outside, |line| line.contains("stdout()"));
    assert_none(&found, "standard output belongs to the stdio transport");
}

#[test]
fn names_of_the_protocol_are_constants() {
    let methods =
        read_to_string(root().join("runtime/core/src/protocol/method.rs")).expect("the names are there");
    let names = methods.lines().filter_map(|line| line.strip_prefix("pub const ")?.split('"').nth(1));
    // `ping` and `initialize` are words as well.
    let mut names: Vec<String> =
        names.filter(|name| name.contains('/')).map(|name| format!("\"{name}\"")).collect();
    assert!(names.len() > 30, "{names:?}");
    names.extend(["\"io.modelcontextprotocol/", "\"io.toolwright/"].map(str::to_owned));
    let sides = ["runtime/core/src/", "runtime/server/src/", "runtime/wire/src/"];
    let is_code = |path: &str| {
        sides.iter().any(|side| path.starts_with(side))
            && !path.starts_with("runtime/core/src/protocol/")
            && !path.contains("tests")
    };
    let mut files = rust_files(is_code);
    for file in &mut files {
        file.text.truncate(file.text.find("\nmod tests {").unwrap_or(file.text.len()));
    }
    let found = find(&files, |line| {
        !line.trim_start().starts_with("//") && names.iter().any(|name| line.contains(name.as_str()))
    });
    assert_none(&found, "take the constant of core::protocol");
}

#[test]
fn unsafe_code_is_in_one_file() {
    // The compiler denies unsafe code everywhere; this finds who lifts the ban.
    let found = find(&rust_files(|path| path != UNSAFE_FILE && !is_own(path)), |line| {
        line.contains("unsafe_code") && !line.contains("forbid(")
    });
    assert_none(&found, "unsafe code belongs into runtime/core/src/link.rs");
}

#[test]
fn lints_are_expected_and_not_allowed() {
    // A user's crate has lints of its own, and what an expectation does depends on them. So generated code is
    // left out, and so are the programs that represent users' code.
    let users = [
        "macros/src/expand",
        "tests/compile-fail/tests/pass/",
        "tests/compile-fail/tests/ui/",
        "tests/fixtures/",
    ];
    let ours = rust_files(|path| !is_own(path) && !users.iter().any(|users| path.starts_with(users)));
    let found = find(&ours, |line| line.contains("#[allow(") || line.contains("#![allow("));
    assert_none(&found, "write #[expect(lint, reason = \"…\")]");
}

#[test]
fn every_expectation_has_a_reason() {
    for file in rust_files(|path| !is_own(path)) {
        for (start, _) in file.text.match_indices("#[expect(") {
            let attribute = file.text[start..].split(")]").next().unwrap_or_default();
            assert!(attribute.contains("reason = "), "{}: `{attribute})]` needs a reason", file.path);
        }
    }
}

#[test]
fn files_are_short_enough_to_read() {
    let long: Vec<(String, usize)> = files(is_written_by_hand)
        .into_iter()
        .map(|file| (file.path, file.text.lines().count()))
        .filter(|(_, lines)| *lines > LINE_LIMIT)
        .collect();
    let is_excused = |path: &str| LONG_FILES.iter().any(|(excused, _)| *excused == path);
    let unexcused: Vec<_> = long.iter().filter(|(path, _)| !is_excused(path)).collect();
    assert!(unexcused.is_empty(), "split these, or give the reason in LONG_FILES: {unexcused:?}");
    for (excused, _) in LONG_FILES {
        assert!(
            long.iter().any(|(path, _)| path == excused),
            "{excused} is short now: take it off LONG_FILES"
        );
    }
}

fn is_library(path: &str) -> bool {
    path.starts_with("runtime/") && path.contains("/src/")
}

/// The rules name what they look for.
fn is_own(path: &str) -> bool {
    path.starts_with("tests/rules/")
}

fn is_written_by_hand(path: &str) -> bool {
    ["rs", "py", "cjs", "sh", "toml"].iter().any(|extension| has_extension(path, extension))
}

/// The lines of code for which `is_wrong` holds, as `path:line: text`.
fn find(files: &[SourceFile], is_wrong: impl Fn(&str) -> bool) -> Vec<String> {
    assert!(!files.is_empty(), "the rule looks at no file");
    let mut found = Vec::new();
    for file in files {
        let wrong = file.code_lines().filter(|(_, line)| is_wrong(line));
        found.extend(wrong.map(|(number, line)| format!("{}:{number}: {}", file.path, line.trim())));
    }
    found
}

fn assert_none(found: &[String], advice: &str) {
    assert!(found.is_empty(), "{advice}:\n{}", found.join("\n"));
}

#[test]
fn only_one_module_knows_the_formats_of_parts() {
    // One file reads them all, and one writes what providers take.
    let own = ["runtime/agent/src/parts/", "runtime/agent/src/model_api/tool_result.rs"];
    let elsewhere = rust_files(|path| is_library(path) && !own.iter().any(|own| path.starts_with(own)));
    let formats = ["\"dynamic-tool\"", "\"tool-invocation\"", "\"function_call_output\""];
    let found = find(&elsewhere, |line| formats.iter().any(|kind| line.contains(kind)));
    assert_none(&found, "formats of tool parts belong into runtime/agent/src/parts/formats.rs");
}
