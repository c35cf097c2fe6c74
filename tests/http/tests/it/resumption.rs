//! Streams that outlive their connections (2025-11-25, basic/transports "Resumability and Redelivery").

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use test_http::client::{Call, Response};
use test_http::lab::{Lab, Session, code};
use test_http::scripted::scripted_server;
use toolwright::{
    BoxFuture, HttpConfig, Limits,
    transport::{EventLimits, EventStore, EventStoreError, MemoryEventStore, StoredEvent},
};

const REVISIONS: [&str; 3] = ["2025-03-26", "2025-06-18", "2025-11-25"];

/// A call of a scripted tool, which may report progress.
fn talk(session: &Session<'_>, id: i32, tool: &str) -> Call {
    let params = json!({"name": tool, "arguments": {}, "_meta": {"progressToken": id}});
    session.request(id, "tools/call", &params)
}

/// GET for what came after an event.
fn resume(session: &Session<'_>, last: &str) -> Response {
    let mut response = session.get().header("Last-Event-ID", last).send();
    response.validate_as(session.revision(), "tools/call");
    response
}

/// The text of a message.
fn text(message: &Value) -> &str {
    let answer = &message["result"]["content"][0]["text"];
    answer.as_str().or_else(|| message["params"]["message"].as_str()).expect("a string")
}

fn strings(response: &mut Response) -> Vec<String> {
    response.messages().iter().map(|message| text(message).to_owned()).collect()
}

fn last(response: &Response) -> String {
    response.last_event_id.clone().expect("events have ids")
}

#[test]
fn a_lost_stream_is_resumed_to_its_answer() {
    for revision in REVISIONS {
        let (service, [controller]) = scripted_server(["a"], Limits::default());
        let lab = Lab::serve(service, HttpConfig::new());
        let session = lab.session(revision);
        controller.report("1");
        let mut lost = talk(&session, 1, "a").send();
        assert_eq!(text(&lost.message().expect("progress")), "1");
        let first = last(&lost);
        drop(lost);
        controller.report("2");

        let mut resumed = resume(&session, &first);
        assert_eq!((resumed.status, resumed.is_events()), (200, true));
        assert_eq!(text(&resumed.message().expect("what was missed")), "2");
        controller.report("3");
        assert_eq!(text(&resumed.message().expect("what comes")), "3");
        drop(resumed);
        controller.answer("done");
        assert_eq!(session.request(2, "ping", &json!({})).send().status, 200);

        let mut again = resume(&session, &first);
        assert_eq!(strings(&mut again), ["2", "3", "done"], "{revision}");
        let end = last(&again);
        let mut ended = resume(&session, &first);
        assert_eq!(strings(&mut ended), ["2", "3", "done"], "what was sent is sent again when asked for");
        let mut nothing = resume(&session, &end);
        assert_eq!((nothing.status, nothing.text().as_str()), (204, ""), "htp_07: this ends the attempts");
    }
}

#[test]
fn a_stream_with_an_immediate_response_is_stored() {
    let lab = Lab::start();
    let session = lab.session("2025-06-18");
    let params = json!({"name": "count", "arguments": {}, "_meta": {"progressToken": 7}});
    let mut stream = session.request(2, "tools/call", &params).send();
    let first = stream.fields().and_then(|event| event.id).expect("an id");
    let rest = stream.messages();
    assert_eq!(resume(&session, &first).messages(), rest);
    assert_eq!(resume(&session, &last(&stream)).status, 204);
}

#[test]
fn ids_are_unique_in_the_session_and_name_their_stream() {
    let (service, [a, b]) = scripted_server(["a", "b"], Limits::default());
    let lab = Lab::serve(service.clone(), HttpConfig::new());
    let session = lab.session("2025-11-25");
    let mut standing = session.get().send();
    a.report("a1");
    b.report("b1");
    let mut streams = [talk(&session, 1, "a").send(), talk(&session, 2, "b").send()];
    service.refresh_tools().expect("the same tools");
    a.answer("a2");
    b.answer("b2");
    let mut ids = BTreeSet::new();
    let mut names = BTreeSet::new();
    let events = [standing.fields().expect("a first event"), standing.fields().expect("a notification")];
    let [first, second] = &mut streams;
    let of_calls = std::iter::from_fn(|| first.fields()).chain(std::iter::from_fn(|| second.fields()));
    for event in events.into_iter().chain(of_calls) {
        let id = event.id.expect("each event has an id");
        names.insert(id.split('-').next().map(str::to_owned));
        assert!(ids.insert(id.clone()), "{id} is there twice");
    }
    assert_eq!((ids.len(), names.len()), (8, 3), "{ids:?}");
}

/// "The server MUST NOT replay messages that would have been delivered on a different stream."
// As reported in modelcontextprotocol/rust-sdk#659.
#[test]
fn a_stream_is_resumed_with_its_own_messages_alone() {
    let (service, [a, b]) = scripted_server(["a", "b"], Limits::default());
    let lab = Lab::serve(service.clone(), HttpConfig::new());
    let session = lab.session("2025-11-25");
    let mut standing = session.get().send();
    a.report("a1");
    b.report("b1");
    let mut lost = talk(&session, 1, "a").send();
    assert_eq!(text(&lost.message().expect("progress")), "a1");
    let mut other = talk(&session, 2, "b").send();
    let id = last(&lost);
    drop(lost);
    service.refresh_tools().expect("the same tools");
    for step in ["2", "3"] {
        b.report(format!("b{step}"));
        a.report(format!("a{step}"));
    }
    b.answer("b4");
    a.answer("a4");
    assert_eq!(strings(&mut resume(&session, &id)), ["a2", "a3", "a4"]);
    assert_eq!(strings(&mut other), ["b1", "b2", "b3", "b4"]);
    session.delete().send();
    let messages = standing.messages();
    assert_eq!(messages.len(), 1, "the one that belongs to no call: {messages:?}");
}

#[test]
fn a_reconnected_reader_replaces_the_previous_one() {
    let (service, [controller]) = scripted_server(["a"], Limits::default());
    let lab = Lab::serve(service, HttpConfig::new());
    let session = lab.session("2025-11-25");
    controller.report("1");
    let mut before = talk(&session, 1, "a").send();
    assert_eq!(text(&before.message().expect("progress")), "1");
    let mut after = resume(&session, &last(&before));
    assert_eq!(strings(&mut before), Vec::<String>::new(), "it ends");
    controller.report("2");
    assert_eq!(text(&after.message().expect("progress")), "2");
    controller.answer("3");
    assert_eq!(strings(&mut after), ["3"]);
}

#[test]
fn a_standing_stream_resumes_at_its_position() {
    let lab = Lab::start();
    for revision in REVISIONS {
        let session = lab.session(revision);
        let watch = |uri: &str| session.request(1, "resources/subscribe", &json!({"uri": uri})).send().status;
        assert_eq!(watch("lab://watched"), 200);
        let change = || {
            let update = json!({"what": "contents", "on": true});
            assert_eq!(session.call(2, "change", &update).send().status, 200);
        };
        let mut stream = session.get().send();
        change();
        assert!(stream.message().is_some());
        let id = last(&stream);
        drop(stream);
        change();
        let mut stream = resume(&session, &id);
        let again = stream.message().expect("a second notification");
        assert_eq!(again["method"], "notifications/resources/updated");
        let newer = last(&stream);
        assert_ne!(newer, id);
        assert_eq!(newer.split('-').next(), id.split('-').next(), "the same stream");
        change();
        assert!(stream.message().is_some());
        drop(stream);
        let mut stream = resume(&session, &newer);
        assert!(stream.message().is_some(), "the third, again");
        session.delete().send();
        assert_eq!(stream.messages(), Vec::<Value>::new(), "{revision}");
    }
}

#[test]
fn unknown_events_are_rejected_but_the_session_continues() {
    let lab = Lab::start();
    let (session, other) = (lab.session("2025-11-25"), lab.session("2025-11-25"));
    let params = json!({"name": "count", "arguments": {}, "_meta": {"progressToken": 7}});
    let mut stream = session.request(1, "tools/call", &params).send();
    stream.messages();
    let id = last(&stream);
    let (name, _) = id.split_once('-').expect("a stream and a number");
    assert_eq!(resume(&session, &id).status, 204);
    for unknown in ["1", "", "nonsense", "größe", &format!("{name}-999"), "r9-1", "s9-1", "r0-0"] {
        assert_eq!(code(resume(&session, unknown)), (400, -32600), "{unknown}");
    }
    assert_eq!(code(resume(&other, &id)), (400, -32600), "of another session");
    let twice = session.get().header("Last-Event-ID", &id).header("Last-Event-ID", &id).send();
    assert_eq!(twice.status, 400);
    assert_eq!(session.request(2, "ping", &json!({})).send().status, 200);
}

#[test]
fn buffers_are_bounded_while_the_client_does_not_read() {
    let limits = EventLimits { max_session_events: 20, ..EventLimits::default() };
    let store = Counting { memory: Arc::new(MemoryEventStore::new(limits)), ..Counting::default() };
    let (service, [controller]) =
        scripted_server(["a"], Limits { max_unsent_bytes: 1000, ..Limits::default() });
    let lab = Lab::serve(service, HttpConfig::new().event_store(store.clone()));
    let session = lab.session("2025-11-25");
    controller.report("first");
    let mut lost = talk(&session, 1, "a").send();
    assert_eq!(text(&lost.message().expect("progress")), "first");
    let id = last(&lost);
    drop(lost);
    for round in 0..200 {
        controller.report(format!("{round} {}", "x".repeat(1000)));
    }
    controller.answer("done");
    store.await_seen(202);
    let seen = strings(&mut resume(&session, &id));
    assert_eq!((seen.len(), seen.last().map(String::as_str)), (20, Some("done")), "the call was not held up");
    assert!(seen[0].starts_with("181 "), "the oldest went first");
}

#[test]
fn a_slow_reader_slows_its_call_and_misses_nothing() {
    const MESSAGES: usize = 16;
    let store = Counting::default();
    let (service, [controller]) =
        scripted_server(["a"], Limits { max_unsent_bytes: 1000, ..Limits::default() });
    let lab = Lab::serve(service, HttpConfig::new().event_store(store.clone()));
    let session = lab.session("2025-11-25");
    let long = "x".repeat(1 << 20);
    for _ in 0..MESSAGES {
        controller.report(long.as_str());
    }
    controller.answer("done");
    let mut stream = talk(&session, 1, "a").send();
    let kept = || store.seen.lock().expect("no panic").len();
    let mut before = 0;
    // Until what goes between the two is full.
    while before == 0 || kept() > before {
        before = kept();
        std::thread::sleep(Duration::from_millis(300));
    }
    assert!(before < MESSAGES, "{before} messages went somewhere");
    assert_eq!(strings(&mut stream).len(), MESSAGES + 1);
}

#[test]
fn expired_events_cannot_be_resumed() {
    let max_age = Duration::from_millis(50);
    let store = MemoryEventStore::new(EventLimits { max_age, ..EventLimits::default() });
    let lab = Lab::with(Limits::default(), HttpConfig::new().event_store(store));
    let session = lab.session("2025-11-25");
    let params = json!({"name": "count", "arguments": {}, "_meta": {"progressToken": 7}});
    let mut stream = session.request(1, "tools/call", &params).send();
    stream.messages();
    std::thread::sleep(max_age * 2);
    assert_eq!(code(resume(&session, &last(&stream))), (400, -32600));
}

/// Counts the calls of its methods.
#[derive(Debug, Clone, Default)]
struct Counting {
    seen: Arc<Mutex<Vec<String>>>,
    memory: Arc<MemoryEventStore>,
    fails: Arc<AtomicBool>,
}

impl Counting {
    fn note(&self, what: String) {
        self.seen.lock().expect("no panic").push(what);
    }

    /// Waits until it was called this often.
    fn await_seen(&self, count: usize) {
        let start = Instant::now();
        while self.seen.lock().expect("no panic").len() < count {
            assert!(start.elapsed() < Duration::from_secs(10), "it did not happen");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl EventStore for Counting {
    fn append<'a>(&'a self, session: &'a str, event: StoredEvent) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            // A remote store is slow.
            tokio::time::sleep(Duration::from_millis(1)).await;
            self.note(format!("append {}", event.sequence));
            self.memory.append(session, event).await;
        })
    }

    fn after<'a>(
        &'a self,
        session: &'a str,
        stream: u64,
        sequence: u64,
    ) -> BoxFuture<'a, Result<Option<Vec<StoredEvent>>, EventStoreError>> {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(1)).await;
            if self.fails.load(Ordering::SeqCst) {
                return Err(EventStoreError::new("the shelf is broken"));
            }
            self.memory.after(session, stream, sequence).await
        })
    }

    fn forget<'a>(&'a self, session: &'a str) -> BoxFuture<'a, ()> {
        self.note("forget".to_owned());
        self.memory.forget(session)
    }
}

#[test]
fn a_custom_store_is_used_for_streams_only() {
    let store = Counting::default();
    let (service, [controller]) = scripted_server(["a"], Limits::default());
    let lab = Lab::serve(service, HttpConfig::new().event_store(store.clone()));
    let plain = lab.session("2025-11-25");
    assert_eq!(
        plain.request(1, "tools/list", &json!({})).send().header("content-type"),
        Some("application/json")
    );
    plain.delete().send();
    assert_eq!(store.seen.lock().expect("no panic").len(), 0, "nothing was a stream");

    let session = lab.session("2025-11-25");
    controller.report("1");
    let mut lost = talk(&session, 1, "a").send();
    assert_eq!(text(&lost.message().expect("progress")), "1");
    let id = last(&lost);
    drop(lost);
    for text in ["2", "3", "4"] {
        controller.report(text);
    }
    let mut resumed = resume(&session, &id);
    controller.answer("5");
    assert_eq!(strings(&mut resumed), ["2", "3", "4", "5"], "no gap and none twice, however slow the store");
    session.delete().send();
    store.await_seen(6);
    assert_eq!(store.seen.lock().expect("no panic")[5], "forget", "the session's events go with it");
}

#[test]
fn a_store_that_fails_loses_no_stream() {
    let store = Counting::default();
    let lab = Lab::with(Limits::default(), HttpConfig::new().event_store(store.clone()));
    let session = lab.session("2025-11-25");
    let params = json!({"name": "count", "arguments": {}, "_meta": {"progressToken": 7}});
    let mut stream = session.request(1, "tools/call", &params).send();
    let sent = stream.messages().len();
    assert!(sent > 1);
    let first = format!("{}-1", last(&stream).split_once('-').expect("an event id").0);
    store.fails.store(true, Ordering::SeqCst);
    let failed = resume(&session, &first);
    assert_eq!((failed.status, failed.header("retry-after")), (503, Some("1")));
    store.fails.store(false, Ordering::SeqCst);
    assert_eq!(resume(&session, &first).messages().len(), sent, "nothing was lost");
}
