//! What a person reads who starts a server in a terminal, where a client would start it.

use std::env;
use std::ffi::OsString;
use std::path::Path;

use serde_json::json;
use toolwright_core::protocol::Implementation;

use crate::log;

/// Says on standard error what the program waits for, and how to connect a client.
pub(super) fn explain(info: &Implementation, tools: usize) {
    let program = env::current_exe().unwrap_or_default();
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    for line in explanation(info, tools, &program, &arguments) {
        log::warn(format_args!("{line}"));
    }
}

fn explanation(info: &Implementation, tools: usize, program: &Path, arguments: &[OsString]) -> Vec<String> {
    let (name, version) = (&info.name, &info.version);
    let noun = if tools == 1 { "tool" } else { "tools" };
    let mut entry = json!({"command": program.to_string_lossy()});
    let mut shell = quoted(&program.to_string_lossy());
    if !arguments.is_empty() {
        let arguments: Vec<_> = arguments.iter().map(|argument| argument.to_string_lossy()).collect();
        for argument in &arguments {
            shell.push(' ');
            shell.push_str(&quoted(argument));
        }
        entry["args"] = json!(arguments);
    }
    vec![
        format!(
            "{name} {version} is an MCP server with {tools} {noun}; it waits for JSON-RPC messages on standard input, one per line"
        ),
        format!(
            "a client starts it by itself, with this in its configuration: {}",
            json!({"mcpServers": {name: entry}})
        ),
        format!("to try it in a terminal: cargo mcp list -- {shell}"),
        "to end it: Ctrl-D".to_owned(),
    ]
}

/// Quotes a word for a shell, if that is necessary.
fn quoted(word: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "/._-=:@%+,".contains(character);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use toolwright_core::protocol::Implementation;

    use super::explanation;

    fn lines(program: &str, arguments: &[&str]) -> String {
        let info = Implementation::new("desk", "1.2.3");
        let arguments: Vec<_> = arguments.iter().map(Into::into).collect();
        explanation(&info, 1, Path::new(program), &arguments).join("\n")
    }

    #[test]
    fn a_person_learns_how_to_connect_a_client() {
        let text = lines("/opt/desk", &["--db", "a b's"]);
        for part in [
            "desk 1.2.3 is an MCP server with 1 tool;",
            r#"{"mcpServers":{"desk":{"command":"/opt/desk","args":["--db","a b's"]}}}"#,
            r"cargo mcp list -- /opt/desk --db 'a b'\''s'",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(lines("/opt/desk", &[]).contains(r#"{"desk":{"command":"/opt/desk"}}"#));
    }
}
