//! What a worker does, on every way that calls reach it.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use toolwright_gateway::Worker;
use toolwright_gateway::calls::{Call, CallError, CallState};

use crate::lab::Ledger;
use crate::sides::{Sides, call, end_of, later, raw, result_of};

macro_rules! suite {
    ($attribute:meta, $sides:expr) => {
        mod work {
            crate::sides::tests! { $attribute, $sides, work:
                calls_run_through_the_service
                handlers_see_the_meta_of_the_request
                errors_and_panics_end_only_their_call
                calls_run_side_by_side_up_to_the_limit
                progress_goes_to_the_caller
                leases_are_renewed_while_a_call_runs
                a_cancelled_call_is_stopped
                a_call_is_stopped_at_its_deadline
                a_worker_that_stops_finishes_what_it_has
                a_killed_worker_is_replaced_by_another
                an_effect_happens_once_when_its_worker_is_killed
                a_worker_killed_before_claiming_loses_nothing
            }
        }
    };
}
pub(crate) use suite;

/// A worker that runs, and how to stop it.
struct Started {
    task: JoinHandle<()>,
    stop: Option<oneshot::Sender<()>>,
}

impl Started {
    /// As a signal to the process does.
    fn stop(&mut self) {
        self.stop.take();
    }

    /// As if the process was killed.
    async fn kill(self) {
        self.task.abort();
        _ = self.task.await;
    }
}

/// Starts a worker, and waits until it is there.
async fn start(sides: &Sides, ledger: &Ledger, concurrency: usize) -> Started {
    let (stop, stopped) = oneshot::channel::<()>();
    let worker = Worker::new(Arc::clone(&sides.worker), "p", ledger.service()).concurrency(concurrency);
    let task = tokio::spawn(worker.run_until(async {
        _ = stopped.await;
    }));
    let probe = async {
        let mut late = call("probe", true);
        late.deadline = 0;
        while sides.gateway.submit("p", late.clone()).await.is_err() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(sides.a_while(), probe).await.expect("the worker should announce itself");
    Started { task, stop: Some(stop) }
}

fn named(id: &str, tool: &str, arguments: &str) -> Call {
    Call::new(id.to_owned(), "node".to_owned(), tool.to_owned(), raw(arguments), later(600))
}

/// Waits until something is so.
pub(crate) async fn until(mut is_so: impl FnMut() -> bool) {
    let wait = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), wait).await.expect("it should become so");
}

pub(crate) async fn calls_run_through_the_service(sides: Sides) {
    let ledger = Ledger::default();
    let _worker = start(&sides, &ledger, 2).await;
    for number in 0..10 {
        let id = format!("call-{number}");
        sides.gateway.submit("p", named(&id, "count", &format!(r#"{{"n":{number}}}"#))).await.unwrap();
        let record = sides.end_of(&id).await;
        let result: serde_json::Value = serde_json::from_str(result_of(&record)).unwrap();
        assert_eq!(result["content"][0]["text"], "done");
        assert_eq!(result["resultType"], "complete");
    }
    let expected: Vec<_> = (0..10).map(|number| format!(r#"{{"n":{number}}}"#)).collect();
    assert_eq!(ledger.effects(), expected);
}

pub(crate) async fn handlers_see_the_meta_of_the_request(sides: Sides) {
    let ledger = Ledger::default();
    let _worker = start(&sides, &ledger, 1).await;
    let mut asked = named("a", "meta", "{}");
    asked.meta.insert("traceparent".to_owned(), "00-1-2-01".into());
    sides.gateway.submit("p", asked).await.unwrap();
    assert!(result_of(&sides.end_of("a").await).contains("00-1-2-01"));
}

pub(crate) async fn errors_and_panics_end_only_their_call(sides: Sides) {
    let ledger = Ledger::default();
    let _worker = start(&sides, &ledger, 1).await;
    for (tool, code) in [("fail", -32602), ("panic", -32603), ("none", -32602)] {
        sides.gateway.submit("p", named(tool, tool, "{}")).await.unwrap();
        let CallState::Failed { error } = sides.end_of(tool).await.state else { panic!("{tool}") };
        assert_eq!(error.code, code, "{tool}");
    }
    sides.gateway.submit("p", named("a", "count", "{}")).await.unwrap();
    sides.end_of("a").await;
    assert_eq!(ledger.effects().len(), 1);
}

pub(crate) async fn calls_run_side_by_side_up_to_the_limit(sides: Sides) {
    let ledger = Ledger::default();
    let _worker = start(&sides, &ledger, 3).await;
    for number in 0..9 {
        sides.gateway.submit("p", named(&format!("call-{number}"), "slow", r#"{"ms":100}"#)).await.unwrap();
    }
    for number in 0..9 {
        sides.end_of(&format!("call-{number}")).await;
    }
    assert_eq!((ledger.most(), ledger.effects().len()), (3, 9));
}

pub(crate) async fn progress_goes_to_the_caller(sides: Sides) {
    let ledger = Ledger::default();
    let _worker = start(&sides, &ledger, 1).await;
    sides.gateway.submit("p", named("a", "slow", r#"{"ms":1000}"#)).await.unwrap();
    let (mut seen, mut steps) = (0, Vec::new());
    loop {
        let record = sides.gateway.wait("a", seen).await.unwrap();
        seen = record.version;
        if let Some(progress) = record.progress {
            assert_eq!((progress.total, progress.message.as_deref()), (Some(4.0), Some("working")));
            steps.push(progress.progress);
        }
        if record.state.is_final() {
            break;
        }
    }
    steps.dedup();
    assert!(steps.len() >= 3 && steps.is_sorted(), "{steps:?}");
}

pub(crate) async fn leases_are_renewed_while_a_call_runs(sides: Sides) {
    let ledger = Ledger::default();
    let _worker = start(&sides, &ledger, 1).await;
    let long = sides.gateway.lease() * 3;
    let mut asked = named("a", "slow", &format!(r#"{{"ms":{}}}"#, long.as_millis()));
    asked.is_repeatable = true;
    sides.gateway.submit("p", asked).await.unwrap();
    let record = sides.end_of("a").await;
    assert!(result_of(&record).contains("done"));
    assert_eq!((record.attempt, ledger.effects().len()), (1, 1));
}

pub(crate) async fn a_cancelled_call_is_stopped(sides: Sides) {
    let ledger = Ledger::default();
    let _worker = start(&sides, &ledger, 1).await;
    sides.gateway.submit("p", named("a", "slow", r#"{"ms":600000}"#)).await.unwrap();
    until(|| ledger.running() == 1).await;
    sides.gateway.cancel("a").await.unwrap();
    assert!(matches!(sides.end_of("a").await.state, CallState::Failed { .. }));
    assert_eq!((ledger.running(), ledger.stopped()), (0, 1));
}

pub(crate) async fn a_call_is_stopped_at_its_deadline(sides: Sides) {
    let ledger = Ledger::default();
    let _worker = start(&sides, &ledger, 1).await;
    let mut asked = named("a", "slow", r#"{"ms":600000}"#);
    asked.deadline = later(1);
    sides.gateway.submit("p", asked).await.unwrap();
    let record = sides.end_of("a").await;
    assert!(result_of(&record).contains("did not finish before its deadline"), "{record:?}");
    assert_eq!(ledger.stopped(), 1);
}

pub(crate) async fn a_worker_that_stops_finishes_what_it_has(sides: Sides) {
    let ledger = Ledger::default();
    let mut worker = start(&sides, &ledger, 1).await;
    sides.gateway.submit("p", named("a", "slow", r#"{"ms":500}"#)).await.unwrap();
    until(|| ledger.running() == 1).await;
    sides.gateway.submit("p", named("b", "count", "{}")).await.unwrap();
    worker.stop();
    tokio::time::timeout(sides.a_while(), worker.task).await.unwrap().unwrap();
    assert!(matches!(sides.gateway.record("a").await.unwrap().state, CallState::Done { .. }));
    assert!(matches!(sides.gateway.record("b").await.unwrap().state, CallState::Queued));
    // It has said that it leaves.
    let refused = sides.gateway.submit("p", named("c", "count", "{}")).await.unwrap_err();
    assert_eq!(refused, CallError::NoWorker("p".to_owned()));
    let _next = start(&sides, &ledger, 1).await;
    assert!(matches!(sides.end_of("b").await.state, CallState::Done { .. }));
}

pub(crate) async fn a_killed_worker_is_replaced_by_another(sides: Sides) {
    let ledger = Ledger::default();
    let worker = start(&sides, &ledger, 1).await;
    let mut asked = named("a", "slow", r#"{"ms":400}"#);
    asked.is_repeatable = true;
    sides.gateway.submit("p", asked).await.unwrap();
    until(|| ledger.running() == 1).await;
    worker.kill().await;
    let _next = start(&sides, &ledger, 1).await;
    let record = sides.end_of("a").await;
    assert!(result_of(&record).contains("done"));
    assert_eq!((record.attempt, ledger.effects().len()), (2, 2));
}

pub(crate) async fn an_effect_happens_once_when_its_worker_is_killed(sides: Sides) {
    let ledger = Ledger::default();
    let worker = start(&sides, &ledger, 1).await;
    sides.gateway.submit("p", named("a", "slow", r#"{"ms":400}"#)).await.unwrap();
    until(|| ledger.running() == 1).await;
    worker.kill().await;
    let _next = start(&sides, &ledger, 1).await;
    assert!(matches!(sides.end_of("a").await.state, CallState::Unknown));
    tokio::time::sleep(sides.gateway.lease()).await;
    assert_eq!(ledger.effects().len(), 1);
}

pub(crate) async fn a_worker_killed_before_claiming_loses_nothing(sides: Sides) {
    let ledger = Ledger::default();
    for round in 0..10 {
        let id = format!("call-{round}");
        let worker = start(&sides, &ledger, 1).await;
        let submitted = named(&id, "count", "{}");
        let (gateway, waits) = (Arc::clone(&sides.gateway), sides.a_while());
        let ended = tokio::spawn(async move {
            gateway.submit("p", submitted).await.unwrap();
            end_of(&*gateway, &id, waits).await
        });
        // Before the worker has claimed the call, or after.
        tokio::time::sleep(Duration::from_micros(round * 150)).await;
        worker.kill().await;
        let next = start(&sides, &ledger, 1).await;
        let record = ended.await.unwrap();
        assert!(matches!(record.state, CallState::Done { .. } | CallState::Unknown), "{record:?}");
        next.kill().await;
    }
    assert!(ledger.effects().len() <= 10);
}
