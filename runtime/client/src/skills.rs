//! Skills of a server: folders of instructions, verified against the list (extension `io.modelcontextprotocol/skills`,
//! SEP-2640).
//!
//! Nothing is read until the program requests it, and files that do not match the list are rejected: a user may have
//! approved the list.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use toolwright_core::protocol::content::base64;
use toolwright_core::protocol::{ResourceData, extension, method};
use toolwright_wire::frontmatter::Frontmatter;

use crate::client::Client;
use crate::error::{ClientError, ErrorKind, quote};

/// The main file of each skill.
const SKILL_MD: &str = "SKILL.md";

/// A skill as listed by a server.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct ListedSkill {
    /// The URI of its `SKILL.md`.
    pub uri: String,
    /// The frontmatter of `SKILL.md`: `name`, `description` and so on.
    pub frontmatter: Map<String, Value>,
    /// The files.
    pub resources: SkillFiles,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The files of a skill.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum SkillFiles {
    /// All files, including `SKILL.md`.
    Listed(Vec<SkillFile>),
    /// The files are generated on request (`dynamic`), so their contents cannot be verified.
    Dynamic(String),
}

/// A file of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[non_exhaustive]
pub struct SkillFile {
    /// The URI.
    pub uri: String,
    /// `sha256:` and 64 hexadecimal digits in lower case.
    pub digest: String,
    /// The size in bytes.
    pub size: u64,
}

impl ListedSkill {
    /// Returns the name, which is also the name of the folder.
    pub fn name(&self) -> &str {
        self.frontmatter.get("name").and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the description.
    pub fn description(&self) -> &str {
        self.frontmatter.get("description").and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the URI of the folder, which ends with a slash.
    fn folder(&self) -> &str {
        self.uri.strip_suffix(SKILL_MD).unwrap_or_default()
    }

    /// Returns what is wrong with the entry, if it is invalid.
    fn problem(&self) -> Option<String> {
        let folder = self.folder();
        if folder.trim_end_matches('/').rsplit('/').next() != Some(self.name()) || !folder.ends_with('/') {
            return Some("its URI does not end with its name and `SKILL.md`".to_owned());
        }
        match &self.resources {
            SkillFiles::Dynamic(word) if word == "dynamic" => None,
            SkillFiles::Dynamic(word) => {
                Some(format!("its `resources` have the unknown value `{}`", quote(word)))
            }
            SkillFiles::Listed(files) => {
                let is_outside = |file: &&SkillFile| !is_below(&file.uri, folder);
                if let Some(file) = files.iter().find(is_outside) {
                    return Some(format!("the file {} is not in its folder", quote(&file.uri)));
                }
                let has_own = files.iter().any(|file| file.uri == self.uri);
                (!has_own).then(|| "its files do not include `SKILL.md`".to_owned())
            }
        }
    }
}

/// Returns whether a URI is that of a file in a folder.
fn is_below(uri: &str, folder: &str) -> bool {
    let Some(rest) = uri.strip_prefix(folder) else { return false };
    !rest.is_empty() && !rest.split('/').any(|part| matches!(part, "" | "." | ".."))
}

impl Client {
    /// Lists the skills of the server, from all pages; none if it does not declare any. No file is read. Invalid
    /// entries are ignored with a warning.
    ///
    /// # Errors
    /// As [`Client::list_tools`].
    pub async fn list_skills(&self) -> Result<Vec<ListedSkill>, ClientError> {
        let connection = self.connection().await?;
        let extensions = connection.server.capabilities.get("extensions");
        if extensions.and_then(|extensions| extensions.get(extension::SKILLS)).is_none() {
            return Ok(Vec::new());
        }
        let listed: Vec<ListedSkill> = self.all_pages(method::SKILLS_LIST, "skills").await?;
        let valid = listed.into_iter().filter(|skill| match skill.problem() {
            Some(problem) => {
                self.warn(&format!("its skill {} is ignored: {problem}", quote(&skill.uri)));
                false
            }
            None => true,
        });
        Ok(valid.collect())
    }

    /// Reads the `SKILL.md` of a skill, and verifies its size, digest and frontmatter against the list.
    ///
    /// # Errors
    /// [`ErrorKind::Protocol`] if it does not match, and then the skill must not be used; otherwise as
    /// [`Client::read_resource`].
    pub async fn read_skill(&self, skill: &ListedSkill) -> Result<String, ClientError> {
        let contents = self.read_skill_file(skill, &skill.uri).await?;
        let text = String::from_utf8(contents).map_err(|_| self.mismatch_error(skill, "is not UTF-8"))?;
        let read = Frontmatter::read(&text)
            .map_err(|why| self.mismatch_error(skill, &format!("is invalid: {why}")))?;
        if read.members != skill.frontmatter {
            return Err(self.mismatch_error(skill, "has a different frontmatter than listed"));
        }
        Ok(text)
    }

    /// Reads a file of a skill, and verifies its size and digest against the list.
    ///
    /// # Errors
    /// [`ErrorKind::Protocol`] if it does not match or is not listed; otherwise as [`Client::read_resource`].
    pub async fn read_skill_file(&self, skill: &ListedSkill, uri: &str) -> Result<Vec<u8>, ClientError> {
        let listed_file = match &skill.resources {
            SkillFiles::Listed(files) => files.iter().find(|file| file.uri == uri),
            SkillFiles::Dynamic(_) => None,
        };
        let is_known = listed_file.is_some() || matches!(skill.resources, SkillFiles::Dynamic(_));
        if !is_known || !is_below(uri, skill.folder()) {
            let problem = format!("its skill `{}` has no file {}", quote(skill.name()), quote(uri));
            return Err(self.shared.host.error(ErrorKind::Protocol, problem, "read a listed file"));
        }
        let read = self.read_resource(uri).await?;
        let contents = read.contents.into_iter().find(|contents| contents.uri == uri);
        let contents =
            contents.ok_or_else(|| self.mismatch_error(skill, &format!("is missing: {}", quote(uri))))?;
        let bytes = match contents.data {
            ResourceData::Text(text) => text.into_bytes(),
            ResourceData::Blob(blob) => base64::decode(&blob)
                .map_err(|error| self.mismatch_error(skill, &format!("is not base64: {error}")))?,
        };
        let Some(listed_file) = listed_file else { return Ok(bytes) };
        if u64::try_from(bytes.len()) != Ok(listed_file.size) {
            let problem = format!("has {} bytes, but {} were listed", bytes.len(), listed_file.size);
            return Err(self.mismatch_error(skill, &problem));
        }
        let digest = Sha256::digest(&bytes)
            .iter()
            .fold("sha256:".to_owned(), |text, byte| format!("{text}{byte:02x}"));
        if digest != listed_file.digest {
            return Err(self.mismatch_error(skill, "has a different digest than listed"));
        }
        Ok(bytes)
    }

    fn mismatch_error(&self, skill: &ListedSkill, problem: &str) -> ClientError {
        let problem = format!("a file of its skill `{}` {problem}", quote(skill.name()));
        let advice = "do not use the skill; list the skills again, or report this to the server's developers";
        self.shared.host.error(ErrorKind::Protocol, problem, advice)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn entries_outside_of_the_folder_are_invalid() {
        let listed = |uri: &str, files: Value| -> ListedSkill {
            serde_json::from_value(json!({"uri": uri, "frontmatter": {"name": "a"}, "resources": files}))
                .unwrap()
        };
        let file = |uri: &str| json!({"uri": uri, "digest": "sha256:0", "size": 1});
        let own = file("skill://x/a/SKILL.md");
        for (uri, files, is_valid) in [
            ("skill://x/a/SKILL.md", json!([own, file("skill://x/a/b/c.md")]), true),
            ("skill://a/SKILL.md", json!("dynamic"), true),
            ("skill://x/b/SKILL.md", json!([file("skill://x/b/SKILL.md")]), false),
            ("skill://x/a/README.md", json!([own]), false),
            ("skill://x/a/SKILL.md", json!([]), false),
            ("skill://x/a/SKILL.md", json!([own, file("skill://x/other/c.md")]), false),
            ("skill://x/a/SKILL.md", json!([own, file("skill://x/a/../c.md")]), false),
            ("skill://x/a/SKILL.md", json!([own, file("skill://x/a/")]), false),
            ("skill://x/a/SKILL.md", json!("later"), false),
        ] {
            assert_eq!(listed(uri, files).problem().is_none(), is_valid, "{uri}");
        }
    }
}
