//! Reads skills from a folder: every file below a `SKILL.md`, and nothing outside the folder.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::files::{Files, SKILL_MD};
use super::limits::Budget;
use crate::error::BuildError;

/// The maximum nesting depth of folders, and thus the maximum length of a chain of links.
const MAX_DEPTH: usize = 32;

/// The maximum number of files and folders to visit: a folder with more is not a folder of skills.
const MAX_LOOKED_AT: usize = 65_536;

/// Adds the skills below `folder` to `files`.
///
/// # Errors
/// [`BuildError::Feature`] with the invalid path.
pub(super) fn read(folder: &Path, files: &mut Files, budget: &mut Budget) -> Result<(), BuildError> {
    let root = fs::canonicalize(folder).map_err(|error| refuse(folder, &error.to_string()))?;
    if !root.is_dir() {
        return Err(refuse(folder, "it is not a folder"));
    }
    if root.join(SKILL_MD).exists() {
        return Err(refuse(
            folder,
            "the folder itself contains a `SKILL.md`; use its parent folder, since a skill has the name of its folder",
        ));
    }
    Walk { root: &root, looked_at: 0, files, budget }.folder(&root, "", false, &mut Vec::new())
}

struct Walk<'a> {
    root: &'a Path,
    looked_at: usize,
    files: &'a mut Files,
    budget: &'a mut Budget,
}

impl Walk<'_> {
    /// Visits a folder. `place` is its path below the root, separated by `/`; `in_skill` is set below a `SKILL.md`.
    fn folder(
        &mut self,
        folder: &Path,
        place: &str,
        in_skill: bool,
        above: &mut Vec<PathBuf>,
    ) -> Result<(), BuildError> {
        let in_skill = in_skill || folder.join(SKILL_MD).exists();
        above.push(folder.to_owned());
        for (name, path) in self.entries(folder)? {
            let place = if place.is_empty() { name } else { format!("{place}/{name}") };
            let target = self.inside(&path)?;
            if target.is_dir() {
                if above.len() >= MAX_DEPTH || above.contains(&target) {
                    return Err(refuse(&path, "folders are nested too deeply, or links form a cycle"));
                }
                self.folder(&target, &place, in_skill, above)?;
            } else if in_skill {
                let contents = self.contents(&path, &target)?;
                self.files.add(&place, contents, self.budget)?;
            }
        }
        above.pop();
        Ok(())
    }

    /// The entries of a folder, without hidden files: those belong to editors or version control, or are secret.
    fn entries(&mut self, folder: &Path) -> Result<Vec<(String, PathBuf)>, BuildError> {
        let failed = |error: io::Error| refuse(folder, &error.to_string());
        let mut entries = Vec::new();
        for entry in fs::read_dir(folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let name = path.file_name().and_then(|name| name.to_str());
            let name = name.ok_or_else(|| refuse(&path, "its name is not valid UTF-8"))?.to_owned();
            self.looked_at += 1;
            if self.looked_at > MAX_LOOKED_AT {
                let many = format!(
                    "it contains more than {MAX_LOOKED_AT} files; use a folder that contains only skills"
                );
                return Err(refuse(self.root, &many));
            }
            if !name.starts_with('.') {
                entries.push((name, path));
            }
        }
        entries.sort();
        Ok(entries)
    }

    /// Resolves `path`, which must be below the root.
    fn inside(&self, path: &Path) -> Result<PathBuf, BuildError> {
        let target = fs::canonicalize(path).map_err(|error| refuse(path, &error.to_string()))?;
        if !target.starts_with(self.root) {
            return Err(refuse(path, "the link points outside of the folder; copy its target instead"));
        }
        Ok(target)
    }

    fn contents(&self, path: &Path, target: &Path) -> Result<Vec<u8>, BuildError> {
        let failed = |error: io::Error| refuse(path, &error.to_string());
        // Opening a pipe would block until something writes to it.
        if !fs::metadata(target).map_err(failed)?.is_file() {
            return Err(refuse(path, "it is not a regular file"));
        }
        let most = self.budget.remaining().saturating_add(1);
        let mut contents = Vec::new();
        let file = File::open(target).map_err(failed)?;
        file.take(u64::try_from(most).unwrap_or(u64::MAX)).read_to_end(&mut contents).map_err(failed)?;
        Ok(contents)
    }
}

fn refuse(path: &Path, reason: &str) -> BuildError {
    BuildError::Feature {
        what: "file of a skill",
        name: path.display().to_string(),
        reason: reason.to_owned(),
    }
}
