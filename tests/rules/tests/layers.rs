//! Which crate may depend on which.

use std::collections::BTreeSet;

use cargo_metadata::{DependencyKind, Package};
use test_rules::{dependency_closure, member, metadata};

/// The crates that users get, each with those of them that it may depend on.
const LAYERS: [(&str, &[&str]); 5] = [
    ("toolwright-core", &[]),
    ("toolwright-macros", &[]),
    ("toolwright-server", &["toolwright-core"]),
    ("toolwright", &["toolwright-core", "toolwright-macros", "toolwright-server"]),
    ("toolwright-cli", &["toolwright-core"]),
];

#[test]
fn crates_point_one_way() {
    let metadata = metadata();
    for (name, allowed) in LAYERS {
        let used = own_dependencies(member(&metadata, name));
        let allowed = allowed.iter().map(ToString::to_string).collect();
        let extra: Vec<_> = used.difference(&allowed).collect();
        assert!(extra.is_empty(), "{name} must not depend on {extra:?}");
    }
}

#[test]
fn every_published_crate_has_a_layer() {
    let published: BTreeSet<String> = metadata()
        .workspace_packages()
        .into_iter()
        .filter(|package| package.publish.is_none())
        .map(|package| package.name.to_string())
        .collect();
    assert_eq!(published, LAYERS.iter().map(|(name, _)| (*name).to_owned()).collect());
}

#[test]
fn core_has_no_runtime_and_no_network() {
    let closure = dependency_closure(&metadata(), "toolwright-core");
    for barred in ["tokio", "tokio-util", "async-std", "smol", "mio", "hyper", "reqwest", "socket2"] {
        assert!(!closure.contains(barred), "toolwright-core depends on {barred}");
    }
    assert!(closure.contains("schemars"), "the closure is not computed: {closure:?}");
}

#[test]
fn servers_do_not_carry_a_schema_validator() {
    let closure = dependency_closure(&metadata(), "toolwright");
    assert!(!closure.contains("jsonschema"), "toolwright depends on jsonschema, with forty crates behind it");
}

/// The crates of this workspace that a package compiles with.
fn own_dependencies(package: &Package) -> BTreeSet<String> {
    package
        .dependencies
        .iter()
        .filter(|dependency| dependency.kind != DependencyKind::Development && dependency.path.is_some())
        .map(|dependency| dependency.name.clone())
        .collect()
}
