//! Conversion to the formats of other clients.

use super::*;

const SHARED: &str = r#"{
  "inputs": [{"type": "promptString", "id": "api-key", "password": true}],
  "servers": {
    "files": {"command": "npx", "args": ["-y", "pkg", "${workspaceFolder}"], "env": {"KEY": "${env:MY_API_KEY}", "N": "1"}, "envFile": ".env"},
    "shop": {"type": "http", "url": "https://shop.example/mcp", "headers": {"X-Key": "${input:api-key}"}}
  }
}"#;

fn convert_to(path: &str, text: &str, dialect: Dialect) -> Conversion {
    convert(path, text, dialect).unwrap_or_else(|error| panic!("{error}"))
}

/// Formats the servers of a file, for comparisons.
fn servers(path: &str, text: &str) -> String {
    let reader = reader().check_only().keep_variables();
    format!("{:?}", reader.read_text(path, text).unwrap().require_valid().unwrap().servers())
}

#[test]
fn conversion_to_toml_and_back_is_lossless() {
    let toml = convert_to("mcp.json", SHARED, Dialect::Toml);
    assert_eq!(toml.losses, [""; 0]);
    let back = convert_to("mcp.toml", &toml.text, Dialect::VsCode);
    assert_eq!(back.losses, [""; 0], "{}", toml.text);
    assert_eq!(servers("mcp.json", &back.text), servers("mcp.json", SHARED), "{}", back.text);
    let again = convert_to("mcp.json", &back.text, Dialect::Toml);
    assert_eq!(again.text.replace("type = \"stdio\"\n", ""), toml.text);
}

#[test]
fn variables_are_translated_to_the_syntax_of_the_client() {
    for (dialect, has, losses) in [
        (Dialect::VsCode, vec!["${env:MY_API_KEY}", "${input:api-key}", "\"servers\""], vec![]),
        (
            Dialect::Claude,
            vec!["${MY_API_KEY}", "${MCP_INPUT_API_KEY}", "\"mcpServers\""],
            vec!["`MCP_INPUT_API_KEY`", "`env_file`", "workspaceFolder"],
        ),
        (
            Dialect::Cursor,
            vec!["${env:MY_API_KEY}", "${env:MCP_INPUT_API_KEY}", "\"mcpServers\""],
            vec!["`MCP_INPUT_API_KEY`"],
        ),
    ] {
        let converted = convert_to("mcp.json", SHARED, dialect);
        for part in has {
            assert!(converted.text.contains(part), "{dialect:?} lacks {part}: {}", converted.text);
        }
        assert_eq!(converted.losses.len(), losses.len(), "{:?}", converted.losses);
        for (loss, part) in converted.losses.iter().zip(losses) {
            assert!(converted.losses.iter().any(|loss| loss.contains(part)), "{part}: {loss}");
        }
    }
}

#[test]
fn losses_are_reported() {
    let text = r#"
[servers.a]
server = "pkg"
args = ["x"]
env = { A = "${A:-d}", B = "${A-d}" }
encoding = "latin-1"
request_timeout = 5

[servers.b]
url = "wss://b.example/"

[servers.c]
command = "c"
disabled = true

[servers.d] # with a comment
# of its own
url = "https://d.example/"
auth_token = "${runtime:shop}"
load_tools = true

[tokens.shop]
file = "token"
"#;
    let claude = convert_to("mcp.toml", text, Dialect::Claude);
    for part in [
        "\"a\": the default of `A` also replaces",
        "\"a\": Claude Code does not support `encoding`",
        "\"a\": Claude Code does not support `request_timeout`",
        "\"b\": Claude Code does not support WebSockets",
        "\"c\": Claude Code does not support disabled servers",
        "\"d\": Claude Code does not fetch the token `shop`",
        "Claude Code does not support `tokens`",
        "comments are not kept",
    ] {
        assert!(claude.losses.iter().any(|loss| loss.contains(part)), "{part}: {:#?}", claude.losses);
    }
    assert_eq!(claude.losses.len(), 8, "{:#?}", claude.losses);
    let file: serde_json::Value = serde_json::from_str(&claude.text).unwrap();
    let expected = serde_json::json!({"mcpServers": {
        "a": {"command": "npx", "args": ["-y", "pkg", "x"], "env": {"A": "${A:-d}", "B": "${A:-d}"}},
        "d": {"url": "https://d.example/", "headers": {"Authorization": "Bearer ${shop}"}},
    }});
    assert_eq!(file, expected);
    let code = convert_to("mcp.toml", text, Dialect::VsCode);
    assert!(code.text.contains("${input:shop}") && code.text.contains("\"id\": \"shop\""), "{}", code.text);
    let error = convert("a.json", r#"{"servers": {"a": {}}}"#, Dialect::Toml).unwrap_err().to_string();
    assert!(error.contains("neither a `command` nor a `url`"), "{error}");
}

#[test]
fn special_characters_survive_conversion_to_toml() {
    let value = "a\"b\\c\u{7f}\u{1}é\n\t'";
    let text =
        serde_json::json!({"servers": {"a": {"command": "x", "args": [value], "env": {"A.B": value}}}})
            .to_string();
    let toml = convert_to("a.json", &text, Dialect::Toml);
    assert_eq!(servers("a.toml", &toml.text), servers("a.json", &text), "{}", toml.text);
    assert_eq!(args(stdio(&read("a.toml", &toml.text), "a")), [value]);
}
