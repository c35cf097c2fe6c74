//! Tests of the library.

use std::time::{Duration, Instant};

use serde_json::json;
use test_servers::installed::{self, Listening, Program};
use test_servers::processes::Mark;
use toolwright_client::config::{HttpSpec, ServerSpec, SseSpec};
use toolwright_client::{Client, ErrorKind};
use toolwright_core::revision::Revision;

use crate::case::{self, Case};

const LEGACY: Option<Revision> = Some(Revision::V2025_11_25);

/// A server on stdio: the complete case, and a clean exit.
async fn on_stdio(case: &Case, program: &Program, revision: Option<Revision>, is_modern: bool) {
    let mark = Mark::new();
    let client = case.check(mark.on(program.on_stdio()), revision, is_modern).await;
    mark.assert_running();
    let start = Instant::now();
    client.close().await;
    assert!(start.elapsed() < Duration::from_secs(5), "closing took {:?}", start.elapsed());
    mark.assert_gone().await;
}

/// A server over HTTP: the complete case, twice, so that disconnecting one client does not affect
/// the other.
async fn over_http(
    case: &Case,
    server: impl Into<ServerSpec> + Clone,
    revision: Option<Revision>,
    is_modern: bool,
) {
    for _ in 0..2 {
        let client = case.check(server.clone(), revision, is_modern).await;
        client.close().await;
    }
}

#[tokio::test]
async fn everything_on_stdio() {
    on_stdio(&case::everything(), &installed::npm("everything", &[]), None, false).await;
}

#[tokio::test]
async fn everything_over_streamable_http() {
    let server = Listening::start(&installed::npm("everything", &["streamableHttp"]));
    over_http(&case::everything(), HttpSpec::new(server.url("/mcp")), None, false).await;
}

#[tokio::test]
async fn everything_over_http_and_sse() {
    let server = Listening::start(&installed::npm("everything", &["sse"]));
    over_http(&case::everything(), SseSpec::new(server.url("/sse")), None, false).await;
    // The URL alone does not determine the transport.
    over_http(&case::everything(), HttpSpec::new(server.url("/sse")), None, false).await;
}

#[tokio::test]
async fn everything_reports_progress_and_is_cancelled() {
    let client = Client::connect(installed::npm("everything", &[]).on_stdio()).await.unwrap();
    let mut seen = Vec::new();
    let arguments = json!({"duration": 0.2, "steps": 4});
    let call = client.call("trigger-long-running-operation", arguments);
    let result = call.on_progress(|progress| seen.push((progress.progress, progress.total))).await.unwrap();
    assert!(result.as_text().contains("completed"), "{}", result.as_text());
    // The last notification may arrive after the response.
    assert!(seen.starts_with(&[(1.0, Some(4.0)), (2.0, Some(4.0)), (3.0, Some(4.0))]), "{seen:?}");

    let long = client.call("trigger-long-running-operation", json!({"duration": 60, "steps": 1}));
    let late = long.timeout(Duration::from_millis(200)).await.unwrap_err();
    assert_eq!(late.kind(), ErrorKind::Timeout, "{late}");
    client.ping().await.unwrap();
    client.close().await;
}

#[tokio::test]
async fn filesystem_on_stdio() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    std::fs::write(path.join("note.txt"), "milk and bread").unwrap();
    let path = path.to_str().unwrap();
    on_stdio(&case::filesystem(path), &installed::npm("filesystem", &[path]), None, false).await;
}

#[tokio::test]
async fn memory_on_stdio() {
    let folder = tempfile::tempdir().unwrap();
    let mark = Mark::new();
    let program = installed::npm("memory", &[]).on_stdio();
    let program = program.env("MEMORY_FILE_PATH", folder.path().join("memory.json").display().to_string());
    let client = case::memory().check(mark.on(program), None, false).await;
    let found = client.call("search_nodes", json!({"query": "programs"})).await.unwrap();
    assert!(found.as_text().contains("Ada"), "{}", found.as_text());
    client.close().await;
    mark.assert_gone().await;
}

#[tokio::test]
async fn sequential_thinking_on_stdio() {
    on_stdio(&case::sequential_thinking(), &installed::npm("sequential-thinking", &[]), None, false).await;
}

/// Servers of one framework, on each transport in each era.
async fn shop(program: &Program, path: &str, is_modern: bool) {
    on_stdio(&case::shop(), program, None, is_modern).await;
    on_stdio(&case::shop(), program, LEGACY, false).await;
    let server = Listening::start(program);
    over_http(&case::shop(), HttpSpec::new(server.url(path)), None, is_modern).await;
    over_http(&case::shop(), HttpSpec::new(server.url(path)), LEGACY, false).await;
}

#[tokio::test]
async fn python_1() {
    shop(&installed::python("python-v1"), "/mcp", false).await;
}

#[tokio::test]
async fn python_2() {
    shop(&installed::python("python-v2"), "/mcp", true).await;
}

#[tokio::test]
async fn fastmcp() {
    shop(&installed::python("fastmcp"), "/mcp", true).await;
}

#[tokio::test]
async fn typescript_2() {
    shop(&installed::typescript(), "/mcp", true).await;
}

#[tokio::test]
async fn rmcp() {
    shop(&case::rmcp(), "/mcp", true).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_killed_server_is_reported_and_restarted() {
    let mark = Mark::new();
    let client = Client::connect(mark.on(installed::npm("everything", &[]).on_stdio())).await.unwrap();
    let waiting = client.clone();
    let call = tokio::spawn(async move {
        waiting.call("trigger-long-running-operation", json!({"duration": 60, "steps": 1})).await
    });
    tokio::time::sleep(Duration::from_millis(200)).await;
    let killed = Instant::now();
    mark.kill();
    let error = call.await.unwrap().unwrap_err();
    assert!(killed.elapsed() < Duration::from_secs(1), "after {:?}", killed.elapsed());
    assert_eq!(error.kind(), ErrorKind::Lost, "{error}");
    for part in ["no longer available", "signal: 9", "the next request restarts the server"] {
        assert!(error.to_string().contains(part), "no `{part}` in: {error}");
    }
    let sum = client.call("get-sum", json!({"a": 19, "b": 23})).await.unwrap();
    assert!(sum.as_text().contains("42"));
    client.close().await;
    mark.assert_gone().await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_killed_http_server_is_reported() {
    let program = installed::npm("everything", &["streamableHttp"]);
    let server = Listening::start(&program);
    let client = Client::connect(HttpSpec::new(server.url("/mcp"))).await.unwrap();
    drop(server);
    let error = client.call("get-sum", json!({"a": 1, "b": 2})).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Connect | ErrorKind::Lost), "{error}");
    assert!(!error.advice().is_empty(), "{error}");
    let error = client.list_tools().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
    assert!(error.to_string().contains("check that the server runs"), "{error}");
}
