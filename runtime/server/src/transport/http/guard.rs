//! Authenticates callers of a protected endpoint, and challenges those without access (2026-07-28,
//! basic/authorization; RFC 6750; RFC 9728).

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN, AUTHORIZATION,
    CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE,
};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, Uri};
use toolwright_core::protocol::method;

use super::body::HttpBody;
use super::{Endpoint, answer};
use crate::auth::{Access, Metadata, Protection, Rejected, RejectedKind, is_scope};
use crate::connection::CalledTool;
use crate::error;
#[cfg(feature = "tasks")]
use crate::message::string;
use crate::message::{Envelope, RequestId};
use crate::service::Service;
use crate::tool_table::Denied;

/// How many seconds a client should wait before retrying while tokens cannot be verified.
const RETRY_AFTER_SECONDS: HeaderValue = HeaderValue::from_static("10");

/// A request without a valid token (RFC 6750 §3.1).
#[derive(Debug, Clone, Copy)]
enum Fault {
    /// There is none. The challenge names no error then, since the client may not have known.
    NoToken,
    /// It is malformed.
    Malformed,
    /// It is not accepted.
    Invalid,
    /// It lacks a scope.
    TooLittle,
}

impl Fault {
    fn status(self) -> StatusCode {
        match self {
            Self::NoToken | Self::Invalid => StatusCode::UNAUTHORIZED,
            Self::Malformed => StatusCode::BAD_REQUEST,
            Self::TooLittle => StatusCode::FORBIDDEN,
        }
    }

    fn code(self) -> Option<&'static str> {
        match self {
            Self::NoToken => None,
            Self::Malformed => Some("invalid_request"),
            Self::Invalid => Some("invalid_token"),
            Self::TooLittle => Some("insufficient_scope"),
        }
    }
}

/// The guard in front of a protected endpoint's service.
#[derive(Clone, Copy)]
pub(super) struct Guard<'a> {
    pub(super) protection: &'a Protection,
    pub(super) service: &'a Service,
}

impl Guard<'_> {
    /// Returns the caller's access, or the response that rejects it.
    pub(super) async fn admit(self, head: &Parts) -> Result<Access, Box<Response<HttpBody>>> {
        let protection = self.protection;
        let token = match token_of(head, protection) {
            Ok(Some(token)) => token,
            Ok(None) => {
                let why = "this server requires `Authorization: Bearer` with an access token";
                return Err(self.challenge(Fault::NoToken, why).into());
            }
            Err(why) => return Err(self.challenge(Fault::Malformed, why).into()),
        };
        let access = match protection.check(token).await {
            Ok(access) => access,
            Err(rejected) => return Err(self.refuse(&rejected).into()),
        };
        match protection.missing_scopes(&access) {
            None => Ok(access),
            Some(scopes) => Err(self.lacks(scopes).into()),
        }
    }

    /// The response to a token that lacks scopes which every request needs.
    fn lacks(self, scopes: &[String]) -> Response<HttpBody> {
        let response = answer::refusal(StatusCode::FORBIDDEN, None, &error::insufficient_scope(scopes));
        challenging(response, self.protection, Fault::TooLittle, scopes, None)
    }

    fn refuse(self, rejected: &Rejected) -> Response<HttpBody> {
        match rejected.kind() {
            RejectedKind::Invalid => return self.challenge(Fault::Invalid, rejected.reason()),
            RejectedKind::LacksScopes => return self.lacks(rejected.scopes()),
            RejectedKind::Unavailable => {}
        }
        let error = match rejected.error_kind() {
            Some(kind) => {
                let data = serde_json::json!({"kind": kind, "retryable": true});
                error::internal(rejected.reason()).with_data(&data)
            }
            None => error::internal("access tokens cannot be verified at the moment; try again later"),
        };
        let mut response = answer::refusal(StatusCode::SERVICE_UNAVAILABLE, None, &error);
        response.headers_mut().insert(RETRY_AFTER, RETRY_AFTER_SECONDS);
        response
    }

    /// The challenge to an unauthenticated caller, with the scopes to start with.
    fn challenge(self, fault: Fault, why: &str) -> Response<HttpBody> {
        let response = answer::refused(fault.status(), why);
        let offered = self.service.shared().scopes();
        let scopes = self.protection.challenged(&offered);
        challenging(response, self.protection, fault, &scopes, fault.code().map(|_| why))
    }
}

impl Endpoint {
    /// The rejection of a call whose tool requires more scopes than the caller has; `None` if it is allowed.
    #[cfg_attr(not(feature = "tasks"), expect(unused_variables, reason = "only tasks are looked up here"))]
    pub(super) fn insufficient(
        &self,
        access: &Access,
        called: Option<&CalledTool>,
        envelope: &Envelope<'_>,
    ) -> Option<Response<HttpBody>> {
        self.config.protection()?;
        let lacking = match &*envelope.method_name()? {
            method::TOOLS_CALL => match called {
                Some(Err(Denied::Scopes(tool))) => tool.scopes.to_vec(),
                _ => return None,
            },
            // A task that runs elsewhere, or has ended, is looked up later; its rejection is a response with status
            // 400.
            #[cfg(feature = "tasks")]
            method::TASKS_GET | method::TASKS_UPDATE | method::TASKS_CANCEL => {
                let id = envelope.params.as_ref()?.task_id.and_then(string)?;
                self.service.shared().missing_scopes_for_task(&id, access)?
            }
            _ => return None,
        };
        self.lacks(&lacking, envelope.request_id().as_ref())
    }

    /// The rejection of a request that requires scopes that its caller lacks; `None` at an unprotected endpoint.
    pub(super) fn lacks(&self, lacking: &[String], id: Option<&RequestId<'_>>) -> Option<Response<HttpBody>> {
        let protection = self.config.protection()?;
        let scopes = protection.scopes_for(lacking);
        let error = error::insufficient_scope(&scopes);
        let response = answer::refusal(StatusCode::FORBIDDEN, id, &error);
        Some(challenging(response, protection, Fault::TooLittle, &scopes, None))
    }

    /// The metadata document, available to everyone (RFC 9728 §3.2).
    pub(super) fn metadata(&self, method: &Method) -> Response<HttpBody> {
        let mut response = match *method {
            Method::GET | Method::HEAD => self.document(),
            Method::OPTIONS => answer::empty(StatusCode::NO_CONTENT),
            _ => answer::method_not_allowed("GET, HEAD, OPTIONS"),
        };
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        if *method == Method::OPTIONS {
            headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, HEAD"));
            headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("*"));
        }
        response
    }

    fn document(&self) -> Response<HttpBody> {
        let shared = self.service.shared();
        let (info, scopes) = (shared.info(), shared.scopes());
        let name = info.title.as_deref().unwrap_or(&info.name);
        let document = self
            .config
            .protection()
            .and_then(|protection| Metadata::of(protection, &scopes, name))
            .and_then(|document| serde_json::to_vec(&document).ok());
        let Some(document) = document else { return answer::empty(StatusCode::NOT_FOUND) };
        let mut response = Response::new(HttpBody::full(document));
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response
    }
}

/// Extracts the token of a request; `None` if there is none, and an error if there are several, or one in an
/// unsupported place.
fn token_of<'a>(head: &'a Parts, protection: &Protection) -> Result<Option<&'a str>, &'static str> {
    if has_token_in_query(&head.uri) {
        return Err(
            "access tokens in the URL are not accepted, since they end up in logs; send `Authorization: Bearer`",
        );
    }
    let key = match protection.key_header_name() {
        Some(name) => single(&head.headers, name)?,
        None => None,
    };
    let authorization = single(&head.headers, AUTHORIZATION)?;
    let bearer = authorization.and_then(|authorization| {
        let (scheme, token) = authorization.split_once(' ').unwrap_or((authorization, ""));
        // Another scheme is meant for someone else, such as a proxy.
        scheme.eq_ignore_ascii_case("Bearer").then(|| token.trim())
    });
    match (bearer, key) {
        (Some(_), Some(_)) => Err("send a single token, in a single header"),
        (bearer, key) => Ok(bearer.or(key.map(str::trim))),
    }
}

/// Returns the only value of a header. An invalid one becomes an empty string, which no verifier accepts.
fn single(headers: &HeaderMap, name: impl http::header::AsHeaderName) -> Result<Option<&str>, &'static str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next().map(|value| value.to_str().unwrap_or_default());
    if values.next().is_some() {
        return Err("send a single token, in a single header");
    }
    Ok(value)
}

fn has_token_in_query(uri: &Uri) -> bool {
    let mut parameters = uri.query().unwrap_or_default().split('&');
    parameters.any(|parameter| parameter.split('=').next() == Some("access_token"))
}

/// Adds the challenge to a rejection (RFC 6750 §3, RFC 9728 §5.1).
fn challenging(
    mut response: Response<HttpBody>,
    protection: &Protection,
    fault: Fault,
    scopes: &[impl AsRef<str>],
    description: Option<&str>,
) -> Response<HttpBody> {
    let scopes: Vec<&str> = scopes.iter().map(AsRef::as_ref).filter(|scope| is_scope(scope)).collect();
    let scopes = (!scopes.is_empty()).then(|| scopes.join(" "));
    let description = description.map(quotable);
    let parameters = [
        ("error", fault.code()),
        ("error_description", description.as_deref()),
        ("scope", scopes.as_deref()),
        ("resource_metadata", protection.metadata_url()),
    ];
    let parameters: Vec<String> =
        parameters.into_iter().filter_map(|(name, value)| Some(format!("{name}=\"{}\"", value?))).collect();
    let challenge = format!("Bearer {}", parameters.join(", "));
    if let Ok(challenge) = HeaderValue::from_str(challenge.trim_end()) {
        response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    }
    response
}

/// Restricts a string to the characters that a description may have (RFC 6750 §3).
fn quotable(text: &str) -> String {
    let is_good = |char: char| (char == ' ' || char.is_ascii_graphic()) && char != '"' && char != '\\';
    text.chars().map(|char| if is_good(char) { char } else { '\'' }).collect()
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, Request};

    use super::token_of;
    use crate::auth::{ApiKeys, Protection};

    fn token(uri: &str, headers: &[(&str, &str)]) -> Result<Option<String>, &'static str> {
        let protection = Protection::new("https://h.example", ApiKeys::new())
            .expect("an identifier")
            .key_header(HeaderName::from_static("x-api-key"));
        let mut request = Request::builder().uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let head = request.body(()).expect("a request").into_parts().0;
        token_of(&head, &protection).map(|token| token.map(str::to_owned))
    }

    #[test]
    fn tokens_are_accepted_in_a_single_header_only() {
        for (headers, expected) in [
            (&[][..], None),
            (&[("authorization", "Bearer abc")], Some("abc")),
            (&[("authorization", "bearer   abc ")], Some("abc")),
            (&[("authorization", "Bearer")], Some("")),
            (&[("authorization", "Bearer ")], Some("")),
            (&[("authorization", "Basic abc")], None),
            (&[("authorization", "Bearerabc")], None),
            (&[("x-api-key", "abc")], Some("abc")),
            (&[("authorization", "Basic cHJveHk6eA=="), ("x-api-key", "abc")], Some("abc")),
            (&[("authorization", "Negotiate"), ("x-api-key", " abc ")], Some("abc")),
            (&[("authorization", ""), ("x-api-key", "abc")], Some("abc")),
        ] {
            assert_eq!(token("/mcp", headers), Ok(expected.map(str::to_owned)), "{headers:?}");
        }
        for headers in [
            &[("authorization", "Bearer a"), ("authorization", "Bearer b")],
            &[("authorization", "Bearer a"), ("x-api-key", "a")],
            &[("authorization", "bearer"), ("x-api-key", "a")],
            &[("authorization", "Basic a"), ("authorization", "Bearer a")],
            &[("x-api-key", "a"), ("x-api-key", "a")],
        ] {
            assert!(token("/mcp", headers).is_err(), "{headers:?}");
        }
        for uri in ["/mcp?access_token=abc", "/mcp?a=b&access_token=abc", "/mcp?access_token"] {
            assert!(token(uri, &[("authorization", "Bearer abc")]).is_err(), "{uri}");
        }
        assert_eq!(token("/mcp?other_access_token=x", &[]), Ok(None));
    }
}
