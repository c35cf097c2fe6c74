//! What every way to workers must do.

use std::sync::Arc;
use std::time::Duration;

use toolwright_gateway::calls::{
    Call, CallError, CallState, Finish, IdempotencyKey, Lease, MAX_ATTEMPTS, MAX_CALL_BYTES,
    MAX_IDEMPOTENCY_KEY_BYTES, MAX_QUEUED, MAX_RESULT_BYTES, Progress,
};

use crate::sides::{Sides, call, raw, result_of};

/// The suite as tests with an attribute, each with sides of its own.
macro_rules! suite {
    ($attribute:meta, $sides:expr) => {
        mod calls {
            crate::sides::tests! { $attribute, $sides, calls:
                a_call_is_claimed_once_and_its_result_is_kept
                a_pool_without_workers_refuses_calls_at_once
                a_worker_that_stays_silent_no_longer_counts
                a_waiting_worker_is_woken_by_a_call
                calls_that_wait_are_claimed_together
                every_call_reaches_one_of_many_workers
                a_lost_call_that_may_be_repeated_is_made_again
                a_call_is_made_three_times_at_most
                a_lost_call_that_must_not_be_repeated_is_unknown
                a_renewed_lease_stays_good
                progress_reaches_whoever_waits
                a_cancelled_call_is_never_claimed
                the_worker_of_a_cancelled_call_is_told
                a_lost_call_that_was_cancelled_is_not_made_again
                a_full_pool_refuses_calls
                calls_and_results_have_a_largest_size
                a_call_submitted_twice_is_made_once
                a_dropped_claim_takes_no_call
                a_call_is_finished_once
                of_outcomes_at_once_that_with_the_lease_counts
                a_call_past_its_deadline_is_not_claimed
                a_failed_call_keeps_its_error
                nothing_is_known_of_other_calls
                a_call_is_claimed_as_it_was_submitted
                calls_with_the_same_key_are_one_call
                a_key_belongs_to_its_arguments
                a_key_belongs_to_a_tool_of_a_run
                a_key_of_a_call_that_was_never_made_is_free
                a_lost_call_with_a_key_is_not_made_again
                a_started_call_is_followed_to_its_end
                a_call_that_was_started_before_is_followed_as_well
            }
        }
    };
}
pub(crate) use suite;

pub(crate) async fn a_call_is_claimed_once_and_its_result_is_kept(sides: Sides) {
    let sides = sides.with_worker().await;
    sides.submit("a", false).await;
    sides.submit("b", false).await;
    assert!(matches!(sides.gateway.record("a").await.unwrap().state, CallState::Queued));
    let (first, second) = (sides.claim().await, sides.claim().await);
    assert_eq!((first.call.id.as_str(), second.call.id.as_str()), ("a", "b"));
    assert_eq!(first.attempt, 1);
    assert!(matches!(sides.gateway.record("a").await.unwrap().state, CallState::Running));
    assert!(sides.finish(&first, r#"{"n":1}"#).await);
    assert!(sides.finish(&second, r#"{"n":2}"#).await);
    sides.expect_no_call().await;
    for (id, result) in [("a", r#"{"n":1}"#), ("b", r#"{"n":2}"#)] {
        assert_eq!(result_of(&sides.end_of(id).await), result);
        assert_eq!(result_of(&sides.gateway.record(id).await.unwrap()), result);
    }
}

pub(crate) async fn calls_that_wait_are_claimed_together(sides: Sides) {
    let sides = sides.with_worker().await;
    let ids: Vec<String> = (0..7).map(|number| format!("call-{number}")).collect();
    for id in &ids {
        sides.submit(id, true).await;
    }
    let mut claimed = Vec::new();
    while claimed.len() < ids.len() {
        // Dropped while it claims, it takes none.
        let dropped = sides.worker.claim_many("p", "w", 3);
        let many = match tokio::time::timeout(Duration::from_micros(200), dropped).await {
            Ok(many) => many,
            Err(_) => {
                tokio::time::timeout(sides.a_while(), sides.worker.claim_many("p", "w", 3)).await.unwrap()
            }
        };
        let many = many.unwrap();
        assert!((1..=3).contains(&many.len()), "{}", many.len());
        claimed.extend(many);
    }
    for claim in &claimed {
        assert_eq!(claim.attempt, 1);
        assert!(sides.finish(claim, "{}").await);
    }
    let mut seen: Vec<_> = claimed.into_iter().map(|claim| claim.call.id).collect();
    seen.sort();
    assert_eq!(seen, ids);
}

pub(crate) async fn a_pool_without_workers_refuses_calls_at_once(sides: Sides) {
    let refused = CallError::NoWorker("p".to_owned());
    assert_eq!(sides.gateway.submit("p", call("a", true)).await.unwrap_err(), refused);
    let sides = sides.with_worker().await;
    assert_eq!(
        sides.gateway.submit("q", call("a", true)).await.unwrap_err(),
        CallError::NoWorker("q".to_owned())
    );
    sides.worker.announce("p", "v", true).await.unwrap();
    sides.worker.announce("p", "w", false).await.unwrap();
    sides.submit("a", true).await;
    sides.worker.announce("p", "v", false).await.unwrap();
    assert_eq!(sides.gateway.submit("p", call("b", true)).await.unwrap_err(), refused);
    assert_eq!(sides.gateway.record("b").await.unwrap_err(), CallError::NoCall("b".to_owned()));
}

pub(crate) async fn a_worker_that_stays_silent_no_longer_counts(sides: Sides) {
    let sides = sides.with_worker().await;
    let lease = sides.gateway.lease();
    for _ in 0..3 {
        tokio::time::sleep(lease / 2).await;
        sides.worker.announce("p", "w", true).await.unwrap();
    }
    sides.submit("a", true).await;
    tokio::time::sleep(lease + Duration::from_millis(20)).await;
    let refused = sides.gateway.submit("p", call("b", true)).await.unwrap_err();
    assert_eq!(refused, CallError::NoWorker("p".to_owned()));
}

pub(crate) async fn a_waiting_worker_is_woken_by_a_call(sides: Sides) {
    let sides = sides.with_worker().await;
    let worker = Arc::clone(&sides.worker);
    let claimed = tokio::spawn(async move { worker.claim("p", "w").await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!claimed.is_finished());
    sides.submit("a", true).await;
    let claim = tokio::time::timeout(sides.a_while(), claimed).await.unwrap().unwrap().unwrap();
    assert_eq!(claim.call.id, "a");
}

pub(crate) async fn every_call_reaches_one_of_many_workers(sides: Sides) {
    let sides = sides.with_worker().await;
    let workers: Vec<_> = (0..4)
        .map(|number| {
            let bus = Arc::clone(&sides.worker);
            tokio::spawn(async move {
                let (name, mut claimed) = (format!("w{number}"), Vec::new());
                loop {
                    // One that has waited long enough.
                    let Ok(claim) = tokio::time::timeout(Duration::from_secs(1), bus.claim("p", &name)).await
                    else {
                        return claimed;
                    };
                    let claim = claim.unwrap();
                    assert!(
                        bus.finish(&claim.call.id, &claim.lease, Finish::Result(raw("{}"))).await.unwrap()
                    );
                    claimed.push(claim.call.id);
                }
            })
        })
        .collect();
    let expected: Vec<_> = (100..200).map(|number| format!("call-{number}")).collect();
    for id in &expected {
        sides.submit(id, false).await;
    }
    let mut claimed = Vec::new();
    for worker in workers {
        claimed.extend(worker.await.unwrap());
    }
    claimed.sort();
    assert_eq!(claimed, expected);
}

pub(crate) async fn a_lost_call_that_may_be_repeated_is_made_again(sides: Sides) {
    let sides = sides.with_worker().await;
    sides.submit("a", true).await;
    let lost = sides.claim().await;
    sides.outlive_leases().await;
    let second = sides.claim().await;
    assert_eq!((second.attempt, second.call.id.as_str()), (2, "a"));
    assert_ne!(second.lease, lost.lease);
    // The worker that was thought dead comes back, before and after the other is done.
    assert_eq!(sides.worker.renew("a", &lost.lease, None).await.unwrap(), Lease::Lost);
    assert!(!sides.finish(&lost, r#""late""#).await);
    assert!(sides.finish(&second, r#""second""#).await);
    assert!(!sides.finish(&lost, r#""late""#).await);
    let record = sides.end_of("a").await;
    assert_eq!((result_of(&record), record.attempt), (r#""second""#, 2));
}

pub(crate) async fn a_call_is_made_three_times_at_most(sides: Sides) {
    let sides = sides.with_worker().await;
    sides.submit("a", true).await;
    for attempt in 1..=MAX_ATTEMPTS {
        assert_eq!(sides.claim().await.attempt, attempt);
        sides.outlive_leases().await;
    }
    sides.expect_no_call().await;
    let record = sides.end_of("a").await;
    assert!(matches!(record.state, CallState::Unknown), "{record:?}");
    assert_eq!(record.attempt, MAX_ATTEMPTS);
}

pub(crate) async fn a_lost_call_that_must_not_be_repeated_is_unknown(sides: Sides) {
    let sides = sides.with_worker().await;
    sides.submit("a", false).await;
    let lost = sides.claim().await;
    // Nobody but the caller looks, and it learns of it.
    let record = sides.end_of("a").await;
    assert!(matches!(record.state, CallState::Unknown), "{record:?}");
    assert!(!sides.finish(&lost, r#""late""#).await);
    assert!(matches!(sides.gateway.record("a").await.unwrap().state, CallState::Unknown));
    sides.expect_no_call().await;
}

pub(crate) async fn a_renewed_lease_stays_good(sides: Sides) {
    let sides = sides.with_worker().await;
    sides.submit("a", true).await;
    let claim = sides.claim().await;
    for _ in 0..4 {
        tokio::time::sleep(sides.gateway.lease() / 2).await;
        assert_eq!(sides.worker.renew("a", &claim.lease, None).await.unwrap(), Lease::Held);
        assert!(matches!(sides.gateway.record("a").await.unwrap().state, CallState::Running));
    }
    assert!(sides.finish(&claim, "{}").await);
    assert_eq!(sides.end_of("a").await.attempt, 1);
}

pub(crate) async fn progress_reaches_whoever_waits(sides: Sides) {
    let sides = sides.with_worker().await;
    sides.submit("a", false).await;
    let claim = sides.claim().await;
    let running = sides.gateway.wait("a", 1).await.unwrap();
    assert_eq!((running.version, running.progress), (2, None));
    let gateway = Arc::clone(&sides.gateway);
    let waiting = tokio::spawn(async move { gateway.wait("a", 2).await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    let half = Progress { progress: 1.0, total: Some(2.0), message: Some("half".to_owned()) };
    sides.worker.renew("a", &claim.lease, Some(half.clone())).await.unwrap();
    let record = tokio::time::timeout(sides.a_while(), waiting).await.unwrap().unwrap().unwrap();
    assert_eq!((record.version, record.progress), (3, Some(half.clone())));
    // Being renewed is no news.
    sides.worker.renew("a", &claim.lease, None).await.unwrap();
    assert_eq!(sides.gateway.record("a").await.unwrap().version, 3);
    sides.finish(&claim, "{}").await;
    assert_eq!(sides.end_of("a").await.progress, Some(half));
}

pub(crate) async fn a_cancelled_call_is_never_claimed(sides: Sides) {
    let sides = sides.with_worker().await;
    sides.submit("a", true).await;
    sides.submit("b", true).await;
    sides.gateway.cancel("a").await.unwrap();
    assert_eq!(sides.claim().await.call.id, "b");
    sides.expect_no_call().await;
    assert!(matches!(sides.end_of("a").await.state, CallState::Cancelled));
    // Once more changes nothing.
    sides.gateway.cancel("a").await.unwrap();
}

pub(crate) async fn the_worker_of_a_cancelled_call_is_told(sides: Sides) {
    let sides = sides.with_worker().await;
    sides.submit("a", false).await;
    let claim = sides.claim().await;
    let (worker, lease) = (Arc::clone(&sides.worker), claim.lease.clone());
    let told = tokio::spawn(async move { worker.cancelled("a", &lease).await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!told.is_finished());
    sides.gateway.cancel("a").await.unwrap();
    // Sooner than by the next renewal.
    tokio::time::timeout(sides.gateway.lease().mul_f64(0.25), told).await.unwrap().unwrap();
    assert_eq!(sides.worker.renew("a", &claim.lease, None).await.unwrap(), Lease::Cancelled);
    assert!(sides.finish(&claim, r#""stopped""#).await);
    assert_eq!(result_of(&sides.end_of("a").await), r#""stopped""#);
}

pub(crate) async fn a_lost_call_that_was_cancelled_is_not_made_again(sides: Sides) {
    let sides = sides.with_worker().await;
    sides.submit("a", true).await;
    sides.claim().await;
    sides.gateway.cancel("a").await.unwrap();
    sides.outlive_leases().await;
    sides.expect_no_call().await;
    assert!(matches!(sides.end_of("a").await.state, CallState::Unknown));
}

pub(crate) async fn a_full_pool_refuses_calls(sides: Sides) {
    let sides = sides.with_worker().await;
    for number in 0..MAX_QUEUED {
        sides.submit(&format!("call-{number}"), true).await;
    }
    let refused = sides.gateway.submit("p", call("more", true)).await.unwrap_err();
    assert_eq!(refused, CallError::Overloaded("p".to_owned()));
    assert!(refused.to_rpc("more").data.unwrap().get().contains("retry_after_ms"));
    sides.claim().await;
    sides.submit("more", true).await;
}

pub(crate) async fn calls_and_results_have_a_largest_size(sides: Sides) {
    let sides = sides.with_worker().await;
    let arguments = |bytes: usize| raw(&format!("\"{}\"", "x".repeat(bytes - 2)));
    let mut large = call("a", true);
    large.arguments = arguments(MAX_CALL_BYTES + 1);
    let refused = sides.gateway.submit("p", large).await.unwrap_err();
    assert_eq!(refused, CallError::TooLarge(MAX_CALL_BYTES + 1));
    let mut largest = call("a", true);
    largest.arguments = arguments(MAX_CALL_BYTES);
    sides.gateway.submit("p", largest).await.unwrap();
    let claim = sides.claim().await;
    assert_eq!(claim.call.arguments.get().len(), MAX_CALL_BYTES);
    assert!(sides.finish(&claim, arguments(MAX_RESULT_BYTES + 1).get()).await);
    let CallState::Failed { error } = sides.end_of("a").await.state else { panic!("it should have failed") };
    assert!(error.data.unwrap().get().contains("result_too_large"));
    sides.submit("b", true).await;
    let claim = sides.claim().await;
    assert!(sides.finish(&claim, arguments(MAX_RESULT_BYTES).get()).await);
    assert_eq!(result_of(&sides.end_of("b").await).len(), MAX_RESULT_BYTES);
}

pub(crate) async fn a_call_submitted_twice_is_made_once(sides: Sides) {
    let sides = sides.with_worker().await;
    sides.submit("a", true).await;
    sides.submit("a", true).await;
    sides.worker.announce("p", "w", false).await.unwrap();
    // It is known, whoever is there now.
    sides.submit("a", true).await;
    let claim = sides.claim().await;
    sides.submit("a", true).await;
    sides.expect_no_call().await;
    assert!(sides.finish(&claim, "{}").await);
    sides.submit("a", true).await;
    sides.expect_no_call().await;
}

pub(crate) async fn a_dropped_claim_takes_no_call(sides: Sides) {
    let sides = sides.with_worker().await;
    for number in 0..20 {
        let id = format!("call-{number}");
        // Some are dropped while they wait, some while the call comes in.
        let wait = Duration::from_micros(number * 100);
        let (dropped, ()) = tokio::join!(tokio::time::timeout(wait, sides.worker.claim("p", "w")), async {
            sides.submit(&id, true).await;
        });
        let claim = match dropped {
            Ok(claim) => claim.unwrap(),
            Err(_) => sides.claim().await,
        };
        assert_eq!((claim.call.id.as_str(), claim.attempt), (id.as_str(), 1));
        assert!(sides.finish(&claim, "{}").await);
    }
}

pub(crate) async fn a_call_is_finished_once(sides: Sides) {
    let sides = sides.with_worker().await;
    sides.submit("a", false).await;
    let claim = sides.claim().await;
    assert!(!sides.worker.finish("a", "other", Finish::Result(raw("0"))).await.unwrap());
    assert!(sides.finish(&claim, "1").await);
    assert!(!sides.finish(&claim, "2").await);
    assert_eq!(sides.worker.renew("a", &claim.lease, None).await.unwrap(), Lease::Lost);
    assert_eq!(result_of(&sides.end_of("a").await), "1");
}

pub(crate) async fn of_outcomes_at_once_that_with_the_lease_counts(sides: Sides) {
    let sides = sides.with_worker().await;
    sides.submit("a", false).await;
    sides.submit("b", false).await;
    let (a, b) = (sides.claim().await, sides.claim().await);
    let (other, first, second, of_b) = tokio::join!(
        sides.worker.finish("a", "other", Finish::Result(raw("0"))),
        sides.finish(&a, "1"),
        sides.finish(&a, "2"),
        sides.finish(&b, "3"),
    );
    assert!(!other.unwrap());
    assert_eq!((first, second, of_b), (true, false, true));
    assert_eq!(result_of(&sides.end_of("a").await), "1");
    assert_eq!(result_of(&sides.end_of("b").await), "3");
}

pub(crate) async fn a_call_past_its_deadline_is_not_claimed(sides: Sides) {
    let sides = sides.with_worker().await;
    let mut late = call("a", true);
    late.deadline = 1_000;
    sides.gateway.submit("p", late).await.unwrap();
    sides.submit("b", true).await;
    assert_eq!(sides.claim().await.call.id, "b");
    assert!(matches!(sides.end_of("a").await.state, CallState::Cancelled));
}

pub(crate) async fn a_failed_call_keeps_its_error(sides: Sides) {
    let sides = sides.with_worker().await;
    sides.submit("a", false).await;
    let claim = sides.claim().await;
    let error = serde_json::from_str(r#"{"code":-32603,"message":"no","data":{"kind":"x"}}"#).unwrap();
    assert!(sides.worker.finish("a", &claim.lease, Finish::Error(error)).await.unwrap());
    let CallState::Failed { error } = sides.end_of("a").await.state else { panic!("it should have failed") };
    assert_eq!((error.code, error.message.as_str()), (-32603, "no"));
    assert_eq!(error.data.unwrap().get(), r#"{"kind":"x"}"#);
}

pub(crate) async fn nothing_is_known_of_other_calls(sides: Sides) {
    let unknown = CallError::NoCall("x".to_owned());
    assert_eq!(sides.gateway.record("x").await.unwrap_err(), unknown);
    assert_eq!(sides.gateway.wait("x", 0).await.unwrap_err(), unknown);
    assert_eq!(sides.gateway.cancel("x").await.unwrap_err(), unknown);
    assert_eq!(sides.worker.renew("x", "1", None).await.unwrap(), Lease::Lost);
    assert!(!sides.worker.finish("x", "1", Finish::Result(raw("{}"))).await.unwrap());
}

pub(crate) async fn a_call_is_claimed_as_it_was_submitted(sides: Sides) {
    let sides = sides.with_worker().await;
    let mut submitted = call("a", true);
    submitted.org = Some("acme".to_owned());
    submitted.run = Some("run-1".to_owned());
    submitted.meta.insert("traceparent".to_owned(), "00-1-2-01".into());
    submitted.arguments = raw(r#"{"number":12345678901234567890.0,"text":"naïve \u0000 \"quoted\""}"#);
    sides.gateway.submit("p", submitted.clone()).await.unwrap();
    let mut claimed = sides.claim().await.call;
    // Between processes, deadlines are durations, since clocks differ.
    assert!(claimed.deadline.abs_diff(submitted.deadline) < 1_000);
    claimed.deadline = submitted.deadline;
    assert_eq!(serde_json::to_string(&claimed).unwrap(), serde_json::to_string(&submitted).unwrap());
}

/// A call with an idempotency key, and these arguments.
fn keyed(id: &str, key: &str, arguments: &str) -> Call {
    let mut call = call(id, false);
    call.arguments = raw(arguments);
    call.idempotency = Some(IdempotencyKey::new(&call, key).unwrap());
    call
}

pub(crate) async fn calls_with_the_same_key_are_one_call(sides: Sides) {
    let sides = sides.with_worker().await;
    assert_eq!(sides.gateway.submit("p", keyed("a", "k", r#"{"x":1,"y":2}"#)).await.unwrap(), "a");
    // While it waits, while it runs, and when it is done; the order of members does not matter.
    let again = keyed("b", "k", r#"{ "y": 2, "x": 1 }"#);
    assert_eq!(sides.gateway.submit("p", again.clone()).await.unwrap(), "a");
    let claim = sides.claim().await;
    assert_eq!(sides.worker.submit("p", again.clone()).await.unwrap(), "a", "in another process");
    sides.expect_no_call().await;
    assert!(sides.finish(&claim, "1").await);
    sides.worker.announce("p", "w", false).await.unwrap();
    assert_eq!(sides.gateway.submit("p", again).await.unwrap(), "a", "without a worker as well");
    assert_eq!(result_of(&sides.end_of("a").await), "1");
    assert_eq!(sides.gateway.record("b").await.unwrap_err(), CallError::NoCall("b".to_owned()));
    // The first one may be submitted again.
    assert_eq!(sides.gateway.submit("p", keyed("a", "k", r#"{"x":1,"y":2}"#)).await.unwrap(), "a");
}

pub(crate) async fn a_key_belongs_to_its_arguments(sides: Sides) {
    let sides = sides.with_worker().await;
    sides.gateway.submit("p", keyed("a", "k", r#"{"x":1}"#)).await.unwrap();
    for arguments in ["{}", r#"{"x":2}"#, r#"{"x":"1"}"#, r#"{"x":1,"y":null}"#] {
        let refused = sides.gateway.submit("p", keyed("b", "k", arguments)).await.unwrap_err();
        assert_eq!(refused, CallError::OtherArguments, "{arguments}");
        let error = refused.to_rpc("b");
        assert_eq!(error.code, -32602);
        assert!(error.data.unwrap().get().contains(r#""kind":"idempotency_conflict","retryable":false"#));
    }
    let claim = sides.claim().await;
    sides.finish(&claim, "1").await;
    let refused = sides.worker.submit("p", keyed("b", "k", "{}")).await.unwrap_err();
    assert_eq!(refused, CallError::OtherArguments, "when it is done as well");
    sides.expect_no_call().await;
}

pub(crate) async fn a_key_belongs_to_a_tool_of_a_run(sides: Sides) {
    let sides = sides.with_worker().await;
    sides.gateway.submit("p", keyed("a", "k", "{}")).await.unwrap();
    let changes: [fn(&mut Call); 5] = [
        |call| call.org = Some("acme".to_owned()),
        |call| call.run = Some("run-1".to_owned()),
        |call| "other".clone_into(&mut call.node),
        |call| "other".clone_into(&mut call.tool),
        |_| {},
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let id = format!("other-{number}");
        let mut other = keyed(&id, "k", "{}");
        change(&mut other);
        let key = if number == 4 { "other" } else { "k" };
        other.idempotency = Some(IdempotencyKey::new(&other, key).unwrap());
        assert_eq!(sides.gateway.submit("p", other).await.unwrap(), id);
    }
}

pub(crate) async fn a_key_of_a_call_that_was_never_made_is_free(sides: Sides) {
    let sides = sides.with_worker().await;
    let refused = sides.gateway.submit("q", keyed("a", "k", "{}")).await.unwrap_err();
    assert_eq!(refused, CallError::NoWorker("q".to_owned()));
    assert_eq!(sides.gateway.submit("p", keyed("b", "k", "{}")).await.unwrap(), "b");
    sides.gateway.cancel("b").await.unwrap();
    assert_eq!(sides.gateway.submit("p", keyed("c", "k", r#"{"x":1}"#)).await.unwrap(), "c");
    assert_eq!(sides.claim().await.call.id, "c");
    sides.expect_no_call().await;
}

pub(crate) async fn a_lost_call_with_a_key_is_not_made_again(sides: Sides) {
    let sides = sides.with_worker().await;
    sides.gateway.submit("p", keyed("a", "k", "{}")).await.unwrap();
    sides.claim().await;
    sides.outlive_leases().await;
    assert_eq!(sides.gateway.submit("p", keyed("b", "k", "{}")).await.unwrap(), "a");
    sides.expect_no_call().await;
    assert!(matches!(sides.end_of("a").await.state, CallState::Unknown));
}

pub(crate) async fn a_started_call_is_followed_to_its_end(sides: Sides) {
    let sides = sides.with_worker().await;
    // Small enough for a notification, too large for one, and an error.
    let large = format!("\"{}\"", "x".repeat(100_000));
    for (id, end) in [("a", "1"), ("b", &large)] {
        let started = sides.gateway.start("p", call(id, false)).await.unwrap();
        assert_eq!(started.id, id);
        let claim = sides.claim().await;
        assert!(sides.finish(&claim, end).await);
        let record = tokio::time::timeout(sides.a_while(), started.changed).await.unwrap().unwrap();
        let kept = sides.gateway.record(id).await.unwrap();
        // A claim may be reported as well.
        if record.state.is_final() {
            assert_eq!((result_of(&record), record.version), (result_of(&kept), kept.version));
        }
        assert_eq!((record.attempt, result_of(&sides.end_of(id).await)), (1, end));
    }
    let started = sides.gateway.start("p", call("c", false)).await.unwrap();
    let claim = sides.claim().await;
    let half = Progress { progress: 1.0, total: None, message: None };
    sides.worker.renew("c", &claim.lease, Some(half.clone())).await.unwrap();
    let record = tokio::time::timeout(sides.a_while(), started.changed).await.unwrap().unwrap();
    assert!(matches!(record.state, CallState::Running), "{record:?}");
    let error = serde_json::from_str(r#"{"code":-32603,"message":"no"}"#).unwrap();
    sides.worker.finish("c", &claim.lease, Finish::Error(error)).await.unwrap();
    let record = sides.end_of("c").await;
    assert_eq!(record.progress, Some(half));
    assert!(matches!(record.state, CallState::Failed { .. }), "{record:?}");
}

pub(crate) async fn a_call_that_was_started_before_is_followed_as_well(sides: Sides) {
    let sides = sides.with_worker().await;
    let first = sides.gateway.start("p", keyed("a", "k", "{}")).await.unwrap();
    let claim = sides.claim().await;
    assert!(sides.finish(&claim, "1").await);
    for call in [keyed("a", "k", "{}"), keyed("b", "k", "{}")] {
        let again = sides.gateway.start("p", call).await.unwrap();
        assert_eq!(again.id, "a");
        let record = tokio::time::timeout(sides.gateway.lease() / 4, again.changed).await;
        assert_eq!(result_of(&record.expect("it has ended before").unwrap()), "1");
    }
    assert!(first.changed.await.unwrap().version > 1);
    assert_eq!(sides.gateway.start("q", call("c", false)).await.unwrap_err().kind(), "no_worker");
}

#[test]
fn keys_have_a_largest_size() {
    let call = call("a", false);
    assert!(IdempotencyKey::new(&call, &"k".repeat(MAX_IDEMPOTENCY_KEY_BYTES)).is_ok());
    for key in [String::new(), "k".repeat(MAX_IDEMPOTENCY_KEY_BYTES + 1)] {
        let refused = IdempotencyKey::new(&call, &key).unwrap_err();
        assert_eq!(refused, CallError::InvalidKey);
        assert!(refused.to_string().contains("1 to 255 bytes"), "{refused}");
    }
}
