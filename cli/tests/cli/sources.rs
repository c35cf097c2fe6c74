//! Sources of definitions, which all commands accept in the same form.

use std::fs;
use std::path::Path;

use crate::common::{Run, cargo, folder, manifest, run, scratch, target};

/// Runs a command with one source, which succeeds if the source can be read.
fn look(folder: &Path, command: &str, words: &[&str]) -> Run {
    let extra: &[&str] = match command {
        "pin" | "verify" => &["--lock", "any.lock.json", "--update"],
        "diff" => &["mcp.json"],
        _ => &[],
    };
    let extra = if command == "verify" { &extra[..2] } else { extra };
    run(folder, &[&[command], extra, words].concat())
}

const COMMANDS: [&str; 6] = ["manifest", "docs", "lint", "diff", "pin", "verify"];

#[test]
fn every_command_takes_every_form() {
    let library = folder("library");
    let scratch = scratch();
    let here = scratch.path();
    let text = manifest("library", "").ok().stdout;
    fs::write(here.join("mcp.json"), &text).unwrap();
    let tools = serde_json::from_str::<serde_json::Value>(&text).unwrap()["tools"].clone();
    let list = serde_json::json!({"tools": tools});
    fs::write(here.join("list.json"), list.to_string()).unwrap();
    let response = serde_json::json!({"jsonrpc": "2.0", "id": 7, "result": list});
    fs::write(here.join("response.json"), response.to_string()).unwrap();
    cargo("workflow", "build --bin workflow").ok();
    let server = target().join("debug/workflow");
    for command in COMMANDS {
        // `pin` runs before `verify`, and accepts everything.
        for file in ["mcp.json", "list.json", "response.json", "./mcp.json"] {
            let run = look(here, command, &[file]);
            assert_eq!(run.code, 0, "{command} {file}: {}", run.stderr);
        }
        let run = look(here, command, &["--", server.to_str().unwrap()]);
        assert!([0, 1, 100].contains(&run.code), "{command}: {}", run.stderr);
        if command == "diff" {
            fs::copy(here.join("mcp.json"), library.join("mcp.json")).unwrap();
        }
        for package in ["library", "package:library", "package"] {
            let run = look(&library, command, &[package]);
            assert!([0, 1, 100].contains(&run.code), "{command} {package}: {}", run.stderr);
        }
        for file in ["mcp.json", "any.lock.json"] {
            _ = fs::remove_file(library.join(file)).or_else(|error| match error.kind() {
                std::io::ErrorKind::NotFound => Ok(()),
                _ => Err(error),
            });
        }
        if command == "pin" {
            fs::copy(here.join("any.lock.json"), library.join("any.lock.json")).unwrap();
            look(here, "pin", &["mcp.json"]).ok();
        }
    }
}

#[test]
fn every_help_lists_the_same_forms() {
    let scratch = scratch();
    for command in COMMANDS {
        let page = run(scratch.path(), &[command, "--help"]).ok().stdout;
        for form in
            ["  FILE            a manifest", "  REV:PATH ", "  NAME ", "  https://… ", "  -- COMMAND … "]
        {
            assert!(page.contains(form), "{command}: no {form:?} in {page}");
        }
    }
}

#[test]
fn an_unknown_source_lists_the_forms() {
    let scratch = scratch();
    fs::create_dir(scratch.path().join("tools")).unwrap();
    fs::write(scratch.path().join("empty.json"), "{}").unwrap();
    for command in COMMANDS {
        for (word, code, says) in [
            ("ftp://localhost/mcp", 2, "unsupported scheme: use http"),
            ("nobody", 2, "`nobody` is neither a file nor a package"),
            ("tools", 2, "`tools` is neither a file nor a package"),
            ("missing.json", 6, "cannot read missing.json"),
            ("./tools", 6, "./tools is a folder"),
            ("empty.json", 6, "empty.json is not a manifest"),
        ] {
            let words = if command == "diff" { vec!["diff", word] } else { vec![command, word] };
            // The lock file must exist before a source is read.
            fs::write(scratch.path().join("mcp.lock.json"), r#"{"lockVersion": 1}"#).unwrap();
            let run = run(scratch.path(), &words).ended(code);
            run.says(&[says, "FILE  ", "REV:PATH  ", "NAME  ", "https://…", "-- COMMAND …"]);
        }
    }
}

#[test]
fn a_file_with_the_name_of_a_package_is_ambiguous() {
    let members = folder("members");
    let file = members.join("pair-file");
    fs::write(&file, "{}").unwrap();
    run(&members, &["docs", "pair-file"]).ended(6).says(&["pair-file is not a manifest"]);
    fs::remove_file(file).unwrap();
    run(&members, &["docs", "tools"]).ok();

    let library = folder("library");
    let file = library.join("library");
    fs::write(&file, "{}").unwrap();
    let ambiguous = run(&library, &["docs", "library"]);
    let (as_file, as_package) =
        (run(&library, &["docs", "./library"]), run(&library, &["docs", "package:library"]));
    fs::remove_file(file).unwrap();
    ambiguous
        .ended(2)
        .says(&["a file here and a package of the workspace: write ./library or package:library"]);
    as_file.ended(6);
    as_package.ok();
}

#[test]
fn flags_of_packages_need_a_package() {
    let scratch = scratch();
    fs::write(scratch.path().join("mcp.json"), manifest("library", "").ok().stdout).unwrap();
    for flag in ["--release", "--workspace", "--all-features", "--artifact=x", "--package=x"] {
        for command in ["manifest", "docs", "lint"] {
            run(scratch.path(), &[command, "mcp.json", flag])
                .ended(2)
                .says(&["cannot be used with mcp.json"]);
        }
    }
}

#[test]
fn a_byte_order_mark_and_utf_16_are_accepted() {
    let scratch = scratch();
    let here = scratch.path();
    let text = manifest("library", "").ok().stdout;
    let little = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let big = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
    fs::write(here.join("plain.json"), &text).unwrap();
    for bytes in [format!("\u{feff}{text}").into_bytes(), little, big] {
        let file = here.join("mcp.json");
        fs::write(&file, bytes).unwrap();
        manifest("library", &format!("--check {}", file.display())).ok();
        assert_eq!(run(here, &["diff", "plain.json", "mcp.json"]).ok().stdout, "no changes\n");
        run(here, &["pin", "plain.json", "--update"]).ok();
        let lock = fs::read_to_string(here.join("mcp.lock.json")).unwrap();
        let lock = format!("\u{feff}{}", lock.trim_start_matches('\u{feff}'));
        fs::write(here.join("mcp.lock.json"), lock).unwrap();
        run(here, &["verify", "mcp.json"]).ok();
        run(here, &["lint", "mcp.json"]).ok();
    }
    let jsonl = manifest("library", "--format jsonl").ok().stdout;
    fs::write(here.join("tools.jsonl"), format!("\u{feff}{jsonl}")).unwrap();
    manifest("library", &format!("--format jsonl --check {}", here.join("tools.jsonl").display())).ok();
    let openai = manifest("library", "--format openai").ok().stdout;
    fs::write(here.join("openai.json"), format!("\u{feff}{}", openai.replace("  ", " "))).unwrap();
    manifest("library", &format!("--format openai --check {}", here.join("openai.json").display())).ok();
}

/// The instructions of the server are unknown for a saved list.
#[test]
fn instructions_that_are_not_known_are_not_compared() {
    let scratch = scratch();
    let here = scratch.path();
    let list = r#"{"tools": [{"name": "t", "inputSchema": {"type": "object"}}]}"#;
    let introduced = |instructions: &str| {
        format!(
            r#"{{"protocolVersion": "2025-11-25", "serverInfo": {{"name": "s", "version": "1"}}{instructions}}}{list}"#
        )
    };
    fs::write(here.join("list.json"), list).unwrap();
    fs::write(here.join("asks.json"), introduced(r#", "instructions": "Ask first.""#)).unwrap();
    fs::write(here.join("none.json"), introduced("")).unwrap();
    run(here, &["pin", "list.json"]).ok();
    run(here, &["verify", "asks.json"]).ok();
    run(here, &["pin", "asks.json", "--update"]).ok();
    run(here, &["verify", "list.json"]).ok();
    assert_eq!(run(here, &["verify", "none.json"]).ended(1).stdout, "~ server: instructions\n");
    run(here, &["pin", "list.json", "--update"]).ok();
    assert_eq!(
        run(here, &["verify", "none.json"]).ended(1).stdout,
        "~ server: instructions\n",
        "they are kept"
    );
    run(here, &["pin", "none.json", "--update"]).ok();
    assert_eq!(run(here, &["verify", "asks.json"]).ended(1).stdout, "~ server: instructions\n");
}

#[test]
fn insignificant_order_is_ignored() {
    let scratch = scratch();
    let here = scratch.path();
    let tool = |schema: &str| {
        format!(
            r#"{{"manifestVersion": 1, "server": {{"name": "s", "version": "1"}},
                "tools": [{{"name": "t", "inputSchema": {schema}}}]}}"#
        )
    };
    let old = tool(
        r#"{"type": "object", "required": ["a", "b"], "properties": {
            "a": {"enum": ["x", 1, null]}, "b": {"type": ["string", "null"], "minLength": 2},
            "c": {"anyOf": [{"type": "null"}, {"type": "integer", "minimum": 1}]}},
            "dependentRequired": {"a": ["b", "c"]}}"#,
    );
    let new = tool(
        r#"{"type": "object", "required": ["b", "a"], "properties": {
            "a": {"enum": [null, 1.0, "x"]}, "b": {"type": ["null", "string"], "minLength": 2.0},
            "c": {"anyOf": [{"minimum": 1.0, "type": ["integer"]}, {"type": "null"}]}},
            "dependentRequired": {"a": ["c", "b"]}}"#,
    );
    fs::write(here.join("old.json"), old).unwrap();
    fs::write(here.join("new.json"), &new).unwrap();
    run(here, &["pin", "old.json"]).ok();
    run(here, &["verify", "new.json"]).ok();
    run(here, &["manifest", "new.json", "--check", "old.json"]).ok();
    run(here, &["manifest", "new.json", "--check", "old.json", "--format", "jsonl"]).ended(6);
    for form in ["anthropic", "jsonl"] {
        run(here, &["manifest", "old.json", "--format", form, "--out", "form"]).ok();
        run(here, &["manifest", "new.json", "--format", form, "--check", "form"]).ok();
    }
    fs::write(here.join("new.json"), new.replace(r#"["b", "a"]"#, r#"["b"]"#)).unwrap();
    assert_eq!(run(here, &["verify", "new.json"]).ended(1).stdout, "~ tool t: inputSchema\n");
    run(here, &["manifest", "new.json", "--check", "old.json"]).ended(1);
}
