//! Who calls, and what callers may use (2026-07-28, basic/authorization): the server as the resource server of OAuth
//! 2.1, with API keys for simple cases.
//!
//! A token on its way: `transport::http::guard` takes it out of the headers → `Protection` asks its verifiers →
//! [`Principal`] → `access`, the one rule by which tools are listed and called; `visibility` is what a program adds to it for
//! prompts and resources.
//!
//! [`Principal`] is there with any features, since handlers see it. Protecting an endpoint needs the feature `auth`;
//! tokens that have to be checked against an authorization server need `oauth`, which compiles cryptography and an HTTP
//! client.
//!
//! There are three features so that nobody pays for what they do not use: `http` compiles no TLS, no HTTP client and
//! no signature checks; `auth` adds the traits, API keys, challenges and metadata; `oauth` adds the HTTP client, TLS
//! and signatures.

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
#[cfg(feature = "oauth")]
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
pub use protection::{Protection, ProtectionError};
#[cfg(feature = "auth")]
pub(crate) use resource::{Metadata, is_scope};
#[cfg(feature = "auth")]
pub use verifier::{Rejected, RejectedKind, TokenVerifier};

#[cfg(feature = "oauth")]
pub use introspection::Introspection;
#[cfg(feature = "oauth")]
pub use jwt::{Algorithm, JwtVerifier};
#[cfg(feature = "oauth")]
pub use toolwright_wire::fetch::EndpointError;
