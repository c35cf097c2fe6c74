//! The sources of a program: what cargo recorded for it, and the Rust files of its package.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// How many files are looked at. More are ignored.
const MAX_FILES: usize = 20_000;
/// How deep folders of a package are searched.
const MAX_DEPTH: usize = 32;

/// Where the sources are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Sources {
    /// The folder of the package, whose Rust files count even if no build has seen them yet.
    pub(super) package: Option<PathBuf>,
    /// The files of the last successful build, which include those of other packages and included text files.
    pub(super) recorded: Vec<PathBuf>,
}

/// When each source was changed, and its size.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Stamps(BTreeMap<PathBuf, (Option<SystemTime>, u64)>);

impl Sources {
    /// Sets what is known after a build. Returns whether other files count now.
    pub(super) fn update(&mut self, sources: Self) -> bool {
        let is_new = *self != sources;
        *self = sources;
        is_new
    }

    /// Looks at all sources.
    pub(super) fn stamps(&self) -> Stamps {
        let mut stamps = Stamps::default();
        for file in &self.recorded {
            stamps.add(file);
        }
        if let Some(package) = &self.package {
            for folder in package.ancestors() {
                stamps.add(&folder.join("Cargo.toml"));
                stamps.add(&folder.join("Cargo.lock"));
            }
            stamps.add_folder(package, 0);
        }
        stamps
    }
}

impl Stamps {
    /// Returns a file that differs.
    pub(super) fn difference<'a>(&'a self, before: &'a Self) -> Option<&'a Path> {
        let changed = self.0.iter().find(|(file, stamp)| before.0.get(*file) != Some(stamp));
        let removed = before.0.keys().find(|file| !self.0.contains_key(*file));
        changed.map(|(file, _)| file.as_path()).or_else(|| removed.map(PathBuf::as_path))
    }

    /// Adds files that were not looked at before. Those that have changed since a build began count as changed.
    pub(super) fn extend(&mut self, other: Self, begin: SystemTime) {
        for (file, (modified, size)) in other.0 {
            let modified = modified.filter(|modified| *modified < begin);
            self.0.entry(file).or_insert((modified, size));
        }
    }

    fn add(&mut self, file: &Path) {
        if self.0.len() >= MAX_FILES {
            return;
        }
        if let Ok(found) = fs::metadata(file) {
            self.0.insert(file.to_owned(), (found.modified().ok(), found.len()));
        }
    }

    /// Adds the Rust files and manifests of a folder, without hidden folders and those of builds.
    fn add_folder(&mut self, folder: &Path, depth: usize) {
        // A target folder of any name has this file.
        if depth > MAX_DEPTH || folder.join("CACHEDIR.TAG").exists() {
            return;
        }
        let Ok(entries) = fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            let (name, path) = (entry.file_name(), entry.path());
            let name = name.to_string_lossy();
            // The type of a link is not that of a folder, so there are no cycles.
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && !name.starts_with('.') && name != "target" && name != "node_modules" {
                self.add_folder(&path, depth + 1);
            } else if !is_folder && (name.ends_with(".rs") || name == "Cargo.toml") {
                self.add(&path);
            }
        }
    }
}

/// Returns the files that cargo recorded for a program, from the file `NAME.d` beside it.
pub(super) fn recorded(program: &Path) -> Vec<PathBuf> {
    let Ok(text) = fs::read_to_string(program.with_extension("d")) else { return Vec::new() };
    let mut files = parse(&text);
    // What build scripts generate changes with each build.
    files.retain(|file| program.parent().is_none_or(|built| !file.starts_with(built)));
    files
}

/// Parses `program: file file …`, where spaces in names follow a backslash.
fn parse(text: &str) -> Vec<PathBuf> {
    let Some((_, files)) = text.lines().next().and_then(|line| line.split_once(": ")) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut name = String::new();
    let mut rest = files.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\\' if rest.peek() == Some(&' ') => name.extend(rest.next()),
            ' ' => found.push(std::mem::take(&mut name)),
            other => name.push(other),
        }
    }
    found.push(name);
    found.into_iter().filter(|name| !name.is_empty()).map(PathBuf::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_files_may_have_spaces() {
        let text = "/t/debug/shop: /a/src/main.rs /b\\ c/text.md C:\\d.rs\n\nother: x\n";
        assert_eq!(parse(text), ["/a/src/main.rs", "/b c/text.md", "C:\\d.rs"].map(PathBuf::from));
        assert!(parse("").is_empty() && parse("nonsense").is_empty());
    }

    #[test]
    fn new_changed_and_removed_sources_are_found() {
        let scratch = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let file = scratch.path().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        write("src/main.rs", "1");
        write("target/debug/build/out.rs", "1");
        write("other/CACHEDIR.TAG", "1");
        write("other/built.rs", "1");
        write("notes.txt", "1");
        let sources = Sources { package: Some(scratch.path().to_owned()), recorded: Vec::new() };
        let mut before = sources.stamps();
        let mut check = |expected: Option<&str>| {
            let now = sources.stamps();
            let expected = expected.map(|path| scratch.path().join(path));
            assert_eq!(now.difference(&before), expected.as_deref());
            before = now;
        };
        check(None);
        write("src/main.rs", "22");
        check(Some("src/main.rs"));
        write("src/tools/new.rs", "1");
        check(Some("src/tools/new.rs"));
        fs::remove_file(scratch.path().join("src/tools/new.rs")).unwrap();
        check(Some("src/tools/new.rs"));
        // What a program writes, and what a build writes.
        write("notes.txt", "22");
        write("other/built.rs", "22");
        write("target/debug/build/out.rs", "22");
        check(None);
    }
}
