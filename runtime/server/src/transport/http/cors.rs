//! Pages of other origins: what their browser may send and read (Fetch standard, "CORS protocol").

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, VARY,
};
use http::{HeaderValue, Response, StatusCode};

use super::answer;
use super::body::HttpBody;

/// The answer to a preflight of an origin that is allowed. Headers of parameters have names of the tools' own, so all
/// headers are allowed; `Authorization` is not covered by the wildcard.
pub(super) fn preflight() -> Response<HttpBody> {
    let mut response = answer::empty(StatusCode::NO_CONTENT);
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST, GET, DELETE"));
    headers.insert(
        ACCESS_CONTROL_ALLOW_HEADERS,
        HeaderValue::from_static(
            "authorization, content-type, accept, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, last-event-id, *",
        ),
    );
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    response
}

/// Lets the page of `origin` read the response.
pub(super) fn expose(response: &mut Response<HttpBody>, origin: HeaderValue) {
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers
        .insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("mcp-session-id, www-authenticate"));
    headers.append(VARY, HeaderValue::from_static("origin"));
}
