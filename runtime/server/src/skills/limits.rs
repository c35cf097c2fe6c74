//! Size limits of a server's skills.

use super::Skill;

/// The remaining bytes for all skills.
#[derive(Debug)]
pub(super) struct Budget {
    limit: usize,
    used: usize,
}

impl Budget {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, used: 0 }
    }

    /// The maximum size of another file.
    pub(super) fn remaining(&self) -> usize {
        (self.limit - self.used).min(Skill::MAX_BYTES)
    }

    /// Counts a file.
    ///
    /// # Errors
    /// The exceeded limit.
    pub(super) fn take(&mut self, bytes: usize) -> Result<(), String> {
        if bytes > Skill::MAX_BYTES {
            return Err(format!("a skill may have at most {} bytes", Skill::MAX_BYTES));
        }
        if bytes > self.limit - self.used {
            let limit = self.limit;
            return Err(format!(
                "the skills have more than {limit} bytes in total, which are kept in memory; see `Limits::max_skill_bytes`"
            ));
        }
        self.used += bytes;
        Ok(())
    }
}
