//! What a format cannot express.

use std::fmt;

/// Something that a format leaves out or says differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Loss {
    /// The tool; `None` for the server.
    tool: Option<String>,
    /// JSON pointer into the tool's definition, or into the manifest.
    pointer: String,
    /// What became of it, as a fragment.
    what: String,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.tool {
            Some(tool) => write!(f, "{tool} {}: {}", self.pointer, self.what),
            None => write!(f, "{}: {}", self.pointer, self.what),
        }
    }
}

/// The losses of one export.
#[derive(Debug, Default)]
pub(super) struct Losses {
    found: Vec<Loss>,
}

impl Losses {
    pub(super) fn add(&mut self, tool: Option<&str>, pointer: impl Into<String>, what: impl Into<String>) {
        let loss = Loss { tool: tool.map(str::to_owned), pointer: pointer.into(), what: what.into() };
        self.found.push(loss);
    }

    /// The text, unless it is blank. A blank one is left out and listed.
    pub(super) fn text<'t>(
        &mut self,
        tool: Option<&str>,
        pointer: &str,
        text: Option<&'t str>,
    ) -> Option<&'t str> {
        let text = text?;
        if text.trim().is_empty() {
            self.add(tool, pointer, "the text is empty, so it is left out");
            return None;
        }
        Some(text)
    }

    pub(super) fn append(&mut self, other: Self) {
        self.found.extend(other.found);
    }

    pub(super) fn into_list(self) -> Vec<Loss> {
        self.found
    }
}

/// The losses of one tool's schema.
pub(super) struct InTool<'l> {
    pub(super) losses: &'l mut Losses,
    pub(super) tool: &'l str,
}

impl InTool<'_> {
    /// See [`Losses::text`].
    pub(super) fn text<'t>(&mut self, pointer: &str, text: Option<&'t str>) -> Option<&'t str> {
        self.losses.text(Some(self.tool), pointer, text)
    }

    pub(super) fn add(&mut self, pointer: impl Into<String>, what: impl Into<String>) {
        self.losses.add(Some(self.tool), pointer, what);
    }
}
