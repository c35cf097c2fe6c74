//! Third-party strings in the output of every command, for terminals and the logs of CI jobs.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::common::{EXPORTS, Run, folder, run, scratch};

/// Escape sequences in both forms, characters that change the direction of text or are invisible, and lines that GitHub
/// Actions would interpret as commands.
const BAD: &str = "x\u{1b}[31m\u{9b}2J\u{7}\u{8}\u{202e}\u{2066}\u{200b}\u{2028}\u{85}\r\n::warning::y\n  ::error::z\n##[error]w\u{feff}";

/// Returns whether a text is harmful: it has hidden characters, or a line is a command.
#[track_caller]
fn check(run: &Run, what: &str) {
    for (name, text) in [("stdout", &run.stdout), ("stderr", &run.stderr)] {
        let hidden = text.chars().find(|one| {
            let is_layout = matches!(one, '\n' | '\t');
            !is_layout && (one.is_control() || "\u{200b}\u{202e}\u{2028}\u{2066}\u{feff}".contains(*one))
        });
        assert_eq!(hidden, None, "{what}: {name}: {text:?}");
        let command = text.lines().find(|line| line.trim_start().starts_with("::") || line.contains("##["));
        assert_eq!(command, None, "{what}: {name}: {text}");
    }
}

/// Returns a manifest in which every string is harmful.
fn bad_manifest(name: &str) -> Value {
    json!({
        "manifestVersion": 1,
        "server": {"name": format!("server {BAD}"), "version": BAD, "title": BAD},
        "instructions": BAD,
        "tools": [{
            "name": format!("{name}{BAD}"),
            "title": BAD,
            "description": BAD,
            "inputSchema": {
                "type": "object",
                "properties": {format!("p{BAD}"): {
                    "type": "string", "description": BAD, "default": BAD, "pattern": BAD, "enum": [BAD],
                    "format": BAD, "examples": [BAD], "x-mcp-header": BAD,
                }, "api_key": {"type": "string", "default": BAD}},
                "required": [format!("p{BAD}"), BAD],
                BAD: BAD,
            },
            "outputSchema": {"type": "object", "properties": {BAD: {"$ref": format!("#/$defs/{BAD}")}}},
            "icons": [{"src": BAD, "mimeType": BAD}],
            "_meta": {"io.toolwright/context": BAD, "io.toolwright/was": [BAD], BAD: BAD},
        }],
        "prompts": [{"name": format!("prompt {BAD}"), "description": BAD, "arguments": [{"name": BAD, "description": BAD}]}],
        "resources": [{"uri": format!("a:{BAD}"), "name": BAD, "mimeType": BAD}],
        "resourceTemplates": [{"uriTemplate": format!("b:{BAD}"), "name": BAD}],
    })
}

fn write(folder: &Path, name: &str, value: &Value) {
    fs::write(folder.join(name), value.to_string()).unwrap();
}

#[test]
fn third_party_manifests_are_displayed_safely() {
    let scratch = scratch();
    let here = scratch.path();
    write(here, "bad.json", &bad_manifest("tool"));
    write(here, "other.json", &bad_manifest("other"));
    let mut changed = bad_manifest("tool");
    changed["tools"][0]["description"] = format!("changed {BAD}").into();
    changed["tools"][0]["inputSchema"]["properties"][format!("p{BAD}")]["pattern"] = "^a$".into();
    changed["prompts"][0]["description"] = "new".into();
    write(here, "changed.json", &changed);
    // One with a valid name, so that later checks run as well.
    let mut named = bad_manifest("tool");
    named["tools"][0]["name"] = "find".into();
    named["server"]["name"] = "shop".into();
    write(here, "named.json", &named);

    for file in ["bad.json", "named.json"] {
        for form in EXPORTS.into_iter().chain(["mcp"]) {
            check(&run(here, &["manifest", file, "--format", form]), form);
            check(&run(here, &["manifest", file, "--format", form, "--deny-lossy"]), form);
            check(&run(here, &["manifest", file, "--format", form, "--check", "other.json"]), form);
        }
        for line in [
            "docs",
            "docs --simple",
            "lint --notes",
            "lint --notes --format json",
            "lint --notes --format sarif",
        ] {
            let words: Vec<&str> = line.split(' ').chain([file]).collect();
            check(&run(here, &words), line);
        }
        for form in ["text", "json", "sarif", "markdown"] {
            for other in ["changed.json", "other.json"] {
                check(&run(here, &["diff", file, other, "--format", form, "--deny", "documentation"]), form);
                check(&run(here, &["diff", other, file, "--format", form, "--deny", "documentation"]), form);
            }
        }
        let lock = format!("{file}.lock");
        check(&run(here, &["pin", file, "--lock", &lock]).ok(), "pin");
        check(&run(here, &["pin", "other.json", "--lock", &lock]).ended(1), "pin again");
        check(&run(here, &["pin", "other.json", "--lock", &lock, "--update=lost"]).ended(2), "pin one");
        check(&run(here, &["verify", "changed.json", "--lock", &lock]).ended(1), "verify");
        check(&run(here, &["manifest", file, "--server", "lost"]).ended(2), "--server");
        check(&run(here, &["manifest", file, "--context", "lost"]), "--context");
    }
}

/// The only format that consists of commands has no others.
#[test]
fn annotations_hold_no_commands_of_others() {
    let scratch = scratch();
    write(scratch.path(), "bad.json", &bad_manifest("tool"));
    let run = run(scratch.path(), &["lint", "bad.json", "--notes", "--format", "github"]);
    assert!(run.stdout.lines().count() > 3, "{}", run.stdout);
    for line in run.stdout.lines() {
        let is_own =
            ["::error title=", "::warning title=", "::notice title="].iter().any(|own| line.starts_with(own));
        assert!(is_own && !line.contains("##["), "{line}");
        assert!(!line.contains(['\u{1b}', '\u{202e}', '\u{200b}', '\u{9b}', '\r']), "{line:?}");
    }
}

#[test]
fn third_party_text_in_errors_is_displayed_safely() {
    // Outside of this repository, whose packages `diff` would build.
    let scratch = tempfile::tempdir().unwrap();
    let here = scratch.path();
    let twice = json!({"name": BAD, "inputSchema": {"type": "object"}});
    write(here, "twice.json", &json!({"tools": [twice, twice]}));
    write(here, "nameless.json", &json!({"tools": [{"title": BAD}]}));
    write(here, "no-object.json", &json!({"tools": [{"name": BAD, "inputSchema": true}]}));
    write(here, "no-tool.json", &json!({"tools": [{"name": BAD, "inputSchema": {}, "icons": BAD}]}));
    write(here, "failed.json", &json!({"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": BAD}}));
    write(here, "newer.json", &json!({"manifestVersion": 99, "tools": BAD}));
    fs::write(here.join("no.json"), format!("{{\"{BAD}")).unwrap();
    write(here, "good.json", &json!({"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}));
    for file in [
        "twice.json",
        "nameless.json",
        "no-object.json",
        "no-tool.json",
        "failed.json",
        "newer.json",
        "no.json",
        BAD,
        "a\u{1b}:b",
    ] {
        for command in ["manifest", "docs", "lint", "diff", "pin", "verify"] {
            fs::write(here.join("mcp.lock.json"), r#"{"lockVersion": 1}"#).unwrap();
            let run = run(here, &[command, file]);
            assert_ne!(run.code, 0, "{command} {file}: {}", run.stdout);
            check(&run, &format!("{command} {file}"));
        }
        check(&run(here, &["manifest", "good.json", "--check", file]), file);
    }

    // Locks, lists and settings.
    for text in [
        format!("{{\"{BAD}"),
        json!({"lockVersion": BAD}).to_string(),
        json!({"lockVersion": 1, "tools": {BAD: BAD}}).to_string(),
    ] {
        fs::write(here.join("bad.lock.json"), text).unwrap();
        check(&run(here, &["verify", "good.json", "--lock", "bad.lock.json"]).ended(6), "a lock");
    }
    check(&run(here, &["verify", "good.json", "--lock", BAD]).ended(6), "no lock");
    let toml: Vec<String> = BAD.chars().map(|one| format!("\\U{:08x}", u32::from(one))).collect();
    let toml = toml.concat();
    for text in [
        format!("[[allow]]\nid = \"{toml}\"\nreason = \"x\"\n"),
        format!("[lint]\n\"{toml}\" = {{ level = \"allow\", reason = \"x\" }}\n"),
        format!("\"{BAD}"),
    ] {
        fs::write(here.join("bad.toml"), text).unwrap();
        check(&run(here, &["diff", "good.json", "good.json", "--allow", "bad.toml"]), "an allow list");
        check(&run(here, &["lint", "good.json", "--config", "bad.toml"]), "settings");
    }
}

#[test]
fn command_line_arguments_are_displayed_safely() {
    // Outside of this repository, since some commands build the package.
    let scratch = tempfile::tempdir().unwrap();
    let here = scratch.path();
    fs::write(here.join("a file"), "").unwrap();
    for words in [
        vec![BAD],
        vec!["manifest", "--format", BAD],
        vec!["manifest", &format!("--{BAD}")],
        vec!["manifest", "--timeout", BAD],
        vec!["manifest", "--manifest-path", BAD],
        vec!["manifest", "--artifact", BAD],
        vec!["lint", "--for", BAD],
        vec!["lint", "--deny", BAD],
        vec!["lint", "--explain", BAD],
        vec!["lint", "--config", BAD, "x.json"],
        vec!["diff", "HEAD:x\u{1b}[31m\n::error::y", "b"],
        vec!["diff", "a.json", "b.json", "--allow", BAD],
        vec!["new", BAD],
        vec!["expand", BAD],
        vec!["man", "--out", &format!("a file/{BAD}")],
        vec!["completions", BAD],
        vec!["pin", "--", BAD],
        vec!["pin", "-v", "--", "false", BAD],
        vec!["pin", &format!("http://localhost/{BAD}")],
        vec!["pin", &format!("ftp://localhost/{BAD}")],
    ] {
        let run = run(here, &words);
        assert_ne!(run.code, 0, "{words:?}: {}", run.stdout);
        check(&run, &format!("{words:?}"));
    }
    let members = folder("members");
    for words in [
        vec!["manifest", "-p", BAD],
        vec!["manifest", "-p", "tools", "--server", BAD],
        vec!["manifest", "-p", "tools", "-F", BAD],
        vec!["docs", &format!("package:{BAD}")],
        vec!["expand", "-p", "tools", BAD],
    ] {
        let run = run(&members, &words);
        assert_ne!(run.code, 0, "{words:?}: {}", run.stdout);
        check(&run, &format!("{words:?}"));
    }
}

#[cfg(unix)]
#[test]
fn server_responses_are_displayed_safely() {
    let scratch = scratch();
    let here = scratch.path();
    let discovered = json!({"jsonrpc": "2.0", "id": 1, "result": {
        "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": BAD, "version": BAD}},
    }});
    let twice = json!({"name": BAD, "inputSchema": {}});
    for answer in [
        json!({"jsonrpc": "2.0", "id": 2, "error": {"code": 1, "message": BAD}}),
        json!({"jsonrpc": "2.0", "id": 2, "result": {"tools": [twice, twice]}}),
        json!({"jsonrpc": "2.0", "id": 2, "result": {"tools": BAD}}),
        json!({"jsonrpc": "2.0", "id": 2, "result": {BAD: BAD}}),
    ] {
        write(here, "first.json", &discovered);
        write(here, "second.json", &answer);
        let script = "read l; cat first.json; echo; read l; cat second.json; echo; read l";
        let run = run(here, &["pin", "--", "sh", "-c", script]).ended(4);
        check(&run, &answer.to_string());
    }
}
