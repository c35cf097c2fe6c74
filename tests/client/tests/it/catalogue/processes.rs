//! Servers that are child processes.

use std::time::Duration;

use serde_json::json;
use toolwright_client::config::{CommandToken, FileToken, ServerSpec, StdioSpec, Template, Tokens};
use toolwright_client::{Client, ClientBuilder, ClientError, ErrorKind};

use super::super::fx;
use super::{Fault, fault};

/// What fails.
#[derive(Debug, Clone, Copy)]
enum When {
    Start,
    List,
    Call,
}

use ErrorKind::{Connect, Lost, Protocol, Timeout};
use When::{Call, List, Start};

const SERVER: &str = "check that the command or address belongs to an MCP server";
const MAKERS: &str = "report this to the server's developers";

/// The faults of the program `fx`.
const FAULTS: &[(&str, When, ErrorKind, &[&str], &str)] = &[
    (
        "exits",
        Start,
        Connect,
        &["exit status: 7", "the licence has expired"],
        "run the command in a terminal",
    ),
    ("prints", Start, Timeout, &["`initialize`", "Listening on port 8080"], "`start_timeout`"),
    ("floods", Start, Protocol, &["instead of protocol messages", "`y`"], SERVER),
    ("hangs", Start, Timeout, &["no response to `initialize`", "500ms"], "`start_timeout`"),
    ("other revisions", Start, Protocol, &["2031-01-01"], "use a newer client"),
    ("wants roots", Start, Protocol, &["roots are required (-32021)"], "check which client capabilities"),
    ("refuses", Start, Protocol, &["rejected `initialize`", "the database is gone"], "check which revisions"),
    ("odd revision", Start, Protocol, &["the revision `1999-01-01`"], "use a newer client"),
    ("odd handshake", Start, Protocol, &["its response to `initialize` is invalid"], "use a newer client"),
    ("crashes", Call, Lost, &["exit status: 3", "fx: out of memory"], "the next request restarts the server"),
    ("aborts", Call, Lost, &["no longer available", "signal: 6"], "the next request restarts the server"),
    ("is silent", Call, Timeout, &["no response to `tools/call`", "400ms", "cancelled"], "`request_timeout`"),
    ("modern and silent", Call, Timeout, &["no response to `tools/call`", "cancelled"], "`request_timeout`"),
    ("makes progress forever", Call, Timeout, &["did not finish within 1.2s"], "raise `max_duration`"),
    ("error without an id", Call, Protocol, &["-32700", "parse error"], "see the message"),
    ("not UTF-8", Call, Protocol, &["not UTF-8 at byte"], "set the `encoding`"),
    ("huge answer", Call, Protocol, &["larger than 16 MiB"], "`max_message_bytes`"),
    ("broken JSON", Call, Protocol, &["cannot be parsed", "not JSON-RPC"], MAKERS),
    ("no result", Call, Protocol, &["neither a method nor a result nor an error"], MAKERS),
    ("unknown type", Call, Protocol, &["`later`"], MAKERS),
    ("odd error", Call, Protocol, &["nope"], "see the message"),
    ("refuses the call", Call, Protocol, &["-32050", "no such customer"], "see the message"),
    ("forgets its tool", Call, Protocol, &["of `echo`", "-32602", "unknown tool"], "check the name"),
    ("lacks the method", Call, Protocol, &["`tools/call`", "-32601"], "use only what the server declares"),
    ("fails inside", Call, Protocol, &["-32603"], "check the server's log"),
    ("asks forever", Call, Protocol, &["requires input after 16 rounds"], "raise `max_rounds`"),
    ("asks and does not read", Call, Protocol, &["does not read the responses"], MAKERS),
    ("cursor circle", List, Protocol, &["tools/list", "a cursor is repeated"], MAKERS),
    ("empty cursor", List, Protocol, &["tools/list", "a cursor is repeated"], MAKERS),
    ("endless pages", List, Protocol, &["tools/list", "does not end within 500 pages"], "raise `max_pages`"),
    ("long list", List, Protocol, &["tools/list", "more than 64 KiB"], "raise `max_list_bytes`"),
    ("no list", List, Protocol, &["tools/list", "no `tools`"], MAKERS),
    ("misfit", List, Protocol, &["the result of its tool `echo` does not match its output schema"], MAKERS),
];

async fn inject(name: &str, when: When) -> ClientError {
    let mut server = ServerSpec::from(fx(name));
    // A flood is noticed at once, unless the machine is busy.
    if matches!(when, Start) && name != "floods" {
        server.start_timeout = Duration::from_millis(500);
    }
    server.request_timeout = Duration::from_millis(if name.contains("silent") { 400 } else { 20_000 });
    let mut builder =
        Client::builder().probe_timeout(Duration::from_millis(200)).max_list_bytes(64 << 10).strict();
    if name == "makes progress forever" {
        server.request_timeout = Duration::from_secs(1);
        builder = builder.max_duration(Duration::from_millis(1200));
    }
    let client = match builder.connect(server).await {
        Ok(client) => client,
        Err(error) => return error,
    };
    if matches!(when, List)
        && let Err(error) = client.list_tools().await
    {
        return error;
    }
    failing_call(&client).await
}

async fn failing_call(client: &Client) -> ClientError {
    client.call("echo", json!({"text": "hi"})).await.expect_err("the fault shows")
}

async fn failing_start(server: impl Into<ServerSpec>) -> ClientError {
    with(Client::builder(), server).await
}

async fn with(builder: ClientBuilder, server: impl Into<ServerSpec>) -> ClientError {
    builder.connect(server).await.expect_err("the fault shows")
}

pub(super) fn faults() -> Vec<Fault> {
    let mut faults: Vec<_> = FAULTS
        .iter()
        .map(|(name, when, kind, cause, next)| fault(*name, *kind, cause, next, inject(name, *when)))
        .collect();
    faults.extend(commands());
    faults.extend(uses());
    faults
}

/// What cannot be started.
fn commands() -> [Fault; 8] {
    let mut elsewhere = fx("");
    elsewhere.cwd = Some("/no/such/folder".into());
    let with_token = || fx("").env("KEY", Template::bearer("key"));
    let tokens = |tokens: Tokens| Client::builder().tokens(tokens);
    let program = CommandToken::new("false");
    [
        fault(
            "a command that is not installed",
            Connect,
            &["`no-such-server` is not found in", "/bin"],
            "install it",
            failing_start(StdioSpec::new("no-such-server")),
        ),
        fault(
            "a path without a program",
            Connect,
            &["the program /no/such/server does not exist"],
            "check the path",
            failing_start(StdioSpec::new("/no/such/server")),
        ),
        fault(
            "a missing folder",
            Connect,
            &["/no/such/folder does not exist"],
            "create it",
            failing_start(elsewhere),
        ),
        fault(
            "a file that is no program",
            Connect,
            &["is not executable"],
            "make the file executable",
            failing_start(StdioSpec::new("/")),
        ),
        fault(
            "a token that nobody provides",
            Connect,
            &["environment variable `KEY`", "unknown token `key`"],
            "make sure that the token can be fetched",
            failing_start(with_token()),
        ),
        fault(
            "a program for a token that fails",
            Connect,
            &["the program `false`", "exit status: 1"],
            "make sure that the token can be fetched",
            with(tokens(Tokens::new().with("key", program)), with_token()),
        ),
        fault(
            "a program for a token that is not there",
            Connect,
            &["the program `no-such-login`", "cannot be started"],
            "make sure that the token can be fetched",
            with(tokens(Tokens::new().with("key", CommandToken::new("no-such-login"))), with_token()),
        ),
        fault(
            "a file for a token that is not there",
            Connect,
            &["/no/such/token", "cannot be read"],
            "make sure that the token can be fetched",
            with(tokens(Tokens::new().with("key", FileToken::new("/no/such/token"))), with_token()),
        ),
    ]
}

/// What goes wrong later, on this side.
fn uses() -> [Fault; 5] {
    [
        fault(
            "a server that never starts",
            Connect,
            &["licence", "the next attempt"],
            "run the command",
            async {
                let client = Client::builder().connect_lazy(fx("exits"));
                for _ in 0..3 {
                    _ = client.list_tools().await;
                }
                client.list_tools().await.expect_err("the fault shows")
            },
        ),
        fault(
            "arguments that are no object",
            Protocol,
            &["nothing was sent", "object"],
            "correct the arguments",
            async {
                let client = Client::connect(fx("")).await.expect("a server without a fault");
                client.call("echo", [1, 2]).await.expect_err("the fault shows")
            },
        ),
        fault("a client that was closed", Connect, &["the client is closed"], "create a new client", async {
            let client = Client::connect(fx("")).await.expect("a server without a fault");
            client.close().await;
            failing_call(&client).await
        }),
        fault(
            "a call that is open at the end",
            Lost,
            &["closed by the client"],
            "wait for pending requests",
            async {
                let client = Client::connect(fx("is silent")).await.expect("a server without a fault");
                let waiting = client.clone();
                let call = tokio::spawn(async move { failing_call(&waiting).await });
                tokio::time::sleep(Duration::from_millis(100)).await;
                client.close().await;
                call.await.expect("no panic")
            },
        ),
        fault("a stream that ended", Lost, &["it closed its stream"], "create a new client", async {
            let (ours, theirs) = tokio::io::duplex(1024);
            let (reader, writer) = tokio::io::split(ours);
            drop(theirs);
            Client::builder().connect_streams("here", reader, writer).await.expect_err("the fault shows")
        }),
    ]
}
