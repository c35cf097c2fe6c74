//! Names as serde's `rename_all` writes them.

use serde::{Deserialize, Serialize};

use super::{Definition, Field, Variant};

/// A style of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each is serde's style of its name")]
pub enum Style {
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
}

impl Style {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::Lower,
        Self::Upper,
        Self::Pascal,
        Self::Camel,
        Self::Snake,
        Self::ScreamingSnake,
        Self::Kebab,
    ];

    /// Its name in an attribute.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lower => "lowercase",
            Self::Upper => "UPPERCASE",
            Self::Pascal => "PascalCase",
            Self::Camel => "camelCase",
            Self::Snake => "snake_case",
            Self::ScreamingSnake => "SCREAMING_SNAKE_CASE",
            Self::Kebab => "kebab-case",
        }
    }

    /// The name of a field, which is in snake case.
    fn field(self, name: &str) -> String {
        match self {
            Self::Lower | Self::Snake => name.to_owned(),
            Self::Upper | Self::ScreamingSnake => name.to_uppercase(),
            Self::Pascal => name.split('_').map(capital).collect(),
            Self::Camel => {
                let pascal = Self::Pascal.field(name);
                pascal[..1].to_lowercase() + &pascal[1..]
            }
            Self::Kebab => name.replace('_', "-"),
        }
    }

    /// The name of a variant, which is in Pascal case.
    fn variant(self, name: &str) -> String {
        match self {
            Self::Lower => name.to_lowercase(),
            Self::Upper => name.to_uppercase(),
            Self::Pascal => name.to_owned(),
            Self::Camel => name[..1].to_lowercase() + &name[1..],
            Self::Snake => snake(name),
            Self::ScreamingSnake => snake(name).to_uppercase(),
            Self::Kebab => snake(name).replace('_', "-"),
        }
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn snake(name: &str) -> String {
    let mut snake = String::new();
    for (at, letter) in name.char_indices() {
        if at > 0 && letter.is_uppercase() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

impl Field {
    /// Its name in JSON, within a struct or variant whose fields have this style.
    pub fn key(&self, style: Option<Style>) -> String {
        match (&self.rename, style) {
            (Some(name), _) => name.clone(),
            (None, Some(style)) => style.field(&self.name),
            (None, None) => self.name.clone(),
        }
    }
}

impl Variant {
    /// Its name in JSON.
    pub fn key(&self, of: &Definition) -> String {
        match (&self.rename, of.rename_all) {
            (Some(name), _) => name.clone(),
            (None, Some(style)) => style.variant(&self.name),
            (None, None) => self.name.clone(),
        }
    }
}
