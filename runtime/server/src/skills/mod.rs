//! Skills: folders of instructions for agents, served as resources (SEP-2640, extension
//! `io.modelcontextprotocol/skills`).
//!
//! `folder` reads them from disk into `files`; `catalog` is what clients see.
//!
//! Skills are read once, when the server is built, and kept in memory within a limit. Digests, sizes and contents
//! therefore always belong to the same bytes, and no path is resolved on behalf of a client.

mod catalog;
mod files;
mod folder;
mod limits;
mod media;

use std::path::PathBuf;
use std::time::Duration;

pub(crate) use catalog::{Catalog, Child, SkillEntry};
use files::{Files, SKILL_MD};
use limits::Budget;

use crate::error::BuildError;
use crate::features::ResourceEntry;

/// The skills of a server; see [`Server::skills`](crate::Server::skills).
///
/// A skill is a folder with a `SKILL.md`, whose YAML frontmatter has at least `name` and `description`, and any files
/// that its text refers to ([Agent Skills](https://agentskills.io/specification)). Each file is a resource:
/// `skill://acme/refunds/SKILL.md` for the `SKILL.md` in `acme/refunds`. A folder inside a skill that has its own
/// `SKILL.md` is a separate skill; its files belong to both.
///
/// Files are read once, when the server is built, so that digests, sizes and contents always agree.
/// [`Service::replace_skills`](crate::Service::replace_skills) applies changes.
#[derive(Debug, Default)]
pub struct Skills {
    folders: Vec<PathBuf>,
    skills: Vec<Skill>,
}

impl Skills {
    /// Creates an empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a set of all skills below a folder; see [`Skills::dir`].
    pub fn from_dir(folder: impl Into<PathBuf>) -> Self {
        Self::new().dir(folder)
    }

    /// Adds all skills below a folder. Files outside of skills are ignored, and so are hidden files, whose names start
    /// with a dot. Links are followed within the folder; a link that points outside of it is an error.
    pub fn dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folders.push(folder.into());
        self
    }

    /// Adds a skill from memory.
    pub fn skill(mut self, skill: Skill) -> Self {
        self.skills.push(skill);
        self
    }

    /// Adds the skills of another set.
    pub(crate) fn extend(&mut self, others: Self) {
        self.folders.extend(others.folders);
        self.skills.extend(others.skills);
    }

    /// Reads and validates everything.
    pub(crate) fn build(
        self,
        max_bytes: usize,
        ttl: Duration,
    ) -> Result<(Catalog, Vec<ResourceEntry>), BuildError> {
        let (mut files, mut budget) = (Files::default(), Budget::new(max_bytes));
        for folder in &self.folders {
            folder::read(folder, &mut files, &mut budget)?;
        }
        for skill in self.skills {
            for (file, contents) in skill.files {
                files.add(&format!("{}/{file}", skill.path), contents, &mut budget)?;
            }
        }
        Catalog::new(files, ttl)
    }
}

/// A skill from memory, for [`Skills::skill`].
///
/// ```
/// # use toolwright_server::skills::{Skill, Skills};
/// let refunds = Skill::new("acme/refunds", "---\nname: refunds\ndescription: How we refund.\n---\nAsk first.\n")
///     .file("examples/letter.md", "Dear customer");
/// let skills = Skills::new().skill(refunds);
/// ```
#[derive(Debug, Clone)]
pub struct Skill {
    path: String,
    files: Vec<(String, Vec<u8>)>,
}

impl Skill {
    /// The maximum number of files per skill, including its `SKILL.md`, which every client supports (SEP-2640
    /// "Limits").
    pub const MAX_FILES: usize = 512;

    /// The maximum total size of a skill's files: 16 MiB, which every client supports (SEP-2640 "Limits").
    pub const MAX_BYTES: usize = 16 << 20;

    /// Creates a skill at `path`, such as `refunds` or `acme/refunds`, with its `SKILL.md`. The last part of the path
    /// is the skill's name.
    pub fn new(path: impl Into<String>, skill_md: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), files: vec![(SKILL_MD.to_owned(), skill_md.into())] }
    }

    /// Adds a file at a path below the skill, such as `references/FORMS.md`.
    pub fn file(mut self, path: impl Into<String>, contents: impl Into<Vec<u8>>) -> Self {
        self.files.push((path.into(), contents.into()));
        self
    }
}
