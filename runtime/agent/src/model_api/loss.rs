//! Records what a format cannot express.

use std::fmt;

/// Something that a conversion removed or changed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loss {
    /// The tool's name; `None` if the loss concerns the server.
    pub tool: Option<String>,
    /// JSON pointer into the tool's definition, or into the manifest.
    pub pointer: String,
    /// What happened, as a fragment.
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
    /// Adds a loss.
    pub fn add(&mut self, tool: Option<&str>, pointer: impl Into<String>, what: impl Into<String>) {
        let loss = Loss { tool: tool.map(str::to_owned), pointer: pointer.into(), what: what.into() };
        self.found.push(loss);
    }

    /// Returns the text unless it is blank. A blank text is recorded as a loss.
    pub fn text<'t>(&mut self, tool: Option<&str>, pointer: &str, text: Option<&'t str>) -> Option<&'t str> {
        let text = text?;
        if text.trim().is_empty() {
            self.add(tool, pointer, "the text is empty, so it is removed");
            return None;
        }
        Some(text)
    }

    /// Moves all losses of another list into this one.
    pub fn append(&mut self, other: Self) {
        self.found.extend(other.found);
    }

    /// Returns the losses.
    pub fn into_list(self) -> Vec<Loss> {
        self.found
    }
}

/// Records losses of one tool's schema.
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

    /// Adds a loss of this tool.
    pub fn add(&mut self, pointer: impl Into<String>, what: impl Into<String>) {
        self.losses.add(Some(self.tool), pointer, what);
    }
}
