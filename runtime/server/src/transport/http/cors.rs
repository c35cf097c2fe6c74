//! CORS for pages of other origins (Fetch standard, "CORS protocol").

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, VARY,
};
use http::{HeaderValue, Response, StatusCode};

use super::answer;
use super::body::HttpBody;

/// The response to the preflight of an allowed origin. Tools define the names of parameter headers, so all headers
/// are allowed; the wildcard does not cover `Authorization`.
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

/// Lets the page at `origin` read the response.
pub(super) fn expose(response: &mut Response<HttpBody>, origin: HeaderValue) {
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers
        .insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("mcp-session-id, www-authenticate"));
    headers.append(VARY, HeaderValue::from_static("origin"));
}
