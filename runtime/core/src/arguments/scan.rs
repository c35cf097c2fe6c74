//! Iterates over the members of an object in its text: names and values are slices, and nothing is allocated.

use std::borrow::Cow;

use memchr::memchr2;

/// Iterates over the members of the object at the start of `text`.
///
/// The text comes from a `RawValue`, so it is valid JSON; anything else ends the iteration early, without a
/// panic.
pub(super) fn members(text: &str) -> Members<'_> {
    Members { text, at: usize::from(text.starts_with('{')) }
}

/// Iterator of [`members`].
pub(super) struct Members<'a> {
    text: &'a str,
    at: usize,
}

/// One member of an object.
pub(super) struct Member<'a> {
    /// The text between the quotes of the name.
    quoted: &'a str,
    /// The text of the value.
    pub(super) value: &'a str,
}

impl<'a> Member<'a> {
    /// Returns the name, with its escapes resolved.
    pub(super) fn name(&self) -> Cow<'a, str> {
        if !self.quoted.contains('\\') {
            return Cow::Borrowed(self.quoted);
        }
        serde_json::from_str(&format!("\"{}\"", self.quoted)).map_or(Cow::Borrowed(self.quoted), Cow::Owned)
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = Member<'a>;

    #[inline]
    fn next(&mut self) -> Option<Member<'a>> {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        // Only white space and commas precede a name; only the closing brace follows the last member.
        while *bytes.get(at)? != b'"' {
            at += 1;
        }
        let name_end = string_end(bytes, at)?;
        let quoted = self.text.get(at + 1..name_end)?;
        at = name_end + 1;
        while matches!(bytes.get(at)?, b':' | b' ' | b'\t' | b'\n' | b'\r') {
            at += 1;
        }
        let end = value_end(bytes, at)?;
        self.at = end;
        Some(Member { quoted, value: self.text.get(at..end)? })
    }
}

/// Iterates over the items of the array at the start of `text`, like [`members`].
pub(super) fn items(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let mut at = usize::from(text.starts_with('['));
    std::iter::from_fn(move || {
        while matches!(bytes.get(at)?, b',' | b' ' | b'\t' | b'\n' | b'\r') {
            at += 1;
        }
        if *bytes.get(at)? == b']' {
            return None;
        }
        let end = value_end(bytes, at)?;
        let item = text.get(at..end).filter(|item| !item.is_empty())?;
        at = end;
        Some(item)
    })
}

/// Returns the index of the closing quote of the string that opens at `start`.
#[inline]
pub(super) fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

/// Returns the index after the last byte of the value that begins at `start`.
#[inline]
pub(super) fn value_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    match bytes.get(at)? {
        b'"' => return Some(string_end(bytes, at)? + 1),
        b'{' | b'[' => {}
        _ => {
            while !matches!(bytes.get(at)?, b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r') {
                at += 1;
            }
            return Some(at);
        }
    }
    let mut open = 0usize;
    loop {
        match bytes.get(at)? {
            b'"' => at = string_end(bytes, at)?,
            b'{' | b'[' => open += 1,
            b'}' | b']' => open = open.saturating_sub(1),
            _ => {}
        }
        at += 1;
        if open == 0 {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{items, members};

    fn pairs(text: &str) -> Vec<(String, &str)> {
        members(text).map(|member| (member.name().into_owned(), member.value)).collect()
    }

    fn pair<'a>(name: &str, value: &'a str) -> (String, &'a str) {
        (name.to_owned(), value)
    }

    #[test]
    fn finds_names_and_values() {
        assert_eq!(pairs("{}"), []);
        assert_eq!(pairs("{ }"), []);
        assert_eq!(pairs(r#"{"a":1,"b":2}"#), [pair("a", "1"), pair("b", "2")]);
        assert_eq!(pairs("{ \"a\" :\t-1.5e3 ,\n \"b\": null}"), [pair("a", "-1.5e3"), pair("b", "null")]);
        assert_eq!(
            pairs(r#"{"s":"},\"{[","o":{"x":[1,{"y":"]}"}]},"l":[],"é":true}"#),
            [
                pair("s", r#""},\"{[""#),
                pair("o", r#"{"x":[1,{"y":"]}"}]}"#),
                pair("l", "[]"),
                pair("é", "true")
            ]
        );
    }

    #[test]
    fn resolves_escapes_in_names() {
        assert_eq!(pairs(r#"{"\u0061\"b":1}"#), [pair("a\"b", "1")]);
        assert_eq!(pairs(r#"{"a\\":1,"b":2}"#), [pair("a\\", "1"), pair("b", "2")]);
    }

    #[test]
    fn finds_items() {
        let found = |text| items(text).collect::<Vec<_>>();
        assert_eq!(found("[]"), [""; 0]);
        assert_eq!(found("[ 1 , \"]\" ,[2],{\"a\":[3]}\n]"), ["1", "\"]\"", "[2]", "{\"a\":[3]}"]);
        for text in ["", "[", "[1", "[\"", "[["] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn ends_early_on_text_that_is_not_an_object() {
        for text in ["", "{", "{\"a", "{\"a\":", "{\"a\":[", "{\"a\":\"\\", "[1]", "1", "{\"a\":1"] {
            assert_eq!(pairs(text), [], "{text}");
        }
    }
}
