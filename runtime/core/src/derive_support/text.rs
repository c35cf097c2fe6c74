//! String concatenation in constants, without allocation.

/// Fails the build with the message `text`.
#[track_caller]
pub(super) const fn fail(text: &Text) {
    panic!("{}", text.as_str());
}

/// Returns whether both strings are equal.
pub(super) const fn equal(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    if left.len() != right.len() {
        return false;
    }
    let mut index = 0;
    while index < left.len() {
        if left[index] != right[index] {
            return false;
        }
        index += 1;
    }
    true
}

/// A string built in a constant, without allocation.
pub(super) struct Text {
    bytes: [u8; 1024],
    length: usize,
}

impl Text {
    pub(super) const fn new(text: &str) -> Self {
        Self { bytes: [0; 1024], length: 0 }.and(text)
    }

    /// Appends `text` if there is room for it.
    pub(super) const fn and(mut self, text: &str) -> Self {
        let text = text.as_bytes();
        if self.length + text.len() > self.bytes.len() {
            return self;
        }
        let mut index = 0;
        while index < text.len() {
            self.bytes[self.length + index] = text[index];
            index += 1;
        }
        self.length += text.len();
        self
    }

    const fn as_str(&self) -> &str {
        match std::str::from_utf8(self.bytes.split_at(self.length).0) {
            Ok(text) => text,
            Err(_) => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Text;

    #[test]
    fn text_that_does_not_fit_is_omitted_completely() {
        let long = "x".repeat(1020);
        assert_eq!(Text::new(&long).and("12345").and("ä").as_str().len(), 1022);
    }
}
