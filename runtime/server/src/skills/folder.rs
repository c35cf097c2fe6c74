//! Skills from a folder: every file below a `SKILL.md`, and nothing outside the folder.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::files::{Files, SKILL_MD};
use super::limits::Budget;
use crate::error::BuildError;

/// How deep folders may stand in each other, and so how long a chain of links may lead.
const MAX_DEPTH: usize = 32;

/// How many files and folders are looked at: a folder with more is not one of skills.
const MAX_LOOKED_AT: usize = 65_536;

/// Adds the skills below `folder` to `files`.
///
/// # Errors
/// [`BuildError::Feature`] with the path that is at fault.
pub(super) fn read(folder: &Path, files: &mut Files, budget: &mut Budget) -> Result<(), BuildError> {
    let root = fs::canonicalize(folder).map_err(|error| refuse(folder, &error.to_string()))?;
    if !root.is_dir() {
        return Err(refuse(folder, "it is no folder"));
    }
    if root.join(SKILL_MD).exists() {
        return Err(refuse(
            folder,
            "a `SKILL.md` stands in the folder itself; name the folder above, since a skill has the name of its folder",
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
    /// Looks through a folder. `place` is its path below the root, with `/` between the parts; `in_skill` is set below
    /// a `SKILL.md`.
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
                    return Err(refuse(&path, "folders stand in each other too deep, or a link leads back"));
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

    /// What stands in a folder, without hidden files: those are of editors, of version control, or secrets.
    fn entries(&mut self, folder: &Path) -> Result<Vec<(String, PathBuf)>, BuildError> {
        let failed = |error: io::Error| refuse(folder, &error.to_string());
        let mut entries = Vec::new();
        for entry in fs::read_dir(folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let name = path.file_name().and_then(|name| name.to_str());
            let name = name.ok_or_else(|| refuse(&path, "its name is not in UTF-8"))?.to_owned();
            self.looked_at += 1;
            if self.looked_at > MAX_LOOKED_AT {
                let many = format!("it has more than {MAX_LOOKED_AT} files; name a folder of skills only");
                return Err(refuse(self.root, &many));
            }
            if !name.starts_with('.') {
                entries.push((name, path));
            }
        }
        entries.sort();
        Ok(entries)
    }

    /// Where `path` leads, which must be below the root.
    fn inside(&self, path: &Path) -> Result<PathBuf, BuildError> {
        let target = fs::canonicalize(path).map_err(|error| refuse(path, &error.to_string()))?;
        if !target.starts_with(self.root) {
            return Err(refuse(path, "the link leads out of the folder; copy what it leads to"));
        }
        Ok(target)
    }

    fn contents(&self, path: &Path, target: &Path) -> Result<Vec<u8>, BuildError> {
        let failed = |error: io::Error| refuse(path, &error.to_string());
        // Opening a pipe would wait for whoever writes to it.
        if !fs::metadata(target).map_err(failed)?.is_file() {
            return Err(refuse(path, "it is no file"));
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
