//! Which modules of a crate may name which others.

use std::collections::BTreeSet;

use test_rules::modules::ModuleGraph;

/// How many top-level modules are in the largest cycle of each crate. These numbers may only shrink.
const LARGEST_CYCLE: [(&str, usize); 4] =
    [("macros/src", 0), ("runtime/core/src", 0), ("runtime/server/src", 17), ("cli/src", 0)];

#[test]
fn cycles_of_modules_do_not_grow() {
    for (folder, known) in LARGEST_CYCLE {
        let cycles = ModuleGraph::of(folder).cycles();
        let largest = cycles.first().map_or(0, BTreeSet::len);
        assert!(largest <= known, "{folder}: {largest} modules are in one cycle, {known} were: {cycles:#?}");
        assert!(
            largest == known,
            "{folder}: the largest cycle shrank to {largest}; write that into LARGEST_CYCLE"
        );
    }
}

#[test]
fn the_graph_of_modules_is_read_from_the_sources() {
    let core = ModuleGraph::of("runtime/core/src");
    assert!(core.named_by("tool").any(|module| module == "schema"), "{core:?}");
    assert!(!core.named_by("pointer").any(|module| module == "schema"), "{core:?}");
}
