//! Executes one call of a worker.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use serde_json::value::to_raw_value;
use tokio::sync::watch;
use tokio::time::Instant;
use toolwright_server::{Context, Service};

use super::credentials::{Credentials, Vault};
use super::renew_every;
use crate::calls::{CallBus, Claim, Finish, Lease, Progress};
use toolwright_server::auth::Clock;

/// Minimum interval between progress reports: 100 milliseconds. The last report in between is used.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);

/// A claimed call.
pub(super) struct Running<'a> {
    bus: &'a dyn CallBus,
    claim: &'a Claim,
    credentials: Option<Arc<Credentials>>,
}

impl<'a> Running<'a> {
    pub(super) fn new(bus: &'a dyn CallBus, claim: &'a Claim, vault: Option<Vault>) -> Self {
        let credentials = vault.and_then(|vault| Credentials::new(vault, &claim.call)).map(Arc::new);
        Self { bus, claim, credentials }
    }

    /// Runs the call. Returns its outcome, or `None` if the lease was lost.
    pub(super) async fn run(&self, service: &Service) -> Option<Finish> {
        let call = &self.claim.call;
        let (reports, reported) = watch::channel(None);
        let meta = to_raw_value(&Value::from(call.meta.clone())).ok();
        let mut cx = Context::detached_with(
            self.time_left().min(service.limits().call_timeout),
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

    fn time_left(&self) -> Duration {
        Duration::from_millis(self.claim.call.deadline).saturating_sub(Clock::default().now())
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
