//! Peers that take more than their share, or do not read: on sockets, two peers in each test.

#[cfg(unix)]
use std::io::{BufRead as _, BufReader};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::time::Duration;

use serde_json::json;
use test_transports::frames::{CLOSE, Frames, Handshake, PING, TEXT, frame};
use test_transports::stage;
use test_transports::transports::Lab;
use toolwright::{HttpConfig, Limits, limits::CallerLimits, transport::WebSocket};

const PING_MESSAGE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
#[cfg(unix)]
const PONG: &str = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;

fn start(limits: Limits) -> (Lab, SocketAddr) {
    let config =
        HttpConfig::new().caller_address(|head| head.headers.get("x-caller")?.to_str().ok()?.parse().ok());
    let socket = WebSocket::bind("127.0.0.1:0").expect("a free port").config(config);
    let address = socket.local_addr().expect("an address");
    (Lab::start(stage::with_limits(limits), socket), address)
}

fn open(address: SocketAddr, caller: &str) -> (String, Frames) {
    Handshake::new(address).header("X-Caller", caller).send()
}

#[test]
fn the_sockets_of_one_caller_are_bounded() {
    let per_caller = CallerLimits { max_sockets: 1, ..CallerLimits::default() };
    let (_lab, address) = start(Limits { per_caller, ..stage::limits() });
    let (status, _adas) = open(address, "10.0.0.1");
    assert!(status.contains("101"), "{status}");
    let (status, _) = open(address, "10.0.0.1");
    assert!(status.contains("429"), "{status}");
    let (status, mut bobs) = open(address, "10.0.0.2");
    assert!(status.contains("101"), "{status}");
    bobs.send_text(PING_MESSAGE);
    assert_eq!(bobs.next_frame().map(|(opcode, _)| opcode), Some(TEXT));
}

/// Parts of messages that never become whole: each peer has one, and there is room for one.
#[test]
fn what_sockets_receive_is_bounded_together() {
    let limits = Limits { max_message_bytes: 10_000, max_received_bytes: 1, ..stage::limits() };
    let (_lab, address) = start(limits);
    let (_, mut adas) = open(address, "10.0.0.1");
    let (_, mut bobs) = open(address, "10.0.0.2");
    bobs.send_text(PING_MESSAGE);
    assert_eq!(bobs.next_frame().map(|(opcode, _)| opcode), Some(TEXT));
    assert!(adas.send(TEXT, false, &vec![b' '; 6_000]));
    // When the pong is there, so is what came before the ping.
    assert!(adas.send(PING, true, b""));
    assert!(adas.next_frame().is_some());
    assert!(bobs.send(TEXT, false, &vec![b' '; 6_000]));
    assert_eq!(bobs.close_code(), 1013, "try again later");
    assert!(adas.send(0, true, b" {}"), "the other one goes on");
    assert_eq!(adas.next_frame().map(|(opcode, _)| opcode), Some(TEXT));
}

/// Pings between the parts of a message count for nothing, however many there are.
#[test]
fn control_frames_take_up_no_room() {
    let limits = Limits { max_message_bytes: 10_000, max_received_bytes: 1, ..stage::limits() };
    let (_lab, address) = start(limits);
    let (_, mut adas) = open(address, "10.0.0.1");
    let (_, mut bobs) = open(address, "10.0.0.2");
    for _ in 0..200 {
        for peer in [&mut adas, &mut bobs] {
            assert!(peer.send(PING, true, &[b'x'; 120]));
            assert!(peer.next_frame().is_some_and(|(opcode, _)| opcode != CLOSE));
        }
    }
}

/// An open socket whose handshake was read completely.
fn deaf(address: SocketAddr) -> TcpStream {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    let handshake = format!(
        "GET /mcp HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    );
    stream.write_all(handshake.as_bytes()).expect("sent");
    let mut start = [0; 12];
    stream.read_exact(&mut start).expect("an answer");
    assert_eq!(&start, b"HTTP/1.1 101");
    stream
}

/// There is room for one socket; the next one is accepted when the one that does not read is closed.
#[test]
fn a_socket_that_does_not_read_is_closed() {
    let limits = Limits {
        write_timeout: Duration::from_millis(200),
        max_socket_peers: 1,
        websocket_silence: Duration::from_mins(10),
        ..stage::limits()
    };
    let (_lab, address) = start(limits);
    let mut deaf = deaf(address);
    let text = "x".repeat(10_000);
    let params = json!({"name": "echo", "arguments": {"text": text}});
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"},
    }});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    deaf.write_all(&frame(TEXT, true, hello.to_string().as_bytes())).expect("sent");
    deaf.set_write_timeout(Some(Duration::from_millis(100))).expect("a timeout");
    let frame = frame(TEXT, true, call.to_string().as_bytes());
    // Until the server reads no more, since its answers are not read.
    while deaf.write_all(&frame).is_ok() {}
    let let_in = (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        open(address, "10.0.0.2").0.contains("101")
    });
    assert!(let_in, "it was given up");
    drop(deaf);
}

#[cfg(unix)]
#[test]
fn a_unix_peer_that_does_not_read_is_disconnected() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("stage.sock");
    let socket = toolwright::transport::UnixSocket::bind(&path).expect("a socket");
    let limits = Limits { write_timeout: Duration::from_millis(200), max_socket_peers: 1, ..stage::limits() };
    let _lab = Lab::start(stage::with_limits(limits), socket);
    let mut deaf = UnixStream::connect(&path).expect("the server listens");
    deaf.set_write_timeout(Some(Duration::from_millis(100))).expect("a timeout");
    let line = format!("{PING_MESSAGE}\n").repeat(100);
    while deaf.write_all(line.as_bytes()).is_ok() {}
    let mut other = UnixStream::connect(&path).expect("it waits for its turn");
    other.set_read_timeout(Some(Duration::from_secs(10))).expect("a timeout");
    other.write_all(format!("{PING_MESSAGE}\n").as_bytes()).expect("sent");
    let mut answer = [0; 10];
    other.read_exact(&mut answer).expect("an answer in time");
    assert_eq!(&answer, br#"{"jsonrpc""#);
}

#[cfg(unix)]
#[test]
fn lines_beyond_the_budget_disconnect_only_their_peer() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("stage.sock");
    let socket = toolwright::transport::UnixSocket::bind(&path).expect("a socket");
    let limits = Limits { max_message_bytes: 10_000, max_received_bytes: 1, ..stage::limits() };
    let _lab = Lab::start(stage::with_limits(limits), socket);
    let connect = || {
        let stream = UnixStream::connect(&path).expect("the server listens");
        stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a timeout");
        stream
    };
    let (mut adas, mut bobs) = (connect(), connect());
    let answers = BufReader::new(adas.try_clone().expect("a second handle"));
    let mut answers = answers.lines().map(|line| line.expect("an answer"));
    let mut next = || answers.next().expect("the connection is open");
    // The answer shows that what follows the ping in the same write has been read as well.
    let mut both = format!("{PING_MESSAGE}\n").into_bytes();
    both.resize(6_000, b' ');
    adas.write_all(&both).expect("sent");
    assert_eq!(next(), PONG);
    bobs.write_all(&[b' '; 6_000]).expect("sent");
    let mut text = String::new();
    bobs.read_to_string(&mut text).expect("an error, and the end");
    assert!(text.contains("the server is receiving too much"), "{text}");
    adas.write_all(format!("{PING_MESSAGE}\n").as_bytes()).expect("sent");
    assert_eq!(next(), PONG);
    // A line that is discarded as it arrives does not count.
    for _ in 0..10 {
        adas.write_all(&[b' '; 6_000]).expect("sent");
    }
    adas.write_all(format!("\n{PING_MESSAGE}\n").as_bytes()).expect("sent");
    assert!(next().contains("the line is too long"));
    assert_eq!(next(), PONG);
}
