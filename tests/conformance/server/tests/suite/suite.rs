//! One run of the suite's command line, and the checks that it wrote down.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;
use tempfile::TempDir;

/// The suite, set up to check one server against one revision, or against the extensions, which have none.
pub(crate) struct Suite<'a> {
    revision: Option<&'a str>,
    url: &'a str,
    modules: PathBuf,
}

/// The outcome of a check. Of two outcomes the later one counts: a failure more than a success, and a success more than
/// a row that says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Status {
    Info,
    Skipped,
    Success,
    Warning,
    Failure,
}

/// What counts of a check, which the suite may make more than once.
pub(crate) struct Outcome {
    pub(crate) status: Status,
    message: String,
}

/// A check as the suite writes it down.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    id: String,
    status: Status,
    description: String,
    error_message: Option<String>,
}

impl<'a> Suite<'a> {
    pub(crate) fn new(revision: Option<&'a str>, url: &'a str) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        let modules = root.join("target/conformance/node_modules");
        assert!(modules.is_dir(), "the suite is not installed; run `tests/setup.sh conformance`");
        Self { revision, url, modules }
    }

    /// Runs a scenario and returns its checks by their ids.
    pub(crate) fn run(&self, scenario: &str) -> BTreeMap<String, Outcome> {
        let results = TempDir::new().expect("a folder");
        let output = Command::new(self.modules.join("node/bin/node"))
            .arg(self.modules.join("@modelcontextprotocol/conformance/dist/index.js"))
            .args(["server", "--url", self.url, "--scenario", scenario])
            .args(self.revision.into_iter().flat_map(|revision| ["--spec-version", revision]))
            .arg("--output-dir")
            .arg(results.path())
            .stdin(Stdio::null())
            .output()
            .expect("the suite starts");
        // Its exit status says less than its checks. Without checks it did not get far, and says why.
        let checks = checks_in(results.path());
        assert!(
            !checks.is_empty(),
            "{scenario} made no checks:\n{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        checks
    }
}

/// The checks of the one scenario that wrote its results into a folder of `results`.
fn checks_in(results: &Path) -> BTreeMap<String, Outcome> {
    let mut checks: BTreeMap<String, Outcome> = BTreeMap::new();
    for folder in fs::read_dir(results).expect("the results can be read") {
        let path = folder.expect("the results can be read").path().join("checks.json");
        let text = fs::read_to_string(&path).expect("the suite writes its checks down");
        let rows: Vec<Row> = serde_json::from_str(&text).expect("checks as the suite writes them");
        for row in rows {
            let outcome =
                Outcome { status: row.status, message: row.error_message.unwrap_or(row.description) };
            match checks.get_mut(&row.id) {
                Some(known) if known.status >= outcome.status => {}
                Some(known) => *known = outcome,
                None => {
                    checks.insert(row.id, outcome);
                }
            }
        }
    }
    checks
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.status, self.message)
    }
}
