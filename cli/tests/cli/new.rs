//! `cargo mcp new`: the created packages pass their tests and their CI, have no findings, and serve.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::common::{cargo_in, mcp, target};

const TEMPLATES: [&str; 4] = ["stdio", "http", "axum", "worker"];

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// A folder outside of this repository, whose workspace and Git repository would otherwise contain the new packages.
fn outside() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// Returns the program that was built for a package.
fn program(name: &str) -> PathBuf {
    target().join("debug").join(name).with_extension(std::env::consts::EXE_EXTENSION)
}

/// A server that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already.
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

/// Starts a server on a free port, and returns its URL.
fn serve(name: &str, arguments: &[&str]) -> (Running, String) {
    let mut command = Command::new(program(name));
    command.args(arguments).stderr(Stdio::piped());
    let mut server = Running(command.spawn().unwrap());
    let mut line = String::new();
    BufReader::new(server.0.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let url = line.trim().strip_prefix("listening at ").unwrap_or_else(|| panic!("{line}"));
    (server, url.to_owned())
}

#[test]
fn new_packages_pass_their_tests_lints_and_ci_and_serve() {
    let scratch = outside();
    let root = scratch.path();
    // One workspace, so that dependencies are built once. `cargo new` adds the packages to it.
    fs::write(root.join("Cargo.toml"), "[workspace]\nresolver = \"3\"\nmembers = []\n").unwrap();
    // With this repository's lock file, no other dependencies are downloaded.
    fs::copy(repository().join("Cargo.lock"), root.join("Cargo.lock")).unwrap();
    for template in TEMPLATES {
        let line = format!("new of-{template} --template {template} --vcs none");
        mcp(root, &line).ok().says(&[
            &format!("created of-{template} with the crate toolwright in "),
            &format!("next: cd of-{template} &&"),
        ]);
    }

    cargo_in(root, "fmt --all --check").ok();
    for template in TEMPLATES {
        // Each with the features that it enables itself.
        cargo_in(root, &format!("clippy --offline --quiet -p of-{template} --all-targets -- -D warnings"))
            .ok();
    }
    let run = cargo_in(root, "test --offline --quiet --workspace").ok();
    assert_eq!(run.stdout.matches("2 passed").count(), TEMPLATES.len(), "{}", run.stdout);

    for template in TEMPLATES {
        let folder = root.join(format!("of-{template}"));
        let artifact = program(&format!("of-{template}"));
        let run = mcp(&folder, &format!("lint --artifact {} --notes --deny notes", artifact.display())).ok();
        assert_eq!(run.stdout, "");
        let manifest = format!("manifest -p of-{template} --artifact {}", artifact.display());
        mcp(&folder, &format!("{manifest} --check mcp.json")).ok();
        assert_eq!(mcp(&folder, &manifest).ok().stdout, fs::read_to_string(folder.join("mcp.json")).unwrap());
    }
    for (name, arguments) in
        [("http", &["127.0.0.1:0"][..]), ("axum", &["127.0.0.1:0"]), ("worker", &["--http", "127.0.0.1:0"])]
    {
        let (_server, url) = serve(&format!("of-{name}"), arguments);
        let run = mcp(root, &format!("call {url} count_words text=one")).ok();
        assert!(
            run.stdout.contains("\"words\":1") || run.stdout.contains("\"words\": 1"),
            "{name}: {}",
            run.stdout
        );
    }
    for name in ["stdio", "worker"] {
        let program = program(&format!("of-{name}"));
        let run = mcp(root, &format!("call count_words text=one -- {}", program.display())).ok();
        assert!(
            run.stdout.contains("\"words\":1") || run.stdout.contains("\"words\": 1"),
            "{name}: {}",
            run.stdout
        );
    }
    let run = Command::new(program("of-worker")).arg("--pool").output().unwrap();
    assert!(!run.status.success());
    assert!(String::from_utf8_lossy(&run.stderr).starts_with("arguments: none | --http ADDRESS"));
}

#[test]
fn a_package_has_a_repository_unless_it_is_in_one() {
    let scratch = outside();
    let root = scratch.path();
    mcp(root, "new inner/shop").ok();
    assert!(root.join("inner/shop/.git").is_dir());
    assert_eq!(fs::read_to_string(root.join("inner/shop/.gitignore")).unwrap(), "/target\n");
    let ci = fs::read_to_string(root.join("inner/shop/.github/workflows/ci.yml")).unwrap();
    assert!(ci.contains("cargo mcp manifest --check mcp.json"), "{ci}");

    mcp(&root.join("inner/shop"), "new second").ok();
    assert!(!root.join("inner/shop/second/.git").exists());
    mcp(root, "new plain --vcs none").ok();
    assert!(!root.join("plain/.git").exists());
}

#[test]
fn a_wrong_name_or_folder_creates_nothing() {
    let scratch = outside();
    let root = scratch.path();
    mcp(root, "new 2shops").ended(2).says(&["is not a valid package name"]);
    // Cargo knows more names that cannot be used.
    mcp(root, "new match").ended(2).says(&["cargo new failed", "keyword"]);
    mcp(root, "new other --toolwright nowhere").ended(6).says(&["cannot read nowhere"]);
    fs::create_dir(root.join("empty")).unwrap();
    mcp(root, "new other --toolwright empty").ended(2).says(&["no crate `toolwright` in empty"]);
    mcp(root, "new empty").ended(2).says(&["empty already exists"]);
    let left: Vec<_> = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["empty"]);
}

#[test]
fn a_clone_or_its_crate_can_be_named() {
    let scratch = outside();
    for (name, folder) in [("a", ""), ("b", "runtime/toolwright")] {
        let folder = repository().join(folder);
        mcp(scratch.path(), &format!("new {name} --vcs none --toolwright {}", folder.display())).ok();
        let text = fs::read_to_string(scratch.path().join(name).join("Cargo.toml")).unwrap();
        let path = repository().canonicalize().unwrap().join("runtime/toolwright");
        assert!(text.contains(&format!("toolwright = {{ path = \"{}\" }}", path.display())), "{text}");
    }
}
