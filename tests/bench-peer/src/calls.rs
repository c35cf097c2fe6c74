//! Calls to a worker through Redis, as a gateway makes them, but without HTTP and without a token.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use toolwright::gateway::calls::{Call, CallBus as _, CallState, Started};
use toolwright::gateway::redis::RedisBus;

/// The time to the deadline of each call.
const DEADLINE: Duration = Duration::from_secs(30);

/// Makes calls for so long, `flight` at a time, and checks each result.
pub(crate) async fn make(url: &str, time: Duration, flight: usize) -> Result<Value, Box<dyn Error>> {
    let bus = Arc::new(RedisBus::connect(url).await?);
    let (next, start) = (Arc::new(AtomicU64::new(0)), Instant::now());
    let mut tasks = Vec::new();
    for _ in 0..flight.max(1) {
        let (bus, next) = (Arc::clone(&bus), Arc::clone(&next));
        tasks.push(tokio::spawn(async move {
            let (mut micros, mut wrong) = (Vec::new(), 0_u64);
            while start.elapsed() < time {
                let (number, begin) = (next.fetch_add(1, Ordering::Relaxed), Instant::now());
                let is_right = call(&bus, number).await;
                micros.push(begin.elapsed().as_secs_f64() * 1e6);
                wrong += u64::from(is_right.is_none());
            }
            (micros, wrong)
        }));
    }
    let (mut micros, mut wrong) = (Vec::new(), 0);
    for task in tasks {
        let (some, of_task) = task.await?;
        micros.extend(some);
        wrong += of_task;
    }
    let took = start.elapsed().as_secs_f64();
    micros.sort_by(f64::total_cmp);
    let place = |share: usize| micros.get(micros.len() * share / 100).copied();
    let per_second = f64::from(u32::try_from(micros.len())?) / took;
    Ok(json!({"p50_us": place(50), "p99_us": place(99), "per_second": per_second, "wrong": wrong}))
}

/// Makes a call of `add`; `None` if its result is not the sum.
async fn call(bus: &RedisBus, number: u64) -> Option<()> {
    let arguments = serde_json::value::to_raw_value(&json!({"a": number, "b": 7})).ok()?;
    let deadline = SystemTime::now().duration_since(UNIX_EPOCH).ok()? + DEADLINE;
    let id = format!("{}-{number}", std::process::id());
    let call = Call::new(
        id,
        "bench".to_owned(),
        "add".to_owned(),
        arguments,
        u64::try_from(deadline.as_millis()).ok()?,
    );
    let Started { id, changed, .. } = bus.start("default", call).await.ok()?;
    let mut record = changed.await.ok()?;
    while !record.state.is_final() {
        record = bus.wait(&id, record.version).await.ok()?;
    }
    let CallState::Done { result } = record.state else { return None };
    let result: Value = serde_json::from_str(result.get()).ok()?;
    (result["structuredContent"]["sum"] == number + 7).then_some(())
}
