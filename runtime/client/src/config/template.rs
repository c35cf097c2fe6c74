//! Values with placeholders for tokens, which are fetched when a connection is opened.

use super::{Secret, TokenError, Tokens};

/// The value of a header or an environment variable, which may contain tokens (`${runtime:NAME}`).
///
/// `Debug` prints the names of the tokens, but no text.
///
/// ```
/// use toolwright_client::config::Template;
///
/// let literal = Template::from("application/json");
/// assert_eq!(literal.literal().unwrap().expose(), "application/json");
///
/// let bearer = Template::bearer("shop");
/// assert!(bearer.literal().is_none());
/// assert_eq!(bearer.tokens().collect::<Vec<_>>(), ["shop"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
}

/// A part of a [`Template`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// Literal text.
    Text(Secret),
    /// The token with this name.
    Token(String),
}

impl Template {
    /// Creates the value of an `Authorization` header: `Bearer` and the token with this name.
    pub fn bearer(token: impl Into<String>) -> Self {
        Self { parts: vec![Part::Text("Bearer ".into()), Part::Token(token.into())] }
    }

    #[cfg(feature = "config")]
    pub(super) fn new(parts: Vec<Part>) -> Self {
        Self { parts }
    }

    /// Returns the value if it contains no tokens.
    pub fn literal(&self) -> Option<Secret> {
        if self.tokens().next().is_some() {
            return None;
        }
        let texts = self.parts.iter().map(|part| match part {
            Part::Text(text) => text.expose(),
            Part::Token(_) => "",
        });
        Some(Secret::new(texts.collect::<String>()))
    }

    /// Iterates over the names of its tokens, in order.
    pub fn tokens(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Text(_) => None,
            Part::Token(name) => Some(name.as_str()),
        })
    }

    /// Replaces the tokens by their values, which are fetched if necessary.
    ///
    /// # Errors
    /// If a token cannot be fetched.
    pub async fn resolve(&self, tokens: &Tokens) -> Result<Secret, TokenError> {
        let mut value = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => value.push_str(text.expose()),
                Part::Token(name) => value.push_str(tokens.get(name).await?.expose()),
            }
        }
        Ok(Secret::new(value))
    }
}

impl From<Secret> for Template {
    fn from(text: Secret) -> Self {
        Self { parts: vec![Part::Text(text)] }
    }
}

impl From<&str> for Template {
    fn from(text: &str) -> Self {
        Secret::new(text).into()
    }
}

impl From<String> for Template {
    fn from(text: String) -> Self {
        Secret::new(text).into()
    }
}
