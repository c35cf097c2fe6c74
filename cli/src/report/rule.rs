//! What the rules of all reports say.

use serde::Deserialize as _;
use serde::de::Error as _;
use toml::{Table, Value};

/// A rule of `lint`, or a kind of change of `diff`: data files hold it, with what each command adds.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Rule {
    /// Lower-case words with `-` between them. Settings and allow lists name it, so it stays.
    pub(crate) id: String,
    /// What was found, as a fragment.
    pub(crate) summary: String,
    /// Why it matters.
    pub(crate) why: String,
    /// What to do, as a fragment.
    pub(crate) advice: String,
    /// Public addresses of the reason.
    pub(crate) sources: Vec<String>,
}

impl Rule {
    /// Takes the members of a rule out of the table of a data file; what the command adds is left.
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
