//! The session token of an agent: fetched, and renewed before it expires or after it was rejected.

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
use crate::error::quote;
use crate::http::{Address, Authorize, Rejection, RequestTarget, fetch_from, parse_header};

/// How long before its expiry a token is renewed: a minute, or a quarter of its lifetime if that is shorter.
pub const RENEWAL_MARGIN: Duration = Duration::from_mins(1);
/// The delay after a failed renewal, while the old token is still valid.
pub const RENEWAL_RETRY_DELAY: Duration = Duration::from_secs(5);

pub(super) type OnEvent = Arc<dyn Fn(AgentEvent) + Send + Sync>;

/// Adds the token to requests. Concurrent calls that need a new one share one renewal.
pub(super) struct Session {
    endpoint: Option<Endpoint>,
    current: Mutex<Option<LiveToken>>,
    /// Held while the token is renewed; the time of the last failure.
    renewal_lock: tokio::sync::Mutex<Option<Instant>>,
    on_event: OnEvent,
}

/// The endpoint that issues tokens.
pub(super) struct Endpoint {
    pub(super) address: Address,
    pub(super) service: Secret,
    /// The body of the request, as JSON.
    pub(super) body: Bytes,
}

#[derive(Debug, Clone)]
struct LiveToken {
    token: Secret,
    /// When to renew it, and when it expires; unknown for tokens that the agent was started with.
    times: Option<(SystemTime, SystemTime)>,
}

impl LiveToken {
    /// Creates a token that expires at `expires`. If that is in the past, the clocks differ, and the gateway decides
    /// when a new token is needed.
    fn new(token: Secret, expires: Option<SystemTime>, now: SystemTime) -> Self {
        let lifetime = expires
            .and_then(|expires| expires.duration_since(now).ok())
            .filter(|lifetime| !lifetime.is_zero());
        let times =
            expires.zip(lifetime).map(|(end, lifetime)| (end - RENEWAL_MARGIN.min(lifetime / 4), end));
        Self { token, times }
    }

    fn needs_renewal(&self, now: SystemTime) -> bool {
        self.times.is_some_and(|(renewal, _)| now >= renewal)
    }

    fn has_expired(&self, now: SystemTime) -> bool {
        self.times.is_some_and(|(_, end)| now >= end)
    }
}

/// The reason to renew a token.
enum RenewalReason<'a> {
    Due,
    /// The gateway rejected this header.
    Rejected(Option<&'a HeaderValue>),
}

impl Session {
    pub(super) fn new(initial: Option<Secret>, endpoint: Option<Endpoint>, on_event: OnEvent) -> Self {
        let current = initial.map(|token| LiveToken { token, times: None });
        Self { endpoint, current: Mutex::new(current), renewal_lock: tokio::sync::Mutex::default(), on_event }
    }

    /// Returns the token, fetched or renewed if necessary.
    ///
    /// # Errors
    /// [`AgentError::Session`], [`AgentError::Expired`].
    pub(super) async fn token(&self) -> Result<Secret, AgentError> {
        match self.current() {
            Some(live) if !live.needs_renewal(SystemTime::now()) => Ok(live.token),
            _ => self.renew(RenewalReason::Due).await,
        }
    }

    async fn renew(&self, reason: RenewalReason<'_>) -> Result<Secret, AgentError> {
        let mut failed = self.renewal_lock.lock().await;
        let now = SystemTime::now();
        let current = self.current();
        // The previous holder of the lock may have renewed it.
        if let Some(live) = &current {
            let is_fresh = match reason {
                RenewalReason::Due => !live.needs_renewal(now),
                RenewalReason::Rejected(sent) => bearer(&live.token).ok().as_ref() != sent,
            };
            if is_fresh {
                return Ok(live.token.clone());
            }
        }
        let Some(endpoint) = &self.endpoint else { return Err(AgentError::Expired) };
        let usable = current.filter(|live| matches!(reason, RenewalReason::Due) && !live.has_expired(now));
        if let (Some(live), Some(failed)) = (&usable, *failed)
            && failed.elapsed() < RENEWAL_RETRY_DELAY
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
        let response = fetch_from(self.address.clone(), Method::POST, self.body.clone(), headers).await?;
        if !response.is_success() {
            let problem = response.describe_error().replace(self.service.expose(), "[secret]");
            return Err(match response.status {
                401 | 403 => format!("it rejected the service token or the organization ({problem})"),
                _ => problem,
            });
        }
        // JSON errors could contain the token.
        let response: SessionResponse = response.json("").map_err(|_| {
            "its response is not `{\"token\": …, \"expiresAt\": SECONDS}`; check the URL".to_owned()
        })?;
        let token = Secret::new(response.token);
        if token.is_placeholder() || bearer(&token).is_err() {
            return Err("its token is invalid; check the URL".to_owned());
        }
        let expires =
            response.expires_at.and_then(|seconds| UNIX_EPOCH.checked_add(Duration::from_secs(seconds)));
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
            // A new token for the same nodes has the same rights.
            if rejection.status != 401 {
                return Ok(false);
            }
            if rejection.attempt > 0 {
                let challenge = rejection.challenges.first().map(|text| format!(": {}", quote(text)));
                return Err(format!(
                    "it rejected a new session token too{}; check that both use the same gateway URL",
                    challenge.unwrap_or_default()
                ));
            }
            let sent =
                rejection.headers.iter().find(|(name, _)| name == AUTHORIZATION).map(|(_, value)| value);
            self.renew(RenewalReason::Rejected(sent)).await.map_err(|error| error.to_string())?;
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
    fn a_token_is_renewed_before_it_expires() {
        let now = UNIX_EPOCH + Duration::from_secs(1_000_000);
        let after = |seconds| now + Duration::from_secs(seconds);
        let check = |lifetime, renewal, end| {
            let live = LiveToken::new(Secret::new("t"), Some(after(lifetime)), now);
            assert_eq!(live.times, Some((after(renewal), after(end))), "{lifetime}");
            assert!(
                !live.needs_renewal(now)
                    && live.needs_renewal(after(renewal))
                    && !live.has_expired(after(renewal))
            );
            assert!(live.has_expired(after(end)));
        };
        check(900, 840, 900);
        check(40, 30, 40);
    }

    #[tokio::test]
    async fn a_valid_token_is_used_after_a_failed_renewal() {
        let events = Arc::new(Mutex::new(0));
        let count = Arc::clone(&events);
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
        // The second call is within the retry delay.
        for _ in 0..2 {
            assert_eq!(session.token().await.unwrap().expose(), "old");
        }
        assert_eq!(*events.lock().unwrap(), 1);
        keep(now);
        assert!(matches!(session.token().await, Err(AgentError::Session { .. })));
    }

    #[test]
    fn an_expiry_in_the_past_is_ignored() {
        let now = UNIX_EPOCH + Duration::from_secs(1_000_000);
        for expires in [None, Some(now), Some(UNIX_EPOCH)] {
            let live = LiveToken::new(Secret::new("t"), expires, now);
            assert!(!live.needs_renewal(now + Duration::from_hours(24)), "{expires:?}");
        }
    }
}
