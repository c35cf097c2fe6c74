use serde_json::{Value, json};

use super::*;
use crate::definition::ToolDefinition;

fn tool(definition: Value) -> ToolDefinition {
    serde_json::from_value(definition).unwrap()
}

fn order_tool() -> ToolDefinition {
    tool(json!({
        "name": "modify_order",
        "title": "Modify an order",
        "description": "Changes an order that is still pending.\n\nPaid orders\nstay as they are.",
        "icons": [{"src": "https://example.com/order.svg"}],
        "inputSchema": {
            "type": "object",
            "properties": {
                "order_id": {"type": "string", "description": "Order id: `#W` and\nseven digits.", "pattern": "^#W\\d{7}$", "examples": ["#W0000001"]},
                "address": {
                    "type": "object",
                    "properties": {
                        "city": {"type": "string", "minLength": 1},
                        "country": {"enum": ["NL", "DE"]},
                    },
                    "required": ["city"],
                },
                "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}, "maxItems": 10},
                "note": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/Item"}], "default": "none"},
                "free": true,
            },
            "required": ["order_id", "address"],
            "$defs": {"Item": {
                "type": "object",
                "properties": {"id": {"type": "integer", "minimum": 1}, "parts": {"type": "array", "items": {"$ref": "#/$defs/Item"}}},
                "required": ["id"],
            }},
        },
        "annotations": {"readOnlyHint": false, "destructiveHint": true},
        "_meta": {"io.toolwright/tags": ["orders"]},
    }))
}

#[test]
fn simple_docs_have_names_and_descriptions_only() {
    let long =
        tool(json!({"name": "long", "description": "word ".repeat(500), "inputSchema": {"type": "object"}}));
    let unbroken =
        tool(json!({"name": "unbroken", "description": "é".repeat(500), "inputSchema": {"type": "object"}}));
    let titled = tool(json!({"name": "titled", "title": "Only a title", "inputSchema": {"type": "object"}}));
    let bare = tool(json!({"name": "bare", "inputSchema": {"type": "object"}}));
    let text = simple(&[order_tool(), long, unbroken, titled, bare]);
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[0], "modify_order: Changes an order that is still pending.");
    assert!(lines[1].ends_with(" word…"), "cut at a word: {}", lines[1]);
    for line in &lines[1..3] {
        let description = line.split_once(": ").unwrap().1;
        assert!(description.chars().count() <= SIMPLE_DESCRIPTION_LIMIT, "{line}");
    }
    assert_eq!(lines[2].chars().count(), "unbroken: ".len() + SIMPLE_DESCRIPTION_LIMIT);
    assert_eq!(lines[3..], ["titled: Only a title", "bare"]);
    for key in ["order_id", "properties", "type", "required", "pattern", "{"] {
        assert!(!text.contains(key), "{key} is part of a schema");
    }
}

#[test]
fn full_docs_have_parameters_and_examples() {
    let text = full(&order_tool());
    let (before, example) = text.split_once("\nExample of arguments: `").unwrap();
    assert_eq!(
        before,
        "## modify_order

Modify an order

Changes an order that is still pending.

Paid orders
stay as they are.

Hints: changes data, may destroy or overwrite.

Parameters:

- `order_id` (string, required): Order id: `#W` and seven digits.; matches `^#W\\d{7}$`; for example `\"#W0000001\"`
- `address` (object, required)
  - `city` (string, required): shortest length `1`
  - `country` (one of `\"NL\"`, `\"DE\"`, optional)
- `items` (array of object, optional): most items `10`
  - `id` (integer, required): at least `1`
  - `parts` (array of the same as `items[]`, optional)
- `note` (one of 2 variants, optional): default `\"none\"`
  - variant 1 of 2 (string)
  - variant 2 of 2 (object with `id`)
    - `id` (integer, required): at least `1`
    - `parts` (array of the same as `note`, optional)
- `free` (any JSON, optional)
"
    );
    let arguments: Value = serde_json::from_str(example.strip_suffix("`\n").unwrap()).unwrap();
    assert_eq!(arguments["order_id"], "#W0000001");
    assert!(arguments["address"]["city"].as_str().is_some_and(|city| !city.is_empty()), "{arguments}");

    let bare = tool(json!({"name": "list_all", "inputSchema": {"type": "object", "properties": {}}}));
    assert_eq!(full(&bare), "## list_all\n\nNo parameters.\n\nExample of arguments: `{}`\n");
}

#[test]
fn name_icon_and_category_show_in_the_definition() {
    let shown = serde_json::to_value(order_tool()).unwrap();
    assert_eq!(shown["title"], "Modify an order");
    assert_eq!(shown["icons"], json!([{"src": "https://example.com/order.svg"}]));
    assert_eq!(shown["_meta"][crate::definition::meta_keys::TAGS], json!(["orders"]));
}

fn filter(filter: SimpleTypes, properties: &Value, required: &Value) -> Result<Filtered, ComplexParameter> {
    let schema = json!({"type": "object", "properties": properties, "required": required, "$defs": {"A": {"type": "array"}}});
    filter.apply(&tool(json!({"name": "t", "inputSchema": schema})))
}

fn simple_names(filtered: &Filtered) -> Vec<&str> {
    let Filtered::Listed(tool) = filtered else { panic!("left out: {filtered:?}") };
    tool.input_schema["properties"].as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn only_simple_parameters_are_kept() {
    let properties = json!({
        "s": {"type": "string"}, "i": {"type": "integer"}, "n": {"type": ["number", "null"]}, "e": {"enum": ["a", 1]},
        "b": {"type": "boolean"}, "c": {"const": true},
        "o": {"type": "object"}, "a": {"type": "array"}, "r": {"$ref": "#/$defs/A"},
        "x": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": null}, "y": {"anyOf": [{"type": "string"}, {"type": "array"}]},
        "z": {"oneOf": [{"type": "null"}]},
        "any": true, "none": {"type": "null"}, "mixed": {"type": ["string", "array"]},
    });
    let filtered = filter(SimpleTypes::default(), &properties, &json!(["s"])).unwrap();
    assert_eq!(simple_names(&filtered), ["s", "i", "n", "e", "x"]);
    let Filtered::Listed(tool) = &filtered else { panic!() };
    assert!(!tool.input_schema.to_string().contains("$defs"), "no definitions that nobody uses");
    assert_eq!(tool.input_schema["required"], json!(["s"]));

    let strings = SimpleTypes { integer: false, number: false, ..SimpleTypes::default() };
    assert_eq!(simple_names(&filter(strings, &properties, &json!([])).unwrap()), ["s", "x"]);
    let numbers = SimpleTypes { string: false, integer: false, ..SimpleTypes::default() };
    assert_eq!(simple_names(&filter(numbers, &properties, &json!([])).unwrap()), ["i", "n"]);
    let with_booleans = SimpleTypes { boolean: true, ..SimpleTypes::default() };
    assert_eq!(
        simple_names(&filter(with_booleans, &properties, &json!([])).unwrap()),
        ["s", "i", "n", "e", "b", "c", "x"]
    );
}

#[test]
fn a_required_complex_parameter_excludes_keeps_or_fails() {
    let properties = json!({"s": {"type": "string"}, "o": {"type": "object"}});
    let run = |on_complex| {
        filter(SimpleTypes { on_complex, ..SimpleTypes::default() }, &properties, &json!(["s", "o"]))
    };
    let reason = ComplexParameter::Required { tool: "t".to_owned(), parameter: "o".to_owned() };
    assert_eq!(run(OnComplex::Exclude), Ok(Filtered::Excluded(reason.clone())));
    assert_eq!(simple_names(&run(OnComplex::Keep).unwrap()), ["s", "o"]);
    assert_eq!(run(OnComplex::Error), Err(reason.clone()));
    assert!(reason.to_string().contains("requires `o`"));

    // Removing one of these parameters could make every call invalid.
    let whole = tool(json!({"name": "w", "inputSchema": {
        "type": "object", "properties": {"a": {"type": "string"}, "o": {"type": "object"}}, "dependentRequired": {"a": ["o"]},
    }}));
    assert_eq!(
        SimpleTypes::default().apply(&whole),
        Ok(Filtered::Excluded(ComplexParameter::Whole {
            tool: "w".to_owned(),
            keyword: "dependentRequired"
        }))
    );
}
