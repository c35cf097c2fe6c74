//! An authorization server, and the MCP server that it protects, on the same port.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;

use crate::http::{Fixture, Reply, Request, modern};

/// The state of the authorization server, which accepts each refresh token once (RFC 9700 §4.14.2).
#[derive(Debug, Default)]
pub struct AuthorizationServer {
    /// The number of issued tokens. The last one is `token-N` with this number, and its refresh token `refresh-N`.
    pub issued: u32,
    /// The number of registered clients.
    pub registered: u32,
    /// The number of refreshed tokens.
    pub refreshed: u32,
    /// The number of rejected refresh tokens.
    pub rejected: u32,
    /// Tokens up to this number are revoked.
    pub revoked: u32,
    /// The bodies of the token requests, each with its `Authorization` header.
    pub token_requests: Vec<(String, String)>,
}

impl AuthorizationServer {
    fn issue(&mut self) -> String {
        self.issued += 1;
        json!({"access_token": format!("token-{}", self.issued), "refresh_token": format!("refresh-{}", self.issued), "token_type": "Bearer"})
            .to_string()
    }

    fn accepts(&self, request: &Request) -> bool {
        let sent = request
            .header("authorization")
            .and_then(|header| header.strip_prefix("Bearer token-")?.parse().ok());
        sent.is_some_and(|number: u32| number > self.revoked && number <= self.issued)
    }
}

/// Starts both servers; the protected server is at the URL of the fixture.
pub fn start() -> (Arc<Mutex<AuthorizationServer>>, Fixture) {
    let state = Arc::new(Mutex::new(AuthorizationServer::default()));
    let shared = Arc::clone(&state);
    (state, Fixture::start(move |request, reply| serve(&shared, request, reply)))
}

fn serve(state: &Mutex<AuthorizationServer>, request: &Request, reply: &mut Reply) {
    let origin = format!("http://{}", request.header("host").unwrap_or_default());
    let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    match path {
        "/.well-known/oauth-protected-resource/mcp" => {
            reply.json(200, &json!({"resource": format!("{origin}/mcp"), "authorization_servers": [origin]}));
        }
        "/.well-known/oauth-authorization-server" => reply.json(
            200,
            &json!({
                "issuer": origin,
                "authorization_endpoint": format!("{origin}/authorize"),
                "token_endpoint": format!("{origin}/token"),
                "registration_endpoint": format!("{origin}/register"),
                "code_challenge_methods_supported": ["S256"],
            }),
        ),
        "/register" => {
            state.registered += 1;
            reply.json(201, &json!({"client_id": "c"}));
        }
        // The user agrees immediately.
        "/authorize" => {
            let value = |name: &str| {
                let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
                pairs.find(|(key, _)| *key == name).map(|(_, value)| value).unwrap_or_default()
            };
            let redirect_uri = value("redirect_uri").replace("%3A", ":").replace("%2F", "/");
            let location = format!("{redirect_uri}?code=c&state={}", value("state"));
            reply.send(302, &[("Location", &location)], "");
        }
        "/token" => {
            let form = String::from_utf8_lossy(&request.body).into_owned();
            let credentials = request.header("authorization").unwrap_or_default().to_owned();
            state.token_requests.push((form.clone(), credentials));
            let last = format!("refresh_token=refresh-{}", state.issued);
            if form.contains("grant_type=refresh_token") {
                if !form.split('&').any(|pair| pair == last) {
                    state.rejected += 1;
                    return reply.json(400, &json!({"error": "invalid_grant"}));
                }
                state.refreshed += 1;
            }
            let token = state.issue();
            reply.send(200, &[("Content-Type", "application/json")], &token);
        }
        "/mcp" if state.accepts(request) => {
            drop(state);
            modern(request, reply);
        }
        _ => reply.send(401, &[("WWW-Authenticate", "Bearer")], ""),
    }
}
