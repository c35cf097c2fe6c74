//! What a format cannot express.

use std::fmt;

/// Something that a format leaves out or says differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// The tool; `None` for the server.
    pub tool: Option<String>,
    /// JSON pointer into the tool's definition, or into the manifest.
    pub pointer: String,
    /// What became of it, as a fragment.
    pub what: String,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.tool {
            Some(tool) => write!(f, "{tool} {}: {}", self.pointer, self.what),
            None => write!(f, "{}: {}", self.pointer, self.what),
        }
    }
}

/// The losses of several tools, in the order in which they were found.
#[derive(Debug, Default)]
pub struct Losses {
    found: Vec<Loss>,
}

impl Losses {
    /// Adds one.
    pub fn add(&mut self, tool: Option<&str>, pointer: impl Into<String>, what: impl Into<String>) {
        let loss = Loss { tool: tool.map(str::to_owned), pointer: pointer.into(), what: what.into() };
        self.found.push(loss);
    }

    /// The text, unless it is blank. A blank one is left out and listed.
    pub fn text<'t>(&mut self, tool: Option<&str>, pointer: &str, text: Option<&'t str>) -> Option<&'t str> {
        let text = text?;
        if text.trim().is_empty() {
            self.add(tool, pointer, "the text is empty, so it is left out");
            return None;
        }
        Some(text)
    }

    /// Adds all of another list.
    pub fn append(&mut self, other: Self) {
        self.found.extend(other.found);
    }

    /// The list.
    pub fn into_list(self) -> Vec<Loss> {
        self.found
    }
}

/// The losses of one tool's schema, which all name the tool.
#[derive(Debug)]
pub struct InTool<'l> {
    /// All losses.
    pub losses: &'l mut Losses,
    /// The tool.
    pub tool: &'l str,
}

impl InTool<'_> {
    /// See [`Losses::text`].
    pub fn text<'t>(&mut self, pointer: &str, text: Option<&'t str>) -> Option<&'t str> {
        self.losses.text(Some(self.tool), pointer, text)
    }

    /// Adds one of this tool.
    pub fn add(&mut self, pointer: impl Into<String>, what: impl Into<String>) {
        self.losses.add(Some(self.tool), pointer, what);
    }
}
