//! Values that are known in part: the rest is a token that is fetched when a connection is made.

use super::{Secret, TokenError, Tokens};

/// The value of a header or an environment variable: text, with `${runtime:NAME}` where a token goes.
///
/// `Debug` shows the names of tokens and no text.
///
/// ```
/// use toolwright_client::config::Template;
///
/// let fixed = Template::from("application/json");
/// assert_eq!(fixed.fixed().unwrap().expose(), "application/json");
///
/// let bearer = Template::bearer("shop");
/// assert!(bearer.fixed().is_none());
/// assert_eq!(bearer.tokens().collect::<Vec<_>>(), ["shop"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
}

/// A piece of a [`Template`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// What is known.
    Text(Secret),
    /// The token of this name.
    Token(String),
}

impl Template {
    /// `Bearer` and the token of this name, as a header `Authorization` has them.
    pub fn bearer(token: impl Into<String>) -> Self {
        Self { parts: vec![Part::Text("Bearer ".into()), Part::Token(token.into())] }
    }

    #[cfg(feature = "config")]
    pub(super) fn new(parts: Vec<Part>) -> Self {
        Self { parts }
    }

    /// The value, if no token belongs to it.
    pub fn fixed(&self) -> Option<Secret> {
        if self.tokens().next().is_some() {
            return None;
        }
        let texts = self.parts.iter().map(|part| match part {
            Part::Text(text) => text.expose(),
            Part::Token(_) => "",
        });
        Some(Secret::new(texts.collect::<String>()))
    }

    /// The names of the tokens that belong to it, in order.
    pub fn tokens(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Text(_) => None,
            Part::Token(name) => Some(name.as_str()),
        })
    }

    /// The value with the tokens that `tokens` has at the moment, or gets now.
    ///
    /// # Errors
    /// That of the first token that cannot be had.
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
