//! Faults of protected servers, of authorization servers, and of tokens.

use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use test_client::http::{Fixture, Reply, Request, modern};
use toolwright_client::config::{BoxFuture, HttpSpec, Template, Token, TokenError, TokenProvider, Tokens};
use toolwright_client::{Client, ClientError, ErrorKind, OAuth};

use super::{Fault, SECRET, fault};
use ErrorKind::Connect;

const NO_TOKEN: &str = "log in again, or configure another token";

/// A fault of a protected server or its authorization server: how it differs from [`WORKING`], and the expected error.
struct Case {
    description: &'static str,
    /// A member of the metadata of the protected server, and its value.
    resource: Option<(&'static str, Value)>,
    /// A member of the metadata of the authorization server, and its value.
    issuer: Option<(&'static str, Value)>,
    /// The status and body of the responses to token requests and to registrations.
    token: (u16, &'static str),
    registration: (u16, &'static str),
    /// The query of the redirect; `{state}` is replaced.
    redirect: &'static str,
    problem: &'static [&'static str],
}

const WORKING: Case = Case {
    description: "",
    resource: None,
    issuer: None,
    token: (200, r#"{"access_token": "s3cret", "token_type": "Bearer"}"#),
    registration: (201, r#"{"client_id": "c"}"#),
    redirect: "?code=c&state={state}",
    problem: &[],
};

/// Faults of the metadata.
fn metadata_cases() -> Vec<Case> {
    vec![
        Case {
            description: "no authorization server",
            resource: Some(("authorization_servers", json!([]))),
            problem: &["has no authorization server"],
            ..WORKING
        },
        Case {
            description: "metadata of another server",
            resource: Some(("resource", json!("http://127.0.0.1:1/other"))),
            problem: &["is for http://127.0.0.1:1/other", "no token is requested"],
            ..WORKING
        },
        Case {
            description: "an authorization server without metadata",
            resource: Some(("authorization_servers", json!(["{origin}/none"]))),
            problem: &["has no metadata"],
            ..WORKING
        },
        Case {
            description: "an authorization server that cannot be reached",
            resource: Some(("authorization_servers", json!(["http://127.0.0.1:1"]))),
            problem: &["127.0.0.1:1", "refused"],
            ..WORKING
        },
        Case {
            description: "an authorization server without TLS",
            resource: Some(("authorization_servers", json!(["http://as.example"]))),
            problem: &["as.example", "is not https://"],
            ..WORKING
        },
        Case {
            description: "another issuer",
            issuer: Some(("issuer", json!("https://evil.example"))),
            problem: &["is for https://evil.example"],
            ..WORKING
        },
        Case {
            description: "an authorization server without PKCE",
            issuer: Some(("code_challenge_methods_supported", json!(["plain"]))),
            problem: &["does not support PKCE with S256"],
            ..WORKING
        },
        Case {
            description: "no authorization endpoint",
            issuer: Some(("authorization_endpoint", Value::Null)),
            problem: &["has no `authorization_endpoint`"],
            ..WORKING
        },
        Case {
            description: "no registration endpoint",
            issuer: Some(("registration_endpoint", Value::Null)),
            problem: &[
                "does not support dynamic client registration",
                "configure the ID of a registered client",
            ],
            ..WORKING
        },
    ]
}

/// Faults of the responses, and of the redirect.
fn response_cases() -> Vec<Case> {
    vec![
        Case {
            description: "a rejected registration",
            registration: (400, r#"{"error": "invalid_redirect_uri", "error_description": "not here"}"#),
            problem: &["rejected the client registration", "invalid_redirect_uri: not here"],
            ..WORKING
        },
        Case {
            description: "an invalid registration response",
            registration: (201, "<html>"),
            problem: &["the registration response is invalid"],
            ..WORKING
        },
        Case {
            description: "a redirect with the state of another login",
            redirect: "?code=c&state=other",
            problem: &["has the `state` of another login"],
            ..WORKING
        },
        Case {
            description: "a login that the user denies",
            redirect: "?error=access_denied&error_description=no&state={state}",
            problem: &["access_denied no"],
            ..WORKING
        },
        Case {
            description: "a redirect from another authorization server",
            redirect: "?code=c&state={state}&iss=https%3A%2F%2Fevil.example",
            problem: &["from another authorization server"],
            ..WORKING
        },
        Case {
            description: "a redirect without a code",
            redirect: "?state={state}",
            problem: &["has no `code`"],
            ..WORKING
        },
        Case {
            description: "a rejected code",
            token: (400, r#"{"error": "invalid_grant", "error_description": "the code has expired"}"#),
            problem: &["did not issue a token", "invalid_grant: the code has expired"],
            ..WORKING
        },
        Case {
            description: "an invalid token response",
            token: (200, r#"{"token": 7}"#),
            problem: &["the token response is invalid"],
            ..WORKING
        },
        Case {
            description: "an authorization server that fails",
            token: (503, "maintenance"),
            problem: &["did not issue a token", "status 503: maintenance"],
            ..WORKING
        },
    ]
}

/// Serves the metadata and the endpoints. The MCP endpoint accepts no token.
fn serve(case: &Case, request: &Request, reply: &mut Reply) {
    let origin = format!("http://{}", request.header("host").unwrap_or_default());
    let patch = |mut document: Value, change: &Option<(&'static str, Value)>| {
        if let Some((name, value)) = change {
            document[*name] =
                serde_json::from_str(&value.to_string().replace("{origin}", &origin)).expect("JSON");
        }
        document
    };
    match request.path.as_str() {
        "/.well-known/oauth-protected-resource/mcp" => {
            let document = json!({"resource": format!("{origin}/mcp"), "authorization_servers": [origin]});
            reply.json(200, &patch(document, &case.resource));
        }
        "/.well-known/oauth-authorization-server" => {
            let document = json!({
                "issuer": origin,
                "authorization_endpoint": format!("{origin}/authorize"),
                "token_endpoint": format!("{origin}/token"),
                "registration_endpoint": format!("{origin}/register"),
                "code_challenge_methods_supported": ["S256"],
            });
            reply.json(200, &patch(document, &case.issuer));
        }
        "/token" => reply.send(case.token.0, &[("Content-Type", "application/json")], case.token.1),
        "/register" => {
            reply.send(case.registration.0, &[("Content-Type", "application/json")], case.registration.1);
        }
        "/mcp" => reply.send(401, &[("WWW-Authenticate", "Bearer")], ""),
        _ => reply.send(404, &[], ""),
    }
}

async fn connect_error(case: Case) -> ClientError {
    let query = case.redirect;
    let server = Fixture::start(move |request, reply| serve(&case, request, reply));
    let redirect = "http://127.0.0.1:1/callback";
    let oauth = OAuth::authorization_code(redirect, move |url: String| {
        let state = url.split("&state=").nth(1).and_then(|rest| rest.split('&').next()).unwrap_or_default();
        std::future::ready(Ok(format!("{redirect}{}", query.replace("{state}", state))))
    });
    Client::builder().authorize(oauth).connect(&*server.url).await.expect_err("the server has a fault")
}

/// Returns the same token at each fetch, or fails from the second fetch on.
struct Rotating {
    fetched: AtomicU32,
    fails: bool,
}

impl TokenProvider for Rotating {
    fn fetch(&self) -> BoxFuture<'_, Result<Token, TokenError>> {
        Box::pin(async {
            if self.fetched.fetch_add(1, Ordering::Relaxed) > 0 && self.fails {
                let problem = "the session has ended; run `shop-login` again".to_owned();
                return Err(TokenError::Failed { origin: "the program `shop-login`".to_owned(), problem });
            }
            Ok(Token::new(SECRET))
        })
    }
}

async fn rotation_error(fails: bool) -> ClientError {
    let server = Fixture::start(|request, reply| match request.method().as_str() {
        "tools/call" => reply.send(401, &[], "expired"),
        _ => modern(request, reply),
    });
    let mut spec = HttpSpec::new(&*server.url);
    spec.headers.set("Authorization", Template::bearer("shop"));
    let tokens = Tokens::new().with("shop", Rotating { fetched: AtomicU32::new(0), fails });
    let client = Client::builder().tokens(tokens).connect(spec).await.expect("the first token is accepted");
    client.call("echo", json!({"text": "hi"})).await.expect_err("the server has a fault")
}

pub(super) fn faults() -> Vec<Fault> {
    let mut faults: Vec<_> = metadata_cases()
        .into_iter()
        .chain(response_cases())
        .map(|case| fault(case.description, Connect, case.problem, NO_TOKEN, connect_error(case)))
        .collect();
    faults.extend([
        fault("a login that fails", Connect, &["the user closed the window"], NO_TOKEN, async {
            let server = Fixture::start(|request, reply| serve(&WORKING, request, reply));
            let oauth = OAuth::authorization_code("http://127.0.0.1:1/callback", async |_| {
                Err("the user closed the window".to_owned())
            });
            Client::builder()
                .authorize(oauth)
                .connect(&*server.url)
                .await
                .expect_err("the server has a fault")
        }),
        fault("a rejected token", Connect, &["status 401"], "use another one", async {
            let server = Fixture::start(|request, reply| serve(&WORKING, request, reply));
            let oauth = OAuth::client_credentials("id", SECRET);
            Client::builder()
                .authorize(oauth)
                .connect(&*server.url)
                .await
                .expect_err("the server has a fault")
        }),
        fault(
            "a rejected token after rotation",
            Connect,
            &["status 401", "expired"],
            "use another one",
            rotation_error(false),
        ),
        fault(
            "a token that cannot be rotated",
            Connect,
            &["status 401", "`shop-login`", "run `shop-login` again"],
            NO_TOKEN,
            rotation_error(true),
        ),
    ]);
    faults
}
