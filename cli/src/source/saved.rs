//! Definitions in a file: a manifest, or saved responses of a server.
//!
//! Results may be wrapped in JSON-RPC responses or not, with several pages and lists one after another or in an
//! array, including the response to `initialize` or `server/discover`, or one tool per line.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use toolwright_agent::value::ToolValue;
use toolwright_core::manifest::{Kind, ManifestError, VERSION};

use super::{DefinitionsError, ServerDefinitions};

/// Parses all values in `text`. A byte order mark is skipped.
pub(super) fn read(text: &str) -> Result<ServerDefinitions, DefinitionsError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reading = Reading::default();
    for document in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        reading.add(document?)?;
    }
    reading.finish()
}

#[derive(Default)]
struct Reading {
    definitions: ServerDefinitions,
    /// Whether anything was found, even only implementation info.
    is_known: bool,
    /// Whether a response is the same for all callers.
    is_introduced: bool,
    /// The lists whose last page has a cursor.
    open: BTreeSet<Kind>,
}

impl Reading {
    fn add(&mut self, document: Value) -> Result<(), DefinitionsError> {
        match document {
            Value::Array(documents) => documents.into_iter().try_for_each(|document| self.add(document)),
            Value::Object(members) => self.add_object(members),
            _ => Err(DefinitionsError::Unknown),
        }
    }

    fn add_object(&mut self, mut members: Map<String, Value>) -> Result<(), DefinitionsError> {
        if members.contains_key("manifestVersion") {
            return self.add_manifest(members);
        }
        if members.contains_key("jsonrpc") {
            return self.add_response(members);
        }
        if members.contains_key("tool_type") {
            return self.add_record(members);
        }
        if members.contains_key("inputSchema") {
            self.is_known = true;
            return self.definitions.extend(Kind::Tools, Value::Array(vec![Value::Object(members)]));
        }
        self.introduce(&members);
        let goes_on = members.get("nextCursor").is_some_and(|cursor| !cursor.is_null());
        for kind in Kind::ALL {
            let Some(entries) = members.remove(kind.member()) else { continue };
            self.is_known = true;
            self.definitions.extend(kind, entries)?;
            if goes_on {
                self.open.insert(kind);
            } else {
                self.open.remove(&kind);
            }
        }
        if self.is_known { Ok(()) } else { Err(DefinitionsError::Unknown) }
    }

    /// A record of a tool, as `--format jsonl` writes it.
    fn add_record(&mut self, members: Map<String, Value>) -> Result<(), DefinitionsError> {
        let value: ToolValue = serde_json::from_value(members.into())?;
        let definition = value.definition().ok_or(DefinitionsError::Unknown)?;
        self.is_known = true;
        let entry = toolwright_core::manifest::entry(&definition);
        self.definitions.extend(Kind::Tools, Value::Array(vec![Value::Object(entry)]))
    }

    /// A JSON-RPC response (JSON-RPC 2.0, 5). Notifications and requests are ignored.
    fn add_response(&mut self, mut members: Map<String, Value>) -> Result<(), DefinitionsError> {
        match (members.remove("result"), members.get("error")) {
            (Some(Value::Object(result)), _) => self.add_object(result),
            (None, Some(error)) => {
                let message = error.get("message").and_then(Value::as_str).unwrap_or("without a message");
                Err(DefinitionsError::Failed { message: format!("{message:?}") })
            }
            _ if members.contains_key("method") => Ok(()),
            _ => Err(DefinitionsError::Unknown),
        }
    }

    fn add_manifest(&mut self, mut members: Map<String, Value>) -> Result<(), DefinitionsError> {
        let version =
            members.get("manifestVersion").and_then(Value::as_u64).ok_or(DefinitionsError::Unknown)?;
        if version > u64::from(VERSION) {
            return Err(ManifestError::NewerVersion { found: version, known: VERSION }.into());
        }
        (self.is_known, self.is_introduced) = (true, true);
        if !members.contains_key("tools") {
            return Err(DefinitionsError::NoList(Kind::Tools));
        }
        if let Some(Value::Object(server)) = members.shift_remove("server") {
            self.definitions.server = server;
        }
        self.definitions.instructions = match members.shift_remove("instructions") {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        for kind in Kind::ALL {
            if let Some(entries) = members.shift_remove(kind.member()) {
                self.definitions.extend(kind, entries)?;
            }
        }
        members.shift_remove("manifestVersion");
        self.definitions.other = members;
        Ok(())
    }

    /// Adds a server's implementation info and instructions (2025-11-25, schema `InitializeResult`; 2026-07-28,
    /// schema `DiscoverResult`).
    fn introduce(&mut self, members: &Map<String, Value>) {
        let modern = || members.get("_meta")?.get("io.modelcontextprotocol/serverInfo");
        if let Some(Value::Object(server)) = members.get("serverInfo").or_else(modern) {
            self.definitions.server.clone_from(server);
        }
        if members.contains_key("protocolVersion") || members.contains_key("supportedVersions") {
            (self.is_known, self.is_introduced) = (true, true);
            self.definitions.instructions =
                members.get("instructions").and_then(Value::as_str).map(str::to_owned);
        }
    }

    fn finish(mut self) -> Result<ServerDefinitions, DefinitionsError> {
        self.definitions.is_list = !self.is_introduced;
        if let Some(kind) = self.open.first() {
            return Err(DefinitionsError::GoesOn(*kind));
        }
        if self.definitions.kinds.is_empty() { Err(DefinitionsError::Unknown) } else { Ok(self.definitions) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TOOL: &str = r#"{"name": "find", "inputSchema": {"type": "object"}, "execution": {"x": 1}}"#;

    fn names(definitions: &ServerDefinitions) -> Vec<String> {
        let lists = definitions.lists().into_iter().filter(|(kind, _)| definitions.kinds.contains(kind));
        lists.map(|(kind, list)| format!("{kind}: {:?}", list.keys().collect::<Vec<_>>())).collect()
    }

    #[test]
    fn every_form_that_is_saved_is_read() {
        let two_pages = format!(
            r#"{{"tools": [{TOOL}], "nextCursor": "x"}}
               {{"jsonrpc": "2.0", "id": 2, "result": {{"tools": [{{"name": "b", "inputSchema": {{}}}}]}}}}"#
        );
        for (text, expected) in [
            (
                format!(
                    r#"{{"manifestVersion": 1, "server": {{"name": "s", "version": "1"}}, "tools": [{TOOL}]}}"#
                ),
                vec![r#"tools: ["find"]"#],
            ),
            (format!(r#"{{"tools": [{TOOL}]}}"#), vec![r#"tools: ["find"]"#]),
            (
                format!(
                    r#"{{"jsonrpc": "2.0", "id": 1, "result": {{"tools": [{TOOL}], "nextCursor": null}}}}"#
                ),
                vec![r#"tools: ["find"]"#],
            ),
            (
                format!(
                    r#"[{{"jsonrpc": "2.0", "method": "notifications/x"}}, {{"jsonrpc": "2.0", "id": 1, "result": {{"tools": [{TOOL}]}}}}]"#
                ),
                vec![r#"tools: ["find"]"#],
            ),
            (format!("{TOOL}\n"), vec![r#"tools: ["find"]"#]),
            (format!("[{TOOL}]"), vec![r#"tools: ["find"]"#]),
            (two_pages, vec![r#"tools: ["b", "find"]"#]),
            (
                r#"{"prompts": []}{"resources": [{"uri": "a:b", "name": "b"}]}"#.to_owned(),
                vec!["prompts: []", r#"resources: ["a:b"]"#],
            ),
            (
                r#"{"resourceTemplates": [{"uriTemplate": "a:{b}", "name": "b"}]}"#.to_owned(),
                vec![r#"resource templates: ["a:{b}"]"#],
            ),
            ("\u{feff}{\"tools\": []}\r\n".to_owned(), vec!["tools: []"]),
        ] {
            let definitions = read(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(names(&definitions), expected, "{text}");
        }
    }

    #[test]
    fn unknown_members_are_preserved() {
        assert_eq!(read(TOOL).unwrap().tools["find"]["execution"], json!({"x": 1}));
    }

    #[test]
    fn server_info_is_read() {
        let list = format!(r#"{{"tools": [{TOOL}]}}"#);
        let legacy = r#"{"protocolVersion": "2025-11-25", "serverInfo": {"name": "a", "version": "2"}, "instructions": "Ask."}"#;
        let modern = r#"{"supportedVersions": [], "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "a", "version": "2"}}, "instructions": "Ask."}"#;
        for introduction in [legacy, modern] {
            let definitions = read(&format!("{introduction}{list}")).unwrap();
            assert_eq!(
                (&definitions.server["name"], definitions.instructions.as_deref()),
                (&json!("a"), Some("Ask."))
            );
        }
    }

    #[test]
    fn invalid_lists_are_rejected_with_the_reason() {
        for (text, part) in [
            ("", "manifestVersion"),
            ("{}", "manifestVersion"),
            ("[]", "manifestVersion"),
            ("7", "manifestVersion"),
            ("{", "not valid JSON"),
            (r#"{"manifestVersion": 1}"#, "`tools` is not a list"),
            (r#"{"manifestVersion": 9, "tools": []}"#, "version 9"),
            (r#"{"manifestVersion": "1", "tools": []}"#, "manifestVersion"),
            (r#"{"tools": {}}"#, "`tools` is not a list"),
            (r#"{"tools": [7]}"#, "`tools` is not a list"),
            (r#"{"prompts": [{"title": "x"}]}"#, "`prompts` is not a list of objects with a string `name`"),
            (r#"{"tools": [{"name": "a\u001b"}, {"name": "a\u001b"}]}"#, r"the name `a\u{1b}`"),
            (r#"{"tools": [], "nextCursor": "x"}"#, "`tools` continue on another page"),
            (
                r#"{"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "no\n::warning::x"}}"#,
                r#"the error response "no\n::warning::x""#,
            ),
            (r#"{"jsonrpc": "2.0", "id": 1, "result": 7}"#, "manifestVersion"),
            (r#"{"protocolVersion": "2025-11-25", "serverInfo": {}}"#, "manifestVersion"),
        ] {
            let error = read(text).expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
