//! Executes one call of a worker.

use std::sync::Arc;
use std::time::Duration;

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};
use tokio::sync::watch;
use tokio::time::Instant;
use toolwright_core::protocol::meta;
use toolwright_server::{Context, Service};

use super::credentials::{Credentials, Vault};
use super::renew_every;
use crate::calls::{CallBus, Claim, Finish, Lease, Progress};

/// Minimum interval between progress reports: 100 milliseconds. The last report in between is used.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);

/// A claimed call.
pub(super) struct Running<'a> {
    bus: &'a dyn CallBus,
    claim: &'a Claim,
    credentials: Option<Arc<Credentials>>,
    /// From the claim to the deadline.
    time_left: Duration,
}

impl<'a> Running<'a> {
    /// `now` is the time since 1970.
    pub(super) fn new(bus: &'a dyn CallBus, claim: &'a Claim, vault: Option<Vault>, now: Duration) -> Self {
        let time_left = Duration::from_millis(claim.call.deadline).saturating_sub(now);
        let credentials = vault.and_then(|vault| Credentials::new(vault, &claim.call)).map(Arc::new);
        Self { bus, claim, credentials, time_left }
    }

    /// Runs the call. Returns its outcome, or `None` if the lease was lost.
    pub(super) async fn run(&self, service: &Service) -> Option<Finish> {
        let call = &self.claim.call;
        let time_limit = self.time_left.min(service.limits().call_timeout);
        let start = Instant::now();
        let (reports, reported) = watch::channel(None);
        let meta = to_raw_value(&Value::from(call.meta.clone())).ok();
        let mut cx = Context::detached_with(
            time_limit,
            meta.filter(|_| !call.meta.is_empty()),
            move |progress, total, message| {
                let message = message.map(str::to_owned);
                reports.send_replace(Some(Progress { progress, total, message }));
            },
        );
        if let Some(credentials) = &self.credentials {
            cx = cx.with_extension(Arc::clone(credentials));
        }
        let finish = tokio::select! {
            biased;
            result = service.run_tool(&call.tool, Some(&call.arguments), &cx) => Some(match result {
                Ok(result) if start.elapsed() >= time_limit => Finish::Result(self.timed_out(result)),
                Ok(result) => Finish::Result(result),
                Err(error) => Finish::Error(error),
            }),
            () = self.hold(&cx, reported) => None,
        };
        match (finish, &self.credentials) {
            (Some(finish), Some(credentials)) => Some(credentials.end(finish)),
            (finish, _) => finish,
        }
    }

    /// Tells programs that the call has reached its time limit, if it failed.
    fn timed_out(&self, result: Box<RawValue>) -> Box<RawValue> {
        let Ok(mut members) = serde_json::from_str::<Map<String, Value>>(result.get()) else { return result };
        if members.get("isError") != Some(&Value::Bool(true)) {
            return result;
        }
        let fault = json!({"kind": "timeout", "retryable": false, "call_id": self.claim.call.id});
        if let Some(own) = members.entry("_meta").or_insert_with(|| json!({})).as_object_mut() {
            own.insert(meta::FAULT.to_owned(), fault);
        }
        to_raw_value(&members).unwrap_or(result)
    }

    /// Renews the lease and reports progress until the lease is lost; forwards cancellation.
    async fn hold(&self, cx: &Context, mut reported: watch::Receiver<Option<Progress>>) {
        let every = renew_every(self.bus);
        let (id, lease) = (&self.claim.call.id, &self.claim.lease);
        let mut cancelled = self.bus.cancelled(id, lease);
        let mut renewed = Instant::now();
        loop {
            let progress = tokio::select! {
                () = &mut cancelled, if !cx.cancellation().is_cancelled() => {
                    cx.cancellation().cancel();
                    continue;
                }
                Ok(()) = reported.changed() => {
                    tokio::time::sleep_until(renewed + PROGRESS_EVERY).await;
                    reported.borrow_and_update().clone()
                }
                () = tokio::time::sleep_until(renewed + every) => None,
            };
            renewed = Instant::now();
            match self.bus.renew(id, lease, progress).await {
                Ok(Lease::Cancelled) => cx.cancellation().cancel(),
                Ok(Lease::Lost) => return,
                // If the bus is unavailable, a lost lease is noticed later.
                Ok(Lease::Held) | Err(_) => {}
            }
        }
    }
}
