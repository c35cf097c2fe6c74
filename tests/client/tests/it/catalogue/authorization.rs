//! Servers that want tokens, the authorization servers behind them, and tokens that rotate.

use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use test_client::http::{Fixture, Reply, Request, modern};
use toolwright_client::config::{BoxFuture, HttpSpec, Template, Token, TokenError, TokenProvider, Tokens};
use toolwright_client::{Client, ClientError, ErrorKind, OAuth};

use super::{Fault, SECRET, fault};
use ErrorKind::Connect;

const NO_TOKEN: &str = "log in again, or give it another token";

/// What is changed in the documents of a pair of servers that work, and what is answered at the token endpoint.
struct Authority {
    what: &'static str,
    /// Member of the document about the protected server, and its value.
    resource: Option<(&'static str, Value)>,
    /// The same for the document about the authorization server.
    issuer: Option<(&'static str, Value)>,
    /// Status and body of the endpoints for tokens and for registrations.
    token: (u16, &'static str),
    registration: (u16, &'static str),
    /// What the browser comes back with; `{state}` is replaced.
    back: &'static str,
    cause: &'static [&'static str],
}

const WORKS: Authority = Authority {
    what: "",
    resource: None,
    issuer: None,
    token: (200, r#"{"access_token": "s3cret", "token_type": "Bearer"}"#),
    registration: (201, r#"{"client_id": "c"}"#),
    back: "?code=c&state={state}",
    cause: &[],
};

/// What is wrong with the documents.
fn documents() -> Vec<Authority> {
    vec![
        Authority {
            what: "no authorization server",
            resource: Some(("authorization_servers", json!([]))),
            cause: &["names no authorization server"],
            ..WORKS
        },
        Authority {
            what: "a document about another server",
            resource: Some(("resource", json!("http://127.0.0.1:1/other"))),
            cause: &["is for http://127.0.0.1:1/other", "no token is asked for"],
            ..WORKS
        },
        Authority {
            what: "an authorization server without a document",
            resource: Some(("authorization_servers", json!(["{origin}/none"]))),
            cause: &["has no document about itself"],
            ..WORKS
        },
        Authority {
            what: "an authorization server that cannot be reached",
            resource: Some(("authorization_servers", json!(["http://127.0.0.1:1"]))),
            cause: &["127.0.0.1:1", "refused"],
            ..WORKS
        },
        Authority {
            what: "an authorization server without TLS",
            resource: Some(("authorization_servers", json!(["http://as.example"]))),
            cause: &["as.example", "is not https://"],
            ..WORKS
        },
        Authority {
            what: "an authorization server with another name",
            issuer: Some(("issuer", json!("https://evil.example"))),
            cause: &["calls itself https://evil.example"],
            ..WORKS
        },
        Authority {
            what: "an authorization server without PKCE",
            issuer: Some(("code_challenge_methods_supported", json!(["plain"]))),
            cause: &["does not protect codes (PKCE with S256)"],
            ..WORKS
        },
        Authority {
            what: "an authorization server without a page",
            issuer: Some(("authorization_endpoint", Value::Null)),
            cause: &["has no page for users"],
            ..WORKS
        },
        Authority {
            what: "an authorization server that registers nobody",
            issuer: Some(("registration_endpoint", Value::Null)),
            cause: &["registers no clients", "give this one an id that it knows"],
            ..WORKS
        },
    ]
}

/// What is wrong with the answers, of servers and of the browser.
fn answers() -> Vec<Authority> {
    vec![
        Authority {
            what: "a registration that is refused",
            registration: (400, r#"{"error": "invalid_redirect_uri", "error_description": "not here"}"#),
            cause: &["does not register this client", "invalid_redirect_uri: not here"],
            ..WORKS
        },
        Authority {
            what: "a registration that cannot be read",
            registration: (201, "<html>"),
            cause: &["the registration cannot be read"],
            ..WORKS
        },
        Authority {
            what: "a browser that comes back from elsewhere",
            back: "?code=c&state=other",
            cause: &["the answer to another question"],
            ..WORKS
        },
        Authority {
            what: "a user who says no",
            back: "?error=access_denied&error_description=no&state={state}",
            cause: &["access_denied no"],
            ..WORKS
        },
        Authority {
            what: "a browser that comes back from another authorization server",
            back: "?code=c&state={state}&iss=https%3A%2F%2Fevil.example",
            cause: &["from another authorization server"],
            ..WORKS
        },
        Authority {
            what: "a browser that comes back with nothing",
            back: "?state={state}",
            cause: &["without a code"],
            ..WORKS
        },
        Authority {
            what: "a code that is refused",
            token: (400, r#"{"error": "invalid_grant", "error_description": "the code has expired"}"#),
            cause: &["gives no token", "invalid_grant: the code has expired"],
            ..WORKS
        },
        Authority {
            what: "a token that cannot be read",
            token: (200, r#"{"token": 7}"#),
            cause: &["the token cannot be read"],
            ..WORKS
        },
        Authority {
            what: "an authorization server that fails",
            token: (503, "maintenance"),
            cause: &["gives no token", "status 503: maintenance"],
            ..WORKS
        },
    ]
}

/// The documents and endpoints; a request for anything else wants a token and takes none.
fn serve(authority: &Authority, request: &Request, reply: &mut Reply) {
    let origin = format!("http://{}", request.header("host").unwrap_or_default());
    let with = |mut document: Value, change: &Option<(&'static str, Value)>| {
        if let Some((name, value)) = change {
            document[*name] =
                serde_json::from_str(&value.to_string().replace("{origin}", &origin)).expect("JSON");
        }
        document
    };
    match request.path.as_str() {
        "/.well-known/oauth-protected-resource/mcp" => {
            let document = json!({"resource": format!("{origin}/mcp"), "authorization_servers": [origin]});
            reply.json(200, &with(document, &authority.resource));
        }
        "/.well-known/oauth-authorization-server" => {
            let document = json!({
                "issuer": origin,
                "authorization_endpoint": format!("{origin}/authorize"),
                "token_endpoint": format!("{origin}/token"),
                "registration_endpoint": format!("{origin}/register"),
                "code_challenge_methods_supported": ["S256"],
            });
            reply.json(200, &with(document, &authority.issuer));
        }
        "/token" => reply.send(authority.token.0, &[("Content-Type", "application/json")], authority.token.1),
        "/register" => {
            reply.send(
                authority.registration.0,
                &[("Content-Type", "application/json")],
                authority.registration.1,
            );
        }
        "/mcp" => reply.send(401, &[("WWW-Authenticate", "Bearer")], ""),
        _ => reply.send(404, &[], ""),
    }
}

async fn inject(authority: Authority) -> ClientError {
    let back = authority.back;
    let server = Fixture::start(move |request, reply| serve(&authority, request, reply));
    let redirect = "http://127.0.0.1:1/callback";
    let oauth = OAuth::authorization_code(redirect, move |url: String| {
        let state = url.split("&state=").nth(1).and_then(|rest| rest.split('&').next()).unwrap_or_default();
        std::future::ready(Ok(format!("{redirect}{}", back.replace("{state}", state))))
    });
    Client::builder().authorize(oauth).connect(&*server.url).await.expect_err("the fault shows")
}

/// Gives the first token, and then fails or gives it again.
struct Rotating {
    fetched: AtomicU32,
    fails: bool,
}

impl TokenProvider for Rotating {
    fn fetch(&self) -> BoxFuture<'_, Result<Token, TokenError>> {
        Box::pin(async {
            if self.fetched.fetch_add(1, Ordering::Relaxed) > 0 && self.fails {
                let problem = "the session has ended; run `shop-login` again".to_owned();
                return Err(TokenError::Failed { place: "the program `shop-login`".to_owned(), problem });
            }
            Ok(Token::new(SECRET))
        })
    }
}

async fn rotated(fails: bool) -> ClientError {
    let server = Fixture::start(|request, reply| match request.method().as_str() {
        "tools/call" => reply.send(401, &[], "expired"),
        _ => modern(request, reply),
    });
    let mut spec = HttpSpec::new(&*server.url);
    spec.headers.set("Authorization", Template::bearer("shop"));
    let tokens = Tokens::new().with("shop", Rotating { fetched: AtomicU32::new(0), fails });
    let client = Client::builder().tokens(tokens).connect(spec).await.expect("the first token is good");
    client.call("echo", json!({"text": "hi"})).await.expect_err("the fault shows")
}

pub(super) fn faults() -> Vec<Fault> {
    let mut faults: Vec<_> = documents()
        .into_iter()
        .chain(answers())
        .map(|authority| fault(authority.what, Connect, authority.cause, NO_TOKEN, inject(authority)))
        .collect();
    faults.extend([
        fault("a browser that does not open", Connect, &["the user closed the window"], NO_TOKEN, async {
            let server = Fixture::start(|request, reply| serve(&WORKS, request, reply));
            let oauth = OAuth::authorization_code("http://127.0.0.1:1/callback", async |_| {
                Err("the user closed the window".to_owned())
            });
            Client::builder().authorize(oauth).connect(&*server.url).await.expect_err("the fault shows")
        }),
        fault("a token that is not accepted", Connect, &["status 401"], "get another one", async {
            let server = Fixture::start(|request, reply| serve(&WORKS, request, reply));
            let oauth = OAuth::client_credentials("id", SECRET);
            Client::builder().authorize(oauth).connect(&*server.url).await.expect_err("the fault shows")
        }),
        fault(
            "a rotated token that is refused too",
            Connect,
            &["status 401", "expired"],
            "get another one",
            rotated(false),
        ),
        fault(
            "a token that cannot be rotated",
            Connect,
            &["status 401", "`shop-login`", "run `shop-login` again"],
            NO_TOKEN,
            rotated(true),
        ),
    ]);
    faults
}
