//! The contents of Cargo.lock.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde::Deserialize;

/// The packages of a Cargo.lock.
#[derive(Debug, Deserialize)]
pub(super) struct CargoLock {
    #[serde(default)]
    package: Vec<LockedPackage>,
}

#[derive(Debug, Deserialize)]
struct LockedPackage {
    name: String,
    version: String,
    /// Absent for packages of the workspace and other paths.
    source: Option<String>,
    /// `name`, or `name version`, or `name version (source)`.
    #[serde(default)]
    dependencies: Vec<String>,
}

impl CargoLock {
    /// Reads the lock file in this folder; `None` if it does not exist. cargo itself reports an invalid one.
    pub(super) fn read(folder: &Path) -> Option<Self> {
        toml::from_str(&fs::read_to_string(folder.join("Cargo.lock")).ok()?).ok()
    }

    /// Returns whether a package may link another: by name, with any features and on any system, so it may be
    /// wrong.
    pub(super) fn depends_on(&self, package: &str, other: &str) -> bool {
        let mut dependencies: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for locked in &self.package {
            let names = locked.dependencies.iter().filter_map(|dependency| dependency.split(' ').next());
            dependencies.entry(&locked.name).or_default().extend(names);
        }
        let mut seen = BTreeSet::new();
        let mut open = vec![package];
        while let Some(name) = open.pop() {
            if name == other {
                return true;
            }
            if seen.insert(name) {
                open.extend(dependencies.get(name).into_iter().flatten());
            }
        }
        false
    }

    /// Returns the external packages that this lock file contains and `other` does not.
    pub(super) fn not_in(&self, other: &Self) -> Vec<String> {
        let is_new = |locked: &&LockedPackage| {
            locked.source.is_some()
                && !other.package.iter().any(|known| {
                    known.name == locked.name
                        && known.version == locked.version
                        && known.source == locked.source
                })
        };
        self.package
            .iter()
            .filter(is_new)
            .map(|locked| format!("{} {}", locked.name, locked.version))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock(text: &str) -> CargoLock {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn dependencies_are_followed_through_others_and_cycles() {
        let lock = lock(
            r#"
            [[package]]
            name = "a"
            version = "1.0.0"
            dependencies = ["b 1.0.0"]
            [[package]]
            name = "b"
            version = "1.0.0"
            dependencies = ["a", "c 2.0.0 (registry+https://example.org)"]
            [[package]]
            name = "c"
            version = "2.0.0"
            "#,
        );
        assert!(lock.depends_on("a", "c") && lock.depends_on("c", "c"));
        assert!(!lock.depends_on("c", "a") && !lock.depends_on("unknown", "a"));
    }

    #[test]
    fn only_packages_from_elsewhere_count_as_new() {
        let old = lock("[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"registry\"");
        let new = lock(
            "[[package]]\nname = \"a\"\nversion = \"1.0.1\"\nsource = \"registry\"\n\
             [[package]]\nname = \"mine\"\nversion = \"1.0.0\"",
        );
        assert_eq!(new.not_in(&old), ["a 1.0.1"]);
        assert!(old.not_in(&old).is_empty());
    }
}
