//! Faults of servers that are child processes.

use std::time::Duration;

use serde_json::json;
use toolwright_client::config::{CommandToken, FileToken, ServerSpec, StdioSpec, Template, Tokens};
use toolwright_client::{Client, ClientBuilder, ClientError, ErrorKind};

use super::super::faulty_server;
use super::{Fault, fault};

/// The operation that fails.
#[derive(Debug, Clone, Copy)]
enum Operation {
    Start,
    List,
    Call,
}

use ErrorKind::{Connect, Lost, Protocol, Timeout};
use Operation::{Call, List, Start};

const SERVER: &str = "check that the command or address belongs to an MCP server";
const DEVELOPERS: &str = "report this to the server's developers";

/// The faults of the program `faulty-server`.
const FAULTS: &[(&str, Operation, ErrorKind, &[&str], &str)] = &[
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
    ("requires roots", Start, Protocol, &["roots are required (-32021)"], "check which client capabilities"),
    (
        "rejects initialize",
        Start,
        Protocol,
        &["rejected `initialize`", "the database is gone"],
        "check which revisions",
    ),
    ("unknown revision", Start, Protocol, &["the revision `1999-01-01`"], "use a newer client"),
    (
        "invalid handshake",
        Start,
        Protocol,
        &["its response to `initialize` is invalid"],
        "use a newer client",
    ),
    (
        "crashes",
        Call,
        Lost,
        &["exit status: 3", "faulty-server: out of memory"],
        "the next request restarts the server",
    ),
    ("aborts", Call, Lost, &["no longer available", "signal: 6"], "the next request restarts the server"),
    (
        "silent call",
        Call,
        Timeout,
        &["no response to `tools/call`", "400ms", "cancelled"],
        "`request_timeout`",
    ),
    (
        "modern, silent call",
        Call,
        Timeout,
        &["no response to `tools/call`", "cancelled"],
        "`request_timeout`",
    ),
    ("endless progress", Call, Timeout, &["did not finish within 1.2s"], "raise `max_duration`"),
    ("error without an ID", Call, Protocol, &["-32700", "parse error"], "see the message"),
    ("not UTF-8", Call, Protocol, &["not UTF-8 at byte"], "set the `encoding`"),
    ("huge response", Call, Protocol, &["larger than 16 MiB"], "`max_message_bytes`"),
    ("broken JSON", Call, Protocol, &["cannot be parsed", "not JSON-RPC"], DEVELOPERS),
    ("no result", Call, Protocol, &["neither a method nor a result nor an error"], DEVELOPERS),
    ("unknown type", Call, Protocol, &["`later`"], DEVELOPERS),
    ("invalid error", Call, Protocol, &["nope"], "see the message"),
    ("rejects the call", Call, Protocol, &["-32050", "no such customer"], "see the message"),
    ("unknown tool", Call, Protocol, &["of `echo`", "-32602", "unknown tool"], "check the name"),
    ("missing method", Call, Protocol, &["`tools/call`", "-32601"], "use only what the server declares"),
    ("internal error", Call, Protocol, &["-32603"], "check the server's log"),
    ("endless input requests", Call, Protocol, &["requires input after 16 rounds"], "raise `max_rounds`"),
    ("ignores responses", Call, Protocol, &["does not read the responses"], DEVELOPERS),
    ("cursor cycle", List, Protocol, &["tools/list", "a cursor is repeated"], DEVELOPERS),
    ("empty cursor", List, Protocol, &["tools/list", "a cursor is repeated"], DEVELOPERS),
    ("endless pages", List, Protocol, &["tools/list", "does not end within 500 pages"], "raise `max_pages`"),
    ("long list", List, Protocol, &["tools/list", "more than 64 KiB"], "raise `max_list_bytes`"),
    ("list without tools", List, Protocol, &["tools/list", "no `tools`"], DEVELOPERS),
    (
        "schema mismatch",
        List,
        Protocol,
        &["the result of its tool `echo` does not match its output schema"],
        DEVELOPERS,
    ),
];

async fn faulty_error(name: &str, operation: Operation) -> ClientError {
    let mut server = ServerSpec::from(faulty_server(name));
    // A flood is detected immediately, unless the machine is busy.
    if matches!(operation, Start) && name != "floods" {
        server.start_timeout = Duration::from_millis(500);
    }
    server.request_timeout = Duration::from_millis(if name.contains("silent") { 400 } else { 20_000 });
    let mut builder =
        Client::builder().probe_timeout(Duration::from_millis(200)).max_list_bytes(64 << 10).strict();
    if name == "endless progress" {
        server.request_timeout = Duration::from_secs(1);
        builder = builder.max_duration(Duration::from_millis(1200));
    }
    let client = match builder.connect(server).await {
        Ok(client) => client,
        Err(error) => return error,
    };
    if matches!(operation, List)
        && let Err(error) = client.list_tools().await
    {
        return error;
    }
    call_error(&client).await
}

async fn call_error(client: &Client) -> ClientError {
    client.call("echo", json!({"text": "hi"})).await.expect_err("the server has a fault")
}

async fn start_error(server: impl Into<ServerSpec>) -> ClientError {
    connect_error(Client::builder(), server).await
}

async fn connect_error(builder: ClientBuilder, server: impl Into<ServerSpec>) -> ClientError {
    builder.connect(server).await.expect_err("the server has a fault")
}

pub(super) fn faults() -> Vec<Fault> {
    let mut faults: Vec<_> = FAULTS
        .iter()
        .map(|(name, operation, kind, problem, advice)| {
            fault(*name, *kind, problem, advice, faulty_error(name, *operation))
        })
        .collect();
    faults.extend(start_faults());
    faults.extend(client_faults());
    faults
}

/// Servers that cannot be started.
fn start_faults() -> [Fault; 8] {
    let mut elsewhere = faulty_server("");
    elsewhere.cwd = Some("/no/such/folder".into());
    let with_token = || faulty_server("").env("KEY", Template::bearer("key"));
    let tokens = |tokens: Tokens| Client::builder().tokens(tokens);
    let program = CommandToken::new("false");
    [
        fault(
            "a command that is not installed",
            Connect,
            &["`no-such-server` is not found in", "/bin"],
            "install it",
            start_error(StdioSpec::new("no-such-server")),
        ),
        fault(
            "a path without a program",
            Connect,
            &["the program /no/such/server does not exist"],
            "check the path",
            start_error(StdioSpec::new("/no/such/server")),
        ),
        fault(
            "a missing folder",
            Connect,
            &["/no/such/folder does not exist"],
            "create it",
            start_error(elsewhere),
        ),
        fault(
            "a file that is not a program",
            Connect,
            &["is not executable"],
            "make the file executable",
            start_error(StdioSpec::new("/")),
        ),
        fault(
            "an unknown token",
            Connect,
            &["environment variable `KEY`", "unknown token `key`"],
            "make sure that the token can be fetched",
            start_error(with_token()),
        ),
        fault(
            "a token program that fails",
            Connect,
            &["the program `false`", "exit status: 1"],
            "make sure that the token can be fetched",
            connect_error(tokens(Tokens::new().with("key", program)), with_token()),
        ),
        fault(
            "a missing token program",
            Connect,
            &["the program `no-such-login`", "cannot be started"],
            "make sure that the token can be fetched",
            connect_error(
                tokens(Tokens::new().with("key", CommandToken::new("no-such-login"))),
                with_token(),
            ),
        ),
        fault(
            "a missing token file",
            Connect,
            &["/no/such/token", "cannot be read"],
            "make sure that the token can be fetched",
            connect_error(tokens(Tokens::new().with("key", FileToken::new("/no/such/token"))), with_token()),
        ),
    ]
}

/// Faults on the side of the client.
fn client_faults() -> [Fault; 5] {
    [
        fault(
            "a server that never starts",
            Connect,
            &["licence", "the next attempt"],
            "run the command",
            async {
                let client = Client::builder().connect_lazy(faulty_server("exits"));
                for _ in 0..3 {
                    _ = client.list_tools().await;
                }
                client.list_tools().await.expect_err("the server has a fault")
            },
        ),
        fault(
            "arguments that are not an object",
            Protocol,
            &["nothing was sent", "object"],
            "correct the arguments",
            async {
                let client = Client::connect(faulty_server("")).await.expect("a server without a fault");
                client.call("echo", [1, 2]).await.expect_err("the server has a fault")
            },
        ),
        fault("a client that was closed", Connect, &["the client is closed"], "create a new client", async {
            let client = Client::connect(faulty_server("")).await.expect("a server without a fault");
            client.close().await;
            call_error(&client).await
        }),
        fault(
            "a call that is open at the end",
            Lost,
            &["closed by the client"],
            "wait for pending requests",
            async {
                let client =
                    Client::connect(faulty_server("silent call")).await.expect("a server without a fault");
                let waiting = client.clone();
                let call = tokio::spawn(async move { call_error(&waiting).await });
                tokio::time::sleep(Duration::from_millis(100)).await;
                client.close().await;
                call.await.expect("no panic")
            },
        ),
        fault("a stream that ended", Lost, &["it closed its stream"], "create a new client", async {
            let (client_end, server_end) = tokio::io::duplex(1024);
            let (reader, writer) = tokio::io::split(client_end);
            drop(server_end);
            Client::builder()
                .connect_streams("here", reader, writer)
                .await
                .expect_err("the server has a fault")
        }),
    ]
}
