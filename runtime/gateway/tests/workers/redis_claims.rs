//! Claims of which a part fails: the worker is lost, stops, or does not get the answer.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use toolwright_gateway::calls::{CallBus as _, CallState, Claim, Finish};
use toolwright_gateway::redis::RedisBus;

use crate::redis::{LEASE, bus};
use crate::redis_faults::cli;
use crate::redis_server::{Keeps, RedisServer};
use crate::sides::{call, raw};

/// Between a worker and its server: closes a connection instead of passing on the answer to a claim.
struct Cutter {
    url: String,
    /// How many answers to cut.
    cuts: Arc<AtomicUsize>,
}

impl Cutter {
    fn new(server: &RedisServer) -> Self {
        let to = server.url().trim_start_matches("redis://").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("redis://{}", listener.local_addr().unwrap());
        let cuts = Arc::new(AtomicUsize::new(0));
        let left = Arc::clone(&cuts);
        // Threads end with their connections, and the first one with the test.
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (client.unwrap(), TcpStream::connect(&to).unwrap());
                let claims = Arc::new(AtomicUsize::new(0));
                let (sent, asked) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                let seen = Arc::clone(&claims);
                std::thread::spawn(move || {
                    pass_on(sent, asked, |bytes| {
                        let is_claim = bytes.windows(6).any(|word| word == b"BLMOVE");
                        seen.fetch_add(usize::from(is_claim), Ordering::SeqCst);
                        true
                    });
                });
                let left = Arc::clone(&left);
                std::thread::spawn(move || {
                    pass_on(server, client, |bytes| {
                        // The id of a call is in the answer of the wait.
                        let is_answer =
                            claims.load(Ordering::SeqCst) > 0 && bytes.windows(4).any(|word| word == b"call");
                        let one_less = |left: usize| left.checked_sub(1);
                        !(is_answer
                            && left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less).is_ok())
                    });
                });
            }
        });
        Self { url, cuts }
    }
}

/// Passes on bytes until either side is closed, or they are refused.
fn pass_on(mut from: TcpStream, mut to: TcpStream, mut may_pass: impl FnMut(&[u8]) -> bool) {
    let mut buffer = [0; 16 << 10];
    while let Ok(length) = from.read(&mut buffer)
        && length > 0
        && may_pass(&buffer[..length])
        && to.write_all(&buffer[..length]).is_ok()
    {}
    _ = from.shutdown(Shutdown::Both);
    _ = to.shutdown(Shutdown::Both);
}

async fn claim(worker: &RedisBus, name: &str) -> Claim {
    let claimed = tokio::time::timeout(Duration::from_secs(20), worker.claim("p", name));
    claimed.await.expect("a call should wait in the pool").unwrap()
}

#[tokio::test]
async fn a_claim_whose_answer_is_lost_is_answered_again() {
    let server = RedisServer::start(Keeps::Nothing);
    let cutter = Cutter::new(&server);
    let gateway = bus(&server).await;
    let worker = RedisBus::connect_with_lease(&cutter.url, LEASE).await.unwrap();
    worker.announce("p", "w", true).await.unwrap();
    for number in 0..5 {
        let id = format!("call-{number}");
        cutter.cuts.store(1, Ordering::SeqCst);
        let (claim, ()) = tokio::join!(claim(&worker, "w"), async {
            gateway.submit("p", call(&id, false)).await.unwrap();
        });
        assert_eq!((claim.call.id.as_str(), claim.attempt), (id.as_str(), 1));
        assert_eq!(cutter.cuts.load(Ordering::SeqCst), 0, "the answer was cut");
        assert!(worker.finish(&id, &claim.lease, Finish::Result(raw("1"))).await.unwrap());
    }
}

#[tokio::test]
async fn a_call_given_to_a_lost_worker_is_claimed_by_another() {
    let server = RedisServer::start(Keeps::Nothing);
    let bus = bus(&server).await;
    bus.announce("p", "w", true).await.unwrap();
    bus.submit("p", call("a", false)).await.unwrap();
    // The worker was woken, and lost before the script.
    cli(&server, &["lmove", "mcp:1:queue:p", "mcp:1:given:p", "left", "right"]);
    bus.submit("p", call("b", false)).await.unwrap();
    let claims = bus.claim_many("p", "w", 32).await.unwrap();
    let mut ids: Vec<_> = claims.iter().map(|claim| (claim.call.id.as_str(), claim.attempt)).collect();
    ids.sort_unstable();
    assert_eq!(ids, [("a", 1), ("b", 1)]);
}

#[tokio::test]
async fn a_worker_that_leaves_returns_what_it_was_given() {
    let server = RedisServer::start(Keeps::Nothing);
    let (one, other) = (bus(&server).await, bus(&server).await);
    for number in 0..5 {
        one.announce("p", "w", true).await.unwrap();
        let id = format!("call-{number}");
        let dropped = tokio::time::timeout(Duration::from_millis(20), one.claim("p", "w")).await;
        assert!(dropped.is_err());
        // It still waits at the server.
        other.submit("p", call(&id, false)).await.unwrap();
        one.announce("p", "w", false).await.unwrap();
        assert!(matches!(other.record(&id).await.unwrap().state, CallState::Queued));
        let claim = claim(&other, "v").await;
        assert_eq!((claim.call.id.as_str(), claim.attempt), (id.as_str(), 1));
        assert!(other.finish(&id, &claim.lease, Finish::Result(raw("1"))).await.unwrap());
    }
}
