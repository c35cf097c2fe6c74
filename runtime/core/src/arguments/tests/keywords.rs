//! The messages for each violated keyword.

use serde_json::Value;

use crate::arguments::Checker;

/// Schema, value, and the kind and message of the only problem.
const WORDS: &str = r##"
{"type": "string"} | 5 | Type | arguments: expected a string; got 5
{"type": ["string", "null"]} | [1] | Type | arguments: expected a string or null; got an array of 1 item
{"type": "integer"} | 1.5 | Type | arguments: expected an integer; got 1.5
{"enum": ["a", 1]} | "b" | Choice | arguments: expected one of "a", 1; got "b"
{"const": "a"} | "b" | Choice | arguments: expected "a"; got "b"
{"oneOf": [{"const": "a"}, {"const": "b"}]} | "c" | Forms | arguments: expected one of "a", "b"; got "c"
{"type": "integer", "minimum": 1, "maximum": 5} | 6 | Range | arguments: expected an integer from 1 to 5; got 6
{"type": "number", "exclusiveMinimum": 0} | 0 | Range | arguments: expected a number above 0; got 0
{"type": "number", "exclusiveMaximum": 0.5} | 1 | Range | arguments: expected a number below 0.5; got 1
{"type": "integer", "multipleOf": 5} | 6 | Range | arguments: expected an integer that is a multiple of 5; got 6
{"type": "string", "minLength": 2} | "é" | Size | arguments: expected a string of at least 2 characters; got 1
{"type": "string", "maxLength": 1} | "ab" | Size | arguments: expected a string of at most 1 character; got 2
{"type": "string", "pattern": "^#W\\d+$"} | "W1" | Pattern | arguments: expected a string matching ^#W\d+$; got "W1"
{"type": "string", "format": "date"} | "1/2" | Pattern | arguments: expected a string that is a date such as 2026-07-28; got "1/2"
{"type": "array", "minItems": 1} | [] | Size | arguments: expected at least 1 item; got 0
{"type": "array", "uniqueItems": true} | [1, 2, 1.0] | Size | arguments: every item may stand here once; item 2 repeats item 0
{"contains": {"type": "string"}} | [1] | Size | arguments: expected at least 1 item to be a string; got 0
{"items": {"type": "string"}} | ["a", 1] | Type | /1: expected a string; got 1
{"prefixItems": [{}, {"type": "null"}]} | ["a", 1] | Type | /1: expected null; got 1
{"prefixItems": [{}], "items": false} | ["a", 1] | Unknown | /1: nothing may stand here; leave it out
{"required": ["a"]} | {} | Missing | /a: missing
{"required": ["a"], "properties": {"a": {"type": "boolean", "description": "Whether.\nAnd why."}}} | {} | Missing | /a: missing; expected a boolean: Whether.
{"properties": {"name": {}}, "additionalProperties": false} | {"nmae": 1} | Unknown | /nmae: unknown name; did you mean "name"?
{"properties": {"name": {}}, "additionalProperties": false} | {"x": 1} | Unknown | /x: unknown name; known are "name"
{"additionalProperties": {"type": "null"}} | {"a/b~": 1} | Type | /a~1b~0: expected null; got 1
{"patternProperties": {"^x": {"type": "null"}}} | {"xy": 1} | Type | /xy: expected null; got 1
{"patternProperties": {"^x": {}}, "additionalProperties": false} | {"y": 1} | Unknown | /y: unknown name; names match ^x
{"propertyNames": {"maxLength": 1}} | {"ab": 1} | Unknown | /ab: the name of this member must be any value of at most 1 character
{"minProperties": 1} | {} | Size | arguments: expected at least 1 member; got 0
{"dependentRequired": {"a": ["b"]}} | {"a": 1} | Missing | /b: missing
{"dependentSchemas": {"a": {"required": ["b"]}}} | {"a": 1} | Missing | /b: missing
{"if": {"type": "string"}, "then": {"minLength": 1}} | "" | Size | arguments: expected a string of at least 1 character; got 0
{"not": {"type": "null"}} | null | Forms | arguments: expected anything but null; got null
{"$ref": "#/$defs/a", "$defs": {"a": {"type": "null"}}} | 1 | Type | arguments: expected null; got 1
{"allOf": [{"minimum": 2}, {"maximum": 5}]} | 1 | Range | arguments: expected any value of at least 2; got 1
{"anyOf": [{"type": "string"}, {"type": "boolean"}]} | 1 | Forms | arguments: expected a string, or a boolean; got 1
{"oneOf": [{"minimum": 1}, {"minimum": 2}]} | 3 | Forms | arguments: fits more than one of the forms, of which it may fit one: any value of at least 1, or any value of at least 2
{"anyOf": [{"type": "object", "required": ["a"]}, {"type": "null"}]} | {} | Missing | /a: missing
{"oneOf": [{"required": ["k", "a"], "properties": {"k": {"const": "x"}}}, {"required": ["k", "b"], "properties": {"k": {"const": "y"}}}]} | {"k": "y"} | Missing | /b: missing
"##;

#[test]
fn each_keyword_has_its_message() {
    for row in WORDS.trim().lines() {
        let [schema, value, kind, line] = row.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("four columns: {row}");
        };
        let [schema, value] = [schema, value].map(|text| serde_json::from_str::<Value>(text).expect(row));
        let findings = Checker::compile(&schema).expect(row).check(&value);
        let [problem] = findings.problems() else { panic!("one problem: {row}: {findings:?}") };
        assert_eq!(
            (format!("{:?}", problem.kind).as_str(), problem.to_string().as_str()),
            (kind, line),
            "{row}"
        );
    }
}
