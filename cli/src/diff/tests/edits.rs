//! Twenty edits of the retail example's manifest: ten that break callers, five that do not, five of descriptions and the like.

use serde_json::{Value, json};

use super::{changes_of_retail, class};
use crate::diff::rule::Class;

/// The definition of a tool.
fn tool<'m>(manifest: &'m mut Value, name: &str) -> &'m mut Value {
    let tools = manifest["tools"].as_array_mut().unwrap();
    tools.iter_mut().find(|tool| tool["name"] == name).unwrap()
}

fn input<'m>(manifest: &'m mut Value, name: &str) -> &'m mut Value {
    &mut tool(manifest, name)["inputSchema"]
}

fn output<'m>(manifest: &'m mut Value, name: &str) -> &'m mut Value {
    &mut tool(manifest, name)["outputSchema"]
}

macro_rules! edits {
    ($($name:ident: $class:ident, $id:literal at $pointer:literal, $edit:expr;)*) => {$(
        #[test]
        fn $name() {
            let findings = changes_of_retail($edit);
            let found: Vec<_> = findings
                .iter()
                .map(|finding| (finding.rule.id(), finding.pointer.as_str()))
                .collect();
            assert_eq!(class(&findings), Some(Class::$class), "{found:?}");
            assert_eq!(found, [($id, $pointer)]);
        }
    )*};
}

edits! {
    breaking_1_a_tool_is_gone: Breaking, "tool-removed" at "", |retail: &mut Value| {
        retail["tools"].as_array_mut().unwrap().remove(0);
    };
    breaking_2_an_argument_is_now_required:
        Breaking, "input-property-added-required" at "/inputSchema/properties/currency", |retail: &mut Value| {
        let input = input(retail, "calculate");
        input["properties"]["currency"] = json!({"type": "string"});
        input["required"].as_array_mut().unwrap().push(json!("currency"));
    };
    breaking_3_an_argument_is_gone:
        Breaking, "input-property-removed" at "/inputSchema/properties/zip", |retail: &mut Value| {
        let input = input(retail, "find_user_id_by_name_zip");
        input["properties"].as_object_mut().unwrap().remove("zip");
        input["required"] = json!(["first_name", "last_name"]);
    };
    breaking_4_a_reason_is_no_longer_taken:
        Breaking, "input-values-narrowed" at "/inputSchema/properties/reason", |retail: &mut Value| {
        input(retail, "cancel_pending_order")["properties"]["reason"]["enum"] = json!(["no longer needed"]);
    };
    breaking_5_order_ids_have_another_pattern:
        Breaking, "input-pattern-narrowed" at "/inputSchema/properties/order_id", |retail: &mut Value| {
        input(retail, "get_order_details")["properties"]["order_id"]["pattern"] = json!(r"^#W\d{8}$");
    };
    breaking_6_expressions_must_be_shorter:
        Breaking, "input-length-narrowed" at "/inputSchema/properties/expression", |retail: &mut Value| {
        input(retail, "calculate")["properties"]["expression"]["maxLength"] = json!(100);
    };
    breaking_7_fewer_items_at_once:
        Breaking, "input-items-narrowed" at "/inputSchema/properties/replacements", |retail: &mut Value| {
        input(retail, "exchange_delivered_order_items")["properties"]["replacements"]["maxItems"] = json!(5);
    };
    breaking_8_a_result_has_a_status_that_nobody_knows:
        Breaking, "output-values-widened" at "/outputSchema/properties/status", |retail: &mut Value| {
        let status = &mut output(retail, "get_order_details")["properties"]["status"];
        status["enum"].as_array_mut().unwrap().push(json!("lost"));
    };
    breaking_9_a_member_of_a_result_may_be_missing:
        Breaking, "output-property-optional" at "/outputSchema/properties/user_id", |retail: &mut Value| {
        output(retail, "find_user_id_by_email")["required"] = json!([]);
    };
    breaking_10_a_tool_is_no_longer_read_only:
        Breaking, "read-only-dropped" at "/annotations/readOnlyHint", |retail: &mut Value| {
        tool(retail, "get_user_details")["annotations"]["readOnlyHint"] = json!(false);
    };

    compatible_1_a_tool_is_new: Compatible, "tool-added" at "", |retail: &mut Value| {
        let new = json!({"name": "zero", "inputSchema": {"type": "object", "properties": {}}});
        retail["tools"].as_array_mut().unwrap().push(new);
    };
    compatible_2_an_optional_argument_is_new:
        Compatible, "input-property-added" at "/inputSchema/properties/digits", |retail: &mut Value| {
        input(retail, "calculate")["properties"]["digits"] = json!({"type": "integer", "minimum": 0});
    };
    compatible_3_one_more_reason_is_taken:
        Compatible, "input-values-widened" at "/inputSchema/properties/reason", |retail: &mut Value| {
        let reason = &mut input(retail, "cancel_pending_order")["properties"]["reason"];
        reason["enum"].as_array_mut().unwrap().push(json!("found cheaper"));
    };
    compatible_4_a_result_has_one_more_member:
        Compatible, "output-property-added" at "/outputSchema/properties/since", |retail: &mut Value| {
        output(retail, "find_user_id_by_email")["properties"]["since"] = json!({"type": "string"});
    };
    compatible_5_a_tool_is_renamed_and_keeps_its_former_name:
        Compatible, "tool-renamed" at "", |retail: &mut Value| {
        tool(retail, "calculate")["_meta"] = json!({"io.toolwright/was": ["calculate"]});
        tool(retail, "calculate")["name"] = json!("compute");
    };

    documentation_1_a_description: Documentation, "tool-description-changed" at "/description", |retail: &mut Value| {
        tool(retail, "calculate")["description"] = json!("Computes.");
    };
    documentation_2_a_title: Documentation, "tool-title-changed" at "/title", |retail: &mut Value| {
        tool(retail, "calculate")["title"] = json!("Compute");
    };
    documentation_3_the_description_of_an_argument:
        Documentation, "schema-text-changed" at "/inputSchema/properties/expression/description",
        |retail: &mut Value| {
        input(retail, "calculate")["properties"]["expression"]["description"] = json!("What to compute.");
    };
    documentation_4_an_example:
        Documentation, "schema-text-changed" at "/inputSchema/properties/order_id/examples", |retail: &mut Value| {
        input(retail, "get_order_details")["properties"]["order_id"]["examples"] = json!(["#W0000009"]);
    };
    documentation_5_the_instructions: Documentation, "instructions-changed" at "/instructions", |retail: &mut Value| {
        retail["instructions"] = json!("Be kind.");
    };
}
