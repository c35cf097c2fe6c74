//! JSON, written at compile time.

use std::fmt::Write as _;

/// An object under construction; members keep their order.
#[derive(Default)]
pub(crate) struct Object(String);

impl Object {
    /// Adds a member whose value is already JSON.
    pub(crate) fn add(&mut self, name: &str, json: &str) {
        if !self.0.is_empty() {
            self.0.push(',');
        }
        let _ = write!(self.0, "{}:{json}", string(name));
    }

    /// Returns the object as JSON, if it has members.
    pub(crate) fn finish_unless_empty(self) -> Option<String> {
        (!self.0.is_empty()).then(|| self.finish())
    }

    /// Returns the object as JSON.
    pub(crate) fn finish(self) -> String {
        format!("{{{}}}", self.0)
    }
}

/// An array of values that are already JSON.
pub(crate) fn array<I: AsRef<str>>(items: impl IntoIterator<Item = I>) -> String {
    let mut text = String::from("[");
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        text.push_str(item.as_ref());
    }
    text.push(']');
    text
}

/// A string with its quotes (RFC 8259, section 7).
pub(crate) fn string(value: &str) -> String {
    let mut text = String::from("\"");
    for character in value.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            control if control < ' ' => {
                let _ = write!(text, "\\u{:04x}", u32::from(control));
            }
            other => text.push(other),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::{Object, array, string};

    #[test]
    fn escapes_special_characters() {
        assert_eq!(string("a\"b\\c\nd\u{1}é"), "\"a\\\"b\\\\c\\nd\\u0001é\"");
    }

    #[test]
    fn members_keep_their_order() {
        let mut object = Object::default();
        object.add("z", "1");
        object.add("a", &array(["true", "\"x\""]));
        assert_eq!(object.finish(), r#"{"z":1,"a":[true,"x"]}"#);
    }
}
