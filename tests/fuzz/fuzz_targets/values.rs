//! Any text as records of tools: reading never panics, what is written is read again, a form says what it does not hold, and every
//! tool of an agent has a name of its own that providers take.

#![no_main]

use std::collections::HashSet;

use libfuzzer_sys::fuzz_target;
use toolwright_agent::provider::{Losses, Provider};
use toolwright_agent::toolbox::Toolbox;
use toolwright_agent::value::{
    ReadLimits, ToolCodec, ToolCollection, ToolValue, stdio_command, stdio_uri,
};

fuzz_target!(|input: &[u8]| {
    let tools = ToolCollection::read("input", input, None, ReadLimits::default()).expect("memory can be read");
    for value in tools.values() {
        let written = value.to_json();
        assert_eq!(ToolValue::from_json(&written).expect("a record is read"), *value, "{written}");
        for codec in ToolCodec::all().iter().filter(|codec| codec.writes()) {
            let Ok(record) = codec.encode(value) else { continue };
            let again = codec.decode(&record.text).expect("what is written is read");
            assert!(!record.lost.is_empty() || again == *value, "{} loses something: {written}", codec.name());
        }
    }
    let again = ToolCollection::from_jsonl(&tools.to_jsonl());
    assert!(again.problems().is_empty() && again.values().eq(tools.values()), "{:?}", again.problems());

    let toolbox = Toolbox::builder(tools.values().cloned()).build();
    let mut names = HashSet::new();
    for tool in toolbox.tools() {
        let is_allowed = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
        assert!(matches!(tool.name().len(), 1..=64) && tool.name().chars().all(is_allowed), "{:?}", tool.name());
        assert!(names.insert(tool.name()), "two tools are called {}", tool.name());
    }
    for provider in [Provider::OpenAi, Provider::OpenAiStrict, Provider::Anthropic, Provider::Gemini] {
        toolbox.for_provider(provider, &mut Losses::default());
    }

    if let Some(Ok(words)) = std::str::from_utf8(input).ok().and_then(stdio_command) {
        let uri = stdio_uri(words.iter().map(String::as_str));
        assert_eq!(stdio_command(&uri), Some(Ok(words)), "{uri}");
    }
});
