//! Tests of JSON lines of mixed kinds.

use std::io::{BufReader, Read};

use super::super::*;

const WORKFLOW: &str = r#"{"tool_type":"WORKFLOW","schema_version":"1.0","name":"report","description":"","parameter_schema":{},"message_output_port_index":-1}"#;
const MCP: &str = r#"{"tool_type":"MCP","schema_version":"1.0","name":"add","description":"","parameter_schema":{},"server_uri":"u","tool_name":"add"}"#;
const GRPC: &str = r#"{"tool_type":"GRPC",  "name":"stream"}"#;
const OLD: &str = r#"{"0":"plus","1":"","2":"{}","3":"u","4":"plus"}"#;

fn limited(text: &str, limits: ReadLimits) -> ToolCollection {
    ToolCollection::read("tools.jsonl", text.as_bytes(), None, limits).unwrap()
}

#[test]
fn nulls_are_skipped_and_the_order_is_kept() {
    let tools = ToolCollection::from_jsonl(&format!("\u{feff}{MCP}\r\nnull\n\n  {GRPC}\nnull\n{WORKFLOW}"));
    assert_eq!(tools.to_jsonl(), format!("{MCP}\n{GRPC}\n{WORKFLOW}\n"));
    assert_eq!((tools.nulls(), tools.problems().len()), (2, 0));
    let lines: Vec<usize> = tools.entries().iter().map(|entry| entry.place.line).collect();
    assert_eq!(lines, [1, 4, 6]);
}

#[test]
fn concatenated_collections_are_a_collection() {
    let mut first = limited(&format!("{MCP}\nnull\n"), ReadLimits::default());
    let second = limited(&format!("{GRPC}\n{MCP}\n"), ReadLimits::default());
    let whole = ToolCollection::from_jsonl(&(first.to_jsonl() + &second.to_jsonl()));
    first.append(second);
    assert_eq!(whole.to_jsonl(), first.to_jsonl());
    assert_eq!((first.entries().len(), first.nulls()), (3, 1));
}

#[test]
fn duplicate_names_are_reported() {
    let other = MCP.replace("\"u\"", "\"elsewhere\"");
    let tools = limited(&format!("{MCP}\n{WORKFLOW}\n{MCP}\n{other}\n"), ReadLimits::default());
    let duplicates = tools.duplicates();
    let told: Vec<String> = duplicates.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            r#"tools.jsonl:3: the tool "add" is already defined at tools.jsonl:1; the records are equal; remove one"#,
            r#"tools.jsonl:4: the tool "add" is already defined at tools.jsonl:1; rename one of them"#,
        ]
    );
    assert_eq!(tools.entries().len(), 4, "nothing is dropped");
}

#[test]
fn one_warning_covers_all_records_of_an_older_format() {
    let tools = limited(
        &format!("{MCP}\n{OLD}\n{OLD}\n{{\"name\":\"r\",\"output_ports\":[]}}\n"),
        ReadLimits::default(),
    );
    let told: Vec<String> = tools.deprecations().iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 2);
    assert!(
        told[0].starts_with("tools.jsonl:2: 2 records have the deprecated format mcp-only; "),
        "{told:?}"
    );
    assert!(
        told[1].starts_with("tools.jsonl:4: 1 record has the deprecated format workflow-only; "),
        "{told:?}"
    );
    assert!(ToolCollection::from_jsonl(&tools.to_jsonl()).deprecations().is_empty(), "rewritten");
}

#[test]
fn an_invalid_line_does_not_stop_reading() {
    let tools = limited(&format!("{MCP}\n{{\n7\n{WORKFLOW}\n"), ReadLimits::default());
    assert_eq!(tools.entries().len(), 2);
    let told: Vec<String> = tools.problems().iter().map(ToString::to_string).collect();
    assert!(told[0].starts_with("tools.jsonl:2: the record is not valid JSON"), "{told:?}");
    assert_eq!(told[1], "tools.jsonl:3: the record is not a JSON object");
    let tools =
        ToolCollection::read("x", &b"\xff\xfe\n{\"tool_type\":\"A\"}"[..], None, ReadLimits::default())
            .unwrap();
    assert_eq!((tools.problems().len(), tools.entries().len()), (1, 1));
}

#[test]
fn an_explicit_format_applies_to_all_lines() {
    let flat = ToolCodec::find(FLAT);
    let tools =
        ToolCollection::read("x", format!("null\n{MCP}\n").as_bytes(), flat, ReadLimits::default()).unwrap();
    assert!(tools.problems()[0].to_string().starts_with("x:2: the record has a field"), "{tools:?}");
}

#[test]
fn lines_records_and_bytes_are_limited() {
    let lines = format!("{GRPC}\n{}\n{GRPC}\n", "x".repeat(200));
    let line_bytes = GRPC.len() + 1;
    let tools = limited(&lines, ReadLimits { line_bytes, ..ReadLimits::default() });
    assert_eq!(tools.entries().len(), 2, "the lines after a long one are read");
    assert_eq!(
        tools.problems()[0].to_string(),
        format!("tools.jsonl:2: the line is longer than {line_bytes} bytes")
    );

    let lines = format!("{GRPC}\n").repeat(5);
    let tools = limited(&lines, ReadLimits { records: 3, ..ReadLimits::default() });
    assert_eq!((tools.entries().len(), tools.problems().len()), (3, 1));
    assert!(tools.problems()[0].to_string().starts_with("tools.jsonl:4: there are more than 3 records"));
    let tools = limited(&lines, ReadLimits { total_bytes: lines.len(), ..ReadLimits::default() });
    assert_eq!((tools.entries().len(), tools.problems().len()), (5, 0));
    let tools = limited(&lines, ReadLimits { total_bytes: lines.len() - 1, ..ReadLimits::default() });
    assert_eq!(tools.entries().len(), 4);
    assert!(tools.problems()[0].to_string().contains("more than"), "{tools:?}");

    let tools = limited(&"x\n".repeat(9), ReadLimits { problems: 4, ..ReadLimits::default() });
    assert_eq!((tools.problems().len(), tools.omitted_problems()), (4, 5));
}

/// An endless source is read up to the limits, with bounded memory.
#[test]
fn an_endless_source_is_read_up_to_the_limits() {
    for endless in [&b"x"[..], b"x\n", b"{\"tool_type\":\"A\"}\n", b"\n", b"null\n"] {
        let source = BufReader::new(Endless { text: endless, at: 0 });
        let limits = ReadLimits { line_bytes: 1000, total_bytes: 50_000, records: 1000, problems: 10 };
        let tools = ToolCollection::read("x", source, None, limits).unwrap();
        assert!(!tools.problems().is_empty(), "{endless:?}");
        assert!(tools.entries().len() <= 1000 && tools.problems().len() <= 10);
    }
}

struct Endless {
    text: &'static [u8],
    at: usize,
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        for byte in &mut *buffer {
            *byte = self.text[self.at];
            self.at = (self.at + 1) % self.text.len();
        }
        Ok(buffer.len())
    }
}
