//! Strings that must not appear in messages, logs and `Debug` output.

use std::borrow::Cow;
use std::fmt;

/// A string that `Debug` and `Display` print as `[secret]`.
///
/// Only [`Secret::expose`] returns the value.
///
/// ```
/// use toolwright_client::config::Secret;
///
/// let token = Secret::new("s3cret");
/// assert_eq!(format!("{token} {token:?}"), "[secret] [secret]");
/// assert_eq!(token.expose(), "s3cret");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Box<str>);

impl Secret {
    /// Creates a secret.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into().into_boxed_str())
    }

    /// Returns the value. Do not log it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns whether the value is a placeholder and not a secret: it is empty, a variable such as `${TOKEN}`, `<token>` or
    /// `{{token}}`, or a word such as `changeme`. Such a value would be a password that everyone knows (FMXExpress/PasClaw#255).
    ///
    /// ```
    /// use toolwright_client::config::Secret;
    ///
    /// assert!(Secret::new("${GATEWAY_TOKEN}").is_placeholder());
    /// assert!(!Secret::new("f3a9c0d4e8b7").is_placeholder());
    /// ```
    pub fn is_placeholder(&self) -> bool {
        const WORDS: [&str; 14] = [
            "changeit",
            "changeme",
            "default",
            "dummy",
            "example",
            "none",
            "null",
            "password",
            "placeholder",
            "secret",
            "test",
            "todo",
            "token",
            "undefined",
        ];
        let text = self.0.trim();
        let is_between = |start: &str, end: &str| text.starts_with(start) && text.ends_with(end);
        let letters: String = text
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|letter| letter.to_ascii_lowercase())
            .collect();
        letters.trim_matches('x').is_empty()
            || text.contains("${")
            || text.contains("$(")
            || text.contains("{{")
            || text.starts_with('$')
            || is_between("<", ">")
            || is_between("%", "%")
            || WORDS.contains(&letters.as_str())
            || letters.starts_with("changeme")
            || letters.starts_with("replaceme")
            || letters.starts_with("your") && letters.len() < 24
    }
}

impl From<String> for Secret {
    fn from(value: String) -> Self {
        Self::new(value)
    }
}

impl From<&str> for Secret {
    fn from(value: &str) -> Self {
        Self::new(value)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

/// A string of a configuration whose variables are expanded, but which is displayed unexpanded.
///
/// The value of a variable may be a secret, so `Debug` and `Display` print `${API_TOKEN}` where [`Expanded::expose`] returns the
/// token.
///
/// ```
/// use toolwright_client::config::Expanded;
///
/// let argument = Expanded::new("--token=s3cret", "--token=${API_TOKEN}");
/// assert_eq!(argument.to_string(), "--token=${API_TOKEN}");
/// assert_eq!(argument.expose(), "--token=s3cret");
/// assert_eq!(Expanded::from("--verbose").to_string(), "--verbose");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Expanded {
    value: Box<str>,
    /// The text before expansion, if it differs from the value.
    unexpanded: Option<Box<str>>,
}

impl Expanded {
    /// Creates a string from its value and the text before expansion.
    pub fn new(value: impl Into<String>, unexpanded: impl Into<String>) -> Self {
        let (value, unexpanded) = (value.into(), unexpanded.into());
        let unexpanded = (value != unexpanded).then(|| unexpanded.into_boxed_str());
        Self { value: value.into_boxed_str(), unexpanded }
    }

    /// Returns the value, which may contain secrets. Do not log it.
    pub fn expose(&self) -> &str {
        &self.value
    }
}

impl From<String> for Expanded {
    fn from(value: String) -> Self {
        Self { value: value.into_boxed_str(), unexpanded: None }
    }
}

impl From<Cow<'_, str>> for Expanded {
    fn from(value: Cow<'_, str>) -> Self {
        Self::from(value.into_owned())
    }
}

impl From<&str> for Expanded {
    fn from(value: &str) -> Self {
        Self::from(value.to_owned())
    }
}

impl fmt::Debug for Expanded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.unexpanded.as_deref().unwrap_or(&self.value))
    }
}

impl fmt::Display for Expanded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.unexpanded.as_deref().unwrap_or(&self.value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_distinguished_from_secrets() {
        for text in [
            "",
            "  ",
            "${TOKEN}",
            "$TOKEN",
            "$(cat token)",
            "{{ token }}",
            "<your token>",
            "%TOKEN%",
            "changeme",
            "CHANGE_ME",
            "change-me-please",
            "xxxxxxxx",
            "your-token-here",
            "null",
            "***",
            "...",
            "Bearer ${TOKEN}",
        ] {
            assert!(Secret::new(text).is_placeholder(), "{text:?}");
        }
        for text in [
            "f3a9c0d4e8b7",
            "eyJhbGciOiJFZERTQSJ9.e30.c2ln",
            "p$ss{word}",
            "yourselfandagreatdealmorethanthat",
        ] {
            assert!(!Secret::new(text).is_placeholder(), "{text:?}");
        }
    }
}
