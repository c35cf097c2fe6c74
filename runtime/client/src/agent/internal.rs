//! A client of the internal API of a gateway.

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderValue, Method};
use serde_json::{Value, json};

use super::session::bearer;
use crate::config::Secret;
use crate::http::{Address, fetch_from};

/// A client of the internal API of a gateway, for services and operators with a key (`cargo mcp gateway keys service`).
///
/// ```no_run
/// use toolwright_client::agent::{InternalClient, Revoke};
/// use toolwright_client::config::Secret;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let key = Secret::new(std::env::var("MCP_SERVICE_KEY")?);
/// let api = InternalClient::new("http://127.0.0.1:8081", key)?;
/// api.revoke(&Revoke::Run { run: "run-1".to_owned(), org: None }).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct InternalClient {
    url: String,
    key: Secret,
}

/// What to revoke.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Revoke {
    /// One token, by its id (`jti`).
    Token(String),
    /// All tokens of a run that exist now.
    Run {
        /// The run.
        run: String,
        /// Its organization, for a key of all organizations. The default is that of the key.
        org: Option<String>,
    },
    /// All tokens of an organization that exist now; `None` for runs without an organization.
    Org(Option<String>),
}

/// An error of the internal API.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum InternalError {
    /// The URL or the key is invalid.
    #[error("{0}")]
    Invalid(String),
    /// The API cannot be reached.
    #[error("{0}")]
    Unreachable(String),
    /// The API responded with an error.
    #[error("status {status} ({kind}): {message}")]
    Refused {
        /// The status of the response.
        status: u16,
        /// The kind of the error, such as `forbidden`.
        kind: String,
        /// The message.
        message: String,
    },
}

impl InternalClient {
    /// Creates a client of the API at a URL such as `http://127.0.0.1:8081`, with or without `/internal` at the end.
    ///
    /// # Errors
    /// [`InternalError::Invalid`] for an invalid URL, or a key that is empty or a placeholder.
    pub fn new(url: &str, key: Secret) -> Result<Self, InternalError> {
        let url = url.trim_end_matches('/');
        let url = url.strip_suffix("/internal").unwrap_or(url).to_owned();
        Address::parse(&url).map_err(|problem| InternalError::Invalid(format!("{url}: {problem}")))?;
        if key.is_placeholder() || bearer(&key).is_err() {
            return Err(InternalError::Invalid(
                "the service key is empty or a placeholder such as `${KEY}`: set it to the real key"
                    .to_owned(),
            ));
        }
        Ok(Self { url, key })
    }

    /// Revokes tokens: requests with them are rejected, and open requests are ended, within seconds at all gateways of
    /// a store. Requires the right `revoke`.
    ///
    /// # Errors
    /// [`InternalError`].
    pub async fn revoke(&self, what: &Revoke) -> Result<(), InternalError> {
        let body = match what {
            Revoke::Token(id) => json!({"token": id}),
            Revoke::Run { run, org: None } => json!({"run": run}),
            Revoke::Run { run, org: Some(org) } => json!({"run": run, "org": org}),
            Revoke::Org(org) => json!({"org": org}),
        };
        self.send(Method::POST, "revoke", body.to_string()).await.map(drop)
    }

    /// Sends a GET request to a path below `/internal/`, and returns the JSON of the response.
    ///
    /// # Errors
    /// [`InternalError`].
    pub async fn get(&self, path: &str) -> Result<Value, InternalError> {
        let response = self.send(Method::GET, path, String::new()).await?;
        response.json("the response").map_err(InternalError::Unreachable)
    }

    async fn send(
        &self,
        verb: Method,
        path: &str,
        body: String,
    ) -> Result<crate::http::Fetched, InternalError> {
        let invalid = |problem: String| InternalError::Invalid(problem);
        let address = Address::parse(&format!("{}/internal/{path}", self.url)).map_err(invalid)?;
        let key = bearer(&self.key).map_err(|()| invalid("the key cannot be sent as a header".to_owned()))?;
        let headers =
            vec![(AUTHORIZATION, key), (CONTENT_TYPE, HeaderValue::from_static("application/json"))];
        let response = fetch_from(address, verb, Bytes::from(body), headers).await;
        let response = response.map_err(InternalError::Unreachable)?;
        if response.is_success() {
            return Ok(response);
        }
        let error: Value = response.json("").unwrap_or_default();
        let text = |name: &str| error["error"][name].as_str().map(str::to_owned);
        Err(InternalError::Refused {
            status: response.status,
            kind: text("kind").unwrap_or_else(|| "unknown".to_owned()),
            message: text("message")
                .unwrap_or_else(|| response.describe_error())
                .replace(self.key.expose(), "[secret]"),
        })
    }
}
