//! A run of the suite's command line, and the checks that it wrote down.

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

/// What a run wrote down and printed.
pub(crate) struct Results {
    checks: BTreeMap<String, BTreeMap<String, Outcome>>,
    printed: String,
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

    /// Runs all scenarios, of the revision if there is one, in one process: it takes longer to start than most of them.
    pub(crate) fn run(&self) -> Results {
        let folder = TempDir::new().expect("a folder");
        let output = Command::new(self.modules.join("node/bin/node"))
            .arg(self.modules.join("@modelcontextprotocol/conformance/dist/index.js"))
            .args(["server", "--url", self.url, "--suite", "all"])
            .args(self.revision.into_iter().flat_map(|revision| ["--spec-version", revision]))
            .arg("--output-dir")
            .arg(folder.path())
            .stdin(Stdio::null())
            .output()
            .expect("the suite starts");
        // Its exit status says less than its checks.
        let printed = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        Results { checks: checks_in(folder.path()), printed }
    }
}

impl Results {
    /// The names of the scenarios that made checks.
    pub(crate) fn scenarios(&self) -> impl Iterator<Item = &str> {
        self.checks.keys().map(String::as_str)
    }

    /// The checks of a scenario by their ids.
    ///
    /// # Panics
    /// If it made none: it did not get far, and the suite says why.
    pub(crate) fn of(&self, scenario: &str) -> &BTreeMap<String, Outcome> {
        let checks = self.checks.get(scenario).filter(|checks| !checks.is_empty());
        checks.unwrap_or_else(|| panic!("{scenario} made no checks:\n{}", self.printed))
    }
}

/// The checks of each scenario that wrote its results into a folder of `results`.
fn checks_in(results: &Path) -> BTreeMap<String, BTreeMap<String, Outcome>> {
    let mut found = BTreeMap::new();
    for folder in fs::read_dir(results).expect("the results can be read") {
        let path = folder.expect("the results can be read").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("names are UTF-8");
        let checks: &mut BTreeMap<String, Outcome> = found.entry(scenario_of(name).to_owned()).or_default();
        let text = fs::read_to_string(path.join("checks.json")).expect("the suite writes its checks down");
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
    found
}

/// The scenario of a folder such as `server-ping-2026-11-30T14-17-40-580Z`.
fn scenario_of(folder: &str) -> &str {
    let end = folder.len().saturating_sub("-0000-00-00T00-00-00-000Z".len());
    let name = folder.get(..end).and_then(|name| name.strip_prefix("server-"));
    name.unwrap_or_else(|| panic!("`{folder}` is not how the suite named its folders"))
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.status, self.message)
    }
}
