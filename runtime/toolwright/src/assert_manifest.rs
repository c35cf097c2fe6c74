//! [`assert_manifest!`](crate::assert_manifest!): the committed manifest, kept true by a test.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

use toolwright_core::manifest::{self, Manifest, Server, answer};
use toolwright_core::{link, toolset};

use crate::Toolset;

/// The variable that asks for the file to be written instead of compared.
const UPDATE: &str = "UPDATE_MANIFEST";

/// Fails unless a file holds the manifest of the tools, so that they do not change unnoticed. One line in a test is
/// enough:
///
/// ```no_run
/// # mod shop {
/// #     #[derive(toolwright::Tool, serde::Deserialize, schemars::JsonSchema)]
/// #     #[mcp(description = "Counts the orders.")]
/// #     pub struct CountOrders {}
/// # }
/// # use shop::CountOrders;
/// #[test]
/// fn the_manifest_is_up_to_date() {
///     toolwright::assert_manifest!("mcp.json", CountOrders);
/// }
/// # fn main() {}
/// ```
///
/// The path starts at the folder of the package's `Cargo.toml`. The second argument is the [`Toolset`](trait@Toolset), or
/// a single tool. Without it, the package must have one toolset, or none and some tools; in a test under `tests/` that
/// works only if the test uses something of the package's library, since what is not used is not linked.
///
/// The file is that of `cargo mcp manifest`, compared as `cargo mcp manifest --check` does: by meaning, not by spaces and
/// order. To update it, run the test with `UPDATE_MANIFEST=1`:
///
/// ```text
/// UPDATE_MANIFEST=1 cargo test the_manifest_is_up_to_date
/// ```
///
/// # Panics
/// If the file is missing, is no manifest, or differs: the message has one line for each difference, and the command that
/// updates the file. Also if the tools make no manifest, or it is not known which tools are meant.
#[macro_export]
macro_rules! assert_manifest {
    ($path:expr $(,)?) => {
        $crate::__private::of_package(
            ::core::env!("CARGO_MANIFEST_DIR"),
            ::core::env!("CARGO_PKG_NAME"),
            ::core::convert::AsRef::as_ref($path),
        )
    };
    ($path:expr, $tools:ty $(,)?) => {
        $crate::__private::of_toolset::<$tools>(
            ::core::env!("CARGO_MANIFEST_DIR"),
            ::core::convert::AsRef::as_ref($path),
        )
    };
}

/// Compares the manifest of a toolset.
#[doc(hidden)]
#[track_caller]
pub fn of_toolset<T: Toolset>(folder: &str, path: &str) {
    let (package, metadata) = (T::PACKAGE, T::METADATA);
    let (name, version) =
        (metadata.name.unwrap_or(package.name), metadata.version.unwrap_or(package.version));
    let server = Server { title: metadata.title.map(str::to_owned), ..Server::new(name, version) };
    let instructions = metadata.instructions.map(str::to_owned);
    let manifest = Manifest::new(server, instructions, toolset::definitions_of::<T>())
        .and_then(|manifest| answer::with_features(manifest, package.name, &link::collect_features()));
    check(folder, path, &manifest.unwrap_or_else(|error| panic!("the tools make no manifest: {error}")));
}

/// Compares the manifest of the only server of a package.
#[doc(hidden)]
#[track_caller]
pub fn of_package(folder: &str, package: &str, path: &str) {
    let answer = link::collect();
    let sets: Vec<_> = answer.toolsets.iter().filter(|set| set.origin.package == package).collect();
    let loose = || answer.tools.iter().filter(|tool| tool.origin.package == package);
    let manifest = match sets.as_slice() {
        [set] => set.manifest(&answer.features),
        [] => match loose().next() {
            Some(first) => {
                let tools = loose().map(|tool| tool.definition.clone()).collect();
                first.origin.manifest_of(tools, &answer.features)
            }
            None => panic!(
                "no tool of the package `{package}` is linked into this test: name the toolset, as in \
                 assert_manifest!({path:?}, {}::Tools), since what a test does not use is not linked",
                package.replace('-', "_")
            ),
        },
        several => {
            let places: Vec<_> = several.iter().map(|set| set.origin.to_string()).collect();
            panic!(
                "the package `{package}` has several toolsets: {}; name the one that is meant, as in \
                 assert_manifest!({path:?}, Tools)",
                places.join(", ")
            )
        }
    };
    check(folder, path, &manifest.unwrap_or_else(|error| panic!("the tools make no manifest: {error}")));
}

#[track_caller]
fn check(folder: &str, path: &str, manifest: &Manifest) {
    let is_update = env::var_os(UPDATE).is_some_and(|value| !value.is_empty() && value != "0");
    if let Err(problem) = compare(&Path::new(folder).join(path), manifest, is_update) {
        panic!("{problem}");
    }
}

/// Compares with the file, or writes it.
fn compare(file: &Path, manifest: &Manifest, is_update: bool) -> Result<(), String> {
    let shown = file.display();
    let how = format!("to write it, run this test with {UPDATE}=1 in its environment");
    let text = match fs::read_to_string(file) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(format!("{shown} cannot be read: {error}")),
    };
    if is_update {
        let new = manifest.to_json();
        return if text.is_some_and(|text| text == new) { Ok(()) } else { write(file, &new) };
    }
    let Some(text) = text else {
        return Err(format!("{shown} does not exist yet; {how}, and commit it"));
    };
    let old =
        Manifest::from_json(&text).map_err(|error| format!("{shown} cannot be compared: {error}\n{how}"))?;
    let changes = manifest::diff(&old, manifest);
    if changes.is_empty() {
        return Ok(());
    }
    let (count, s) = (changes.len(), if changes.len() == 1 { "" } else { "s" });
    let mut problem =
        format!("{shown} is out of date: {count} difference{s} (- in the file, + in the tools)\n");
    for change in changes {
        // Writing to a string cannot fail.
        _ = writeln!(problem, "  {change}");
    }
    Err(problem + &how)
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    let folders = file.parent().map_or(Ok(()), fs::create_dir_all);
    folders
        .and_then(|()| fs::write(file, text))
        .map_err(|error| format!("{} cannot be written: {error}", file.display()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::definition::ToolDefinition;

    fn manifest(description: &str) -> Manifest {
        let server = Server::new("shop", "1");
        let mut tool = ToolDefinition::new("count", json!({"type": "object"}));
        tool.description = Some(description.to_owned());
        Manifest::new(server, None, vec![tool]).expect("one tool is a manifest")
    }

    #[test]
    fn a_file_is_written_when_asked_and_compared_otherwise() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("deep/mcp.json");
        let missing = compare(&file, &manifest("Counts."), false).expect_err("there is no file");
        assert!(
            missing.contains("does not exist yet; to write it, run this test with UPDATE_MANIFEST=1"),
            "{missing}"
        );

        compare(&file, &manifest("Counts."), true).expect("it is written, with its folder");
        compare(&file, &manifest("Counts."), false).expect("it is as it was written");

        let differs = compare(&file, &manifest("Counts all."), false).expect_err("it is out of date");
        for part in [
            "mcp.json is out of date: 1 difference ",
            r#"~ count /description: "Counts." -> "Counts all.""#,
            "UPDATE_MANIFEST=1",
        ] {
            assert!(differs.contains(part), "no {part:?} in {differs}");
        }
        compare(&file, &manifest("Counts all."), true).expect("it is written again");
        compare(&file, &manifest("Counts all."), false).expect("it is up to date");
    }

    #[test]
    fn spaces_and_order_do_not_count_and_other_files_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("mcp.json");
        fs::write(&file, manifest("Counts.").to_json().replace("  ", "\t")).expect("written");
        compare(&file, &manifest("Counts."), false).expect("it says the same");
        fs::write(&file, "{}").expect("written");
        let refused = compare(&file, &manifest("Counts."), false).expect_err("it is no manifest");
        assert!(refused.contains("cannot be compared: not a manifest"), "{refused}");
    }
}
