//! Groups of JSON Schema keywords.

/// Keywords that are reported together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Group {
    /// The middle part of the ids of its changes.
    pub(super) name: &'static str,
    pub(super) keywords: &'static [&'static str],
}

/// All groups, in the order in which changes are reported.
pub(super) const GROUPS: [Group; 9] = [
    Group { name: "type", keywords: &["type"] },
    Group { name: "values", keywords: &["enum", "const"] },
    Group {
        name: "range",
        keywords: &["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf"],
    },
    Group { name: "length", keywords: &["minLength", "maxLength"] },
    Group { name: "pattern", keywords: &["pattern"] },
    Group { name: "format", keywords: &["format"] },
    Group {
        name: "items",
        keywords: &[
            "items",
            "prefixItems",
            "minItems",
            "maxItems",
            "uniqueItems",
            "contains",
            "minContains",
            "maxContains",
            "unevaluatedItems",
            "additionalItems",
        ],
    },
    Group {
        name: "names",
        keywords: &[
            "properties",
            "required",
            "additionalProperties",
            "patternProperties",
            "propertyNames",
            "minProperties",
            "maxProperties",
            "dependentRequired",
            "dependentSchemas",
            "dependencies",
            "unevaluatedProperties",
        ],
    },
    Group {
        name: "rules",
        keywords: &[
            "$ref",
            "$dynamicRef",
            "$recursiveRef",
            "$dynamicAnchor",
            "allOf",
            "anyOf",
            "oneOf",
            "not",
            "if",
            "then",
            "else",
        ],
    },
];

/// Annotations that models and people read.
pub(super) const TEXT_ANNOTATIONS: [&str; 4] = ["title", "description", "examples", "$comment"];

/// The name of an HTTP header for an argument (2026-07-28, server/tools "x-mcp-header").
pub(super) const HEADER: &str = "x-mcp-header";

/// Keywords that also constrain members: a schema with one of them is not compared property by property.
pub(super) const CONSTRAIN_MEMBERS: [&str; 14] = [
    "$ref",
    "$dynamicRef",
    "allOf",
    "anyOf",
    "const",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "enum",
    "if",
    "not",
    "oneOf",
    "patternProperties",
    "unevaluatedProperties",
];
