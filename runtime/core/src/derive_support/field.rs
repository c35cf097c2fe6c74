//! Rules for the type of a single field.

use super::kind::Kind;
use super::text::{Text, fail};

/// Requires the arguments of a tool, or of a variant of it, to be an object.
#[track_caller]
pub const fn expect_object(kind: Kind) {
    if !matches!(kind, Kind::Unknown | Kind::Map) {
        fail(
            &Text::new("the arguments of a tool must be an object, but this is ")
                .and(kind.words())
                .and("; give it a name, as in `struct Tool { name: Type }`"),
        );
    }
}

/// Rejects `#[mcp(…)]` keys on the fields of a nested type: only the tool's own fields are read.
#[track_caller]
pub const fn expect_no_keys(has_keys: bool) {
    if has_keys {
        fail(&Text::new(
            "this type is a tool itself, and `#[mcp(…)]` on its fields only applies when it is called as one; \
             use `#[schemars(…)]` there, or write the fields here",
        ));
    }
}

/// Requires the field of a prompt or a resource to be read from a string.
#[track_caller]
pub const fn expect_string(kind: Kind) {
    if matches!(kind, Kind::List | Kind::Map | Kind::Unit) {
        fail(
            &Text::new("clients send a string for this, but the field is ")
                .and(kind.words())
                .and("; use a string, a number, a boolean or an enum of names"),
        );
    }
}

/// Requires a string field for `key`.
#[track_caller]
pub const fn expect_text(key: &str, kind: Kind) {
    if !matches!(kind, Kind::Text | Kind::Unknown) {
        fail(&wrong_kind("a string", key, kind));
    }
}

/// Requires a numeric field for `key`.
#[track_caller]
pub const fn expect_number(key: &str, kind: Kind) {
    if !matches!(kind, Kind::Unknown) && !kind.is_number() {
        fail(&wrong_kind("a number", key, kind));
    }
}

/// Requires a list field for `key`.
#[track_caller]
pub const fn expect_list(key: &str, kind: Kind) {
    if !matches!(kind, Kind::List | Kind::Unknown) {
        fail(&wrong_kind("a list", key, kind));
    }
}

/// Requires an example to have the type of its field.
#[track_caller]
pub const fn expect_example(kind: Kind, example: Kind) {
    let fits = match example {
        // The keys of a map are not checked: no literal is a map.
        _ if matches!(kind, Kind::Unknown) => true,
        Kind::Integer => kind.is_number(),
        Kind::Number => matches!(kind, Kind::Number),
        Kind::Text => matches!(kind, Kind::Text),
        Kind::Boolean => matches!(kind, Kind::Boolean),
        Kind::List => matches!(kind, Kind::List),
        _ => false,
    };
    if !fits {
        fail(
            &Text::new("this example is ")
                .and(example.words())
                .and(", but the field is ")
                .and(kind.words())
                .and("; write an example that the field accepts"),
        );
    }
}

/// Requires a field for a header to be a string, a safe integer or a boolean (2026-07-28, server/tools
/// "x-mcp-header"). `bounded` says whether the field's own bounds keep it at or above -(2^53-1), and at or
/// below 2^53-1.
#[track_caller]
pub const fn expect_header(kind: Kind, bounded: (bool, bool)) {
    let text = match kind {
        Kind::Text | Kind::Integer | Kind::Boolean | Kind::Unknown => return,
        Kind::LongUnsigned if bounded.1 => return,
        Kind::LongInteger if bounded.0 && bounded.1 => return,
        Kind::LongUnsigned => Text::new(
            "an integer in a header must be in the range that every client can represent exactly; \
             add `maximum = 9007199254740991`, a smaller one, or use a smaller type such as `u32`",
        ),
        Kind::LongInteger => Text::new(
            "an integer in a header must be in the range that every client can represent exactly; \
             add `minimum = -9007199254740991, maximum = 9007199254740991`, or use a smaller type such as `i32`",
        ),
        Kind::Number | Kind::List | Kind::Map | Kind::Unit => {
            Text::new("a header must be a string, an integer or a boolean, but this field is ")
                .and(kind.words())
                .and("; remove `header`")
        }
    };
    fail(&text);
}

const fn wrong_kind(what: &str, key: &str, kind: Kind) -> Text {
    Text::new("`")
        .and(key)
        .and("` applies to ")
        .and(what)
        .and(", but this field is ")
        .and(kind.words())
        .and("; ")
        .and(kind.advice())
}
