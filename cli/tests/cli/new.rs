//! `cargo mcp new`: the created package passes its tests and has no findings.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use crate::common::{cargo_in, mcp, scratch};

#[test]
fn a_new_package_passes_its_tests_and_has_nothing_to_lint() {
    let scratch = scratch();
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let toolwright = repository.join("runtime/toolwright");
    let line = format!("new word-counter --toolwright {}", toolwright.display());
    mcp(scratch.path(), &line).ok().says(&["created word-counter; next: cd word-counter"]);
    let folder = scratch.path().join("word-counter");

    // The folder of the test is in the repository's workspace, whose lock file has all dependencies.
    let mut manifest = OpenOptions::new().append(true).open(folder.join("Cargo.toml")).unwrap();
    manifest.write_all(b"\n[workspace]\n").unwrap();
    fs::copy(repository.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();

    let run = cargo_in(&folder, "test --offline --quiet").ok();
    assert!(run.stdout.contains("2 passed"), "{}", run.stdout);
    let run = mcp(&folder, "lint --offline --notes --deny notes").ok();
    assert_eq!(run.stdout, "");
    run.says(&["nothing found"]);
    let run = mcp(&folder, "expand count_words --offline").ok();
    assert!(run.stdout.contains("count_words of word-counter\n  --> src/lib.rs:"), "{}", run.stdout);

    mcp(scratch.path(), &line).ended(2).says(&["word-counter already exists"]);
}

#[test]
fn the_published_version_is_the_default() {
    let scratch = scratch();
    mcp(scratch.path(), "new inner/shop").ok();
    let text = fs::read_to_string(scratch.path().join("inner/shop/Cargo.toml")).unwrap();
    assert!(text.contains(&format!("\ntoolwright = \"{}\"\n", env!("CARGO_PKG_VERSION"))), "{text}");
    assert!(text.contains("name = \"shop\""), "{text}");
    mcp(scratch.path(), "new 2shops").ended(2).says(&["is not a valid package name"]);
    mcp(scratch.path(), "new other --toolwright nowhere").ended(6).says(&["cannot read nowhere"]);
    assert!(!scratch.path().join("other").exists(), "nothing is left half made");
}
