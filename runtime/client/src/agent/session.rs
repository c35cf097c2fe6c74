//! The session token of an agent: fetched, kept, renewed before it expires and after it was refused.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Method};
use serde::Deserialize;
use tokio::time::Instant;

use super::{AgentError, AgentEvent};
use crate::config::{BoxFuture, Secret};
use crate::error::quoted;
use crate::http::{Address, Authorize, Rejection, RequestTarget, fetch_from, parse_header};

/// How long before its end a token is renewed at the earliest: a minute, or a quarter of its life if that is shorter.
pub const RENEWAL_MARGIN: Duration = Duration::from_mins(1);
/// How long after a failed renewal the next one is tried, while the old token is still valid.
pub const RETRY_PAUSE: Duration = Duration::from_secs(5);

pub(super) type OnEvent = Arc<dyn Fn(AgentEvent) + Send + Sync>;

/// Adds the token to requests. Calls that need a new one at the same time wait for one renewal.
pub(super) struct Session {
    endpoint: Option<Endpoint>,
    current: Mutex<Option<LiveToken>>,
    /// Held while the token is renewed; when that last failed.
    gate: tokio::sync::Mutex<Option<Instant>>,
    on_event: OnEvent,
}

/// Where tokens come from.
pub(super) struct Endpoint {
    pub(super) address: Address,
    pub(super) service: Secret,
    /// What is asked for, as JSON.
    pub(super) body: Bytes,
}

#[derive(Debug, Clone)]
struct LiveToken {
    token: Secret,
    /// When it is to be renewed, and when it ends; unknown for tokens that were given.
    times: Option<(SystemTime, SystemTime)>,
}

impl LiveToken {
    /// A token that ends at this time. One that seems to have ended already shows that the clocks differ: then the gateway
    /// says when a new one is needed.
    fn new(token: Secret, expires: Option<SystemTime>, now: SystemTime) -> Self {
        let life =
            expires.and_then(|expires| expires.duration_since(now).ok()).filter(|life| !life.is_zero());
        let times = expires.zip(life).map(|(end, life)| (end - RENEWAL_MARGIN.min(life / 4), end));
        Self { token, times }
    }

    fn is_due(&self, now: SystemTime) -> bool {
        self.times.is_some_and(|(renewal, _)| now >= renewal)
    }

    fn has_ended(&self, now: SystemTime) -> bool {
        self.times.is_some_and(|(_, end)| now >= end)
    }
}

/// Why a token is renewed.
enum RenewalReason<'a> {
    Due,
    /// The gateway refused this header.
    Refused(Option<&'a HeaderValue>),
}

impl Session {
    pub(super) fn new(initial: Option<Secret>, endpoint: Option<Endpoint>, on_event: OnEvent) -> Self {
        let current = initial.map(|token| LiveToken { token, times: None });
        Self { endpoint, current: Mutex::new(current), gate: tokio::sync::Mutex::default(), on_event }
    }

    /// The token, fetched or renewed if need be.
    ///
    /// # Errors
    /// [`AgentError::Session`], [`AgentError::Expired`].
    pub(super) async fn token(&self) -> Result<Secret, AgentError> {
        match self.current() {
            Some(live) if !live.is_due(SystemTime::now()) => Ok(live.token),
            _ => self.renew(RenewalReason::Due).await,
        }
    }

    async fn renew(&self, reason: RenewalReason<'_>) -> Result<Secret, AgentError> {
        let mut failed = self.gate.lock().await;
        let now = SystemTime::now();
        let current = self.current();
        // Whoever held the gate before may have renewed it.
        if let Some(live) = &current {
            let is_fresh = match reason {
                RenewalReason::Due => !live.is_due(now),
                RenewalReason::Refused(sent) => bearer(&live.token).ok().as_ref() != sent,
            };
            if is_fresh {
                return Ok(live.token.clone());
            }
        }
        let Some(endpoint) = &self.endpoint else { return Err(AgentError::Expired) };
        let usable = current.filter(|live| matches!(reason, RenewalReason::Due) && !live.has_ended(now));
        if let (Some(live), Some(failed)) = (&usable, *failed)
            && failed.elapsed() < RETRY_PAUSE
        {
            return Ok(live.token.clone());
        }
        match endpoint.fetch().await {
            Ok(live) => {
                *failed = None;
                *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Some(live.clone());
                Ok(live.token)
            }
            Err(problem) => {
                *failed = Some(Instant::now());
                let Some(live) = usable else {
                    return Err(AgentError::Session { url: endpoint.address.to_string(), problem });
                };
                (self.on_event)(AgentEvent::RenewalFailed { problem });
                Ok(live.token)
            }
        }
    }

    fn current(&self) -> Option<LiveToken> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Endpoint {
    async fn fetch(&self) -> Result<LiveToken, String> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct SessionResponse {
            token: String,
            /// Seconds since 1970.
            #[serde(default)]
            expires_at: Option<u64>,
        }
        let json = HeaderValue::from_static("application/json");
        let service = bearer(&self.service).map_err(|()| "the service token cannot be sent as a header")?;
        let headers = vec![(AUTHORIZATION, service), (CONTENT_TYPE, json)];
        let answer = fetch_from(self.address.clone(), Method::POST, self.body.clone(), headers).await?;
        if !answer.is_success() {
            let problem = answer.describe_error().replace(self.service.expose(), "[secret]");
            return Err(match answer.status {
                401 | 403 => format!("it refuses the service token or the organization ({problem})"),
                _ => problem,
            });
        }
        // Errors of JSON could repeat a token.
        let answer: SessionResponse = answer.json("").map_err(|_| {
            "its answer is not `{\"token\": …, \"expiresAt\": SECONDS}`; check the address".to_owned()
        })?;
        let token = Secret::new(answer.token);
        if token.is_placeholder() || bearer(&token).is_err() {
            return Err("its token cannot be used; check the address".to_owned());
        }
        let expires =
            answer.expires_at.and_then(|seconds| UNIX_EPOCH.checked_add(Duration::from_secs(seconds)));
        Ok(LiveToken::new(token, expires, SystemTime::now()))
    }
}

impl Authorize for Session {
    fn headers<'a>(
        &'a self,
        _: &'a RequestTarget<'a>,
    ) -> BoxFuture<'a, Result<Vec<(HeaderName, HeaderValue)>, String>> {
        Box::pin(async move {
            let token = self.token().await.map_err(|error| error.to_string())?;
            let value = parse_header(AUTHORIZATION.as_str(), &format!("Bearer {}", token.expose()))?;
            Ok(vec![value])
        })
    }

    fn handle_rejection<'a>(&'a self, rejection: &'a Rejection<'a>) -> BoxFuture<'a, Result<bool, String>> {
        Box::pin(async move {
            // A new token for the same nodes allows no more.
            if rejection.status != 401 {
                return Ok(false);
            }
            if rejection.attempt > 0 {
                let said = rejection.challenges.first().map(|said| format!(": {}", quoted(said)));
                return Err(format!(
                    "it refuses a new session token too{}; check that both use the same gateway address",
                    said.unwrap_or_default()
                ));
            }
            let sent =
                rejection.headers.iter().find(|(name, _)| name == AUTHORIZATION).map(|(_, value)| value);
            self.renew(RenewalReason::Refused(sent)).await.map_err(|error| error.to_string())?;
            Ok(true)
        })
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("current", &self.current()).finish_non_exhaustive()
    }
}

pub(super) fn bearer(token: &Secret) -> Result<HeaderValue, ()> {
    let mut value = HeaderValue::from_str(&format!("Bearer {}", token.expose())).map_err(|_| ())?;
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_renewed_before_it_ends() {
        let now = UNIX_EPOCH + Duration::from_secs(1_000_000);
        let after = |seconds| now + Duration::from_secs(seconds);
        let check = |life, renewal, end| {
            let live = LiveToken::new(Secret::new("t"), Some(after(life)), now);
            assert_eq!(live.times, Some((after(renewal), after(end))), "{life}");
            assert!(!live.is_due(now) && live.is_due(after(renewal)) && !live.has_ended(after(renewal)));
            assert!(live.has_ended(after(end)));
        };
        check(900, 840, 900);
        check(40, 30, 40);
    }

    #[tokio::test]
    async fn a_failed_renewal_leaves_a_token_that_is_still_valid() {
        let told = Arc::new(Mutex::new(0));
        let count = Arc::clone(&told);
        // Nothing listens at port 1.
        let address = Address::parse("http://127.0.0.1:1/internal/sessions").unwrap();
        let endpoint = Endpoint { address, service: Secret::new("s"), body: Bytes::from_static(b"{}") };
        let on_event = move |event| {
            assert!(matches!(event, AgentEvent::RenewalFailed { .. }), "{event:?}");
            *count.lock().unwrap() += 1;
        };
        let session = Session::new(None, Some(endpoint), Arc::new(on_event));
        let now = SystemTime::now();
        let keep = |end| {
            let live = LiveToken { token: Secret::new("old"), times: Some((now, end)) };
            session.current.lock().unwrap().replace(live);
        };
        keep(now + Duration::from_mins(1));
        // The second does not ask again so soon.
        for _ in 0..2 {
            assert_eq!(session.token().await.unwrap().expose(), "old");
        }
        assert_eq!(*told.lock().unwrap(), 1);
        keep(now);
        assert!(matches!(session.token().await, Err(AgentError::Session { .. })));
    }

    #[test]
    fn an_end_in_the_past_is_left_to_the_gateway() {
        let now = UNIX_EPOCH + Duration::from_secs(1_000_000);
        for expires in [None, Some(now), Some(UNIX_EPOCH)] {
            let live = LiveToken::new(Secret::new("t"), expires, now);
            assert!(!live.is_due(now + Duration::from_hours(24)), "{expires:?}");
        }
    }
}
