//! Rules about the type of one field.

use super::kind::Kind;
use super::text::{Text, refuse};

/// The arguments of a tool, or of a variant of it, are an object.
#[track_caller]
pub const fn expect_object(kind: Kind) {
    if !matches!(kind, Kind::Unknown | Kind::Map) {
        refuse(
            &Text::new("the arguments of a tool are an object, and this is ")
                .and(kind.words())
                .and("; give it a name, as in `struct Tool { name: Type }`"),
        );
    }
}

/// The type of a field says nothing by `#[mcp(…)]`: only the tool's own fields are looked at.
#[track_caller]
pub const fn expect_no_keys(has_keys: bool) {
    if has_keys {
        refuse(&Text::new(
            "this type is a tool itself, and the `#[mcp(…)]` on its fields holds only where it is called as one; \
             use `#[schemars(…)]` there, or write the fields here",
        ));
    }
}

/// `key` bounds text.
#[track_caller]
pub const fn expect_text(key: &str, kind: Kind) {
    if !matches!(kind, Kind::Text | Kind::Unknown) {
        refuse(&bound_of("text", key, kind));
    }
}

/// `key` bounds a number.
#[track_caller]
pub const fn expect_number(key: &str, kind: Kind) {
    if !matches!(kind, Kind::Unknown) && !kind.is_number() {
        refuse(&bound_of("a number", key, kind));
    }
}

/// `key` bounds a list.
#[track_caller]
pub const fn expect_list(key: &str, kind: Kind) {
    if !matches!(kind, Kind::List | Kind::Unknown) {
        refuse(&bound_of("a list", key, kind));
    }
}

/// An example has the type of its field.
#[track_caller]
pub const fn expect_example(kind: Kind, example: Kind) {
    let fits = match example {
        // A map's keys are not looked at: no literal is a map.
        _ if matches!(kind, Kind::Unknown) => true,
        Kind::Integer => kind.is_number(),
        Kind::Number => matches!(kind, Kind::Number),
        Kind::Text => matches!(kind, Kind::Text),
        Kind::Boolean => matches!(kind, Kind::Boolean),
        Kind::List => matches!(kind, Kind::List),
        _ => false,
    };
    if !fits {
        refuse(
            &Text::new("this example is ")
                .and(example.words())
                .and(", and the field is ")
                .and(kind.words())
                .and("; write an example that the field takes"),
        );
    }
}

/// A value in a header is text, a safe integer or a boolean (2026-07-28, server/tools "x-mcp-header"). `bounded`
/// says whether the field's own bounds keep it at or above -(2^53-1), and at or below 2^53-1.
#[track_caller]
pub const fn expect_header(kind: Kind, bounded: (bool, bool)) {
    let text = match kind {
        Kind::Text | Kind::Integer | Kind::Boolean | Kind::Unknown => return,
        Kind::LongUnsigned if bounded.1 => return,
        Kind::LongInteger if bounded.0 && bounded.1 => return,
        Kind::LongUnsigned => Text::new(
            "an integer in a header must stay in the range that every client reads exactly; \
             add `maximum = 9007199254740991`, a smaller one, or use a smaller type such as `u32`",
        ),
        Kind::LongInteger => Text::new(
            "an integer in a header must stay in the range that every client reads exactly; \
             add `minimum = -9007199254740991, maximum = 9007199254740991`, or use a smaller type such as `i32`",
        ),
        Kind::Number | Kind::List | Kind::Map | Kind::Unit => {
            Text::new("a header holds text, an integer or a boolean, and this field is ")
                .and(kind.words())
                .and("; remove `header`")
        }
    };
    refuse(&text);
}

const fn bound_of(what: &str, key: &str, kind: Kind) -> Text {
    Text::new("`")
        .and(key)
        .and("` bounds ")
        .and(what)
        .and(", and this field is ")
        .and(kind.words())
        .and("; ")
        .and(kind.advice())
}
