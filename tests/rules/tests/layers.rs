//! Which crate may depend on which.

use std::collections::BTreeSet;
use std::process::Command;

use cargo_metadata::{DependencyKind, Package};
use test_rules::{dependency_closure, member, metadata, root};

/// The published crates, and those of them that each may depend on.
const LAYERS: [(&str, &[&str]); 9] = [
    ("toolwright-core", &[]),
    ("toolwright-macros", &[]),
    ("toolwright-wire", &["toolwright-core"]),
    ("toolwright-agent", &["toolwright-core"]),
    ("toolwright-server", &["toolwright-core", "toolwright-wire"]),
    ("toolwright-client", &["toolwright-core", "toolwright-wire", "toolwright-agent"]),
    ("toolwright-gateway", &["toolwright-core", "toolwright-server", "toolwright-client"]),
    (
        "toolwright",
        &[
            "toolwright-core",
            "toolwright-macros",
            "toolwright-wire",
            "toolwright-agent",
            "toolwright-server",
            "toolwright-client",
            "toolwright-gateway",
        ],
    ),
    (
        "toolwright-cli",
        &[
            "toolwright-core",
            "toolwright-wire",
            "toolwright-agent",
            "toolwright-client",
            "toolwright-server",
            "toolwright-gateway",
        ],
    ),
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

#[test]
fn a_transport_compiles_what_it_needs_and_no_more() {
    let (http, frames) = (["hyper", "hyper-util"], ["tokio-tungstenite", "sha1"]);
    let table = ["jsonrpsee-core", "parking_lot"];
    let digests = ["sha2", "subtle"];
    let tls = ["base64", "hyper-rustls", "ring", "rustls"];
    let all = [&http[..], &frames, &table, &digests, &tls].concat();
    for (feature, needed) in [
        ("stdio", Vec::new()),
        ("socket", Vec::new()),
        ("http", http.to_vec()),
        ("ws", [http, frames].concat()),
        ("jsonrpsee", table.to_vec()),
        ("auth", [http, digests].concat()),
        ("tls", [&http[..], &["ring", "rustls", "subtle"]].concat()),
        ("oauth", [&http[..], &digests, &tls].concat()),
    ] {
        let closure = compiled_with("toolwright", feature);
        for name in &all {
            assert_eq!(closure.contains(*name), needed.contains(name), "{feature}: {name}");
        }
    }
}

#[test]
fn an_agent_compiles_no_server() {
    let closure = compiled_with("toolwright-client", "agent");
    for barred in ["toolwright-server", "toolwright-gateway", "redis", "ring", "rustls"] {
        assert!(!closure.contains(barred), "an agent compiles {barred}");
    }
    assert!(closure.contains("toolwright-agent") && closure.contains("hyper"), "{closure:?}");
}

/// The names of the crates that a package compiles with one feature alone.
fn compiled_with(package: &str, feature: &str) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--package", package, "--no-default-features", "--features", feature])
        .args(["--edges", "normal", "--prefix", "none", "--format", "{p}"])
        .current_dir(root())
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let listed = String::from_utf8(output.stdout).expect("names are UTF-8");
    listed.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
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
