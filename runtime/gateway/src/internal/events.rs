//! The events of runs, for services.

use std::time::Duration;

use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;
use tokio::time::{Instant, timeout_at};

use super::keys::{Orgs, ServiceKey};
use super::requests::Failure;
use super::{Answer, InternalApi, Right, answer};
use crate::registry::{EventPage, RunId, StoreError};

/// Maximum number of events in a response: 500, which is also the default.
pub const MAX_EVENTS: usize = 500;
/// Maximum time that a request waits for events: 20 seconds. The default is not to wait.
pub const MAX_EVENT_WAIT: Duration = Duration::from_secs(20);
/// Maximum number of requests that wait for events: 64. Further ones get an empty response after a second.
pub const MAX_EVENT_WAITERS: usize = 64;

/// How long to wait for a notification, which may be lost, before events are read again. Also what a request waits that is one
/// too many, so that its client does not ask in a loop.
const POLL: Duration = Duration::from_secs(1);

/// The query of a request.
#[derive(Default)]
struct Wanted {
    run: Option<String>,
    org: Option<String>,
    after: u64,
    limit: usize,
    wait: Duration,
}

impl Wanted {
    fn parse(query: &str) -> Result<Self, Failure> {
        let mut wanted = Self { limit: MAX_EVENTS, ..Self::default() };
        let invalid = |name: &str, what: &str| Failure::invalid(&format!("`{name}` must be {what}"));
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match &*name {
                "run" => wanted.run = Some(value.into_owned()),
                "org" => wanted.org = Some(value.into_owned()),
                "after" => {
                    wanted.after =
                        value.parse().map_err(|_| invalid("after", "the number of an event, or 0"))?;
                }
                "limit" => {
                    let limit = value.parse().ok().filter(|limit| (1..=MAX_EVENTS).contains(limit));
                    wanted.limit = limit.ok_or_else(|| invalid("limit", "a number from 1 to 500"))?;
                }
                "wait" => {
                    let seconds = value.parse().ok().filter(|seconds| *seconds <= MAX_EVENT_WAIT.as_secs());
                    let seconds = seconds.ok_or_else(|| invalid("wait", "a number of seconds up to 20"))?;
                    wanted.wait = Duration::from_secs(seconds);
                }
                _ => return Err(Failure::invalid(&format!("unknown parameter `{name}`"))),
            }
        }
        Ok(wanted)
    }
}

pub(super) async fn show(
    State(api): State<InternalApi>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Answer {
    let service = api.service(&headers, Right::Read).await?;
    let wanted = Wanted::parse(&query.unwrap_or_default())?;
    let run = api.run_with_events(&service, &wanted).await?;
    let page = api.events_within(&run, &wanted).await?;
    Ok(answer(&serde_json::to_value(page).unwrap_or_default()))
}

impl InternalApi {
    /// Returns the run that a request is about. For services of one organization, others have no runs: a service must not learn
    /// whether another organization has such a run.
    async fn run_with_events(&self, service: &ServiceKey, wanted: &Wanted) -> Result<RunId, Failure> {
        let run = wanted.run.clone().ok_or_else(|| Failure::invalid("say of which run, with `run`"))?;
        let org = match (&service.orgs, &wanted.org) {
            (Orgs::Only(own), None) => own.clone(),
            (Orgs::Only(own), named) if own == named => own.clone(),
            (Orgs::Only(_), Some(_)) => return Err(StoreError::NoRun(run).into()),
            (Orgs::All, Some(named)) => Some(named.clone()),
            (Orgs::All, None) => self.0.registry.store().state(&run, None).await?.and_then(|state| state.org),
        };
        Ok(RunId { org, run })
    }

    /// Returns the events after a number, as soon as there are any.
    async fn events_within(&self, run: &RunId, wanted: &Wanted) -> Result<EventPage, Failure> {
        let store = self.0.registry.store();
        let mut ends = Instant::now() + wanted.wait;
        let mut notifications = store.watch();
        let mut place = None;
        loop {
            let page = store.events(run, wanted.after, wanted.limit).await?;
            let now = Instant::now();
            if !page.events.is_empty() || !page.is_open || now >= ends || self.0.draining.is_cancelled() {
                return Ok(page);
            }
            if place.is_none() {
                place = self.0.waiters.try_acquire().ok();
                if place.is_none() {
                    ends = ends.min(now + POLL);
                }
            }
            let notified = async {
                // One that lags behind may have missed something.
                while let Ok(change) = notifications.recv().await {
                    if change.run.is_none_or(|changed| changed == run.run) {
                        break;
                    }
                }
            };
            tokio::select! {
                _ = timeout_at(ends.min(now + POLL), notified) => {}
                () = self.0.draining.cancelled() => {}
            }
        }
    }
}
