//! The keywords of JSON Schema by what they are about.

/// Keywords that are reported together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Group {
    /// The middle of the ids of its kinds of changes.
    pub(super) name: &'static str,
    pub(super) keywords: &'static [&'static str],
}

/// In the order in which changes are reported.
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

/// Annotations for models and people.
pub(super) const TEXTS: [&str; 4] = ["title", "description", "examples", "$comment"];

/// The name of an HTTP header for an argument (2026-07-28, server/tools "x-mcp-header").
pub(super) const HEADER: &str = "x-mcp-header";

/// Keywords that keep a schema from being compared member by member, since they restrict its members as well.
pub(super) const SPEAK_OF_MEMBERS: [&str; 14] = [
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
