//! The skills as clients see them: entries with digests, and directories.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use toolwright_core::resource::{CacheScope, Resource, ResourceContents, ResourceResult};
use toolwright_core::revision::Revision;
use toolwright_wire::frontmatter::Frontmatter;

use super::Skill;
use super::files::{Files, SKILL_MD, uri_of};
use super::media::media_type;
use crate::auth::Offer;
use crate::error::BuildError;
use crate::features::ResourceEntry;
use crate::hex::hex;
use crate::pagination::{List, Listed};

/// A snapshot of a server's skills. Digests, sizes and contents belong to the same bytes.
#[derive(Debug)]
pub(crate) struct Catalog {
    pub(crate) skills: List<SkillEntry>,
    directories: BTreeMap<String, List<Child>>,
    /// The URIs of all files.
    pub(crate) uris: BTreeSet<String>,
}

/// An entry of `skills/list` and `skills/get`.
#[derive(Debug)]
pub(crate) struct SkillEntry {
    uri: String,
    /// The entry as JSON.
    pub(crate) json: Box<RawValue>,
}

/// A directory entry: a file or another directory.
#[derive(Debug)]
pub(crate) struct Child(Resource);

impl SkillEntry {
    pub(crate) fn new(uri: &str, json: Box<RawValue>) -> Self {
        Self { uri: uri.to_owned(), json }
    }

    pub(crate) fn uri(&self) -> &str {
        &self.uri
    }
}

impl Child {
    /// The entry as a resource.
    pub(crate) fn resource(&self) -> &Resource {
        &self.0
    }
}

impl Listed for SkillEntry {
    const MEMBER: &'static str = "skills";

    type Wire = Box<RawValue>;

    fn key(&self) -> &str {
        &self.uri
    }

    fn to_wire(&self, _revision: Revision) -> Cow<'_, Box<RawValue>> {
        Cow::Borrowed(&self.json)
    }

    const IS_RULED: bool = true;

    fn offer(&self) -> Option<Offer<'_>> {
        Some(Offer::Resource(&self.uri))
    }
}

impl Listed for Child {
    const MEMBER: &'static str = "resources";

    type Wire = Resource;

    fn key(&self) -> &str {
        &self.0.uri
    }

    fn to_wire(&self, revision: Revision) -> Cow<'_, Resource> {
        self.0.for_revision(revision)
    }

    const IS_RULED: bool = true;

    fn offer(&self) -> Option<Offer<'_>> {
        Some(Offer::Resource(&self.0.uri))
    }
}

#[derive(Serialize)]
struct SkillView<'a> {
    uri: &'a str,
    frontmatter: &'a Map<String, Value>,
    resources: &'a [&'a Manifested],
}

/// A file in the entry of its skill.
#[derive(Debug, Serialize)]
struct Manifested {
    uri: String,
    digest: String,
    size: usize,
}

impl Catalog {
    /// Creates the catalog of these files, and the resources that read them. Clients may cache contents
    /// for `ttl`.
    ///
    /// # Errors
    /// [`BuildError::Feature`] with the invalid skill.
    pub(super) fn new(files: Files, ttl: Duration) -> Result<(Self, Vec<ResourceEntry>), BuildError> {
        let mut heads = BTreeMap::new();
        for place in files.skills() {
            heads.insert(place.to_owned(), head_of(place, &files).map_err(|reason| refuse(place, reason))?);
        }
        let manifest = manifest_of(&files);
        let mut entries = Vec::with_capacity(heads.len());
        for (place, head) in &heads {
            let resources: Vec<&Manifested> =
                files.below(place).filter_map(|place| manifest.get(place)).collect();
            check_size(&resources).map_err(|reason| refuse(place, reason))?;
            let uri = uri_of(&format!("{place}/{SKILL_MD}"));
            let shown = SkillView { uri: &uri, frontmatter: &head.members, resources: &resources };
            let json = to_raw_value(&shown).map_err(|error| refuse(place, error.to_string()))?;
            entries.push(Arc::new(SkillEntry { uri, json }));
        }
        let resources: BTreeMap<String, Resource> =
            files.places().map(|place| (place.to_owned(), resource_of(place, &files, &heads))).collect();
        let directories = directories_of(&resources)?;
        let uris = resources.values().map(|resource| resource.uri.clone()).collect();
        let readers = files.into_contents().into_iter().filter_map(|(place, contents)| {
            let resource = resources.get(&place)?.clone();
            Some(reader_of(resource, contents, ttl))
        });
        let readers = readers.collect::<Result<_, _>>()?;
        let skills = List::new(entries).map_err(|uri| refuse(&uri, "it appears twice".to_owned()))?;
        Ok((Self { skills, directories, uris }, readers))
    }

    /// The entries of the directory at `uri`.
    pub(crate) fn directory(&self, uri: &str) -> Option<&List<Child>> {
        self.directories.get(uri)
    }
}

fn refuse(place: &str, reason: String) -> BuildError {
    BuildError::Feature { what: "skill", name: place.to_owned(), reason }
}

fn head_of(place: &str, files: &Files) -> Result<Frontmatter, String> {
    let contents = files.get(&format!("{place}/{SKILL_MD}")).unwrap_or_default();
    let text = std::str::from_utf8(contents).map_err(|_| "its `SKILL.md` is not valid UTF-8".to_owned())?;
    let head = Frontmatter::read(text).map_err(|why| format!("`SKILL.md`: {why}"))?;
    let folder = place.rsplit('/').next().unwrap_or(place);
    if head.name != folder {
        return Err(format!(
            "its `SKILL.md` says `name: {}`, but a skill has the name of its folder; rename one of them",
            head.name
        ));
    }
    Ok(head)
}

fn manifest_of(files: &Files) -> BTreeMap<&str, Manifested> {
    let manifested = files.places().filter_map(|place| {
        let contents = files.get(place)?;
        let digest = format!("sha256:{}", hex(Sha256::digest(contents)));
        Some((place, Manifested { uri: uri_of(place), digest, size: contents.len() }))
    });
    manifested.collect()
}

/// Checks the size that every client supports (SEP-2640 "Limits").
fn check_size(resources: &[&Manifested]) -> Result<(), String> {
    if resources.len() > Skill::MAX_FILES {
        return Err(format!(
            "it has {} files; a skill may have at most {}",
            resources.len(),
            Skill::MAX_FILES
        ));
    }
    let bytes: usize = resources.iter().map(|file| file.size).sum();
    if bytes > Skill::MAX_BYTES {
        return Err(format!("its files have {bytes} bytes; a skill may have at most {}", Skill::MAX_BYTES));
    }
    Ok(())
}

/// Creates the resource for a file. A `SKILL.md` has the name and the description of its skill.
fn resource_of(place: &str, files: &Files, heads: &BTreeMap<String, Frontmatter>) -> Resource {
    let contents = files.get(place).unwrap_or_default();
    let (folder, file) = place.rsplit_once('/').unwrap_or(("", place));
    let head = heads.get(folder).filter(|_| file == SKILL_MD);
    let name = head.map_or(file, |head| &head.name);
    let mut resource = Resource::new(uri_of(place), name).mime_type(media_type(file, contents));
    resource.description = head.map(|head| head.description.clone());
    resource.size = u64::try_from(contents.len()).ok();
    resource
}

fn reader_of(resource: Resource, contents: Vec<u8>, ttl: Duration) -> Result<ResourceEntry, BuildError> {
    let uri: Arc<str> = resource.uri.as_str().into();
    let read = match String::from_utf8(contents) {
        Ok(text) => ResourceContents::text(&*uri, text),
        Err(error) => ResourceContents::blob(&*uri, error.into_bytes()),
    };
    let result = Arc::new(ResourceResult::new([read]).keep(ttl, CacheScope::Public));
    ResourceEntry::new(resource, move || {
        let result = Arc::clone(&result);
        async move { ResourceResult::clone(&result) }
    })
}

/// The directories of all files, each with its direct children.
fn directories_of(
    resources: &BTreeMap<String, Resource>,
) -> Result<BTreeMap<String, List<Child>>, BuildError> {
    let mut directories: BTreeMap<&str, BTreeMap<&str, Resource>> = BTreeMap::new();
    for (place, resource) in resources {
        let (mut child, mut shown) = (place.as_str(), resource.clone());
        while let Some((folder, _)) = child.rsplit_once('/') {
            let is_new = directories.entry(folder).or_default().insert(child, shown).is_none();
            if !is_new {
                break;
            }
            let name = folder.rsplit('/').next().unwrap_or(folder);
            (child, shown) = (folder, Resource::new(uri_of(folder), name).mime_type("inode/directory"));
        }
    }
    if let Some(both) = directories.keys().find(|folder| resources.contains_key(**folder)) {
        return Err(refuse(both, "a file and a folder have this path".to_owned()));
    }
    let lists = directories.into_iter().map(|(folder, children)| {
        let children = children.into_values().map(|child| Arc::new(Child(child))).collect();
        let list = List::new(children).map_err(|uri| refuse(&uri, "it appears twice".to_owned()))?;
        let uri = uri_of(folder);
        let list = list.of(&uri);
        Ok((uri, list))
    });
    lists.collect()
}
