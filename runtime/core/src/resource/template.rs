//! URIs and URI templates: level 1 of RFC 6570, matched against URIs.

use std::fmt;

/// The form of an address: fixed text and variables in braces, such as `shop://orders/{id}/invoice`.
///
/// Variables are those of RFC 6570, level 1. A variable matches one or more characters other than `/`, `?` and `#`,
/// with percent-encoding decoded: `a%2Fb` becomes `a/b`, and `%00` and `..` are matched as well. Give a variable that
/// becomes a part of a path the type [`PathSegment`](super::PathSegment), which refuses those.
/// Two variables need fixed text between them, and the template begins with a fixed scheme.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UriTemplate {
    /// The fixed text before the first variable.
    head: String,
    /// Each variable with the fixed text after it.
    parts: Vec<(String, String)>,
}

/// Why a string is not a URI, or not a URI template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// No scheme at the start.
    #[error("a URI begins with a scheme, such as `shop://`")]
    Scheme,
    /// A character that addresses do not have.
    #[error("a URI cannot contain {0:?}; percent-encode it")]
    Character(char),
    /// A brace without its other one.
    #[error("a `{{` needs its `}}`, and no brace may be alone")]
    Brace,
    /// An expression beyond level 1 of RFC 6570, or a name that is none.
    #[error("`{{{0}}}` is not a variable; a name has letters, digits and `_` only, without operators")]
    Variable(String),
    /// Nothing tells two variables apart.
    #[error("fixed text must be between `{{{0}}}` and the variable before it")]
    Adjacent(String),
    /// A name is repeated.
    #[error("`{{{0}}}` is repeated; give each variable its own name")]
    Twice(String),
}

/// Checks an address: a scheme, and only characters that RFC 3986 allows.
///
/// # Errors
/// What is wrong.
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
    /// Reads a template.
    ///
    /// # Errors
    /// What is wrong with it.
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
                return Err(TemplateError::Twice(name.to_owned()));
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

    /// The names of the variables, in order.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().map(|(name, _)| name.as_str())
    }

    /// How much of the template is fixed: of two that match an address, the one with more is meant.
    pub fn fixed_len(&self) -> usize {
        self.head.len() + self.parts.iter().map(|(_, text)| text.len()).sum::<usize>()
    }

    /// The values of the variables, in order, with percent-encoding decoded; `None` if the URI does not match.
    ///
    /// Takes time in proportion to the address: each variable ends at the first place where its fixed text follows.
    /// A later place cannot lead further, since a variable holds no `/` and the next one may hold what was passed.
    pub fn matches<'t>(&'t self, uri: &str) -> Option<Vec<(&'t str, String)>> {
        let mut rest = uri.strip_prefix(self.head.as_str())?;
        let mut values = Vec::with_capacity(self.parts.len());
        for (index, (name, text)) in self.parts.iter().enumerate() {
            let is_last = index + 1 == self.parts.len();
            let end = if is_last {
                rest.strip_suffix(text.as_str())?.len()
            } else {
                // At least one character belongs to the variable.
                let first = rest.chars().next()?.len_utf8();
                first + rest[first..].find(text.as_str())?
            };
            let (value, tail) = rest.split_at(end);
            if value.is_empty() || value.contains(['/', '?', '#']) {
                return None;
            }
            values.push((name.as_str(), percent_decoded(value)?));
            rest = &tail[text.len()..];
        }
        rest.is_empty().then_some(values)
    }
}

impl fmt::Display for UriTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.head)?;
        self.parts.iter().try_for_each(|(name, text)| write!(f, "{{{name}}}{text}"))
    }
}

/// The text with its percent-encoding decoded; `None` if that is not UTF-8 or digits are missing.
fn percent_decoded(text: &str) -> Option<String> {
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
