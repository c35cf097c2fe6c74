//! Tests of messages, conversations, and custom formats.

use serde_json::{Map, Value, json};

use super::super::*;

#[test]
fn results_find_their_calls_in_any_order() {
    let call =
        |id: &str| json!({ "type": "tool-call", "toolCallId": id, "toolName": id, "input": { "id": id } });
    let result = |id: &str, output: u8| json!({ "type": "tool-result", "toolCallId": id, "toolName": id, "output": output });
    let read = |parts: Value| {
        let parts = all(&json!({ "parts": parts }));
        parts
            .into_iter()
            .map(|part| (part.call_id.unwrap(), part.result, part.is_result_only))
            .collect::<Vec<_>>()
    };
    let text = |id: &str, output: Option<u8>, alone: bool| {
        (id.to_owned(), output.map(|output| json!(output)), alone)
    };
    assert_eq!(
        read(json!([call("a"), call("b"), result("b", 2), result("a", 1)])),
        [text("a", Some(1), false), text("b", Some(2), false)]
    );
    assert_eq!(
        read(json!([result("a", 1), call("a")])),
        [text("a", Some(1), false)],
        "a result before its call"
    );
    assert_eq!(read(json!([call("a"), result("b", 2)])), [text("a", None, false), text("b", Some(2), true)]);
    assert_eq!(
        read(json!([call("a"), result("a", 1), result("a", 2)])),
        [text("a", Some(1), false), text("a", Some(2), true)],
        "a second result is kept"
    );
    assert_eq!(
        read(json!([call("a"), result("a", 1), call("a"), result("a", 2)])),
        [text("a", Some(1), false), text("a", Some(2), false)],
        "an id may be used again"
    );
    let mut early = result("a", 1);
    early["preliminary"] = json!(true);
    assert_eq!(read(json!([call("a"), early, result("a", 2)])), [text("a", Some(2), false)]);
}

#[test]
fn conflicting_members_of_a_result_are_kept() {
    let parts = all(&json!([
        { "type": "tool-call", "toolCallId": "a", "toolName": "x", "input": { "n": 1 } },
        { "type": "tool-result", "toolCallId": "a", "toolName": "y", "input": { "n": 2 }, "output": 3, "cached": true },
    ]));
    assert_eq!((parts.len(), parts[0].tool_name.as_deref()), (1, Some("x")));
    assert_eq!(parts[0].extra["tool-result"], json!({ "cached": true, "toolName": "y", "args": { "n": 2 } }));
}

#[test]
fn messages_without_parts_have_none() {
    for message in [
        json!({}),
        json!(null),
        json!("text"),
        json!({ "content": "text" }),
        json!({ "parts": {} }),
        json!([]),
    ] {
        assert_eq!((all(&message).len(), last_index(&message)), (0, None), "{message}");
    }
    let message = json!({ "parts": [
        { "type": "tool-a" }, { "type": "text" }, { "type": "dynamic-tool", "toolName": "b" }, { "type": "text" },
    ] });
    assert_eq!((all(&message).len(), last_index(&message)), (2, Some(2)));
}

#[test]
fn custom_formats_take_precedence() {
    struct Shout;
    impl PartFormat for Shout {
        fn read(&self, part: &Map<String, Value>) -> Option<ToolPart> {
            let name = part.get("type")?.as_str()?.strip_prefix("tool-")?;
            let mut read = ToolPart::new(
                "shout",
                Some(name.to_uppercase()),
                json!({}),
                State::Other("heard".to_owned()),
            );
            read.transport = Transport::Other("air".to_owned());
            Some(read)
        }
    }
    let formats = Formats::standard().clone().with(Shout);
    let read = formats.read(&json!({ "type": "tool-hey" })).unwrap();
    assert_eq!((read.tool_name.as_deref(), read.transport.as_str()), (Some("HEY"), "air"));
    let written = serde_json::to_value(&read).unwrap();
    assert_eq!(serde_json::from_value::<ToolPart>(written.clone()).unwrap(), read);
    assert_eq!(normalize(&written), Some(read), "a custom state and transport round-trip");
    let mut transcript = Transcript::with_formats(formats);
    transcript.push(&json!({ "parts": [{ "type": "tool-hey" }] }));
    assert_eq!(transcript.parts()[0].tool_name.as_deref(), Some("HEY"));
}
