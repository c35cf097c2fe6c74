//! The parts of rules that all reports share.

use serde::Deserialize as _;
use serde::de::Error as _;
use toml::{Table, Value};

/// A rule of `lint`, or a kind of change of `diff`. Data files contain it, with additional members of each
/// command.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Rule {
    /// Lower-case words separated by `-`. Settings and allow lists refer to it, so it must not change.
    pub(crate) id: String,
    /// The problem, as a fragment.
    pub(crate) summary: String,
    /// Why it matters.
    pub(crate) why: String,
    /// The solution, as a fragment.
    pub(crate) advice: String,
    /// Public URLs of the reason.
    pub(crate) sources: Vec<String>,
}

impl Rule {
    /// Removes the members of a rule from the table of a data file; those of the command remain.
    ///
    /// # Errors
    /// A member that is missing or of the wrong type.
    pub(crate) fn take(id: &str, table: &mut Table) -> Result<Self, toml::de::Error> {
        let mut text = |key: &str| match table.remove(key) {
            Some(Value::String(text)) => Ok(text),
            Some(_) => Err(toml::de::Error::custom(format!("`{key}` is not a string"))),
            None => Err(toml::de::Error::custom(format!("`{key}` is missing"))),
        };
        let [summary, why, advice] = [text("summary")?, text("why")?, text("advice")?];
        let sources = match table.remove("source") {
            Some(sources) => Vec::deserialize(sources)?,
            None => Vec::new(),
        };
        Ok(Self { id: id.to_owned(), summary, why, advice, sources })
    }
}
