//! The official conformance suite against the client of this package, scenario by scenario: the suite's exit status counts, which
//! counts that of the client, and no check may be a failure or a warning.

use std::path::Path;
use std::process::{Command, Stdio};

use serde::Deserialize;
use tempfile::TempDir;

/// What every revision has that knows authorization servers.
const AUTHORIZATION: [&str; 14] = [
    "auth/metadata-default",
    "auth/metadata-var1",
    "auth/metadata-var2",
    "auth/metadata-var3",
    "auth/basic-cimd",
    "auth/scope-from-www-authenticate",
    "auth/scope-from-scopes-supported",
    "auth/scope-omitted-when-undefined",
    "auth/scope-step-up",
    "auth/scope-retry-limit",
    "auth/token-endpoint-auth-basic",
    "auth/token-endpoint-auth-post",
    "auth/token-endpoint-auth-none",
    "auth/pre-registration",
];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    id: String,
    status: String,
    description: String,
    error_message: Option<String>,
}

/// Runs scenarios, each by itself.
#[track_caller]
fn conforms<'a>(revision: Option<&str>, scenarios: impl IntoIterator<Item = &'a str>) {
    let (mut problems, mut count, mut passed) = (Vec::new(), 0, 0);
    for scenario in scenarios {
        count += 1;
        match run(revision, scenario) {
            Ok(checks) => passed += checks,
            Err(problem) => problems.push(format!("{scenario}: {problem}")),
        }
    }
    println!("{}: {count} scenarios, {passed} checks passed", revision.unwrap_or("extensions"));
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// The number of successful checks of a scenario, if none failed.
fn run(revision: Option<&str>, scenario: &str) -> Result<usize, String> {
    let modules = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target/conformance/node_modules");
    assert!(modules.is_dir(), "the suite is not installed; run `tests/setup.sh conformance`");
    let results = TempDir::new().expect("a folder");
    let output = Command::new(modules.join("node/bin/node"))
        .arg(modules.join("@modelcontextprotocol/conformance/dist/index.js"))
        .args(["client", "--command", env!("CARGO_BIN_EXE_conformance-client"), "--scenario", scenario])
        .args(revision.into_iter().flat_map(|revision| ["--spec-version", revision]))
        .arg("--output-dir")
        .arg(results.path())
        .stdin(Stdio::null())
        .output()
        .expect("the suite starts");
    let said =
        || String::from_utf8_lossy(&[output.stdout.clone(), output.stderr.clone()].concat()).into_owned();
    let rows = rows(results.path());
    if rows.is_empty() {
        return Err(format!("no checks were made:\n{}", said()));
    }
    let bad = rows.iter().filter(|row| matches!(row.status.as_str(), "FAILURE" | "WARNING"));
    let bad: Vec<_> = bad
        .map(|row| {
            format!("{} {}: {}", row.status, row.id, row.error_message.as_ref().unwrap_or(&row.description))
        })
        .collect();
    if !bad.is_empty() {
        return Err(bad.join("; "));
    }
    if !output.status.success() {
        return Err(format!("the suite ended with {}:\n{}", output.status, said()));
    }
    Ok(rows.iter().filter(|row| row.status == "SUCCESS").count())
}

/// The checks in the folders below, however deeply the suite put them.
fn rows(folder: &Path) -> Vec<Row> {
    let mut rows = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            rows.extend(self::rows(&path));
        } else if path.ends_with("checks.json") {
            let text = std::fs::read_to_string(path).expect("the checks can be read");
            rows.extend(serde_json::from_str::<Vec<Row>>(&text).expect("checks as the suite writes them"));
        }
    }
    rows
}

#[test]
fn revision_2025_03_26() {
    let backcompat = ["auth/2025-03-26-oauth-metadata-backcompat", "auth/2025-03-26-oauth-endpoint-fallback"];
    conforms(Some("2025-03-26"), backcompat);
}

#[test]
fn revision_2025_06_18() {
    let authorization = ["basic", "post", "none"].map(|method| format!("auth/token-endpoint-auth-{method}"));
    let scenarios = ["initialize", "tools_call"].into_iter().chain(authorization.iter().map(String::as_str));
    conforms(Some("2025-06-18"), scenarios);
}

#[test]
fn revision_2025_11_25() {
    let scenarios = [
        "initialize",
        "tools_call",
        "elicitation-sep1034-client-defaults",
        "sse-retry",
        "json-schema-2020-12-preservation",
    ];
    conforms(Some("2025-11-25"), scenarios.into_iter().chain(AUTHORIZATION));
}

#[test]
fn revision_2026_07_28() {
    let scenarios = [
        "tools_call",
        "json-schema-2020-12-preservation",
        "request-metadata",
        "http-standard-headers",
        "http-custom-headers",
        "http-invalid-tool-headers",
        "json-schema-ref-no-deref",
        "sep-2322-client-request-state",
        "auth/resource-mismatch",
        "auth/offline-access-scope",
        "auth/offline-access-not-supported",
        "auth/authorization-server-migration",
        "auth/iss-supported",
        "auth/iss-not-advertised",
        "auth/iss-supported-missing",
        "auth/iss-wrong-issuer",
        "auth/iss-unexpected",
        "auth/iss-normalized",
        "auth/metadata-issuer-mismatch",
    ];
    conforms(Some("2026-07-28"), scenarios.into_iter().chain(AUTHORIZATION));
}

#[test]
fn extensions() {
    conforms(
        None,
        [
            "auth/client-credentials-basic",
            "auth/client-credentials-jwt",
            "auth/enterprise-managed-authorization",
            "auth/dpop",
            "auth/dpop-nonce",
            "auth/wif-jwt-bearer",
            "sep-2640-client-no-prefetch",
            "sep-2640-client-verify-digest",
            "sep-2640-client-verify-size",
            "sep-2640-client-verify-frontmatter",
        ],
    );
}
