//! How much the skills of a server may hold.

use super::Skill;

/// What is left of the bytes that all skills may have together.
#[derive(Debug)]
pub(super) struct Budget {
    limit: usize,
    used: usize,
}

impl Budget {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, used: 0 }
    }

    /// The most bytes that one more file may have.
    pub(super) fn remaining(&self) -> usize {
        (self.limit - self.used).min(Skill::MAX_BYTES)
    }

    /// Counts a file.
    ///
    /// # Errors
    /// Which limit it breaks.
    pub(super) fn take(&mut self, bytes: usize) -> Result<(), String> {
        if bytes > Skill::MAX_BYTES {
            return Err(format!("a skill has at most {} bytes", Skill::MAX_BYTES));
        }
        if bytes > self.limit - self.used {
            let limit = self.limit;
            return Err(format!(
                "the skills have more than {limit} bytes together, which are kept in memory; see `Limits::max_skill_bytes`"
            ));
        }
        self.used += bytes;
        Ok(())
    }
}
