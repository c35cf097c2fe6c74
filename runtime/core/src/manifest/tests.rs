use serde_json::{Value, json};

use super::*;

fn manifest(tools: Value) -> Manifest {
    let mut document = json!({"manifestVersion": 1, "server": {"name": "shop", "version": "1.2.3"}});
    document["tools"] = tools;
    Manifest::from_json(&document.to_string()).unwrap()
}

fn tool(name: &str, properties: Value) -> Value {
    let mut schema = json!({"type": "object", "additionalProperties": false});
    schema["properties"] = properties;
    json!({"name": name, "description": "Does it.", "inputSchema": schema})
}

/// Returns the changes between two versions of the tool `t`, one per line.
#[track_caller]
fn check_diff(old: Value, new: Value, expected: &[&str]) {
    let lines: Vec<_> = diff(&manifest(old), &manifest(new)).iter().map(ToString::to_string).collect();
    assert_eq!(lines, expected);
}

#[test]
fn tools_are_sorted_by_name_in_byte_order() {
    let manifest = manifest(json!([tool("b", json!({})), tool("_a", json!({})), tool("B", json!({}))]));
    let names: Vec<_> = manifest.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["B", "_a", "b"]);
}

// As reported in maximhq/bifrost#7170.
#[test]
fn the_text_survives_a_round_trip_unchanged() {
    let text = manifest(json!([{
        "name": "t",
        "title": "T",
        "icons": [{"src": "data:,", "sizes": ["any"]}],
        "inputSchema": {"type": "object", "properties": {"z": {}, "a": {}}},
        "outputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": true},
        "_meta": {"k": 1},
        "execution": {"taskSupport": "optional"},
    }]))
    .to_json();
    assert_eq!(Manifest::from_json(&text).unwrap().to_json(), text);
    assert!(text.starts_with("{\n  \"manifestVersion\": 1,\n  \"server\": {\n"), "{text}");
    assert!(text.ends_with("}\n") && !text.ends_with("\n\n"), "{text}");
    assert!(text.contains("taskSupport"), "unknown members are kept: {text}");
}

#[test]
fn a_newer_version_is_rejected_with_both_versions() {
    let error = Manifest::from_json(r#"{"manifestVersion": 7, "resources": []}"#).unwrap_err().to_string();
    assert!(error.contains("version 7") && error.contains("up to 1"), "{error}");
}

#[test]
fn an_invalid_manifest_is_rejected_with_the_missing_member() {
    for (text, part) in [
        ("", "EOF"),
        ("[]", "invalid type"),
        (r#"{"tools": []}"#, "manifestVersion"),
        (r#"{"manifestVersion": 1, "tools": []}"#, "server"),
        (
            r#"{"manifestVersion": 1, "server": {"name": "a", "version": "1"}, "tools": [{"name": "t"}]}"#,
            "inputSchema",
        ),
    ] {
        let error = Manifest::from_json(text).unwrap_err().to_string();
        assert!(error.starts_with("not a manifest: ") && error.contains(part), "{text}: {error}");
    }
}

#[test]
fn two_tools_with_the_same_name_are_rejected() {
    let server = Server::new("a", "1");
    let twice = manifest(json!([tool("t", json!({}))])).tools;
    let twice = [twice.clone(), twice].concat();
    let error = Manifest::new(server, None, twice).unwrap_err();
    assert!(matches!(error, ManifestError::DuplicateTool(name) if name == "t"));
}

#[test]
fn a_tool_whose_input_is_not_an_object_is_rejected() {
    let server = Server::new("a", "1");
    let mut tools = manifest(json!([tool("t", json!({}))])).tools;
    for schema in [json!(null), json!(true), json!({}), json!({"type": "array"})] {
        tools[0].input_schema = schema;
        let error = Manifest::new(server.clone(), None, tools.clone()).unwrap_err();
        assert!(matches!(error, ManifestError::InputIsNoObject(name) if name == "t"));
    }
}

#[test]
fn the_schema_takes_manifests_and_refuses_others() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    assert!(jsonschema::meta::is_valid(&schema));
    let validator = jsonschema::validator_for(&schema).unwrap();

    let good: Value = serde_json::from_str(&manifest(json!([tool("t", json!({}))])).to_json()).unwrap();
    assert!(validator.is_valid(&good));
    for (pointer, value) in [
        ("/manifestVersion", json!(2)),
        ("/server/name", json!("")),
        ("/tools/0/name", json!("no spaces")),
        ("/tools/0/inputSchema/type", json!("array")),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap() = value;
        assert!(!validator.is_valid(&bad), "{pointer}");
    }
}

#[test]
fn member_order_makes_no_difference_between_manifests() {
    check_diff(
        json!([tool("t", json!({"a": {"type": "string", "title": "A"}, "b": {}}))]),
        json!([tool("t", json!({"b": {}, "a": {"title": "A", "type": "string"}}))]),
        &[],
    );
}

#[test]
fn whole_tools_come_and_go_by_name() {
    check_diff(
        json!([tool("b", json!({})), tool("a", json!({}))]),
        json!([tool("c", json!({})), tool("b", json!({}))]),
        &["- a", "+ c"],
    );
}

#[test]
fn properties_are_named_by_their_pointer() {
    check_diff(
        json!([tool("t", json!({"a/b": {"minimum": 1}, "gone": {"type": "string"}}))]),
        json!([tool("t", json!({"a/b": {"minimum": 2, "maximum": 9}}))]),
        &[
            "~ t /inputSchema/properties/a~1b/minimum: 1 -> 2",
            "+ t /inputSchema/properties/a~1b/maximum: 9",
            r#"- t /inputSchema/properties/gone: {"type":"string"}"#,
        ],
    );
}

#[test]
fn lists_of_plain_values_differ_by_value_and_others_by_place() {
    check_diff(
        json!([tool(
            "t",
            json!({"e": {"enum": ["a", "b", 1]}, "o": {"enum": [1, 2]}, "x": {"anyOf": [{"type": "null"}]}})
        )]),
        json!([tool(
            "t",
            json!({"e": {"enum": ["1", "b", 1]}, "o": {"enum": [2, 1]}, "x": {"anyOf": [{"type": "string"}, {}]}})
        )]),
        &[
            r#"- t /inputSchema/properties/e/enum: "a""#,
            r#"+ t /inputSchema/properties/e/enum: "1""#,
            r#"~ t /inputSchema/properties/x/anyOf/0/type: "null" -> "string""#,
            "+ t /inputSchema/properties/x/anyOf/1: {}",
        ],
    );
}

#[test]
fn equivalent_definitions_do_not_differ() {
    let schema = |required: Value, values: Value, types: Value, least: Value| {
        let mut tool =
            tool("t", json!({"e": {"enum": values}, "n": {"type": types, "minimum": least}, "x": {}}));
        tool["inputSchema"]["required"] = required;
        json!([tool])
    };
    check_diff(
        schema(json!(["e", "n"]), json!(["a", 1, null]), json!(["integer", "null"]), json!(1)),
        schema(json!(["n", "e"]), json!([null, 1.0, "a"]), json!(["null", "integer"]), json!(1.0)),
        &[],
    );
    check_diff(
        schema(json!(["e", "n"]), json!(["a", 1]), json!("integer"), json!(1)),
        schema(json!(["n", "x"]), json!([1.0, "b"]), json!(["integer"]), json!(2.0)),
        &[
            r#"- t /inputSchema/properties/e/enum: "a""#,
            r#"+ t /inputSchema/properties/e/enum: "b""#,
            "~ t /inputSchema/properties/n/minimum: 1 -> 2.0",
            r#"- t /inputSchema/required: "e""#,
            r#"+ t /inputSchema/required: "x""#,
        ],
    );
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let given = manifest(json!([tool("t", json!({}))]));
    assert_eq!(Manifest::from_json(&format!("\u{feff}{}", given.to_json())).unwrap(), given);
}

#[test]
fn other_lists_are_optional_and_compared_by_name() {
    let none = manifest(json!([]));
    assert_eq!(none.kinds(), [Kind::Tools]);
    let prompts = |entries: Value| {
        let entries: Vec<Entry> = serde_json::from_value(entries).unwrap();
        none.clone().with(Kind::Prompts, entries).unwrap()
    };
    let empty = prompts(json!([]));
    assert_eq!(empty.kinds(), [Kind::Tools, Kind::Prompts]);
    assert!(empty.to_json().contains("\"prompts\": []"), "{}", empty.to_json());
    let some = prompts(json!([{"name": "b", "description": "Bee."}, {"name": "a"}]));
    assert_eq!(Manifest::from_json(&some.to_json()).unwrap(), some);

    let lines = |old, new| diff(old, new).iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(lines(&none, &empty), ["+ /prompts: []"]);
    assert_eq!(lines(&empty, &none), ["- /prompts: []"]);
    assert_eq!(lines(&none, &some), ["+ prompt a", "+ prompt b"]);
    let changed = prompts(json!([{"name": "b", "description": "Wasp."}]));
    assert_eq!(lines(&some, &changed), ["- prompt a", r#"~ prompt b /description: "Bee." -> "Wasp.""#]);

    let twice =
        none.clone().with(Kind::Resources, [entry(&json!({"uri": "a:b"})), entry(&json!({"uri": "a:b"}))]);
    assert!(twice.unwrap_err().to_string().contains("two resources are named `a:b`"));
    let nameless = none.with(Kind::ResourceTemplates, [entry(&json!({"uri": "a:b"}))]).unwrap_err();
    assert!(nameless.to_string().contains("`resourceTemplates` has no string `uriTemplate`"), "{nameless}");
}

#[test]
fn hidden_characters_are_written_out_in_the_document() {
    let mut changed = tool("t", json!({}));
    changed["description"] = "Does\u{200b} it.\u{202e}\u{1b}[2J\u{9b}\u{e0041}".into();
    let given = manifest(json!([changed]));
    let text = given.to_json();
    assert!(!text.contains(|one| is_hidden(one) && one != '\n'), "{text:?}");
    assert_eq!(Manifest::from_json(&text).unwrap(), given);
}

#[test]
fn long_values_are_cut_around_their_first_difference() {
    let long = |word: &str| {
        let mut changed = tool("t", json!({}));
        changed["description"] = format!("{} {word} {}", "x".repeat(100), "y".repeat(100)).into();
        json!([changed])
    };
    check_diff(
        long("old"),
        long("new"),
        &[&format!(
            "~ t /description: …{x} old {y}… -> …{x} new {y}…",
            x = "x".repeat(15),
            y = "y".repeat(52)
        )],
    );
}

// As reported in kerlenton/mcpsnoop#103.
#[test]
fn invisible_characters_are_written_out() {
    let mut changed = tool("t", json!({}));
    changed["description"] = "Does\u{200b} it.\u{202e}\u{e0041}".into();
    check_diff(
        json!([tool("t", json!({}))]),
        json!([changed]),
        &[r#"~ t /description: "Does it." -> "Does\u{200b} it.\u{202e}\u{e0041}""#],
    );
}

#[test]
fn the_server_comes_before_the_tools() {
    let old = manifest(json!([tool("t", json!({}))]));
    let mut new = old.clone();
    new.server.version = "2.0.0".into();
    new.instructions = Some("Ask first.".into());
    new.tools.clear();
    let lines: Vec<_> = diff(&old, &new).iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [r#"~ /server/version: "1.2.3" -> "2.0.0""#, r#"+ /instructions: "Ask first.""#, "- t"]
    );
}

#[test]
fn answers_round_trip_and_newer_ones_are_rejected() {
    use super::answer::{
        self, Answer, AnswerError, LinkedFeatures, LinkedTool, LinkedToolset, Origin, ServerOf,
    };

    let tools = manifest(json!([tool("t", json!({}))])).tools;
    let origin =
        Origin { package: "p".into(), version: "1".into(), file: "src/lib.rs".into(), line: 3, column: 5 };
    let given = Answer {
        answer_version: answer::VERSION,
        toolwright: "0.1.0".into(),
        features: vec![LinkedFeatures {
            origin: origin.clone(),
            server: Some(ServerOf { package: "p".into(), name: "shop".into() }),
            kind: Kind::Prompts,
            entries: vec![entry(&json!({"name": "greet"}))],
        }],
        tools: vec![LinkedTool { origin: origin.clone(), fields: Vec::new(), definition: tools[0].clone() }],
        toolsets: vec![LinkedToolset {
            origin,
            name: Some("shop".into()),
            version: None,
            title: None,
            instructions: None,
            tools,
        }],
    };
    let mut text = json!(given);
    assert_eq!(Answer::from_json(&text.to_string()).unwrap(), given);

    text["answerVersion"] = 2.into();
    text["toolwright"] = "7.0.0".into();
    let error = Answer::from_json(&text.to_string()).unwrap_err();
    let said = error.to_string();
    assert!(said.contains("7.0.0") && said.contains(env!("CARGO_PKG_VERSION")), "{said}");
    assert!(matches!(Answer::from_json("{}"), Err(AnswerError::NotAnAnswer(_))));
}
