//! JSON Pointers (RFC 6901).

/// The pointer to the member `name` of what `pointer` leads to.
pub fn below(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", segment(name))
}

/// A name as a segment of a pointer, without the slash before it (RFC 6901 §3).
pub fn segment(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The name behind a segment of a pointer (RFC 6901 §4).
pub fn name(segment: &str) -> String {
    segment.replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests {
    use super::{below, name, segment};

    #[test]
    fn slashes_and_tildes_in_names_are_escaped() {
        assert_eq!(below("", "a/b"), "/a~1b");
        assert_eq!(below("/x", "~1"), "/x/~01");
        assert_eq!(below("/x", ""), "/x/");
    }

    #[test]
    fn a_segment_leads_back_to_its_name() {
        for text in ["", "a", "a/b", "~", "~1", "~0", "~01", "/~/"] {
            assert_eq!(name(&segment(text)), text);
        }
    }
}
