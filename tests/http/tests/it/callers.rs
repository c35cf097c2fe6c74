//! Limits per caller, so that none uses up everything: two callers in each test, identified by their addresses.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use test_http::client::{Call, Response};
use test_http::lab::{Lab, code};
use test_http::probes::Probes;
use toolwright::{
    HttpConfig, Limits, Server, Service, Tool,
    limits::{CallerLimits, RateLimit},
    middleware::MaxRate,
};

const ADA: &str = "10.0.0.1";
const BOB: &str = "10.0.0.2";

/// An endpoint that identifies callers by a header.
fn config() -> HttpConfig {
    HttpConfig::new().caller_address(|head| head.headers.get("x-caller")?.to_str().ok()?.parse().ok())
}

fn lab(limits: Limits) -> Lab {
    Lab::with(limits, config())
}

fn per_caller(per_caller: CallerLimits) -> Limits {
    Limits { per_caller, ..Limits::default() }
}

fn of(caller: &str, call: Call) -> Call {
    call.header("X-Caller", caller)
}

fn opened(lab: &Lab, caller: &str) -> String {
    let response = of(caller, lab.initialize("2025-11-25")).send();
    assert_eq!(response.status, 200, "{caller}");
    response.header("mcp-session-id").expect("a session").to_owned()
}

fn in_session(lab: &Lab, session: &str, method: &str) -> Call {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {}});
    lab.post().validate_as("2025-11-25", method).header("Mcp-Session-Id", session).body(&body)
}

fn is_open(lab: &Lab, session: &str) -> bool {
    in_session(lab, session, "ping").send().status == 200
}

fn standing(lab: &Lab, session: &str) -> Response {
    let call = lab.bare("GET", "/mcp").header("Accept", "text/event-stream");
    call.validate_as("2025-11-25", "").header("Mcp-Session-Id", session).send()
}

#[test]
fn a_callers_own_oldest_idle_session_ends_first() {
    let lab = lab(per_caller(CallerLimits { max_sessions: 3, ..CallerLimits::default() }));
    let bobs = opened(&lab, BOB);
    let adas = [opened(&lab, ADA), opened(&lab, ADA), opened(&lab, ADA)];
    let _stream = standing(&lab, &adas[0]);
    std::thread::sleep(Duration::from_millis(5));
    assert!(is_open(&lab, &adas[1]), "used later than the third");
    let fourth = opened(&lab, ADA);
    assert!(!is_open(&lab, &adas[2]), "the oldest that has no stream");
    for session in [&adas[0], &adas[1], &fourth, &bobs] {
        assert!(is_open(&lab, session));
    }
}

#[test]
fn a_caller_with_all_sessions_in_use_cannot_open_more() {
    let lab = lab(per_caller(CallerLimits { max_sessions: 2, ..CallerLimits::default() }));
    let adas = [opened(&lab, ADA), opened(&lab, ADA)];
    let _streams = adas.each_ref().map(|session| standing(&lab, session));
    assert_eq!(code(of(ADA, lab.initialize("2025-11-25")).send()), (429, -32603));
    opened(&lab, BOB);
}

/// Many sessions of one caller do not keep another out, though nothing bounds that one but the bound of all.
#[test]
fn the_caller_with_most_sessions_makes_room_for_others() {
    let lab = lab(Limits { max_sessions: 4, ..Limits::default() });
    let adas = [(); 4].map(|()| opened(&lab, ADA));
    let bobs = opened(&lab, BOB);
    assert!(!is_open(&lab, &adas[0]), "the oldest of who has four");
    opened(&lab, ADA);
    assert!(!is_open(&lab, &adas[1]), "its own, as all are taken");
    assert!(is_open(&lab, &bobs));
    let _streams = [&adas[2], &adas[3]].map(|session| standing(&lab, session));
    opened(&lab, BOB);
    assert!(is_open(&lab, &adas[2]) && is_open(&lab, &adas[3]), "these are in use");
}

#[test]
fn the_streams_of_one_caller_are_bounded_over_http_sse() {
    let limits = per_caller(CallerLimits { max_sessions: 1, ..CallerLimits::default() });
    let service = test_protocol::tools::service(limits);
    let lab = Lab::run(service, |http| http.config(config()).with_sse());
    let open = |caller| of(caller, lab.bare("GET", "/sse").header("Accept", "text/event-stream")).send();
    let adas = open(ADA);
    assert!(adas.is_events());
    assert_eq!(code(open(ADA)), (429, -32603));
    assert!(open(BOB).is_events());
}

#[test]
fn the_calls_of_one_caller_are_bounded_on_all_its_connections() {
    let probes = Probes::default();
    let limits = per_caller(CallerLimits { max_calls_in_flight: 2, ..CallerLimits::default() });
    let lab = Lab::serve(probes.service(limits), config());
    let wait = json!({"name": "wait", "arguments": {}, "_meta": {"progressToken": 1}});
    let call = |caller| of(caller, lab.modern("tools/call", &wait)).send();
    let mut adas = vec![call(ADA), call(ADA)];
    let refused = call(ADA).json();
    assert_eq!(refused["error"]["code"], -32603);
    let text = refused["error"]["message"].as_str().expect("a string");
    assert!(text.contains("2 calls of this caller"), "{text}");
    let _bobs = call(BOB);
    probes.await_started(3);
    adas.pop();
    probes.await_ended(1);
    assert!(call(ADA).is_events(), "there is room again");
}

#[test]
fn subscriptions_of_one_caller_are_bounded() {
    let lab = lab(per_caller(CallerLimits { max_subscriptions: 1, ..CallerLimits::default() }));
    let listen = |caller| {
        of(caller, lab.modern("subscriptions/listen", &json!({"notifications": {"toolsListChanged": true}})))
            .send()
    };
    let adas = listen(ADA);
    assert!(adas.is_events());
    assert_eq!(listen(ADA).json()["error"]["code"], -32603);
    assert!(listen(BOB).is_events());
}

/// The address is that of the connection, regardless of headers.
#[test]
fn the_connections_of_one_address_are_bounded() {
    let lab = lab(per_caller(CallerLimits { max_connections: 1, ..CallerLimits::default() }));
    let first = lab.post().body(&json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})).send();
    let mut second = TcpStream::connect(lab.post().address()).expect("it is accepted");
    second.set_read_timeout(Some(Duration::from_secs(10))).expect("a timeout");
    let mut nothing = Vec::new();
    // Closed by the server, orderly or not.
    let _ = second.read_to_end(&mut nothing);
    assert!(nothing.is_empty());
    drop(first);
}

/// The start of a POST whose body has come up to its last byte, which never comes.
fn half_sent(lab: &Lab, caller: &str, length: usize) -> TcpStream {
    let mut stream = TcpStream::connect(lab.post().address()).expect("the server listens");
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Caller: {caller}\r\nContent-Type: application/json\r\nAccept: application/json\r\nContent-Length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).expect("sent");
    stream.write_all(&vec![b' '; length - 1]).expect("sent");
    stream
}

/// A ping whose body is padded to a length.
fn padded(lab: &Lab, caller: &str, length: usize) -> Response {
    let mut body = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string().into_bytes();
    body.resize(length, b' ');
    of(caller, lab.post().validate_as("2025-11-25", "ping")).raw_body(&body).send()
}

/// Waits until everything that was sent before has arrived.
fn until_refused(lab: &Lab, caller: &str, length: usize) {
    let refused = (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(5));
        padded(lab, caller, length).status == 503
    });
    assert!(refused, "{caller} may send {length} bytes more");
}

#[test]
fn received_bytes_are_limited_per_caller_and_in_total() {
    let sizes = Limits { max_message_bytes: 10_000, ..Limits::default() };
    let own = CallerLimits { max_received_bytes: 15_000, ..CallerLimits::default() };
    let lab = lab(Limits { per_caller: own, max_received_bytes: 24_000, ..sizes });
    let adas = half_sent(&lab, ADA, 10_000);
    until_refused(&lab, ADA, 8_000);
    assert_eq!(padded(&lab, ADA, 1_000).status, 200, "what fits is taken");
    assert_eq!(padded(&lab, BOB, 8_000).status, 200, "what one has is not taken from another");
    let bobs = half_sent(&lab, BOB, 10_000);
    until_refused(&lab, "10.0.0.3", 8_000);
    drop((adas, bobs));
    let has_room = (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(5));
        padded(&lab, ADA, 8_000).status == 200
    });
    assert!(has_room, "those who sent them have left");
}

/// A message counts until it is answered, since its arguments are there until then.
#[test]
fn a_message_counts_until_its_call_is_over() {
    let probes = Probes::default();
    let own = CallerLimits { max_received_bytes: 15_000, ..CallerLimits::default() };
    let limits = Limits { max_message_bytes: 10_000, per_caller: own, ..Limits::default() };
    let lab = Lab::serve(probes.service(limits), config());
    let arguments = json!({"padding": "x".repeat(9_000)});
    let wait = json!({"name": "wait", "arguments": arguments, "_meta": {"progressToken": 1}});
    for legacy in [false, true] {
        let ended = probes.ended();
        let waiting = if legacy {
            let session = opened(&lab, ADA);
            let body = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": wait});
            let call = of(ADA, lab.post().validate_as("2025-11-25", "")).header("Mcp-Session-Id", &session);
            (call.body(&body).send(), Some(session))
        } else {
            (of(ADA, lab.modern("tools/call", &wait)).send(), None)
        };
        assert!(waiting.0.is_events(), "it has begun");
        assert_eq!(padded(&lab, ADA, 9_000).status, 503);
        assert_eq!(padded(&lab, BOB, 9_000).status, 200);
        if let Some(session) = &waiting.1 {
            let end = lab.bare("DELETE", "/mcp").header("Mcp-Session-Id", session);
            assert_eq!(of(ADA, end).send().status, 200);
        }
        drop(waiting);
        probes.await_ended(ended + 1);
        let has_room = (0..200).any(|_| {
            std::thread::sleep(Duration::from_millis(5));
            padded(&lab, ADA, 9_000).status == 200
        });
        assert!(has_room, "legacy: {legacy}");
    }
}

fn paced(rate: Option<RateLimit>) -> Lab {
    lab(Limits { tool_call_rate: rate, ..Limits::default() })
}

fn add(lab: &Lab, caller: &str, tool: &str) -> Value {
    of(caller, lab.call(tool, &json!({"a": 1, "b": 2}))).send().json()["result"].take()
}

/// "Servers MUST … Rate limit tool invocations" (2026-07-28, server/tools "Security Considerations").
#[test]
fn calls_of_one_tool_by_one_caller_have_a_rate() {
    let lab = paced(Some(RateLimit::new(1, Duration::from_hours(1)).burst(3)));
    for _ in 0..3 {
        assert_eq!(add(&lab, ADA, "add")["isError"], false);
    }
    for name in ["add", "plus"] {
        let refused = add(&lab, ADA, name);
        assert_eq!(refused["isError"], true, "a former name is the same tool");
        let text = refused["content"][0]["text"].as_str().expect("a string");
        assert!(text.starts_with("too many calls of `add`; nothing was done; try again in "), "{text}");
    }
    assert_eq!(add(&lab, BOB, "add")["isError"], false, "another caller");
    let other = of(ADA, lab.call("list_numbers", &json!({}))).send().json()["result"].take();
    assert_eq!(other["isError"], false, "another tool");
    let nobody =
        |lab: &Lab| lab.call("add", &json!({"a": 1, "b": 2})).send().json()["result"]["isError"].take();
    let all = [(); 4].map(|()| nobody(&lab));
    assert_eq!(all, [json!(false), json!(false), json!(false), json!(true)], "all others count as one");
}

#[test]
fn the_rate_is_unlimited_by_default() {
    let lab = paced(None);
    assert!((0..50).all(|_| add(&lab, ADA, "add")["isError"] == false));
}

/// Adds.
#[derive(Tool, Deserialize, JsonSchema)]
struct Plus {
    a: i64,
}

/// Exports.
#[derive(Tool, Deserialize, JsonSchema)]
struct Export {}

fn call(lab: &Lab, caller: &str, tool: &str, arguments: &Value) -> String {
    let mut result = of(caller, lab.call(tool, arguments)).send().json()["result"].take();
    let text = result["content"][0]["text"].take();
    assert_eq!(result["isError"], text.as_str().is_some_and(|text| text.starts_with("too many")));
    text.as_str().expect("a string").to_owned()
}

#[test]
fn middleware_limits_the_rate_of_each_caller_and_tool() {
    let hourly = |times| RateLimit::new(times, Duration::from_hours(1));
    let server = Server::new(())
        .tool(async |Plus { a }: Plus| a + 1)
        .tool(async |_: Export| "exported")
        .middleware(MaxRate::per_tool(hourly(3)).tool("export", hourly(1)))
        .middleware(MaxRate::default().tool("plus", hourly(2)));
    let lab = Lab::serve(server.build().expect("a service"), config());
    for caller in [ADA, BOB] {
        let plus = |number: i64| call(&lab, caller, "plus", &json!({"a": number}));
        assert_eq!([plus(1), plus(2)], ["2", "3"], "{caller} has a rate of its own");
        for _ in 0..2 {
            let refused = plus(3);
            assert!(refused.starts_with("too many calls of `plus`; nothing was done; try again in "));
        }
        assert_eq!(call(&lab, caller, "export", &json!({})), "exported", "another tool");
        let refused = call(&lab, caller, "export", &json!({}));
        assert!(refused.ends_with("try again in 3600 s"), "{refused}");
    }
}

/// Callers beyond the maximum share one rate, so that nobody gets more calls from many addresses.
#[test]
fn the_rates_of_middleware_have_a_bounded_number_of_callers() {
    let limits = Limits { max_callers: 2, ..Limits::default() };
    let server = Server::new(())
        .tool(async |_: Export| "exported")
        .middleware(MaxRate::per_tool(RateLimit::new(1, Duration::from_hours(1))))
        .limits(limits);
    let lab = Lab::serve(server.build().expect("a service"), config());
    let has_room = |caller: &str| call(&lab, caller, "export", &json!({})) == "exported";
    let callers = (1..=20).map(|number| format!("10.0.1.{number}"));
    assert!(callers.filter(|caller| has_room(caller)).count() <= 3, "two, and all others as one");
}

/// Says much.
#[derive(Tool, Deserialize, JsonSchema)]
struct Speech {}

fn speeches(limits: Limits) -> Service {
    let speech = async |_: Speech| "x".repeat(32 << 20);
    Server::new(speech).tools::<Speech>().limits(limits).build().expect("a service")
}

/// With one connection, the next caller waits until the one that does not read is disconnected.
#[test]
fn a_client_that_does_not_read_is_disconnected() {
    let time = Duration::from_millis(200);
    let limits = Limits { write_timeout: time, max_http_connections: 1, ..Limits::default() };
    let lab = Lab::serve(speeches(limits), config());
    let deaf = of(ADA, lab.call("speech", &json!({}))).send();
    assert_eq!(deaf.status, 200);
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let next = of(BOB, lab.post().validate_as("2025-11-25", "ping")).body(&ping).send();
    assert_eq!(next.status, 200, "in time");
    drop(deaf);
}

/// A client that waits on a stream without messages is reading.
#[test]
fn a_client_that_waits_is_not_disconnected() {
    let probes = Probes::default();
    let limits = Limits { write_timeout: Duration::from_millis(100), ..Limits::default() };
    let lab = Lab::serve(probes.service(limits), config());
    let wait = json!({"name": "wait", "arguments": {}, "_meta": {"progressToken": 1}});
    let waiting = [ADA, BOB].map(|caller| of(caller, lab.modern("tools/call", &wait)).send());
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(probes.ended(), 0);
    drop(waiting);
    probes.await_ended(2);
}
