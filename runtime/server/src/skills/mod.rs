//! Skills: folders of instructions for agents, served as resources (SEP-2640, extension
//! `io.modelcontextprotocol/skills`).
//!
//! `folder` reads them from disk into `files`, and `catalog` is what
//! clients see.
//!
//! Skills are read once, when the server is built, and kept in memory within a limit, so that digests, sizes and
//! contents always belong to the same bytes, and no path is looked up for a client.

mod catalog;
mod files;
mod folder;
mod limits;
mod media;

use std::path::PathBuf;
use std::time::Duration;

pub(crate) use catalog::{Catalog, Child};
use files::{Files, SKILL_MD};
use limits::Budget;

use crate::error::BuildError;
use crate::features::ResourceEntry;

/// The skills that a server offers: see [`Server::skills`](crate::Server::skills).
///
/// A skill is a folder with a `SKILL.md`, which begins with YAML that has at least `name` and `description`, and
/// whatever files the text refers to ([Agent Skills](https://agentskills.io/specification)). Each file is a resource:
/// `skill://acme/refunds/SKILL.md` for the `SKILL.md` in `acme/refunds`. A folder below a skill that has a `SKILL.md` as
/// well is a skill of its own, and its files belong to both.
///
/// Files are read once, when the server is built, so that digests, sizes and contents always agree;
/// [`Service::replace_skills`](crate::Service::replace_skills) takes changes up.
#[derive(Debug, Default)]
pub struct Skills {
    folders: Vec<PathBuf>,
    skills: Vec<Skill>,
}

impl Skills {
    /// No skills yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// All skills below a folder: see [`Skills::dir`].
    pub fn from_dir(folder: impl Into<PathBuf>) -> Self {
        Self::new().dir(folder)
    }

    /// Adds all skills below a folder. Files outside of skills are passed by, and so are hidden ones, whose names begin
    /// with a dot. Links are followed within the folder; one that leads out of it is a mistake.
    pub fn dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folders.push(folder.into());
        self
    }

    /// Adds a skill from memory.
    pub fn skill(mut self, skill: Skill) -> Self {
        self.skills.push(skill);
        self
    }

    /// Adds the skills of another collection.
    pub(crate) fn extend(&mut self, others: Self) {
        self.folders.extend(others.folders);
        self.skills.extend(others.skills);
    }

    /// Reads and checks everything.
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
    /// How many files a skill may have, its `SKILL.md` included: what every client takes (SEP-2640 "Limits").
    pub const MAX_FILES: usize = 512;

    /// How many bytes the files of a skill may have together: 16 MiB, what every client takes (SEP-2640 "Limits").
    pub const MAX_BYTES: usize = 16 << 20;

    /// A skill at `path`, such as `refunds` or `acme/refunds`, with its `SKILL.md`. The last part of the path is the name
    /// of the skill.
    pub fn new(path: impl Into<String>, skill_md: impl Into<Vec<u8>>) -> Self {
        Self { path: path.into(), files: vec![(SKILL_MD.to_owned(), skill_md.into())] }
    }

    /// Adds a file at a path below the skill, such as `references/FORMS.md`.
    pub fn file(mut self, path: impl Into<String>, contents: impl Into<Vec<u8>>) -> Self {
        self.files.push((path.into(), contents.into()));
        self
    }
}
