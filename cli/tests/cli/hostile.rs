//! Malicious servers: runs end in time, with little memory.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::{Run, run, scratch};

/// Handles a request: the arguments are the message, and the stream for the response.
type Answer = fn(&Value, &mut TcpStream) -> std::io::Result<()>;

/// Starts a server that runs until the test ends, and returns its URL.
fn server(answer: Answer) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/mcp", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            thread::spawn(move || {
                // The client may close the connection early.
                _ = stream.and_then(|stream| exchange(stream, answer));
            });
        }
    });
    address
}

fn exchange(mut stream: TcpStream, answer: Answer) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head)? == 0 {
            return Ok(());
        }
    }
    let head = head.to_ascii_lowercase();
    let length =
        head.split("content-length: ").nth(1).and_then(|rest| rest.split("\r\n").next()?.parse().ok());
    let mut body = vec![0; length.unwrap_or_default()];
    reader.read_exact(&mut body)?;
    answer(&serde_json::from_slice(&body)?, &mut stream)
}

fn send(stream: &mut TcpStream, id: &Value, result: &Value) -> std::io::Result<()> {
    let text = json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
    let length = text.len();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{text}"
    )
}

/// Answers `server/discover`; the caller handles other requests.
fn discovered(message: &Value, stream: &mut TcpStream) -> Option<std::io::Result<()>> {
    let result = json!({
        "supportedVersions": ["2026-07-28"],
        "capabilities": {"tools": {}},
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "shop", "version": "1"}},
    });
    (message["method"] == "server/discover").then(|| send(stream, &message["id"], &result))
}

/// Runs `pin` against a server, and measures the time.
fn pin(address: &str, timeout: &str) -> (Run, Duration) {
    let scratch = scratch();
    let started = Instant::now();
    let run = run(scratch.path(), &["pin", address, "--timeout", timeout]);
    assert!(!scratch.path().join("mcp.lock.json").exists(), "nothing is pinned");
    (run, started.elapsed())
}

/// The bound is generous: without a deadline, these runs would never end.
const SOON: Duration = Duration::from_secs(25);

#[test]
fn a_server_that_keeps_talking_does_not_keep_the_run() {
    let trickle: [Answer; 4] = [
        // Comments on an event stream.
        |_, stream| {
            write!(stream, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")?;
            loop {
                stream.write_all(b": still here\n\n")?;
                thread::sleep(Duration::from_millis(100));
            }
        },
        // Headers without an end.
        |_, stream| {
            write!(stream, "HTTP/1.1 200 OK\r\nX: ")?;
            loop {
                stream.write_all(b"x")?;
                thread::sleep(Duration::from_millis(100));
            }
        },
        // A chunk, byte by byte.
        |_, stream| {
            write!(stream, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n")?;
            loop {
                stream.write_all(b" ")?;
                thread::sleep(Duration::from_millis(100));
            }
        },
        // Messages that are not responses.
        |_, stream| {
            write!(stream, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")?;
            loop {
                stream.write_all(b"data: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n")?;
                thread::sleep(Duration::from_millis(100));
            }
        },
    ];
    for answer in trickle {
        let (run, took) = pin(&server(answer), "2");
        run.ended(4).says(&["is not done within 2 seconds, which --timeout gives it"]);
        assert!(took < SOON, "{took:?}");
    }
}

#[test]
fn a_silent_server_does_not_block_the_run() {
    let silent: Answer = |_, stream| {
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).map(drop)
    };
    let (run, took) = pin(&server(silent), "2");
    run.ended(4).says(&["within 2 seconds, which --timeout gives it"]);
    assert!(took < SOON, "{took:?}");
}

#[test]
fn endless_pages_stop_at_the_limits() {
    // New cursors on small pages: the limit on pages applies.
    let small: Answer = |message, stream| {
        discovered(message, stream).unwrap_or_else(|| {
            let id = &message["id"];
            send(stream, id, &json!({"tools": [], "nextCursor": format!("{id}")}))
        })
    };
    pin(&server(small), "100").0.ended(4).says(&["does not end within 1000 pages"]);
    // On large pages, the limit on bytes applies.
    let large: Answer = |message, stream| {
        discovered(message, stream).unwrap_or_else(|| {
            let id = &message["id"];
            let tool =
                json!({"name": format!("t{id}"), "description": "x".repeat(3 << 20), "inputSchema": {}});
            send(stream, id, &json!({"tools": [tool], "nextCursor": format!("{id}")}))
        })
    };
    pin(&server(large), "100").0.ended(4).says(&["have more than 16 MiB"]);
}

#[test]
fn an_endless_body_stops_at_the_limit() {
    let flood: [Answer; 3] = [
        |_, stream| {
            write!(stream, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")?;
            loop {
                stream.write_all(&[b' '; 1 << 13])?;
            }
        },
        |_, stream| {
            write!(stream, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: ")?;
            loop {
                stream.write_all(&[b'x'; 1 << 13])?;
            }
        },
        |_, stream| {
            write!(stream, "HTTP/1.1 200 OK\r\n")?;
            loop {
                stream.write_all(b"x: y\r\n")?;
            }
        },
    ];
    for answer in flood {
        // The first response may be missing; then the handshake gets the same.
        let text = pin(&server(answer), "100").0.ended(4).stderr;
        assert!(text.contains("larger than 16 MiB") || text.contains("not HTTP"), "{text}");
    }
}

#[cfg(unix)]
#[test]
fn stdio_servers_have_the_same_limits() {
    let scratch = scratch();
    let pin = |script: &str, timeout: &str| {
        run(scratch.path(), &["pin", "--timeout", timeout, "--", "sh", "-c", script])
    };
    // It never responds, and ignores its input.
    pin("sleep 60", "1").ended(4).says(&["within 1 seconds, which --timeout"]);
    // It writes messages, or one line, forever.
    pin(r#"while :; do echo '{"jsonrpc":"2.0","method":"x"}'; done"#, "2")
        .ended(4)
        .says(&["cannot query the server"]);
    pin("yes x | tr -d '\\n'", "100").ended(4).says(&["larger than 16 MiB"]);
    // It sends requests, and never reads the responses.
    let mut script = String::new();
    for number in 0..3_000 {
        let id = format!("{number}{}", "x".repeat(200));
        _ = writeln!(script, r#"echo '{{"jsonrpc":"2.0","id":"{id}","method":"ping"}}'"#);
    }
    std::fs::write(scratch.path().join("asks.sh"), script + "sleep 60\n").unwrap();
    let run = run(scratch.path(), &["pin", "--timeout", "100", "--", "sh", "asks.sh"]);
    run.ended(4).says(&["does not read"]);
}

#[cfg(unix)]
#[test]
fn standard_error_of_servers_is_bounded() {
    let scratch = scratch();
    let script = "printf 'one\\n::error::two\\033[2J\\n' >&2; yes flood | head -c 300000 >&2; exit 1";
    let run = run(scratch.path(), &["pin", "--", "sh", "-c", script]).ended(4);
    assert!(run.stderr.len() < 200_000 && !run.stderr.contains('\u{1b}'), "{}", run.stderr.len());
    run.says(&["  | one\n  | ::error::two\\u{1b}[2J\n", "(further output of the server is not shown)"]);
}
