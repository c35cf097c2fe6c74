//! The internal API: lets the operator's services manage runs, over HTTP and JSON.
//!
//! It listens on a separate address that agents must not reach, and every request needs the key of a service.
//! The organization is that of the key; callers can only choose it if the key is valid for all. `keys` defines
//! the services, `events` shows what happened to runs, `requests` the request bodies, `listener` handles connections, `status` is for operators, and
//! this module has the routes:
//!
//! | route | right | |
//! |---|---|---|
//! | `POST /internal/runs` | `register` | opens or renews a run |
//! | `DELETE /internal/runs/{run}` | `register` | ends a run |
//! | `GET /internal/runs/{run}` | `read` | its state and its nodes |
//! | `POST /internal/tools` | `register` | registers a node |
//! | `DELETE /internal/runs/{run}/nodes/{node}` | `register` | removes a node |
//! | `POST /internal/sessions` | `sessions` | a token for an agent |
//! | `POST /internal/revoke` | `revoke` | revokes a token, a run or an organization |
//! | `GET /internal/events` | `read` | what happened to a run: `?run=`, and `after`, `limit`, `wait` |
//! | `GET /internal/calls/{call}` | `read` | what became of a call |
//! | `GET /internal/status` | `read`, all organizations | how the servers stand, and what is in force |
//! | `GET /internal/metrics` | `read`, all organizations | counts, for Prometheus |
//! | `GET /internal/jwks.json` | – | the public keys of tokens |
//! | `GET /internal/live`, `GET /internal/ready` | – | whether the gateway lives, and can serve |

mod events;
mod keys;
mod listener;
mod requests;
mod status;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

pub use events::{MAX_EVENT_WAIT, MAX_EVENT_WAITERS, MAX_EVENTS};
pub use keys::{
    MAX_SERVICE_KEYS_BYTES, Orgs, Right, SERVICE_KEY_PREFIX, ServiceKey, ServiceKeyError, ServiceKeys,
};
use listener::Times;
pub use listener::{HEAD_TIMEOUT, MAX_CONNECTIONS, REQUEST_TIMEOUT};
use requests::{Failure, NamedOrg, NewSession, OpenRun, RegisterNode, Revoke};

use crate::calls::{CallError, CallState};
use crate::controlled::Controls;
use crate::gateway::Gateway;
use crate::registry::{EventDetails, EventKind, Registry, RunId, StoreError};
use crate::tokens::{Permission, SessionRequest, SessionTokens};

/// Maximum size of a request: 1 MiB.
pub const MAX_REQUEST_BYTES: usize = 1 << 20;

/// The internal API of a gateway.
#[derive(Debug, Clone)]
pub struct InternalApi(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    registry: Registry,
    tokens: Arc<SessionTokens>,
    keys: ServiceKeys,
    gateway: Option<Gateway>,
    controls: Controls,
    draining: CancellationToken,
    /// Places of requests that wait for events.
    waiters: Arc<Semaphore>,
}

type Answer = Result<Response, Failure>;

impl InternalApi {
    /// Creates the API of a registry for the services with these keys.
    pub fn new(registry: Registry, tokens: Arc<SessionTokens>, keys: ServiceKeys) -> Self {
        Self(Arc::new(Shared {
            registry,
            tokens,
            keys,
            gateway: None,
            controls: Controls::new(),
            draining: CancellationToken::new(),
            waiters: Arc::new(Semaphore::new(MAX_EVENT_WAITERS)),
        }))
    }

    /// Adds the servers of this gateway and the metrics of these controls to the status and metrics.
    pub fn observing(self, gateway: Gateway, controls: Controls) -> Self {
        Self(Arc::new(Shared { gateway: Some(gateway), controls, ..self.shared() }))
    }

    /// Sets the token that is cancelled when the gateway begins to shut down: then it is no longer ready, so that load
    /// balancers send requests elsewhere while the running ones finish.
    pub fn draining(self, draining: CancellationToken) -> Self {
        Self(Arc::new(Shared { draining, ..self.shared() }))
    }

    fn shared(&self) -> Shared {
        let Shared { registry, tokens, keys, gateway, controls, draining, waiters } = &*self.0;
        Shared {
            registry: registry.clone(),
            tokens: Arc::clone(tokens),
            keys: keys.clone(),
            gateway: gateway.clone(),
            controls: controls.clone(),
            draining: draining.clone(),
            waiters: Arc::clone(waiters),
        }
    }

    /// Returns the routes, which must not be reachable from outside.
    pub fn router(&self) -> Router {
        Router::new()
            .route("/internal/runs", post(open_run))
            .route("/internal/runs/{run}", get(show_run).delete(end_run))
            .route("/internal/runs/{run}/nodes/{node}", delete(remove_node))
            .route("/internal/tools", post(register))
            .route("/internal/sessions", post(new_session))
            .route("/internal/revoke", post(revoke))
            .route("/internal/events", get(events::show))
            .route("/internal/calls/{call}", get(show_call))
            .route("/internal/status", get(status::show))
            .route("/internal/metrics", get(status::metrics))
            .route("/internal/jwks.json", get(jwks))
            .route("/internal/live", get(|| async { StatusCode::NO_CONTENT }))
            .route("/internal/ready", get(ready))
            .layer(DefaultBodyLimit::max(MAX_REQUEST_BYTES))
            .with_state(self.clone())
    }

    /// Binds an address for [`InternalApi::serve`].
    ///
    /// # Errors
    /// Returns an error if the address is unavailable.
    pub async fn bind(address: SocketAddr) -> io::Result<TcpListener> {
        TcpListener::bind(address).await
    }

    /// Serves the routes until `shutdown` completes, then finishes requests that were received before. At most
    /// [`MAX_CONNECTIONS`] are open; the head of a request must arrive within [`HEAD_TIMEOUT`], and a request
    /// ends after [`REQUEST_TIMEOUT`] with status 408.
    pub async fn serve(self, listener: TcpListener, shutdown: impl Future<Output = ()> + Send + 'static) {
        listener::serve(self.router(), listener, Times::default(), shutdown).await;
    }

    /// Returns the service that sends a request, if it has this permission.
    async fn service(&self, headers: &HeaderMap, right: Right) -> Result<Arc<ServiceKey>, Failure> {
        let header = headers.get(AUTHORIZATION).and_then(|header| header.to_str().ok());
        let key = header.and_then(|header| header.strip_prefix("Bearer ")).map(str::trim);
        let service = match key.filter(|key| !key.is_empty()) {
            Some(key) => self.0.keys.find(key).await,
            None => None,
        };
        let service = service.ok_or_else(|| {
            Failure::new(
                StatusCode::UNAUTHORIZED,
                "unauthorized",
                "send the key of a service as `Authorization: Bearer`",
            )
        })?;
        if !service.rights.contains(&right) {
            let right = serde_json::to_value(right).unwrap_or_default();
            let why = format!(
                "the service `{}` has no right `{}`",
                service.name,
                right.as_str().unwrap_or_default()
            );
            return Err(Failure::new(StatusCode::FORBIDDEN, "forbidden", why));
        }
        Ok(service)
    }
}

impl InternalApi {
    /// Rejects services that may not read data of all organizations.
    async fn operator(&self, headers: &HeaderMap) -> Result<(), Failure> {
        let service = self.service(headers, Right::Read).await?;
        if service.orgs != Orgs::All {
            let why = "this is shown to services of all organizations only (`--all-orgs`)";
            return Err(Failure::new(StatusCode::FORBIDDEN, "forbidden", why));
        }
        Ok(())
    }
}

/// Returns the run that a request is about. Its organization is that of the key; a request that names one must
/// name the same.
fn run_of(service: &ServiceKey, org: &NamedOrg, run: &str) -> Result<RunId, Failure> {
    let org = match (&service.orgs, org) {
        (Orgs::Only(own), NamedOrg::Absent) => own.clone(),
        (Orgs::Only(own), NamedOrg::Named(named)) if named == own => own.clone(),
        (Orgs::Only(_), NamedOrg::Named(_)) => {
            let why = format!("the service `{}` is not of that organization", service.name);
            return Err(Failure::new(StatusCode::FORBIDDEN, "other_organization", why));
        }
        (Orgs::All, NamedOrg::Named(named)) => named.clone(),
        (Orgs::All, NamedOrg::Absent) => {
            return Err(Failure::invalid(
                "the key is good for all organizations: say which with `org`, null for none",
            ));
        }
    };
    Ok(RunId { org, run: run.to_owned() })
}

async fn open_run(State(api): State<InternalApi>, headers: HeaderMap, body: Bytes) -> Answer {
    let service = api.service(&headers, Right::Register).await?;
    let request: OpenRun = requests::read(&body)?;
    let run = run_of(&service, &request.org, &request.run)?;
    requests::check_run(&run)?;
    let state = api.0.registry.store().open(&run, request.ttl()?).await?;
    Ok(answer(&json!({"run": run.run, "org": run.org, "epoch": state.epoch, "revision": state.revision})))
}

async fn end_run(
    State(api): State<InternalApi>,
    headers: HeaderMap,
    Path(run): Path<String>,
    body: Bytes,
) -> Answer {
    let service = api.service(&headers, Right::Register).await?;
    let run = run_of(&service, &requests::org_of(&body)?, &run)?;
    api.0.registry.store().end(&run).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn register(State(api): State<InternalApi>, headers: HeaderMap, body: Bytes) -> Answer {
    let service = api.service(&headers, Right::Register).await?;
    let mut request: RegisterNode = requests::read(&body)?;
    let run = run_of(&service, &request.org, &request.run)?;
    request.entry.check().map_err(|error| Failure::invalid(&error.to_string()))?;
    let credentials = request.take_credentials();
    let revision = api.0.registry.register(&run, request.entry, credentials).await?;
    Ok(answer(&json!({"revision": revision})))
}

async fn remove_node(
    State(api): State<InternalApi>,
    headers: HeaderMap,
    Path((run, node)): Path<(String, String)>,
    body: Bytes,
) -> Answer {
    let service = api.service(&headers, Right::Register).await?;
    let run = run_of(&service, &requests::org_of(&body)?, &run)?;
    let revision = api.0.registry.store().remove(&run, &node).await?;
    Ok(answer(&json!({"revision": revision})))
}

async fn show_run(State(api): State<InternalApi>, headers: HeaderMap, Path(run): Path<String>) -> Answer {
    let service = api.service(&headers, Right::Read).await?;
    let no_run = || StoreError::NoRun(run.clone());
    let state = api.0.registry.store().state(&run, None).await?.ok_or_else(no_run)?;
    // A service must not learn whether another organization has such a run.
    if matches!(&service.orgs, Orgs::Only(own) if *own != state.org) {
        return Err(no_run().into());
    }
    let report = api.0.registry.report(&run).await?;
    Ok(answer(&serde_json::to_value(report).unwrap_or_default()))
}

async fn new_session(State(api): State<InternalApi>, headers: HeaderMap, body: Bytes) -> Answer {
    let service = api.service(&headers, Right::Sessions).await?;
    let request: NewSession = requests::read(&body)?;
    let run = run_of(&service, &request.org, &request.run)?;
    let state = api.0.registry.store().state(&run.run, None).await?;
    let state = state.ok_or_else(|| StoreError::NoRun(run.run.clone()))?;
    if state.org != run.org {
        return Err(StoreError::OtherOrganization(run.run).into());
    }
    let mut session = SessionRequest::new(&*request.node)
        .run(run.org.as_deref(), &run.run, state.epoch)
        .nodes(request.nodes)
        .tools(request.tools);
    if service.rights.contains(&Right::AllNodes) {
        session = session.permit(Permission::RunAll);
    }
    let minted = api.0.tokens.mint(&session).map_err(|error| Failure::invalid(&error.to_string()))?;
    let details = EventDetails::of_session(&request.node, &minted.claims.jti);
    api.0.registry.store().record(&run, EventKind::SessionCreated, details).await?;
    let mut response = answer(&json!({"token": minted.token, "expiresAt": minted.claims.exp}));
    response.headers_mut().insert("cache-control", axum::http::HeaderValue::from_static("no-store"));
    Ok(response)
}

async fn revoke(State(api): State<InternalApi>, headers: HeaderMap, body: Bytes) -> Answer {
    let service = api.service(&headers, Right::Revoke).await?;
    let request: Revoke = requests::read(&body)?;
    let revocation = request.revocation(&service)?;
    api.0.registry.store().revoke(&revocation).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn show_call(State(api): State<InternalApi>, headers: HeaderMap, Path(call): Path<String>) -> Answer {
    // A record does not contain the organization.
    api.operator(&headers).await?;
    let no_call = || CallError::NoCall(call.clone());
    let bus = api.0.registry.bus().ok_or_else(no_call)?;
    let record = bus.record(&call).await?;
    let mut shown = serde_json::to_value(&record.state).unwrap_or_default();
    shown["attempt"] = record.attempt.into();
    if let (CallState::Running, Some(progress)) = (&record.state, &record.progress) {
        shown["progress"] = json!(progress);
    }
    Ok(answer(&shown))
}

async fn jwks(State(api): State<InternalApi>) -> Response {
    answer(&api.0.tokens.keys().jwks())
}

/// Returns whether the store answers, so that lists are available, and the gateway does not shut down.
async fn ready(State(api): State<InternalApi>) -> Answer {
    if api.0.draining.is_cancelled() {
        let why = "the gateway shuts down: it finishes the running requests and accepts no others";
        return Err(Failure::new(StatusCode::SERVICE_UNAVAILABLE, "draining", why));
    }
    api.0.registry.store().state("", None).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

fn answer(value: &Value) -> Response {
    ([(CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let is_unauthorized = self.status == StatusCode::UNAUTHORIZED;
        let mut response = answer(&json!({"error": self.body()}));
        *response.status_mut() = self.status;
        if is_unauthorized {
            let challenge = axum::http::HeaderValue::from_static("Bearer");
            response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        }
        response
    }
}
