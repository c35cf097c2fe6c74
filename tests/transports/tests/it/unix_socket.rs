//! The specifics of Unix sockets: the file, multiple peers, and invalid bytes.

use std::fs;
use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use test_protocol::validation;
use test_transports::stage::{self, MAX_MESSAGE_BYTES};
use test_transports::transports::Lab;
use toolwright::{Limits, transport::UnixSocket};

const MODERN: &str = "2026-07-28";

/// A server on a socket in its own folder.
struct Server {
    lab: Lab,
    path: PathBuf,
    _folder: TempDir,
}

impl Server {
    fn start(limits: Limits) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("stage.sock");
        let socket = UnixSocket::bind(&path).expect("a socket");
        Self { lab: Lab::start(stage::with_limits(limits), socket), path, _folder: folder }
    }

    fn connect(&self) -> Peer {
        Peer::connect(&self.path)
    }
}

struct Peer {
    stream: UnixStream,
    answers: BufReader<UnixStream>,
}

impl Peer {
    fn connect(path: &Path) -> Self {
        let stream = UnixStream::connect(path).expect("the server listens");
        stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a timeout");
        let answers = BufReader::new(stream.try_clone().expect("a second handle"));
        Self { stream, answers }
    }

    fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).expect("the server reads");
    }

    /// The next message; none at the end.
    fn message(&mut self, method: Option<&str>) -> Option<Value> {
        let mut line = String::new();
        if self.answers.read_line(&mut line).expect("an answer in time") == 0 {
            return None;
        }
        let message = serde_json::from_str(&line).expect("JSON");
        validation::validate(MODERN, method, &message);
        Some(message)
    }

    fn answer(&mut self) -> Value {
        self.message(Some("tools/call")).expect("an answer")
    }

    fn text_of(&mut self, tool: &str, arguments: &Value) -> String {
        self.send(call("own", tool, arguments));
        let answer = self.answer();
        answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    fn assert_alive(&mut self) {
        assert_eq!(self.text_of("add", &json!({"a": 1, "b": 2})), "3");
    }
}

/// A line that calls a tool.
fn call(id: &str, tool: &str, arguments: &Value) -> String {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
    format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}))
}

/// Before any message, not only at the start of the stream: some programs write one before each message.
#[test]
fn a_byte_order_mark_before_a_message_is_skipped() {
    let server = Server::start(stage::limits());
    let mut peer = server.connect();
    for _ in 0..2 {
        peer.send(format!("\u{feff}{}", call("marked", "add", &json!({"a": 1, "b": 2}))));
        assert_eq!(peer.answer()["id"], "marked");
    }
}

#[test]
fn only_the_user_may_connect_and_the_file_is_removed() {
    let mut server = Server::start(stage::limits());
    let mode = fs::symlink_metadata(&server.path).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    server.connect().assert_alive();
    server.lab.stop();
    server.lab.assert_ended_within(Duration::from_secs(3));
    assert!(!server.path.exists());

    let unused = UnixSocket::bind(&server.path).expect("a socket");
    assert_eq!(unused.path(), server.path);
    drop(unused);
    assert!(!server.path.exists());
}

#[test]
fn stale_socket_files_are_replaced_but_not_live_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("stage.sock");
    // The standard library leaves the file behind.
    drop(UnixListener::bind(&path).expect("a socket"));
    assert!(path.exists());
    let _lab = Lab::start(stage::service(), UnixSocket::bind(&path).expect("the stale file is replaced"));
    Peer::connect(&path).assert_alive();

    let refused = UnixSocket::bind(&path).expect_err("a server listens there");
    assert_eq!(refused.kind(), ErrorKind::AddrInUse);
    assert!(refused.to_string().contains("stop it, or choose another path"), "{refused}");
    Peer::connect(&path).assert_alive();

    let text = folder.path().join("notes.txt");
    fs::write(&text, "precious").expect("a file");
    let refused = UnixSocket::bind(&text).expect_err("a file is there");
    assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
    assert_eq!(fs::read_to_string(&text).expect("still there"), "precious");

    let nowhere = UnixSocket::bind(folder.path().join("no/such/stage.sock")).expect_err("no folder");
    assert_eq!(nowhere.kind(), ErrorKind::NotFound);
    UnixSocket::bind(folder.path().join("long".repeat(50))).expect_err("the path is too long");
}

#[test]
fn a_live_server_with_a_full_queue_is_detected_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("stage.sock");
    let listener = UnixListener::bind(&path).expect("a socket");
    // Connections are not accepted: the queue fills up, and the next peer that connects waits.
    let (sender, connected) = std::sync::mpsc::channel();
    let target = path.clone();
    std::thread::spawn(move || {
        while let Ok(stream) = UnixStream::connect(&target)
            && sender.send(stream).is_ok()
        {}
    });
    let mut waiting = Vec::new();
    while let Ok(stream) = connected.recv_timeout(Duration::from_millis(300)) {
        waiting.push(stream);
    }
    assert_eq!(UnixSocket::bind(&path).expect_err("it is live").kind(), ErrorKind::AddrInUse);
    drop(listener);
}

#[test]
fn only_one_of_concurrently_started_servers_listens() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("stage.sock");
    drop(UnixListener::bind(&path).expect("a stale file"));
    let starting: Vec<_> = (0..8)
        .map(|_| {
            let path = path.clone();
            std::thread::spawn(move || UnixSocket::bind(path))
        })
        .collect();
    let bound: Vec<_> =
        starting.into_iter().filter_map(|start| start.join().expect("no panic").ok()).collect();
    assert_eq!(bound.len(), 1);
    UnixStream::connect(&path).expect("the one that is there listens");
}

#[test]
fn the_file_of_another_server_is_not_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("stage.sock");
    let first = UnixSocket::bind(&path).expect("a socket");
    // The file is removed, and another server takes its place.
    fs::remove_file(&path).expect("removed");
    let second = UnixSocket::bind(&path).expect("a socket");
    drop(first);
    assert!(path.exists());
    drop(second);
    assert!(!path.exists());
}

#[test]
fn each_peer_has_its_own_connection() {
    let server = Server::start(stage::limits());
    let (mut one, mut two) = (server.connect(), server.connect());
    // The same id on both, and a cancellation of one of them.
    one.send(call("same", "hold", &json!({})));
    two.send(call("same", "sleep", &json!({"ms": 200})));
    one.send(
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"same\"}}\n",
    );
    let answer = two.answer();
    assert_eq!((&answer["id"], &answer["result"]["content"][0]["text"]), (&json!("same"), &json!("awake")));
    one.assert_alive();
}

#[test]
fn peers_over_the_limit_wait_until_one_has_left() {
    let server = Server::start(Limits { max_socket_peers: 1, ..stage::limits() });
    let mut first = server.connect();
    first.assert_alive();
    let mut second = server.connect();
    second.send(call("waits", "add", &json!({"a": 1, "b": 1})));
    second.stream.set_read_timeout(Some(Duration::from_millis(100))).expect("a timeout");
    let error = second.answers.fill_buf().expect_err("it is not served yet");
    assert_eq!(error.kind(), ErrorKind::WouldBlock);
    first.assert_alive();
    drop(first);
    second.stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a timeout");
    assert_eq!(second.answer()["id"], "waits");
}

// As reported in modelcontextprotocol/rust-sdk#825, Taxuspt/garmin_mcp#162.
#[test]
fn marks_line_ends_and_pieces_are_as_on_stdio() {
    let server = Server::start(stage::limits());
    let mut peer = server.connect();
    peer.send(b"\xEF\xBB\xBF");
    peer.send(call("mark", "add", &json!({"a": 1, "b": 1})).replace('\n', "\r\n"));
    assert_eq!(peer.answer()["id"], "mark");
    peer.send(b"\r\n\n   \n");
    for byte in call("bytes", "add", &json!({"a": 1, "b": 1})).bytes() {
        peer.send([byte]);
    }
    assert_eq!(peer.answer()["id"], "bytes");
    let both =
        [call("1", "add", &json!({"a": 1, "b": 1})), call("2", "add", &json!({"a": 1, "b": 1}))].concat();
    peer.send(both);
    assert_eq!((&peer.answer()["id"], &peer.answer()["id"]), (&json!("1"), &json!("2")));
}

// As reported in modelcontextprotocol/rust-sdk#825.
#[test]
fn invalid_messages_are_answered_and_the_server_continues() {
    let server = Server::start(stage::limits());
    let mut peer = server.connect();
    for bad in
        [b"not json\n".as_slice(), b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}\n", b"\0\n"]
    {
        peer.send(bad);
        assert_eq!(peer.message(None).expect("an answer")["error"]["code"], -32700);
    }
    peer.assert_alive();
}

// As reported in rust-mcp-stack/rust-mcp-sdk#151, openai/codex#31805.
#[test]
fn a_line_without_an_end_is_refused_once_and_dropped() {
    let server = Server::start(stage::limits());
    let mut peer = server.connect();
    let chunk = vec![b'a'; 1 << 20];
    for _ in 0..64 {
        peer.send(&chunk);
    }
    peer.send(b"\n");
    peer.send(call("next", "add", &json!({"a": 1, "b": 1})));
    assert_eq!(peer.message(None).expect("an answer")["error"]["code"], -32700);
    assert_eq!(peer.answer()["id"], "next");
    // A line of just the limit is read.
    let mut longest = call("l", "echo", &json!({"text": ""}));
    let missing = MAX_MESSAGE_BYTES - (longest.len() - 1);
    longest = longest.replace(r#""text":"""#, &format!(r#""text":"{}""#, "a".repeat(missing)));
    peer.send(longest);
    assert_eq!(peer.answer()["result"]["content"][0]["text"].as_str().map(str::len), Some(missing));
}

#[test]
fn half_closing_peers_get_all_their_answers() {
    let server = Server::start(stage::limits());
    let mut peer = server.connect();
    peer.send(call("slow", "sleep", &json!({"ms": 200})));
    // The last message needs no line end.
    peer.send(call("last", "add", &json!({"a": 1, "b": 1})).trim_end());
    peer.stream.shutdown(Shutdown::Write).expect("it is open");
    assert_eq!(peer.answer()["id"], "last");
    assert_eq!(peer.answer()["id"], "slow");
    assert_eq!(peer.message(None), None, "then the server closes");
}

// As reported in danny-avila/LibreChat#6558, joshrotenberg/tower-mcp#1222.
#[test]
fn a_dropped_peer_ends_its_own_calls_only() {
    let server = Server::start(Limits { shutdown_grace: Duration::from_millis(100), ..stage::limits() });
    let mut watching = server.connect();
    let mut peer = server.connect();
    peer.send(call("1", "hold", &json!({})));
    peer.assert_alive();
    // Half a message on its way.
    peer.send(b"{\"jsonrpc\"");
    drop(peer);
    let start = Instant::now();
    while watching.text_of("held", &json!({})) != r#"{"asleep":0,"started":1,"cancelled":1}"# {
        assert!(start.elapsed() < Duration::from_secs(10), "the call is cancelled");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_peer_that_does_not_read_slows_only_itself() {
    let server = Server::start(Limits { max_unsent_bytes: 100_000, ..stage::limits() });
    let mut slow = server.connect();
    slow.stream.set_write_timeout(Some(Duration::from_millis(500))).expect("a timeout");
    let request = call("1", "echo", &json!({"text": "a".repeat(50_000)}));
    let mut written = 0;
    while slow.stream.write_all(request.as_bytes()).is_ok() {
        written += request.len();
        assert!(written < 20 << 20, "the server reads on and on");
    }
    server.connect().assert_alive();
    // When it reads at last, all answers are there.
    let whole = written / request.len();
    for _ in 0..whole {
        assert_eq!(slow.answer()["id"], "1");
    }
}

#[test]
fn shutdown_grants_calls_their_grace_period() {
    let limits = Limits { shutdown_grace: Duration::from_millis(300), ..stage::limits() };
    let mut server = Server::start(limits);
    let mut peer = server.connect();
    peer.send(call("stuck", "hold", &json!({})));
    peer.send(call("short", "sleep", &json!({"ms": 100})));
    peer.assert_alive();
    server.lab.stop();
    assert_eq!(peer.answer()["id"], "short");
    let mut rest = Vec::new();
    peer.answers.read_to_end(&mut rest).expect("the stream ends");
    assert_eq!(rest, b"");
    server.lab.assert_ended_within(Duration::from_secs(3));
}
