//! Request bodies, and error responses.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::http::StatusCode;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use toolwright_client::config::Secret;

use super::keys::{Orgs, ServiceKey};
use super::run_of;
use crate::calls::CallError;
use crate::registry::{Entry, RUN_TTL, RegisterError, Revocation, RunId, StoreError, check_id};
use crate::scope::Selection;
use crate::secrets::SecretError;
use toolwright_server::auth::Clock;

/// Maximum lifetime of a run without renewal: 24 hours.
pub(super) const MAX_RUN_TTL: Duration = Duration::from_hours(24);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct OpenRun {
    pub(super) run: String,
    #[serde(default)]
    pub(super) org: NamedOrg,
    ttl_seconds: Option<u64>,
}

/// Unknown members are rejected by the entry's own validation: `serde(flatten)` cannot.
#[derive(Deserialize)]
pub(super) struct RegisterNode {
    pub(super) run: String,
    #[serde(default)]
    pub(super) org: NamedOrg,
    /// If absent, the node keeps its current ones.
    #[serde(default)]
    credentials: Option<BTreeMap<String, String>>,
    #[serde(flatten)]
    pub(super) entry: Entry,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct NewSession {
    pub(super) run: String,
    #[serde(default)]
    pub(super) org: NamedOrg,
    pub(super) node: String,
    #[serde(default)]
    pub(super) nodes: Selection,
    #[serde(default)]
    pub(super) tools: Selection,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Revoke {
    token: Option<String>,
    run: Option<String>,
    #[serde(default)]
    org: NamedOrg,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct OnlyOrg {
    #[serde(default)]
    org: NamedOrg,
}

/// The organization of a request, if any: `null` means the unnamed one.
#[derive(Default)]
pub(super) enum NamedOrg {
    #[default]
    Absent,
    Named(Option<String>),
}

impl<'de> Deserialize<'de> for NamedOrg {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        Option::deserialize(reader).map(Self::Named)
    }
}

/// Why a request fails.
pub(super) struct Failure {
    pub(super) status: StatusCode,
    kind: &'static str,
    message: String,
    is_retryable: bool,
}

impl RegisterNode {
    pub(super) fn take_credentials(&mut self) -> Option<BTreeMap<String, Secret>> {
        let credentials = self.credentials.take()?;
        Some(credentials.into_iter().map(|(name, value)| (name, Secret::new(value))).collect())
    }
}

impl OpenRun {
    pub(super) fn ttl(&self) -> Result<Duration, Failure> {
        let ttl = self.ttl_seconds.map_or(RUN_TTL, Duration::from_secs);
        if ttl.is_zero() || ttl > MAX_RUN_TTL {
            return Err(Failure::invalid("`ttlSeconds` must be from 1 to 86400"));
        }
        Ok(ttl)
    }
}

impl Revoke {
    pub(super) fn revocation(self, service: &ServiceKey) -> Result<Revocation, Failure> {
        match (self.token, self.run, self.org) {
            (Some(token), None, NamedOrg::Absent) => {
                check_id("the token's id", &token).map_err(|why| Failure::invalid(&why))?;
                Ok(Revocation::Token(token))
            }
            (None, Some(run), org) => run_of(service, &org, &run).map(Revocation::Run),
            (None, None, NamedOrg::Named(org)) => {
                if matches!(&service.orgs, Orgs::Only(own) if *own != org) {
                    let why = format!("the service `{}` is not of that organization", service.name);
                    return Err(Failure::new(StatusCode::FORBIDDEN, "other_organization", why));
                }
                Ok(Revocation::Org(org, Clock::default().now().as_secs()))
            }
            _ => Err(Failure::invalid("say what to revoke: `token` (its id), `run` or `org`")),
        }
    }
}

impl Failure {
    pub(super) fn new(status: StatusCode, kind: &'static str, message: impl Into<String>) -> Self {
        Self { status, kind, message: message.into(), is_retryable: false }
    }

    pub(super) fn invalid(why: &str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid", why)
    }

    pub(super) fn body(&self) -> Value {
        json!({"kind": self.kind, "message": self.message, "retryable": self.is_retryable})
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let status = match &error {
            StoreError::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
            StoreError::NoRun(_) => StatusCode::NOT_FOUND,
            StoreError::OtherOrganization(_) => StatusCode::FORBIDDEN,
            StoreError::Full { .. } => StatusCode::INSUFFICIENT_STORAGE,
            StoreError::Invalid(_) => StatusCode::BAD_REQUEST,
        };
        Self { status, kind: error.kind(), message: error.to_string(), is_retryable: error.is_retryable() }
    }
}

impl From<RegisterError> for Failure {
    fn from(error: RegisterError) -> Self {
        match error {
            RegisterError::Store(error) => error.into(),
            RegisterError::Secret(error) => {
                Self::new(StatusCode::BAD_REQUEST, SecretError::KIND, error.to_string())
            }
            error => Self::invalid(&error.to_string()),
        }
    }
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        let status = match &error {
            CallError::NoCall(_) => StatusCode::NOT_FOUND,
            _ => StatusCode::SERVICE_UNAVAILABLE,
        };
        Self { status, kind: error.kind(), message: error.to_string(), is_retryable: true }
    }
}

/// Parses a body.
pub(super) fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Failure> {
    serde_json::from_slice(body)
        .map_err(|error| Failure::invalid(&format!("the body cannot be read: {error}")))
}

/// Returns the organization that a body names, if there is a body.
pub(super) fn org_of(body: &[u8]) -> Result<NamedOrg, Failure> {
    let only: OnlyOrg = if body.is_empty() { OnlyOrg::default() } else { read(body)? };
    Ok(only.org)
}

/// Validates the id of a run.
pub(super) fn check_run(run: &RunId) -> Result<(), Failure> {
    let invalid = |why: String| Failure::invalid(&why);
    check_id("the run's id", &run.run).map_err(invalid)?;
    run.org.as_ref().map_or(Ok(()), |org| check_id("the organization", org)).map_err(invalid)
}
