//! The specifics of the WebSocket transport: the handshake, invalid frames, pings, and closing.

use std::io::Write as _;
use std::net::{Shutdown, SocketAddr};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use test_transports::frames::{
    BINARY, CLOSE, CONTINUATION, Frames, Handshake, PING, PONG, TEXT, frame, head,
};
use test_transports::stage::{self, MAX_MESSAGE_BYTES};
use test_transports::transports::Lab;
use toolwright::{HttpConfig, Limits, transport::WebSocket};

const MODERN: &str = "2026-07-28";
const PING_MESSAGE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

fn start_with(limits: Limits, config: HttpConfig) -> (Lab, SocketAddr) {
    let socket = WebSocket::bind("127.0.0.1:0").expect("a free port").config(config);
    let address = socket.local_addr().expect("an address");
    (Lab::start(stage::with_limits(limits), socket), address)
}

fn start() -> (Lab, SocketAddr) {
    start_with(stage::limits(), HttpConfig::new())
}

fn call(id: &str, tool: &str, arguments: &Value) -> String {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
}

/// The text that a call is answered with.
fn text_of(socket: &mut Frames, tool: &str, arguments: &Value) -> String {
    socket.send_text(&call("own", tool, arguments));
    let answer = socket.message(MODERN, Some("tools/call"));
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

fn assert_alive(socket: &mut Frames) {
    assert_eq!(text_of(socket, "add", &json!({"a": 1, "b": 2})), "3");
}

fn await_cancelled(socket: &mut Frames, calls: u64) {
    let start = Instant::now();
    loop {
        let held: Value = serde_json::from_str(&text_of(socket, "held", &json!({}))).expect("JSON");
        if held["cancelled"] == calls {
            return;
        }
        assert!(start.elapsed() < Duration::from_secs(10), "{held}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn the_handshake_is_checked_before_a_socket_is_opened() {
    let (_lab, address) =
        start_with(stage::limits(), HttpConfig::new().allow_origin("https://app.example.com"));
    let good = Handshake::new(address);
    for (name, handshake, status) in [
        ("as it should be", good.clone(), 101),
        ("with a final slash", good.clone().line("GET /mcp/ HTTP/1.1"), 101),
        ("another path", good.clone().line("GET /other HTTP/1.1"), 404),
        ("another method", good.clone().line("POST /mcp HTTP/1.1"), 405),
        ("no upgrade", good.clone().without("Upgrade"), 426),
        ("no connection to upgrade", good.clone().header("Connection", "keep-alive"), 426),
        ("an upgrade to something else", good.clone().header("Upgrade", "h2c"), 426),
        ("no version", good.clone().without("Sec-WebSocket-Version"), 426),
        ("another version", good.clone().header("Sec-WebSocket-Version", "8"), 426),
        ("no key", good.clone().without("Sec-WebSocket-Key"), 400),
        ("a short key", good.clone().header("Sec-WebSocket-Key", "AAAA"), 400),
        ("no host", good.clone().without("Host"), 403),
        ("a strange host", good.clone().header("Host", "evil.example.com"), 403),
        ("a strange page", good.clone().header("Origin", "https://evil.example.com"), 403),
        ("a strange page on this host", good.clone().header("Origin", "null"), 403),
        ("a page of this machine", good.clone().header("Origin", "http://localhost:6274"), 101),
        ("a page that is allowed", good.clone().header("Origin", "https://app.example.com"), 101),
    ] {
        let (response, _) = handshake.send();
        assert!(response.starts_with(&format!("http/1.1 {status}")), "{name}: {response}");
        if status == 426 {
            assert!(
                response.contains("upgrade: websocket") && response.contains("sec-websocket-version: 13")
            );
        }
    }
}

// As reported in joshrotenberg/tower-mcp#745, joshrotenberg/tower-mcp#1222.
#[test]
fn the_subprotocol_is_chosen_where_it_is_offered() {
    let (_lab, address) = start();
    for (offered, chosen) in [("mcp", true), ("chat, mcp", true), ("chat", false)] {
        let (response, mut socket) = Handshake::new(address).header("Sec-WebSocket-Protocol", offered).send();
        assert_eq!(response.contains("sec-websocket-protocol: mcp\r\n"), chosen, "{offered}: {response}");
        // The example key and response of RFC 6455 §1.3.
        assert!(response.contains("sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo="), "{response}");
        assert_alive(&mut socket);
    }
}

// As reported in joshrotenberg/tower-mcp#745, joshrotenberg/tower-mcp#1222.
#[test]
fn a_binary_frame_closes_the_socket_unread() {
    let (_lab, address) = start();
    let mut socket = Frames::open(address);
    socket.send(BINARY, true, PING_MESSAGE.as_bytes());
    assert_eq!(socket.close_code(), 1003);
}

// As reported in joshrotenberg/tower-mcp#745, joshrotenberg/tower-mcp#1222.
#[test]
fn two_messages_in_one_frame_are_invalid() {
    let (_lab, address) = start();
    let mut socket = Frames::open(address);
    let two = [call("1", "hold", &json!({})), call("2", "hold", &json!({}))].join("\n");
    socket.send_text(&two);
    assert_eq!(socket.message(MODERN, None)["error"]["code"], -32700);
    assert_eq!(text_of(&mut socket, "held", &json!({})), r#"{"asleep":0,"started":0,"cancelled":0}"#);
}

// As reported in joshrotenberg/tower-mcp#745, joshrotenberg/tower-mcp#1222.
#[test]
fn a_message_in_fragments_is_served_with_pings_between_them() {
    let (_lab, address) = start();
    let mut socket = Frames::open(address);
    let message = call("1", "echo", &json!({"text": "whole"}));
    let (first, rest) = message.as_bytes().split_at(10);
    let (second, third) = rest.split_at(20);
    socket.send(TEXT, false, first);
    socket.send(PING, true, b"are you there");
    socket.send(CONTINUATION, false, second);
    socket.send(CONTINUATION, true, third);
    assert_eq!(socket.next_frame(), Some((PONG, b"are you there".to_vec())));
    let answer = socket.message(MODERN, Some("tools/call"));
    assert_eq!(answer["result"]["content"][0]["text"], "whole");
    // And byte by byte.
    for byte in frame(TEXT, true, call("2", "add", &json!({"a": 1, "b": 1})).as_bytes()) {
        socket.stream.write_all(&[byte]).expect("the server reads");
    }
    assert_eq!(socket.message(MODERN, Some("tools/call"))["id"], "2");
}

// As reported in joshrotenberg/tower-mcp#745, joshrotenberg/tower-mcp#1222.
#[test]
fn oversized_messages_are_rejected_before_they_arrive() {
    let (_lab, address) = start();
    let mut announced = Frames::open(address);
    let mask = vec![0; 4];
    announced.stream.write_all(&[head(TEXT, true, 100 << 20, true), mask].concat()).expect("sent");
    assert_eq!(announced.close_code(), 1009);

    // No fragment is too long, all together are.
    let mut fragments = Frames::open(address);
    let part = vec![b'a'; MAX_MESSAGE_BYTES / 2 + 1];
    fragments.send(TEXT, false, &part);
    fragments.send(CONTINUATION, false, &part);
    assert_eq!(fragments.close_code(), 1009);

    // A client that continues sending receives the reason.
    let mut whole = Frames::open(address);
    let mut writer = whole.stream.try_clone().expect("a second handle");
    let sending = std::thread::spawn(move || {
        // The server may close before all is sent.
        let _ = writer.write_all(&frame(TEXT, true, &vec![b'a'; 8 << 20]));
    });
    assert_eq!(whole.close_code(), 1009);
    sending.join().expect("a thread");
    assert_alive(&mut Frames::open(address));
}

#[test]
fn protocol_violations_close_the_socket_with_their_code() {
    let (_lab, address) = start();
    let masked = |opcode, payload: &[u8]| frame(opcode, true, payload);
    let mut reserved = masked(TEXT, b"{}");
    reserved[0] |= 0x40;
    let cases = [
        ("not UTF-8", masked(TEXT, b"\xff\xfe"), 1007),
        ("not masked", [head(TEXT, true, 2, false), b"{}".to_vec()].concat(), 1002),
        ("a reserved bit", reserved, 1002),
        ("an unknown opcode", masked(3, b""), 1002),
        ("a continuation of nothing", masked(CONTINUATION, b"{}"), 1002),
        ("a long ping", masked(PING, &[b'a'; 126]), 1002),
    ];
    for (name, bytes, code) in cases {
        let mut socket = Frames::open(address);
        socket.stream.write_all(&bytes).expect("sent");
        assert_eq!(socket.close_code(), code, "{name}");
    }
    assert_alive(&mut Frames::open(address));
}

#[test]
fn a_close_frame_is_answered() {
    let (_lab, address) = start();
    let mut socket = Frames::open(address);
    socket.send(CLOSE, true, &1000_u16.to_be_bytes());
    assert_eq!(socket.close_code(), 1000);
    assert_eq!(socket.next_frame(), None);
}

/// A way to leave.
type Leave = fn(Frames);

// As reported in danny-avila/LibreChat#6558, joshrotenberg/tower-mcp#1222.
#[test]
fn when_a_socket_drops_its_calls_are_cancelled_and_others_go_on() {
    let (_lab, address) = start();
    let mut other = Frames::open(address);
    other.send_text(&call("of the other", "sleep", &json!({"ms": 400})));
    let leavings: [(&str, Leave); 3] = [
        ("closed", |mut socket| {
            socket.send(CLOSE, true, &1001_u16.to_be_bytes());
            assert_eq!(socket.close_code(), 1001);
        }),
        ("dropped", |socket| socket.stream.shutdown(Shutdown::Both).expect("it is open")),
        ("dropped within a frame", |mut socket| {
            socket.stream.write_all(&frame(TEXT, true, b"{\"jsonrpc\"")[..8]).expect("sent");
        }),
    ];
    let mut watching = Frames::open(address);
    for (count, (name, leave)) in (1..).zip(leavings) {
        let mut socket = Frames::open(address);
        for id in ["1", "2"] {
            socket.send_text(&call(id, "hold", &json!({})));
        }
        // Both have started when a later call is answered.
        assert_alive(&mut socket);
        println!("{name}");
        leave(socket);
        await_cancelled(&mut watching, 2 * count);
    }
    let answer = other.message(MODERN, Some("tools/call"));
    assert_eq!(
        (&answer["id"], &answer["result"]["content"][0]["text"]),
        (&json!("of the other"), &json!("awake"))
    );
}

#[test]
fn a_flood_of_pings_does_not_block_other_messages() {
    let (_lab, address) = start();
    let mut socket = Frames::open(address);
    let mut sender = Frames { stream: socket.stream.try_clone().expect("a second handle") };
    let flood = frame(PING, true, &[b'p'; 125]).repeat(1_000);
    let sending = std::thread::spawn(move || {
        for _ in 0..50 {
            sender.stream.write_all(&flood).expect("the server reads");
        }
        sender.send_text(&call("after", "add", &json!({"a": 1, "b": 2})));
    });
    loop {
        let (opcode, payload) = socket.next_frame().expect("a frame");
        if opcode == TEXT {
            assert!(payload.starts_with(br#"{"jsonrpc":"2.0","id":"after""#));
            break;
        }
        assert_eq!((opcode, payload.len()), (PONG, 125));
    }
    sending.join().expect("all was sent");
}

/// Writes without reading until the server takes no more, or has gone. Panics at `most` bytes, which no buffers of
/// the system hold.
fn write_unread(socket: &mut Frames, request: &[u8], most: usize) {
    socket.stream.set_write_timeout(Some(Duration::from_secs(1))).expect("a timeout");
    let mut written = 0;
    while socket.stream.write_all(request).is_ok() {
        written += request.len();
        assert!(written < most, "the server reads on and on");
    }
}

#[test]
fn pings_of_a_peer_that_does_not_read_are_bounded() {
    let (_lab, address) = start();
    let mut flooding = Frames::open(address);
    write_unread(&mut flooding, &frame(PING, true, &[b'p'; 125]).repeat(1_000), 64 << 20);
    assert_alive(&mut Frames::open(address));
}

#[test]
fn pings_do_not_count_as_activity() {
    let limits = Limits { websocket_silence: Duration::from_millis(600), ..stage::limits() };
    let config = HttpConfig::new().keep_alive(Some(Duration::from_millis(100)));
    let (_lab, address) = start_with(limits, config);
    let mut socket = Frames::open(address);
    let mut pinging = Frames { stream: socket.stream.try_clone().expect("a second handle") };
    // It sends pings, and answers none.
    let sending = std::thread::spawn(move || {
        let start = Instant::now();
        while pinging.send(PING, true, b"") && start.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    let code = loop {
        match socket.next_frame().expect("a frame") {
            (PING | PONG, _) => {}
            (CLOSE, payload) => break u16::from_be_bytes([payload[0], payload[1]]),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(code, 1008);
    drop(socket);
    sending.join().expect("the socket is closed");
}

#[test]
fn unread_acknowledgments_are_bounded() {
    let limits = Limits { max_unsent_bytes: 10_000, ..stage::limits() };
    let (_lab, address) = start_with(limits, HttpConfig::new());
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"notifications": {"toolsListChanged": true}, "_meta": meta});
    let listen = json!({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params});
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    let both = [listen, cancel].map(|message| frame(TEXT, true, message.to_string().as_bytes())).concat();
    // Each subscription is cancelled before the next, so no limit of subscriptions is reached.
    let mut flooding = Frames::open(address);
    write_unread(&mut flooding, &both.repeat(100), 64 << 20);
    assert_alive(&mut Frames::open(address));
}

#[test]
fn a_byte_order_mark_before_a_message_is_skipped() {
    let (_lab, address) = start();
    let mut socket = Frames::open(address);
    for _ in 0..2 {
        socket.send_text(&format!("\u{feff}{}", call("marked", "add", &json!({"a": 1, "b": 2}))));
        assert_eq!(socket.message("2026-07-28", Some("tools/call"))["id"], "marked");
    }
}

#[test]
fn one_socket_serves_both_eras() {
    let (_lab, address) = start();
    let mut socket = Frames::open(address);
    assert_alive(&mut socket);
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    socket
        .send_text(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).to_string());
    let answer = socket.message("2025-06-18", Some("initialize"));
    assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
    // modelcontextprotocol/python-sdk#961: the id that jsonrpsee's server would not take.
    let params = json!({"name": "add", "arguments": {"a": 1, "b": 2}});
    socket.send_text(
        &json!({"jsonrpc": "2.0", "id": -5, "method": "tools/call", "params": params}).to_string(),
    );
    assert_eq!(socket.message("2025-06-18", Some("tools/call"))["id"], -5);
    assert_alive(&mut socket);
    // A response, which has no method, is not answered.
    socket.send_text(r#"{"jsonrpc":"2.0","id":424242,"result":{}}"#);
    assert_alive(&mut socket);
}

#[test]
fn unresponsive_peers_are_disconnected() {
    let limits = Limits { websocket_silence: Duration::from_millis(600), ..stage::limits() };
    let config = HttpConfig::new().keep_alive(Some(Duration::from_millis(100)));
    let (_lab, address) = start_with(limits, config);
    let mut alive = Frames::open(address);
    let mut dead = Frames::open(address);
    let start = Instant::now();
    // One answers pings and is not disconnected.
    while start.elapsed() < Duration::from_millis(1_200) {
        let (opcode, payload) = alive.next_frame().expect("a ping");
        assert_eq!(opcode, PING);
        alive.send(PONG, true, &payload);
    }
    assert_alive_beside_pings(&mut alive);
    // The other one was sent pings, and then its leave.
    let code = loop {
        match dead.next_frame().expect("a frame") {
            (PING, _) => {}
            (CLOSE, payload) => break u16::from_be_bytes([payload[0], payload[1]]),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(code, 1008);
}

fn assert_alive_beside_pings(socket: &mut Frames) {
    socket.send_text(&call("own", "add", &json!({"a": 1, "b": 2})));
    while socket.next_frame().expect("a frame").0 == PING {}
}

#[test]
fn a_peer_that_does_not_read_slows_only_itself() {
    let limits = Limits { max_unsent_bytes: 100_000, ..stage::limits() };
    let (_lab, address) = start_with(limits, HttpConfig::new());
    let mut slow = Frames::open(address);
    slow.stream.set_write_timeout(Some(Duration::from_millis(500))).expect("a timeout");
    let text = "a".repeat(50_000);
    let request = frame(TEXT, true, call("1", "echo", &json!({"text": text})).as_bytes());
    // Unread data fills the system's buffers, and then blocks.
    let mut written = 0;
    while slow.stream.write_all(&request).is_ok() {
        written += request.len();
        assert!(written < 100 << 20, "the server reads on and on");
    }
    assert_alive(&mut Frames::open(address));
}

#[test]
fn sockets_over_the_limit_are_rejected_until_one_closes() {
    let limits = Limits { max_socket_peers: 1, ..stage::limits() };
    let (_lab, address) = start_with(limits, HttpConfig::new());
    let first = Frames::open(address);
    assert!(Handshake::new(address).send().0.starts_with("http/1.1 503"));
    drop(first);
    let start = Instant::now();
    while !Handshake::new(address).send().0.starts_with("http/1.1 101") {
        assert!(start.elapsed() < Duration::from_secs(10), "the first one has gone");
    }
}

#[test]
fn shutdown_notifies_peers_and_cancels_stuck_calls() {
    let limits = Limits { shutdown_grace: Duration::from_millis(300), ..stage::limits() };
    let (mut lab, address) = start_with(limits, HttpConfig::new());
    let (mut idle, mut busy) = (Frames::open(address), Frames::open(address));
    busy.send_text(&call("1", "hold", &json!({})));
    assert_alive(&mut busy);
    let start = Instant::now();
    lab.stop();
    assert_eq!(idle.close_code(), 1001);
    assert_eq!(busy.close_code(), 1001);
    assert!(start.elapsed() >= Duration::from_millis(300), "the call has its grace");
    lab.assert_ended_within(Duration::from_secs(3));
}
