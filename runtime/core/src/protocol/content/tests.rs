use serde_json::{Value, json};

use super::*;
use crate::protocol::Revision;
use crate::result::ToolResult;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n and so on";

/// One block of each type with everything set, and its JSON.
fn full_blocks() -> Vec<(ContentBlock, Value)> {
    let annotations = Annotations {
        audience: vec![Role::User, Role::Assistant],
        priority: Some(0.5),
        last_modified: Some("2025-01-12T15:00:58Z".to_owned()),
        ..Annotations::default()
    };
    let extras = json!({
        "annotations": {"audience": ["user", "assistant"], "priority": 0.5, "lastModified": "2025-01-12T15:00:58Z"},
        "_meta": {"com.example/n": 1},
    });
    let link = ResourceLink {
        title: Some("A file".to_owned()),
        description: Some("What it is.".to_owned()),
        mime_type: Some("text/plain".to_owned()),
        size: Some(12),
        ..ResourceLink::new("file:///a.txt", "a.txt")
    };
    let blocks = [
        (ContentBlock::text("hello"), json!({"type": "text", "text": "hello"})),
        (
            ContentBlock::image([1, 2, 3, 4], "image/png"),
            json!({"type": "image", "data": "AQIDBA==", "mimeType": "image/png"}),
        ),
        (
            ContentBlock::audio(*b"RIFF", "audio/wav"),
            json!({"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"}),
        ),
        (
            link.into(),
            json!({
                "type": "resource_link", "uri": "file:///a.txt", "name": "a.txt", "title": "A file",
                "description": "What it is.", "mimeType": "text/plain", "size": 12,
            }),
        ),
        (
            ContentBlock::text_resource("note://1", "text/plain", "the note"),
            json!({"type": "resource", "resource": {"uri": "note://1", "mimeType": "text/plain", "text": "the note"}}),
        ),
        (
            ContentBlock::blob_resource("blob://1", "application/zip", [0]),
            json!({"type": "resource", "resource": {"uri": "blob://1", "mimeType": "application/zip", "blob": "AA=="}}),
        ),
    ];
    blocks
        .into_iter()
        .map(|(block, mut json)| {
            let members = json.as_object_mut().expect("an object");
            members.extend(extras.as_object().expect("an object").clone());
            (block.with_annotations(annotations.clone()).with_meta("com.example/n", 1), json)
        })
        .collect()
}

#[test]
fn each_type_round_trips_in_the_form_of_the_protocol() {
    for (block, json) in full_blocks() {
        assert_eq!(serde_json::to_value(&block).unwrap(), json);
        assert_eq!(serde_json::from_value::<ContentBlock>(json.clone()).unwrap(), block);
        let text = serde_json::to_string(&block).unwrap();
        assert!(text.starts_with(r#"{"type":""#), "the type stands first: {text}");
        assert_eq!(serde_json::from_str::<ContentBlock>(&text).unwrap(), block);
        assert_eq!(block.annotations().unwrap().priority, Some(0.5));
        assert_eq!(block.meta().unwrap()["com.example/n"], 1);
    }
}

#[test]
fn unknown_content_is_preserved() {
    let cases = [
        json!({"type": "text", "text": "b", "extra": 1}),
        json!({"type": "text", "text": "b", "annotations": {"audience": ["robot"]}, "_meta": "wrong"}),
        json!({"type": "text", "text": "b", "annotations": {"priority": 1.0, "more": true}}),
        json!({"type": "image", "data": "AA==", "mimeType": "image/png", "width": 1}),
        json!({"type": "resource_link", "uri": "a:b", "name": "n", "size": -1, "icons": [{"src": "data:,"}]}),
        json!({"type": "resource", "resource": {"uri": "a:b", "text": "t", "more": 1, "_meta": {}}, "more": 2}),
        json!({"type": "video", "data": "AAAA", "mimeType": "video/mp4"}),
        json!({"text": "no type"}),
        json!({"type": 7}),
        json!({"type": "text", "text": 1}),
        json!({"type": "image", "data": "AA=="}),
        json!({"type": "resource_link", "uri": "a:b"}),
        json!({"type": "resource", "resource": {"uri": "a:b", "text": null}}),
        json!({"type": "resource", "resource": "a:b"}),
        json!({}),
        json!("not an object"),
        json!(null),
    ];
    for json in cases {
        let block: ContentBlock = serde_json::from_value(json.clone()).unwrap();
        assert_eq!(serde_json::to_value(&block).unwrap(), json);
    }
}

// As reported in kirodotdev/Kiro#7983.
#[test]
fn unknown_block_types() {
    let result: ToolResult = serde_json::from_value(json!({"content": [
        {"type": "text", "text": "a"},
        {"type": "video", "data": "AAAA", "mimeType": "video/mp4"},
        {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"},
        {"text": "no type"},
        {"type": "text", "text": "b", "annotations": null, "extra": 1},
    ]}))
    .unwrap();
    let lines: Vec<_> = result.content.iter().map(ContentBlock::to_text).collect();
    assert_eq!(
        lines,
        [
            "a",
            "[unknown content of type \"video\": 53 bytes of JSON]",
            "[audio: audio/wav, 4 bytes]",
            "[unknown content without a type: 18 bytes of JSON]",
            "b",
        ]
    );
    assert!(!result.is_error);
    assert!(matches!(&result.content[2], ContentBlock::Audio(media) if media.bytes().unwrap() == b"RIFF"));
}

// As reported in nota/gyazo-mcp-server#129, UKGovernmentBEIS/inspect_ai#3394, google-gemini/gemini-cli#27850, NVIDIA-NeMo/DataDesigner#689.
#[test]
fn own_images_are_standard_base64_without_a_prefix() {
    // These bytes use both characters in which the alphabets differ, and need padding.
    let ContentBlock::Image(media) = ContentBlock::image([0xfb, 0xef, 0xff, 0xfb], "image/png") else {
        panic!("an image")
    };
    assert_eq!(media.data, "++//+w==");
    assert_eq!(media.size(), 4);
}

// As reported in nota/gyazo-mcp-server#129, UKGovernmentBEIS/inspect_ai#3394, google-gemini/gemini-cli#27850, NVIDIA-NeMo/DataDesigner#689.
#[test]
fn pictures_of_others_are_repaired_or_replaced() {
    let good = ContentBlock::image(PNG, "image/png");
    let data = match &good {
        ContentBlock::Image(media) => media.data.clone(),
        _ => panic!("an image"),
    };
    let url_safe = data.replace('+', "-").replace('/', "_").replace('=', "");
    let broken_lines = format!("{}\r\n{}\n", &data[..10], &data[10..]);
    let repaired = [
        json!({"type": "image", "data": format!("data:image/png;base64,{data}"), "mimeType": "image/png"}),
        json!({"type": "image", "data": data, "mimeType": "image/jpeg"}),
        json!({"type": "image", "data": url_safe, "mimeType": "image/png"}),
        json!({"type": "image", "data": broken_lines, "mimeType": "image/png"}),
        json!({"type": "image", "data": data}),
        json!({"type": "image", "data": data, "mimeType": "IMAGE/PNG"}),
    ];
    for json in repaired {
        let block = ContentBlock::from(json.clone());
        assert_eq!(*block.repaired(), good, "{json}");
    }
    let replaced = [
        (
            json!({"type": "image", "data": "not base64!", "mimeType": "image/png"}),
            "[image omitted: the character '!' at byte 10 is not base64]",
        ),
        (json!({"type": "image", "data": "", "mimeType": "image/png"}), "[image omitted: the data is empty]"),
        (json!({"type": "audio", "data": "AAAA"}), "[audio omitted: the MIME type is unknown]"),
        (json!({"type": "image"}), "[image omitted: the data is empty]"),
    ];
    for (json, text) in replaced {
        assert_eq!(*ContentBlock::from(json).repaired(), ContentBlock::text(text));
    }
    // A format that is not detected keeps the type of its prefix or of the server.
    let svg = ContentBlock::from(json!({"type": "image", "data": "data:image/svg+xml;base64,PHN2Zy8+"}));
    assert_eq!(*svg.repaired(), ContentBlock::image("<svg/>", "image/svg+xml"));
    for (block, _) in full_blocks() {
        assert!(matches!(block.repaired(), Cow::Borrowed(_)), "nothing to repair: {block:?}");
    }
}

#[test]
fn blocks_that_an_older_revision_does_not_have_become_text() {
    let texts = |revision| -> Vec<String> {
        full_blocks()
            .iter()
            .filter_map(|(block, _)| block.for_revision(revision).as_text().map(str::to_owned))
            .collect()
    };
    let audio = "[audio: audio/wav, 4 bytes]";
    let link = "[resource: A file at file:///a.txt, text/plain, 12 bytes] What it is.";
    for revision in Revision::ALL {
        let expected = match revision {
            Revision::V2024_11_05 => vec!["hello", audio, link],
            Revision::V2025_03_26 => vec!["hello", link],
            _ => vec!["hello"],
        };
        assert_eq!(texts(revision), expected, "{revision}");
    }
    for (block, _) in full_blocks() {
        assert_eq!(block.for_revision(Revision::V2024_11_05).annotations(), block.annotations());
    }
}

#[test]
fn and_res_04_simple_results_are_text_as_well() {
    let cases = [
        (json!({"content": [], "structuredContent": 42}), "42"),
        (json!({"content": [], "structuredContent": 2.5}), "2.5"),
        (json!({"structuredContent": "plain"}), "plain"),
        (json!({"structuredContent": {"rows": [1, 2]}}), r#"{"rows":[1,2]}"#),
        (json!({"content": [{"type": "text", "text": "said"}], "structuredContent": 42}), "said"),
        (
            json!({"content": [{"type": "text", "text": "a"}, {"type": "x"}, {"type": "text", "text": "b"}]}),
            "a\n\nb",
        ),
        (json!({"content": []}), ""),
    ];
    for (json, text) in cases {
        // Through text, since structured content is stored as text.
        let result: ToolResult = serde_json::from_str(&json.to_string()).unwrap();
        assert_eq!(result.as_text(), text, "{json}");
    }
    assert_eq!(crate::result::IntoToolResult::into_tool_result(0.1_f64).as_text(), "0.1");
}
