//! URIs and URI templates: RFC 6570 level 1, matched against URIs.

use std::fmt::{self, Write as _};

/// A URI template: literal text and variables in braces, such as `shop://orders/{id}/invoice`.
///
/// Variables follow RFC 6570, level 1. A variable matches one or more characters other than `/`, `?` and `#`,
/// and percent-encoding is decoded: `a%2Fb` becomes `a/b`, and `%00` and `..` match as well. Use the type
/// [`PathSegment`](super::PathSegment), which rejects those, for a variable that becomes part of a path. Two
/// variables need literal text between them, and the template starts with a literal scheme.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UriTemplate {
    /// The literal text before the first variable.
    head: String,
    /// Each variable with the literal text after it.
    parts: Vec<(String, String)>,
}

/// Why a string is not a valid URI or URI template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// There is no scheme.
    #[error("a URI begins with a scheme, such as `shop://`")]
    Scheme,
    /// A character that is not allowed in URIs.
    #[error("a URI cannot contain {0:?}; percent-encode it")]
    Character(char),
    /// An unmatched brace.
    #[error("unmatched brace: each `{{` needs a `}}`")]
    Brace,
    /// An expression beyond level 1 of RFC 6570, or an invalid name.
    #[error("`{{{0}}}` is not a variable; names consist of letters, digits and `_`, without operators")]
    Variable(String),
    /// There is nothing between two variables.
    #[error("literal text is required between `{{{0}}}` and the variable before it")]
    Adjacent(String),
    /// A duplicate name.
    #[error("duplicate variable `{{{0}}}`; give each variable its own name")]
    DuplicateVariable(String),
}

/// Validates a URI: a scheme, and only characters that RFC 3986 allows.
///
/// # Errors
/// Returns what is wrong with it.
pub fn check_uri(uri: &str) -> Result<(), TemplateError> {
    check_scheme(uri)?;
    check_characters(uri)
}

fn check_scheme(uri: &str) -> Result<(), TemplateError> {
    let (scheme, _) = uri.split_once(':').ok_or(TemplateError::Scheme)?;
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(|next| next.is_ascii_alphanumeric() || matches!(next, '+' | '-' | '.'));
    if is_scheme { Ok(()) } else { Err(TemplateError::Scheme) }
}

fn check_characters(text: &str) -> Result<(), TemplateError> {
    let is_barred = |next: &char| {
        !next.is_ascii_graphic() || matches!(next, '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}')
    };
    text.chars().find(is_barred).map_or(Ok(()), |barred| Err(TemplateError::Character(barred)))
}

impl UriTemplate {
    /// Parses a template.
    ///
    /// # Errors
    /// Returns what is wrong with it.
    pub fn parse(template: &str) -> Result<Self, TemplateError> {
        let mut pieces = template.split('{');
        let head = pieces.next().unwrap_or_default();
        check_scheme(head)?;
        let mut parts: Vec<(String, String)> = Vec::new();
        for piece in pieces {
            let (name, text) = piece.split_once('}').ok_or(TemplateError::Brace)?;
            if name.is_empty() || !name.chars().all(|next| next.is_ascii_alphanumeric() || next == '_') {
                return Err(TemplateError::Variable(name.to_owned()));
            }
            if parts.iter().any(|(known, _)| known == name) {
                return Err(TemplateError::DuplicateVariable(name.to_owned()));
            }
            if parts.last().is_some_and(|(_, between)| between.is_empty()) {
                return Err(TemplateError::Adjacent(name.to_owned()));
            }
            parts.push((name.to_owned(), text.to_owned()));
        }
        for text in std::iter::once(head).chain(parts.iter().map(|(_, text)| text.as_str())) {
            if text.contains('}') {
                return Err(TemplateError::Brace);
            }
            check_characters(text)?;
        }
        Ok(Self { head: head.to_owned(), parts })
    }

    /// Returns the names of the variables, in order.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().map(|(name, _)| name.as_str())
    }

    /// Returns the length of the literal text: if two templates match a URI, the one with more literal text wins.
    pub fn fixed_len(&self) -> usize {
        self.head.len() + self.parts.iter().map(|(_, text)| text.len()).sum::<usize>()
    }

    /// Returns the decoded values of the variables, in order; `None` if the URI does not match.
    ///
    /// Takes time linear in the length of the URI: each variable ends at the first occurrence of its literal
    /// text. A later occurrence cannot match more, since a variable contains no `/` and the next one may
    /// contain what was skipped.
    pub fn matches<'t>(&'t self, uri: &str) -> Option<Vec<(&'t str, String)>> {
        let mut rest = uri.strip_prefix(self.head.as_str())?;
        let mut values = Vec::with_capacity(self.parts.len());
        for (index, (name, text)) in self.parts.iter().enumerate() {
            let is_last = index + 1 == self.parts.len();
            let end = if is_last {
                rest.strip_suffix(text.as_str())?.len()
            } else {
                // A variable matches at least one character.
                let first = rest.chars().next()?.len_utf8();
                first + rest[first..].find(text.as_str())?
            };
            let (value, tail) = rest.split_at(end);
            if value.is_empty() || value.contains(['/', '?', '#']) {
                return None;
            }
            values.push((name.as_str(), percent_decode(value)?));
            rest = &tail[text.len()..];
        }
        rest.is_empty().then_some(values)
    }
}

impl UriTemplate {
    /// Returns the URI with these values of the variables, percent-encoded (RFC 6570, section 3.2.2); `None` if one is
    /// missing or empty, which no URI matches.
    ///
    /// ```
    /// use toolwright_core::resource::UriTemplate;
    ///
    /// let template = UriTemplate::parse("shop://orders/{id}/lines")?;
    /// assert_eq!(template.expand(|_| Some("a/b")).as_deref(), Some("shop://orders/a%2Fb/lines"));
    /// assert_eq!(template.expand(|_| None), None);
    /// # Ok::<(), toolwright_core::resource::TemplateError>(())
    /// ```
    pub fn expand<'v>(&self, value: impl Fn(&str) -> Option<&'v str>) -> Option<String> {
        let mut uri = self.head.clone();
        for (name, text) in &self.parts {
            let value = value(name).filter(|value| !value.is_empty())?;
            for byte in value.bytes() {
                if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                    uri.push(char::from(byte));
                } else {
                    // Writing to a string cannot fail.
                    _ = write!(uri, "%{byte:02X}");
                }
            }
            uri.push_str(text);
        }
        Some(uri)
    }
}

impl fmt::Display for UriTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.head)?;
        self.parts.iter().try_for_each(|(name, text)| write!(f, "{{{name}}}{text}"))
    }
}

/// Decodes percent-encoding; `None` if the result is not UTF-8 or a digit is missing.
fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let mut digit = || char::from(bytes.next()?).to_digit(16);
            let value = digit()? * 16 + digit()?;
            decoded.push(u8::try_from(value).ok()?);
        } else {
            decoded.push(byte);
        }
    }
    String::from_utf8(decoded).ok()
}
