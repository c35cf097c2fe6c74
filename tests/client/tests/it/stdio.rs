//! Servers on standard streams with one fault each.

use std::time::{Duration, Instant};

use serde_json::json;
use test_client::Events;
use toolwright_client::config::ServerSpec;
use toolwright_client::{Client, ClientError, ErrorKind, INHERITED_ENV, ListedTool};

use super::{check, faulty_server};

async fn call(client: &Client, text: &str) -> Result<String, ClientError> {
    client.call("echo", json!({"text": text})).await.map(|result| result.as_text())
}

/// Calls a tool of a server with a fault.
async fn call_faulty(fault: &str) -> Result<String, ClientError> {
    call(&Client::connect(faulty_server(fault)).await?, "hi").await
}

#[tokio::test]
async fn a_server_that_cannot_be_started_is_explained() {
    let missing =
        Client::connect(toolwright_client::config::StdioSpec::new("no-such-server")).await.unwrap_err();
    check(&missing, ErrorKind::Connect, &["`no-such-server` is not found in", "/bin", "install it"]);
    let missing =
        Client::connect(toolwright_client::config::StdioSpec::new("/no/such/server")).await.unwrap_err();
    check(&missing, ErrorKind::Connect, &["the program /no/such/server does not exist", "check the path"]);
    let mut elsewhere = faulty_server("");
    elsewhere.cwd = Some("/no/such/folder".into());
    let missing = Client::connect(elsewhere).await.unwrap_err();
    check(&missing, ErrorKind::Connect, &["the folder /no/such/folder does not exist"]);
    let folder = Client::connect(toolwright_client::config::StdioSpec::new("/")).await.unwrap_err();
    check(&folder, ErrorKind::Connect, &["is not executable"]);
}

#[tokio::test]
async fn a_server_that_exits_immediately_is_explained() {
    let ended = Client::connect(faulty_server("exits")).await.unwrap_err();
    check(&ended, ErrorKind::Connect, &["exit status: 7", "the licence has expired", "in a terminal"]);
}

#[tokio::test]
async fn programs_that_are_not_servers_are_detected() {
    let flood = Client::connect(faulty_server("floods")).await.unwrap_err();
    check(&flood, ErrorKind::Protocol, &["instead of protocol messages", "`y`", "MCP server"]);
    for fault in ["prints", "hangs"] {
        let mut server = ServerSpec::from(faulty_server(fault));
        server.start_timeout = Duration::from_millis(500);
        let silent = Client::connect(server).await.unwrap_err();
        check(&silent, ErrorKind::Timeout, &["500ms", "start_timeout"]);
        assert_eq!(silent.to_string().contains("Listening on port 8080"), fault == "prints", "{silent}");
    }
    // `cat` sends back what it receives.
    let echo = Client::connect(toolwright_client::config::StdioSpec::new("cat")).await.unwrap_err();
    assert!(matches!(echo.kind(), ErrorKind::Protocol | ErrorKind::Timeout), "{echo}");
}

#[tokio::test]
async fn the_era_is_detected() {
    for (fault, is_modern) in [
        ("", false),
        ("banner", false),
        ("bom", false),
        ("modern", true),
        ("exits on the probe", false),
        ("ignores the probe", false),
        ("responds late to the probe", true),
    ] {
        let builder = Client::builder().probe_timeout(Duration::from_millis(200));
        let client =
            builder.connect(faulty_server(fault)).await.unwrap_or_else(|error| panic!("{fault}: {error}"));
        assert_eq!(client.server().await.unwrap().revision.is_modern(), is_modern, "{fault}");
        assert_eq!(call(&client, "hi").await.unwrap(), "hi", "{fault}");
    }
}

#[tokio::test]
async fn an_incompatible_server_is_explained() {
    for (fault, parts) in [
        ("other revisions", &["it supports the revisions 2031-01-01", "newer client"][..]),
        ("requires roots", &["roots are required (-32021)"]),
        ("rejects initialize", &["rejected `initialize`: the database is gone (-32603)"]),
        ("unknown revision", &["the revision `1999-01-01`"]),
        ("invalid handshake", &["its response to `initialize` is invalid"]),
    ] {
        check(&Client::connect(faulty_server(fault)).await.unwrap_err(), ErrorKind::Protocol, parts);
    }
}

#[tokio::test]
async fn unusual_responses_are_tolerated() {
    for fault in ["string ID", "response to another request", "log lines", "byte by byte"] {
        assert_eq!(call_faulty(fault).await.unwrap(), "hi", "{fault}");
    }
    assert_eq!(call_faulty("null content").await.unwrap(), "");
    let large = call_faulty("large response").await.unwrap();
    assert_eq!(large.len(), 2 << 20);
}

/// modelcontextprotocol/python-sdk#2456, DeusData/codebase-memory-mcp#511.
#[tokio::test]
async fn an_invalid_response_fails_only_its_call() {
    for (fault, parts) in [
        ("not UTF-8", &["not UTF-8 at byte"][..]),
        ("huge response", &["larger than 16 MiB", "max_message_bytes"]),
        ("broken JSON", &["cannot be parsed", "not JSON-RPC"]),
        ("no result", &["neither a method nor a result nor an error"]),
        ("error without an ID", &["-32700", "parse error"]),
        ("unknown type", &["`later`"]),
        ("invalid error", &["nope"]),
        ("rejects the call", &["-32050", "no such customer"]),
    ] {
        let client = Client::connect(faulty_server(fault)).await.unwrap();
        let error = call(&client, "hi").await.unwrap_err();
        check(&error, ErrorKind::Protocol, parts);
        assert!(client.is_connected(), "{fault}");
        client.list_tools().await.unwrap();
    }
    let rejected = call_faulty("rejects the call").await.unwrap_err();
    assert_eq!(rejected.rpc().unwrap().data.as_ref().unwrap().get(), r#"{"customer":7}"#);
}

#[tokio::test]
async fn a_crash_fails_pending_calls_and_the_next_one_works() {
    let client = Client::connect(faulty_server("crashes")).await.unwrap();
    let start = Instant::now();
    let lost = call(&client, "boom").await.unwrap_err();
    check(
        &lost,
        ErrorKind::Lost,
        &["no longer available", "exit status: 3", "faulty-server: out of memory", "was executed"],
    );
    assert!(start.elapsed() < Duration::from_secs(5));
    assert_eq!(call(&client, "ok").await.unwrap(), "ok");

    let client = Client::connect(faulty_server("crashes after three")).await.unwrap();
    let calls = [call(&client, "a"), call(&client, "b"), call(&client, "c")];
    for outcome in futures(calls).await {
        if let Err(error) = outcome {
            check(&error, ErrorKind::Lost, &["exit status: 1", "faulty-server: third call"]);
        }
    }
}

async fn futures<F: Future>(all: [F; 3]) -> [F::Output; 3] {
    let [a, b, c] = all;
    let (a, b, c) = tokio::join!(a, b, c);
    [a, b, c]
}

/// PrefectHQ/fastmcp#499.
#[tokio::test]
async fn a_server_that_never_starts_is_given_up() {
    let client = Client::builder().connect_lazy(faulty_server("exits"));
    let first = client.list_tools().await.unwrap_err();
    check(&first, ErrorKind::Connect, &["licence"]);
    let mut skipped = 0;
    for _ in 0..20 {
        let error = client.list_tools().await.unwrap_err();
        check(&error, ErrorKind::Connect, &["licence"]);
        skipped += u32::from(error.to_string().contains("next attempt"));
    }
    assert!(skipped >= 15, "{skipped} of 20 were not attempted");
}

#[tokio::test]
async fn silent_and_endless_requests_time_out() {
    let mut server = ServerSpec::from(faulty_server("silent call"));
    server.request_timeout = Duration::from_millis(200);
    let late = call(&Client::connect(server).await.unwrap(), "hi").await.unwrap_err();
    check(&late, ErrorKind::Timeout, &["200ms", "cancelled", "request_timeout"]);

    let mut server = ServerSpec::from(faulty_server("endless progress"));
    server.request_timeout = Duration::from_millis(200);
    let client = Client::builder().max_duration(Duration::from_millis(600)).connect(server).await.unwrap();
    let endless = call(&client, "hi").await.unwrap_err();
    check(&endless, ErrorKind::Timeout, &["600ms", "did not finish"]);
}

/// DeusData/codebase-memory-mcp#1247.
#[tokio::test]
async fn endless_lists_are_errors() {
    for (fault, part) in [
        ("cursor cycle", "a cursor is repeated"),
        ("empty cursor", "a cursor is repeated"),
        ("endless pages", "does not end within 500 pages"),
        ("list without tools", "no `tools`"),
    ] {
        let client = Client::connect(faulty_server(fault)).await.unwrap();
        check(&client.list_tools().await.unwrap_err(), ErrorKind::Protocol, &[part, "tools/list"]);
    }
    let client = Client::connect(faulty_server("three pages")).await.unwrap();
    assert_eq!(client.list_tools().await.unwrap().len(), 250);
}

#[tokio::test]
async fn an_invalid_tool_does_not_affect_others() {
    let events = Events::default();
    let client = events.builder().connect(faulty_server("invalid tools")).await.unwrap();
    let tools = client.list_tools().await.unwrap();
    assert_eq!(tools.iter().map(ListedTool::name).collect::<Vec<_>>(), ["a", "b"]);
    let warnings = events.warnings().join("\n");
    assert!(warnings.contains("the tool `a` twice") && warnings.contains("ignored"), "{warnings}");
}

/// modelcontextprotocol/java-sdk#377, vercel/ai#15701.
#[tokio::test]
async fn pings_and_vendor_requests_get_responses() {
    let responses = call_faulty("vendor messages").await.unwrap();
    assert!(responses.contains(r#""code":-32601"#) && responses.contains(r#""id":"s1""#), "{responses}");
    assert!(
        responses.contains(r#"{"id":"p1","jsonrpc":"2.0","result":{}}"#)
            || responses.contains(r#""id":"p1""#),
        "{responses}"
    );
}

#[tokio::test]
async fn a_server_that_ignores_responses_is_disconnected() {
    let error = call_faulty("ignores responses").await.unwrap_err();
    check(&error, ErrorKind::Protocol, &["does not read the responses"]);
}

#[tokio::test]
async fn endless_input_requests_are_errors() {
    let error = call_faulty("endless input requests").await.unwrap_err();
    check(&error, ErrorKind::Protocol, &["16 rounds", "max_rounds"]);
}

#[tokio::test]
async fn a_server_inherits_few_variables() {
    let mut server = faulty_server("environment").env("DECLARED", "yes");
    server.env.insert("SHELL".to_owned(), None);
    let client = Client::connect(server).await.unwrap();
    let text = call(&client, "").await.unwrap();
    assert!(text.contains("DECLARED=yes") && text.contains("PATH="), "{text}");
    let names: Vec<_> = text.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name).collect();
    for name in names {
        assert!(
            (INHERITED_ENV.contains(&name) && name != "SHELL") || name == "DECLARED",
            "{name} was inherited"
        );
    }
}

#[tokio::test]
async fn a_server_may_use_another_encoding() {
    let mut server = faulty_server("latin-1");
    let error = call(&Client::connect(server.clone()).await.unwrap(), "é").await.unwrap_err();
    check(&error, ErrorKind::Protocol, &["not UTF-8", "encoding"]);
    server.encoding = toolwright_client::config::Encoding::Latin1;
    assert_eq!(call(&Client::connect(server).await.unwrap(), "é").await.unwrap(), "café");
}

#[tokio::test]
async fn arguments_arrive_unchanged() {
    let argument = "a b'c\"d $HOME & %PATH% \\";
    let server = faulty_server("arguments").arg(argument);
    assert_eq!(call(&Client::connect(server).await.unwrap(), "").await.unwrap(), argument);
}

#[cfg(unix)]
#[tokio::test]
async fn descendants_of_a_server_end_with_it() {
    let events = Events::default();
    let server = faulty_server("launcher").arg("1000");
    let client = events.builder().connect(server).await.unwrap();
    let stderr = events.stderr();
    let child = stderr.iter().find_map(|line| line.strip_prefix("child ")).expect("a child").to_owned();
    let is_alive =
        || std::path::Path::new("/proc").join(&child).join("cmdline").exists() && !is_zombie(&child);
    assert!(is_alive());
    client.close().await;
    assert!(!is_alive(), "the child {child} is still there");
}

#[cfg(unix)]
#[tokio::test]
async fn a_server_that_does_not_exit_is_killed() {
    let client = Client::connect(faulty_server("stays")).await.unwrap();
    assert_eq!(call(&client, "hi").await.unwrap(), "hi");
    let start = Instant::now();
    client.close().await;
    assert!(start.elapsed() < Duration::from_secs(9));
}

#[cfg(unix)]
fn is_zombie(process: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z'))
}
