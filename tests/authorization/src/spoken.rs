//! Tokens that contain their principal in plain text.

use toolwright::BoxFuture;
use toolwright::auth::{Principal, Rejected, TokenVerifier};

/// Accepts any token `subject.client.scope.scope…`, where `-` in a scope means `:`.
#[derive(Debug, Clone, Copy)]
pub struct Spoken;

impl TokenVerifier for Spoken {
    fn verify<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Principal, Rejected>> {
        let mut parts = token.split('.');
        let (subject, client) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let principal = Principal::new(subject).with_issuer("https://login.example").with_client_id(client);
        let principal = principal.with_scopes(parts.map(|scope| scope.replace('-', ":")));
        Box::pin(std::future::ready(Ok(principal)))
    }
}
