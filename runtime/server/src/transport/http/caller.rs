//! Identifies callers: by the principal of a token, or the address of the peer.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use http::Response;
use http::request::Parts;

use super::HttpConfig;
use super::body::HttpBody;
#[cfg(feature = "auth")]
use super::guard;
use super::half_close::HalfClose;
use crate::auth::{Access, Visitor};
use crate::quotas::Caller;
use crate::service::Service;

/// The address of a request's peer, as a request extension. It identifies callers unless [`HttpConfig::caller_address`]
/// is set. [`Http`](super::Http) and [`WebSocket`](super::WebSocket) set it. If a service is mounted, set it in front
/// of the service, or use [`HttpConfig::caller_address`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeerAddr(pub SocketAddr);

/// Finds the address of a caller in the head of its request; by default, that of the peer.
#[derive(Clone, Default)]
pub(super) struct FindAddress(Option<Arc<Find>>);

type Find = dyn Fn(&Parts) -> Option<IpAddr> + Send + Sync;

impl FindAddress {
    pub(super) fn new(find: impl Fn(&Parts) -> Option<IpAddr> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(find)))
    }

    fn of(&self, head: &Parts) -> Option<IpAddr> {
        match &self.0 {
            Some(find) => find(head),
            None => head.extensions.get::<PeerAddr>().map(|peer| peer.0.ip()),
        }
    }

    /// Whether it is always the peer's address.
    pub(super) fn is_of_peer(&self) -> bool {
        self.0.is_none()
    }
}

/// The connection that a request arrived on, for built-in servers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrival<'c> {
    pub(super) half_close: &'c HalfClose,
    pub(super) address: SocketAddr,
    /// The caller with this address, looked up once for all requests.
    pub(super) peer: &'c Caller,
}

impl fmt::Debug for FindAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FindAddress")
    }
}

/// Returns the caller and the account for its limits, or the response that rejects it.
pub(super) async fn visitor(
    config: &HttpConfig,
    service: &Service,
    head: &Parts,
    arrival: Option<Arrival<'_>>,
) -> Result<Visitor, Box<Response<HttpBody>>> {
    let access = access(config, service, head).await?;
    let principal = access.principal().map(|principal| principal.key());
    let caller = match arrival {
        Some(arrival) if principal.is_none() && config.address().is_of_peer() => arrival.peer.clone(),
        _ => {
            let address = if principal.is_none() { config.address().of(head) } else { None };
            service.shared().callers().of(principal, address)
        }
    };
    Ok(Visitor::new(access, caller))
}

/// What the caller may use. Unprotected endpoints do not identify callers.
#[cfg(feature = "auth")]
async fn access(
    config: &HttpConfig,
    service: &Service,
    head: &Parts,
) -> Result<Access, Box<Response<HttpBody>>> {
    match config.protection() {
        Some(protection) => guard::Guard { protection, service }.admit(head).await,
        None => Ok(config.access()),
    }
}

/// Callers are not identified.
#[cfg(not(feature = "auth"))]
fn access(
    config: &HttpConfig,
    _service: &Service,
    _head: &Parts,
) -> std::future::Ready<Result<Access, Box<Response<HttpBody>>>> {
    std::future::ready(Ok(config.access()))
}
