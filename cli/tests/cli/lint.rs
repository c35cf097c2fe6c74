//! `cargo mcp lint` on packages and on manifest files.

use std::fs;

use serde_json::Value;

use crate::common::{Run, folder, lint, lint_in, manifest, scratch};

/// Returns the findings of a run with `--format json`.
fn findings(run: &Run) -> Vec<Value> {
    run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Formats `rule at file:line:column`, or only the rule.
fn places(run: &Run) -> Vec<String> {
    let show = |finding: Value| {
        let at = &finding["location"];
        format!("{} at {}:{}:{}", finding["rule"], at["file"], at["line"], at["column"]).replace('"', "")
    };
    findings(run).into_iter().map(show).collect()
}

#[test]
fn findings_show_the_field_or_the_struct_in_the_source() {
    let run = lint("library", "--format json").ok();
    let places = places(&run);
    for place in [
        "undescribed-parameter at src/lib.rs:39:9",
        "short-description at src/lib.rs:37:12",
        "missing-hints at src/lib.rs:25:12",
    ] {
        assert!(places.iter().any(|found| found == place), "no {place} in {places:#?}");
    }
    let text = lint("library", "").ok();
    for part in [
        "warning[undescribed-parameter]: the parameter `weights` has no description\n",
        "  --> src/lib.rs:39:9\n",
        "39 |     pub weights: HashMap<String, u32>,\n   |         ^^^^^^^\n",
        "= in: /inputSchema/properties/weights\n",
        "= help: write a doc comment on the field\n",
    ] {
        assert!(text.stdout.contains(part), "no {part:?} in:\n{}", text.stdout);
    }
    assert!(!text.stdout.contains('\u{1b}'), "no colours where nobody sees them");
    text.says(&["notes not shown: --notes", "--explain RULE"]);
}

const GROUPED: &str = r#"`find` of shop: 2 warnings

warning[undescribed-parameter]: the parameter `a` has no description
 --> shop.json:5:10
  |
5 |     "a": {"type": "string"},
  |          ^^^^^^^^^^^^^^^^^^
  |
  = in: /inputSchema/properties/a
  = help: write a doc comment on the field

warning[undescribed-parameter]: the parameter `b` has no description
 --> shop.json:6:10
  |
6 |     "b": {"type": "string"}}}}],
  |          ^^^^^^^^^^^^^^^^^^
  |
  = in: /inputSchema/properties/b

the prompt `a b` of shop: 1 error, 1 warning

warning[undescribed-prompt]: the prompt `a b` has no description
 --> shop.json:7:13
  |
7 | "prompts": [{"name": "a b"}]}
  |             ^^^^^^^^^^^^^^^
  |
  = help: give the prompt a description

error[prompt-name-space]: the name "a b" has a space
 --> shop.json:7:22
  |
7 | "prompts": [{"name": "a b"}]}
  |                      ^^^^^
  |
  = in: /name
  = for: anthropic, gemini
  = help: write the name with `_` or `-`, and the words with spaces into the title

"#;

#[test]
fn findings_are_grouped_and_advice_is_given_once() {
    let scratch = scratch();
    let manifest = r#"{"manifestVersion": 1, "server": {"name": "shop", "version": "1"}, "tools": [
{"name": "find", "description": "Finds what a customer needs in a shop.",
  "annotations": {"readOnlyHint": true},
  "inputSchema": {"type": "object", "properties": {
    "a": {"type": "string"},
    "b": {"type": "string"}}}}],
"prompts": [{"name": "a b"}]}"#;
    fs::write(scratch.path().join("shop.json"), manifest).unwrap();
    let run = lint_in(scratch.path(), "shop.json").ended(100);
    assert_eq!(run.stdout, GROUPED);
}

#[test]
fn a_queried_program_has_source_locations_too() {
    let places = places(&lint("program", "--format json --notes").ok());
    assert!(places.contains(&"short-description at src/main.rs:10:12".to_owned()), "{places:#?}");
}

#[test]
fn denied_findings_exit_with_100() {
    lint("library", "").ok();
    lint("library", "--deny warnings").ended(100);
    lint("library", "--deny undescribed-parameter").ended(100);
    lint("library", "--deny name-too-long").ok();
    lint("library", "--deny no-such-rule").ended(2).says(&["unknown rule `no-such-rule`"]);
    lint("library", "--deny root-combinators").ended(2).says(&["did you mean `root-combinator`?"]);
}

#[test]
fn levels_are_changed_in_the_cargo_toml_with_a_reason() {
    let run = lint("program", "--format json").ok();
    let rules: Vec<_> = findings(&run).iter().map(|finding| finding["rule"].to_string()).collect();
    assert!(!rules.iter().any(|rule| rule.contains("missing-hints")), "{rules:?}");
    let title = findings(&run).into_iter().find(|finding| finding["rule"] == "missing-title").unwrap();
    assert_eq!((&title["tool"], &title["level"]), (&"hello".into(), &"warning".into()));
    run.says(&["[package.metadata.mcp.lint] of `program`: nothing breaks `old-dialect` any more"]);
}

#[test]
fn a_level_needs_a_known_rule_and_a_reason() {
    let scratch = scratch();
    let file = scratch.path().join("manifest.json");
    fs::write(&file, manifest("library", "").ok().stdout).unwrap();
    for (settings, message) in [
        (
            "[lint]\nmissing-hints = { level = \"allow\", reason = \" \" }",
            "the reason of `missing-hints` is empty",
        ),
        ("[lint]\nmissing-hint = { level = \"allow\", reason = \"x\" }", "did you mean `missing-hints`?"),
    ] {
        fs::write(scratch.path().join("mcp.toml"), settings).unwrap();
        lint_in(scratch.path(), "manifest.json").ended(2).says(&[message]);
    }
    let settings =
        "[lint]\nmissing-hints = { level = \"error\", reason = \"we ask for them\", tools = [\"refund\"] }";
    fs::write(scratch.path().join("mcp.toml"), settings).unwrap();
    let run = lint_in(scratch.path(), "manifest.json --format json").ended(100);
    let denied: Vec<_> = findings(&run).into_iter().filter(|finding| finding["denied"] == true).collect();
    assert_eq!(denied.len(), 1, "{denied:#?}");
    assert_eq!(denied[0]["tool"], "refund");
    fs::write(scratch.path().join("mcp.toml"), "[lint]\nmissing-hints = 3").unwrap();
    lint_in(scratch.path(), "manifest.json").ended(3).says(&["mcp.toml is not valid TOML"]);
}

#[test]
fn a_manifest_file_is_checked_without_a_build() {
    let scratch = scratch();
    let file = scratch.path().join("shop.json");
    let text = manifest("library", "").ok().stdout.replace("In cents.", "In \\u202ecents.");
    fs::write(&file, &text).unwrap();
    let line = text.lines().position(|line| line.contains("cents")).unwrap() + 1;
    let run = lint_in(scratch.path(), "shop.json").ended(100);
    for part in [
        "error[direction-characters]: U+202E in this string changes the direction of text\n",
        &format!("--> shop.json:{line}:"),
        "/inputSchema/properties/amount/description",
    ] {
        assert!(run.stdout.contains(part), "no {part:?} in:\n{}", run.stdout);
    }
    assert!(!run.stdout.contains('\u{202e}'), "a report must not be rewritten by what it reports");
    lint_in(scratch.path(), "shop.json --for openai --server other").ok().says(&["nothing found"]);
    fs::write(&file, "{}").unwrap();
    lint_in(scratch.path(), "shop.json").ended(6).says(&["shop.json is not a manifest", "manifestVersion"]);
    lint_in(scratch.path(), "shop.json -p library").ended(2).says(&["cannot be used with"]);
}

#[test]
fn clients_choose_their_rules() {
    let scratch = scratch();
    let tool = r#"{"name": "find", "inputSchema": {"type": "object", "properties": {}, "anyOf": []}}"#;
    let text =
        format!(r#"{{"manifestVersion": 1, "server": {{"name": "s", "version": "1"}}, "tools": [{tool}]}}"#);
    fs::write(scratch.path().join("m.json"), text).unwrap();
    let rules = |clients: &str| -> Vec<String> {
        let run = lint_in(scratch.path(), &format!("m.json --format json {clients}"));
        findings(&run).iter().map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect()
    };
    assert!(rules("").contains(&"root-combinator".to_owned()));
    assert!(rules("--for anthropic").contains(&"root-combinator".to_owned()));
    assert!(!rules("--for gemini,mcp").contains(&"root-combinator".to_owned()));
    assert!(rules("--for gemini").contains(&"missing-description".to_owned()), "a rule for all");
}

#[test]
fn reports_for_programs_have_rule_place_and_text() {
    let sarif = lint("library", "--format sarif").ok().document();
    assert_eq!(sarif["version"], "2.1.0");
    let run = &sarif["runs"][0];
    assert!(run["tool"]["driver"]["rules"].as_array().unwrap().len() >= 40);
    let result = run["results"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["message"]["text"] == "the parameter `weights` has no description")
        .unwrap();
    assert_eq!(result["ruleId"], "undescribed-parameter");
    let place = &result["locations"][0];
    assert_eq!(place["physicalLocation"]["artifactLocation"]["uri"], "src/lib.rs");
    let region = serde_json::json!({"startLine": 39, "startColumn": 9, "endLine": 39, "endColumn": 16});
    assert_eq!(place["physicalLocation"]["region"], region);
    assert_eq!(
        place["logicalLocations"][0]["fullyQualifiedName"],
        "library/search/inputSchema/properties/weights"
    );
    let github = lint("library", "--format github").ok().stdout;
    let expected = "::warning title=undescribed-parameter,file=src/lib.rs,line=39,col=9,endLine=39,endColumn=15::the parameter `weights` has no \
                    description%0Awrite a doc comment on the field\n";
    assert!(github.contains(expected), "{github}");
}

#[test]
fn rules_are_listed_and_explained_without_a_package() {
    let scratch = scratch();
    let list = lint_in(scratch.path(), "--list").ok().stdout;
    assert!(list.lines().count() >= 40 && list.lines().all(|line| line.chars().count() <= 130), "{list}");
    assert!(list.contains("error    root-combinator "), "{list}");
    assert!(!lint_in(scratch.path(), "--list --for cursor").ok().stdout.contains("root-combinator"));
    let text = lint_in(scratch.path(), "--explain root-combinator").ok().stdout;
    for part in [
        "level   error\nfor     openai, anthropic, vscode\n",
        "Instead of",
        "Sources:\n  https://github.com/",
    ] {
        assert!(text.contains(part), "no {part:?} in:\n{text}");
    }
    lint_in(scratch.path(), "--explain root-combinater").ended(2).says(&["did you mean `root-combinator`?"]);
}

#[test]
fn a_manifest_of_a_thousand_tools_is_linted() {
    let scratch = scratch();
    let tool = |number: usize| {
        format!(
            r#"{{"name": "tool_{number}_of_many", "description": "Does thing {number} for a customer.",
                "annotations": {{"readOnlyHint": true}},
                "inputSchema": {{"type": "object", "additionalProperties": false, "properties": {{
                  "id": {{"type": "string", "description": "The id.", "pattern": "^[a-z]+$", "examples": ["ab"]}},
                  "count": {{"type": "integer", "description": "How many.", "minimum": 1, "default": 1}} }} }} }}"#
        )
    };
    let tools: Vec<_> = (0..1000).map(tool).collect();
    let text = format!(
        r#"{{"manifestVersion": 1, "server": {{"name": "many", "version": "1.0.0"}}, "tools": [{}]}}"#,
        tools.join(",\n")
    );
    fs::write(scratch.path().join("many.json"), text).unwrap();
    let run = lint_in(scratch.path(), "many.json --format json").ended(100);
    let rules: std::collections::BTreeSet<_> =
        findings(&run).iter().map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect();
    let expected = ["cursor-too-many-tools", "gemini-too-many-tools", "large-toolset", "too-many-tools"];
    assert_eq!(rules.iter().map(String::as_str).collect::<Vec<_>>(), expected);
}

#[test]
fn no_place_gets_into_a_manifest() {
    let text = manifest("library", "").ok().stdout;
    assert!(!text.contains("lib.rs") && !text.contains("line"), "{text}");
    assert!(!text.contains(&*folder("library").to_string_lossy()));
}
