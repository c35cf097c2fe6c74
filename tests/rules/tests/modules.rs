//! Which modules of a crate may name which others.

use test_rules::modules::ModuleGraph;

/// The crates whose top-level modules form no cycle.
const ONE_WAY: [&str; 8] = [
    "macros/src",
    "runtime/core/src",
    "runtime/wire/src",
    "runtime/server/src",
    "runtime/client/src",
    "runtime/agent/src",
    "runtime/gateway/src",
    "cli/src",
];

#[test]
fn modules_of_a_crate_point_one_way() {
    for folder in ONE_WAY {
        let cycles = ModuleGraph::of(folder).cycles();
        assert!(cycles.is_empty(), "{folder}: modules name each other in a circle: {cycles:#?}");
    }
}

#[test]
fn the_module_graph_is_derived_from_the_sources() {
    let core = ModuleGraph::of("runtime/core/src");
    assert!(core.named_by("tool").any(|module| module == "schema"), "{core:?}");
    assert!(!core.named_by("pointer").any(|module| module == "schema"), "{core:?}");

    let server = ModuleGraph::of("runtime/server/src");
    for (module, named) in
        [("connection", "service"), ("service", "peer"), ("context", "peer"), ("transport", "connection")]
    {
        assert!(server.named_by(module).any(|other| other == named), "{module}: {server:?}");
        assert!(!server.named_by(named).any(|other| other == module), "{named}: {server:?}");
    }
}
