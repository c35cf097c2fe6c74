//! Converts JSON names to Rust names.

use std::collections::{HashMap, HashSet};

/// Words that are no identifier by themselves (the Rust reference, "Keywords").
const KEYWORDS: [&str; 52] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "Self",
    "static", "struct", "super", "trait", "true", "try", "type", "typeof", "union", "unsafe", "unsized",
    "use", "virtual", "where", "while",
];
/// Keywords that cannot be written as raw identifiers.
const NEVER_RAW: [&str; 4] = ["self", "Self", "super", "crate"];

/// Types that generated code, or its derives, use without a path.
pub(super) const TAKEN_TYPES: [&str; 24] = [
    "BTreeMap",
    "Box",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Deserialize",
    "Eq",
    "Err",
    "JsonSchema",
    "Map",
    "None",
    "Ok",
    "Option",
    "PartialEq",
    "Result",
    "Self",
    "Serialize",
    "Some",
    "String",
    "Tool",
    "Tools",
    "Toolset",
    "Vec",
];

/// Unique names.
#[derive(Debug, Default)]
pub(super) struct Unique {
    taken: HashSet<String>,
    /// The last number appended to each name.
    numbers: HashMap<String, usize>,
}

impl Unique {
    pub(super) fn without<'a>(taken: impl IntoIterator<Item = &'a str>) -> Self {
        Self { taken: taken.into_iter().map(str::to_owned).collect(), numbers: HashMap::new() }
    }

    /// Returns the name, with a number appended if it is taken.
    pub(super) fn take(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        while !self.taken.insert(name.clone()) {
            let number = self.numbers.entry(wanted.to_owned()).or_insert(1);
            *number += 1;
            name = format!("{wanted}{number}");
        }
        name
    }
}

/// `get_order-details` → `GetOrderDetails`; `otherwise` if no letter is left.
pub(super) fn pascal(name: &str, otherwise: &str) -> String {
    let mut text = String::new();
    for word in words(name) {
        let mut letters = word.chars();
        text.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        text.push_str(letters.as_str());
    }
    match text.chars().next() {
        None => otherwise.to_owned(),
        Some(first) if first.is_ascii_digit() => format!("{otherwise}{text}"),
        Some(_) => text,
    }
}

/// `orderId` → `order_id`; `field` if no letter is left. Keywords become `r#type`.
pub(super) fn field(name: &str) -> String {
    let words: Vec<String> = words(name).map(str::to_ascii_lowercase).collect();
    let snake = words.join("_");
    match snake.chars().next() {
        None => "field".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("field_{snake}"),
        Some(_) => snake,
    }
}

/// The name as an identifier.
pub(super) fn ident(name: &str) -> String {
    if NEVER_RAW.contains(&name) {
        format!("{name}_")
    } else if KEYWORDS.contains(&name) {
        format!("r#{name}")
    } else {
        name.to_owned()
    }
}

/// Splits a name into words: runs of ASCII letters and digits, split where a lower-case letter is followed by a
/// capital.
fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|character: char| !character.is_ascii_alphanumeric()).flat_map(|run| {
        let mut words = Vec::new();
        let (mut start, bytes) = (0, run.as_bytes());
        for index in 1..run.len() {
            let ends_here = !bytes[index - 1].is_ascii_uppercase() && bytes[index].is_ascii_uppercase();
            let begins_here = bytes[index - 1].is_ascii_uppercase()
                && bytes[index].is_ascii_uppercase()
                && bytes.get(index + 1).is_some_and(u8::is_ascii_lowercase);
            if ends_here || begins_here {
                words.push(&run[start..index]);
                start = index;
            }
        }
        words.push(&run[start..]);
        words.into_iter().filter(|word| !word.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_conventions_of_rust() {
        for (name, type_name, field_name) in [
            ("get_order-details", "GetOrderDetails", "get_order_details"),
            ("orderId", "OrderId", "order_id"),
            ("HTTPServer2", "HTTPServer2", "http_server2"),
            ("a.b/c d", "ABCD", "a_b_c_d"),
            ("2fa", "T2fa", "field_2fa"),
            ("größe", "GrE", "gr_e"),
            ("", "T", "field"),
            ("…", "T", "field"),
        ] {
            assert_eq!((pascal(name, "T").as_str(), field(name).as_str()), (type_name, field_name), "{name}");
        }
        assert_eq!(["type", "self", "order"].map(ident), ["r#type", "self_", "order"]);
    }

    #[test]
    fn names_are_unique() {
        let mut names = Unique::without(["Tool"]);
        assert_eq!(
            ["A", "A", "A2", "Tool", "A"].map(|name| names.take(name)),
            ["A", "A2", "A22", "Tool2", "A3"]
        );
    }
}
