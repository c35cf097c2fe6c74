//! What each package says about itself.

use std::fs::read_to_string;

use cargo_metadata::Package;
use test_rules::{member, metadata, root};

#[test]
fn every_package_has_the_lints_of_the_workspace() {
    for package in metadata().workspace_packages() {
        let has_lints = manifest(package).contains("\n[lints]\nworkspace = true\n");
        // The smallest server is shown as a user writes it, without lints of ours.
        assert_eq!(has_lints, package.name != "hello", "{}", package.manifest_path);
    }
}

#[test]
fn every_package_takes_its_versions_from_the_workspace() {
    for package in metadata().workspace_packages() {
        let manifest = manifest(package);
        for key in ["version", "edition", "rust-version", "license"] {
            assert!(
                manifest.contains(&format!("\n{key}.workspace = true\n")),
                "{}: {key}",
                package.manifest_path
            );
        }
    }
}

#[test]
fn the_stated_rust_version_is_the_one_that_tests_use() {
    let toolchain = read_to_string(root().join("rust-toolchain.toml")).expect("the toolchain is pinned");
    for package in metadata().workspace_packages() {
        let stated = package.rust_version.as_ref().expect("each package states its Rust version");
        assert!(
            toolchain.contains(&format!("channel = \"{stated}\"")),
            "{}: {stated}",
            package.manifest_path
        );
    }
}

#[test]
fn only_what_users_need_is_published() {
    for package in metadata().workspace_packages() {
        let place = package.manifest_path.as_str();
        let is_ours = place.contains("/tests/") || place.contains("/examples/");
        assert_eq!(
            package.publish.is_some(),
            is_ours,
            "{place}: `publish = false` is for tests and examples"
        );
        assert!(package.description.is_some(), "{place}: a description is missing");
    }
}

#[test]
fn published_crates_have_what_registries_show() {
    for package in metadata().workspace_packages().into_iter().filter(|package| package.publish.is_none()) {
        let place = &package.manifest_path;
        assert!(!package.keywords.is_empty() && package.keywords.len() <= 5, "{place}: one to five keywords");
        assert!(!package.categories.is_empty(), "{place}: a category is missing");
        for license in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let has_text = package.manifest_path.with_file_name(license).is_file();
            assert!(has_text, "{place}: {license} is missing; link it as the other packages do");
        }
        let all_features = &package.metadata["docs"]["rs"]["all-features"];
        let has_features = package.features.keys().any(|feature| feature != "default");
        assert!(!has_features || *all_features == true, "{place}: docs.rs must build all features");
    }
}

/// `tests/run.sh features` builds those of `toolwright`, each alone.
#[test]
fn features_of_the_server_are_features_of_toolwright() {
    let metadata = metadata();
    let of = |name| &member(&metadata, name).features;
    let forwarding = of("toolwright");
    for feature in of("toolwright-server").keys().filter(|name| *name != "default") {
        let forwarded =
            forwarding.get(feature).unwrap_or_else(|| panic!("toolwright has no feature {feature}"));
        let alone = ["auth", "http", "oauth", "server"];
        let adds = forwarded.iter().filter(|added| !alone.contains(&added.as_str()) && !added.contains('?'));
        assert_eq!(adds.collect::<Vec<_>>(), [&format!("toolwright-server/{feature}")], "{feature}");
    }
}

#[test]
fn every_feature_is_documented() {
    for package in metadata().workspace_packages().into_iter().filter(|package| package.publish.is_none()) {
        let manifest = manifest(package);
        for feature in package.features.keys().filter(|name| *name != "default") {
            let mut lines = manifest.lines().peekable();
            let is_documented = std::iter::from_fn(|| lines.next().map(|line| (line, lines.peek().copied())))
                .any(|(line, next)| {
                    line.starts_with('#')
                        && next.is_some_and(|next| next.starts_with(&format!("{feature} =")))
                });
            assert!(is_documented, "{}: say above `{feature}` what it brings", package.manifest_path);
        }
    }
}

fn manifest(package: &Package) -> String {
    read_to_string(&package.manifest_path).expect("a manifest can be read")
}
