//! JSON Pointers (RFC 6901).

use std::borrow::Cow;

/// Returns the pointer to the member `name` below `pointer`.
pub fn below(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", segment(name))
}

/// Escapes a name as a pointer segment, without the leading slash (RFC 6901 §3).
pub fn segment(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Unescapes a pointer segment (RFC 6901 §4).
pub fn name(segment: &str) -> String {
    segment.replace("~1", "/").replace("~0", "~")
}

/// Decodes a pointer in a URI fragment, without the `#` (RFC 6901 §6).
pub fn of_fragment(fragment: &str) -> Cow<'_, str> {
    if !fragment.contains('%') {
        return Cow::Borrowed(fragment);
    }
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let code = tail
            .get(..2)
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        if let (b'%', Some(code)) = (first, code) {
            bytes.push(code);
            rest = &tail[2..];
        } else {
            bytes.push(first);
            rest = tail;
        }
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::{below, name, of_fragment, segment};

    #[test]
    fn percent_encoding_of_a_fragment_is_decoded() {
        for (fragment, pointer) in [
            ("/$defs/Map%3CA%2CB%3E", "/$defs/Map<A,B>"),
            ("/a~1b", "/a~1b"),
            ("/50%", "/50%"),
            ("/%zz", "/%zz"),
            ("", ""),
        ] {
            assert_eq!(of_fragment(fragment), pointer);
        }
    }

    #[test]
    fn slashes_and_tildes_in_names_are_escaped() {
        assert_eq!(below("", "a/b"), "/a~1b");
        assert_eq!(below("/x", "~1"), "/x/~01");
        assert_eq!(below("/x", ""), "/x/");
    }

    #[test]
    fn a_segment_is_unescaped_to_its_name() {
        for text in ["", "a", "a/b", "~", "~1", "~0", "~01", "/~/"] {
            assert_eq!(name(&segment(text)), text);
        }
    }
}
