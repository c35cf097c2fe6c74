//! The same source yields the same bytes (maximhq/bifrost#7170).

use crate::common::{folder, manifest, manifest_with, scratch};

/// `search` has a `HashMap` and a `HashSet` as defaults, whose order changes from run to run.
#[test]
fn twenty_runs_give_the_same_bytes() {
    let first = manifest("library", "").ok().stdout;
    assert!(first.contains("\"weights\"") && first.contains("\"default\""), "{first}");
    for _ in 1..20 {
        assert_eq!(manifest("library", "").ok().stdout, first);
    }
}

#[test]
fn the_order_of_features_does_not_count() {
    let one = manifest("library", "--no-default-features --features refunds,reports").ok().stdout;
    let other =
        manifest("library", "--no-default-features --features reports --features refunds").ok().stdout;
    assert_eq!(one, other);
}

#[test]
fn no_path_of_the_machine_is_in_the_manifest() {
    let text = manifest("library", "").ok().stdout;
    for trace in [folder("library").to_str().unwrap(), env!("CARGO_TARGET_TMPDIR"), "src/lib.rs", "rustc"] {
        assert!(!text.contains(trace), "{trace} in {text}");
    }
}

#[test]
fn a_copy_in_another_folder_gives_the_same_bytes() {
    let scratch = scratch();
    let copy = scratch.path().join("elsewhere");
    std::fs::create_dir_all(copy.join("src")).unwrap();
    for file in ["Cargo.toml", "Cargo.lock", "src/main.rs"] {
        std::fs::copy(folder("program").join(file), copy.join(file)).unwrap();
    }
    let other = manifest_with(&copy, "", |_| {}).ok().stdout;
    assert_eq!(other, manifest("program", "").ok().stdout);
}
