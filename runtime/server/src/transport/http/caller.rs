//! Who calls: the principal of a token, or the address of the peer.

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

/// The address of a request's peer, as an extension of the request, for what [`HttpConfig::caller_address`] is given.
/// [`Http`](super::Http) and [`WebSocket`](super::WebSocket) set it. Where a service is mounted, set it before the service, or say with
/// [`HttpConfig::caller_address`] where the address is to be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeerAddr(pub SocketAddr);

/// Finds the address of a caller in the head of its request; where nothing is given, that of the peer.
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

    /// Whether it is the peer's, whatever the request says.
    pub(super) fn is_of_peer(&self) -> bool {
        self.0.is_none()
    }
}

/// The connection that a request came on, to a server of ours.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrival<'c> {
    pub(super) half_close: &'c HalfClose,
    pub(super) address: SocketAddr,
    /// Whoever has this address: looked up once for all requests.
    pub(super) peer: &'c Caller,
}

impl fmt::Debug for FindAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FindAddress")
    }
}

/// Who calls, and whose share of the limits that takes; else what is answered instead.
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

/// What the caller may use. An endpoint without protection knows nobody.
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

/// Nobody is known.
#[cfg(not(feature = "auth"))]
fn access(
    config: &HttpConfig,
    _service: &Service,
    _head: &Parts,
) -> std::future::Ready<Result<Access, Box<Response<HttpBody>>>> {
    std::future::ready(Ok(config.access()))
}
