//! Authentication and authorization of callers (2026-07-28, basic/authorization): the server as an OAuth 2.1 resource
//! server, with API keys for simple deployments.
//!
//! The path of a token: `transport::http::guard` extracts it from the headers → `Protection` passes it to its verifiers
//! → [`Principal`] → `access`, the rule for listing and calling tools; `visibility` adds the program's own rule for
//! prompts and resources.
//!
//! [`Principal`] is available with any features, since handlers use it. Protecting an endpoint needs the feature
//! `auth`; verifying tokens with an authorization server needs `oauth`, which compiles cryptography and an HTTP client.
//!
//! There are three features so that programs compile only what they use: `http` has no TLS, HTTP client or signature
//! checks; `auth` adds the traits, API keys, challenges and metadata; `oauth` adds the HTTP client, TLS and signatures.

mod access;
mod principal;
mod visibility;

#[cfg(feature = "auth")]
mod api_keys;
#[cfg(feature = "auth")]
mod protection;
#[cfg(feature = "auth")]
mod resource;
#[cfg(feature = "auth")]
mod token;
#[cfg(feature = "auth")]
mod verifier;

#[cfg(feature = "oauth")]
mod claims;
#[cfg(feature = "auth")]
mod clock;
#[cfg(feature = "oauth")]
mod introspection;
#[cfg(feature = "oauth")]
mod jwt;

pub use access::Access;
pub(crate) use access::Visitor;
pub use principal::Principal;
pub use visibility::Offer;
pub(crate) use visibility::Rule;

#[cfg(feature = "auth")]
pub use api_keys::{ApiKeyError, ApiKeys};
#[cfg(feature = "auth")]
pub use clock::Clock;
#[cfg(feature = "auth")]
pub use protection::{Protection, ProtectionError};
#[cfg(feature = "auth")]
pub(crate) use resource::{Metadata, is_scope};
#[cfg(feature = "auth")]
pub use verifier::{Rejected, RejectedKind, TokenSources, TokenVerifier};

#[cfg(feature = "oauth")]
pub use introspection::Introspection;
#[cfg(feature = "oauth")]
pub use jwt::{Algorithm, JwtVerifier};
#[cfg(feature = "oauth")]
pub use toolwright_wire::fetch::EndpointError;
