//! Any text as records of tools: reading never panics, what is written is read again, a form says what it does not hold, and every
//! tool of an agent has a name of its own that providers take.

#![no_main]

use std::collections::HashSet;

use libfuzzer_sys::fuzz_target;
use toolwright_agent::model_api::{Losses, ModelApi};
use toolwright_agent::toolbox::Toolbox;
use toolwright_agent::value::{ReadLimits, ToolCodec, ToolCollection, ToolValue, stdio_command, stdio_uri};

/// The value as the flat form tells it from others: without ports is the same as with none, and so is an empty schema.
fn told_apart(mut value: ToolValue) -> ToolValue {
    match &mut value {
        ToolValue::Workflow(tool) => {
            tool.input_ports.get_or_insert_default();
            tool.output_ports.get_or_insert_default();
        }
        ToolValue::Mcp(tool) => {
            tool.input_schema = tool.input_schema.take().filter(|schema| !schema.is_empty())
        }
        ToolValue::Command(_) | ToolValue::Http(_) | ToolValue::Other(_) => {}
    }
    value
}

fuzz_target!(|input: &[u8]| {
    let tools =
        ToolCollection::read("input", input, None, ReadLimits::default()).expect("memory can be read");
    for value in tools.values() {
        let written = value.to_json();
        assert_eq!(ToolValue::from_json(&written).expect("a record is read"), *value, "{written}");
        for codec in ToolCodec::all().iter().filter(|codec| codec.writes()) {
            let Ok(record) = codec.encode(value) else { continue };
            let again = codec.decode(&record.text).expect("what is written is read");
            let is_same = told_apart(again) == told_apart(value.clone());
            assert!(!record.lost.is_empty() || is_same, "{} loses something: {written}", codec.name());
        }
    }
    let again = ToolCollection::from_jsonl(&tools.to_jsonl());
    assert!(again.problems().is_empty() && again.values().eq(tools.values()), "{:?}", again.problems());

    let toolbox = Toolbox::builder(tools.values().cloned()).build();
    let mut names = HashSet::new();
    for tool in toolbox.tools() {
        let is_allowed =
            |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
        assert!(
            matches!(tool.name().len(), 1..=64) && tool.name().chars().all(is_allowed),
            "{:?}",
            tool.name()
        );
        assert!(names.insert(tool.name()), "two tools are called {}", tool.name());
    }
    for api in [ModelApi::OpenAi, ModelApi::OpenAiStrict, ModelApi::Anthropic, ModelApi::Gemini] {
        toolbox.for_model_api(api, &mut Losses::default());
    }

    if let Some(Ok(words)) = std::str::from_utf8(input).ok().and_then(stdio_command) {
        let uri = stdio_uri(words.iter().map(String::as_str));
        assert_eq!(stdio_command(&uri), Some(Ok(words)), "{uri}");
    }
});
