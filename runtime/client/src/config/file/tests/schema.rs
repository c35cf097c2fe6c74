//! The JSON Schema and the reader accept the same files.

use serde_json::{Value, json};

use super::*;

fn check(config: &Value, is_valid: bool) {
    let validator = jsonschema::validator_for(&crate::config::schema()).unwrap();
    let found: Vec<_> = validator.iter_errors(config).map(|error| error.to_string()).collect();
    assert_eq!(found.is_empty(), is_valid, "{config}: {found:?}");
    let read = reader().check_only().read_text("agent.json", &config.to_string()).unwrap();
    let worst = read.problems().iter().map(|problem| problem.severity).max();
    assert_eq!(worst < Some(Severity::Warning), is_valid, "{config}: {}", report(&read));
}

/// Both accept the valid servers, and reject each with any of the changes.
#[test]
fn schema_and_reader_agree() {
    let valid = [
        json!({"command": "x"}),
        json!({"command": "x", "args": ["a"], "env": {"A": 1, "B": true, "C": null, "D": "${HOME}"}, "cwd": "~/x", "encoding": "latin-1"}),
        json!({"type": "stdio", "server": "@a/b", "launcher": "uvx", "resolveArgs": true, "config": {"a": [1]}}),
        json!({"url": "https://x.example/", "headers": {"X-A": "${HOME}"}, "sse_read_timeout": "5m", "terminateOnClose": false}),
        json!({"type": "http", "url": "https://x.example/", "authToken": "x", "requestTimeout": 2.5, "required": true}),
        json!({"type": "sse", "url": "https://x.example/", "oauth": {"client_id": "a"}, "load_tools": false}),
        json!({"transport": "websocket", "url": "wss://x.example/", "headers": {}, "description": "d", "maxConcurrency": 3}),
        json!({"url": "ws://127.0.0.1:1/", "disabled": false, "start_timeout": "500ms"}),
    ];
    let changes = [
        ("command", json!(3)),
        ("args", json!("a b")),
        ("args", json!([1])),
        ("env", json!([])),
        ("env", json!({"A": []})),
        ("config", json!("x")),
        ("headers", json!({"X": []})),
        ("headers", json!({"X Y": "z"})),
        ("requestTimeout", json!(0)),
        ("requestTimeout", json!("soon")),
        ("load_tools", json!("maybe")),
        ("maxConcurrency", json!(0)),
        ("type", json!("htp")),
        ("nonsense", json!(1)),
        ("description", json!(1)),
    ];
    for server in &valid {
        check(&json!({"mcpServers": {"a": server}}), true);
        for (name, value) in &changes {
            let mut other = server.clone();
            other[name] = value.clone();
            check(&json!({"servers": {"a": other}}), false);
        }
    }
    check(&json!({"servers": {}, "inputs": [{"id": "a", "type": "promptString"}]}), true);
    check(&json!({"servers": {}, "inputs": [{"type": "promptString"}]}), false);
    check(&json!({"servers": {}, "tokens": {"a": {"file": "x"}}}), true);
    check(&json!({"servers": {}, "tokens": {"a": {"file": "x", "command": "y"}}}), false);
    check(&json!({"servers": {"a__b": {"command": "x"}}}), false);
    check(&json!({"other": {}}), false);
    check(
        &json!({"name": "agent", "tools": [{"type": "mcp", "name": "a", "command": "x"}, {"type": "other"}]}),
        true,
    );
}

/// Each member, misspelt and with a value of another type.
#[test]
fn misspelt_and_mistyped_members_are_reported() {
    for rule in super::super::grammar::RULES {
        let (first, rest) = rule.name.split_at(1);
        let misspelt = format!("{first}{first}{rest}x");
        let text = json!({"servers": {"a": {"command": "x", misspelt.clone(): 1}}}).to_string();
        let config = read("a.json", &text);
        let expected = format!("unknown member `{misspelt}`");
        assert!(report(&config).contains(&expected), "{misspelt}: {}", report(&config));
        for spelling in rule.spellings() {
            let text = json!({"servers": {"a": {spelling.clone(): {"not": [1]}}}}).to_string();
            let config = read("a.json", &text);
            assert!(config.servers().is_empty(), "{spelling} accepts any value");
        }
    }
}

/// The reference has every member and alias.
#[test]
fn the_documentation_has_every_member() {
    let page = include_str!("../../../../../../docs/config.md");
    for rule in super::super::grammar::RULES {
        assert!(page.contains(&format!("| `{}`", rule.name)), "docs/config.md lacks `{}`", rule.name);
        for alias in rule.aliases {
            assert!(page.contains(&format!("`{alias}`")), "docs/config.md lacks `{alias}`");
        }
    }
}

/// The examples of the reference have no problems.
#[test]
fn the_examples_of_the_documentation_are_valid() {
    let page = include_str!("../../../../../../docs/config.md");
    let mut count = 0;
    for block in page.split("```").skip(1).step_by(2) {
        let Some((format, text)) = block.split_once('\n') else { continue };
        let name = match format {
            "json" | "jsonc" => "mcp.json",
            "toml" => "mcp.toml",
            "yaml" => "agent.yaml",
            _ => continue,
        };
        count += 1;
        let reader = reader().check_only();
        let config = reader.read_text(name, text).unwrap_or_else(|error| panic!("{error}"));
        let problems: Vec<_> =
            config.problems().iter().filter(|problem| problem.severity > Severity::Note).collect();
        assert!(problems.is_empty(), "{text}\n{}", report(&config));
        assert!(!config.servers().is_empty(), "{text}");
    }
    assert!(count >= 4, "the examples are not found");
}
