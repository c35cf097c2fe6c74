//! An authorization server, and the MCP server that it protects, at one address.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;

use crate::http::{Fixture, Reply, Request, modern};

/// An authorization server that accepts each refresh token once (RFC 9700 §4.14.2), and the server that it protects.
#[derive(Debug, Default)]
pub struct Authority {
    /// How many tokens it issued; the last one is `t` with this number, its refresh token `r` with the same number.
    pub given: u32,
    /// How many clients have registered themselves.
    pub registered: u32,
    /// How many tokens were refreshed.
    pub refreshed: u32,
    /// How many refresh tokens were refused.
    pub refused: u32,
    /// Tokens up to this one are not accepted any more.
    pub revoked: u32,
    /// The requests for tokens, each with its header `Authorization`.
    pub asked: Vec<(String, String)>,
}

impl Authority {
    fn give(&mut self) -> String {
        self.given += 1;
        json!({"access_token": format!("t{}", self.given), "refresh_token": format!("r{}", self.given), "token_type": "Bearer"})
            .to_string()
    }

    fn accepts(&self, request: &Request) -> bool {
        let sent =
            request.header("authorization").and_then(|header| header.strip_prefix("Bearer t")?.parse().ok());
        sent.is_some_and(|number: u32| number > self.revoked && number <= self.given)
    }
}

/// Starts both; the server is at the address of the fixture.
pub fn start() -> (Arc<Mutex<Authority>>, Fixture) {
    let authority = Arc::new(Mutex::new(Authority::default()));
    let shared = Arc::clone(&authority);
    (authority, Fixture::start(move |request, reply| serve(&shared, request, reply)))
}

fn serve(authority: &Mutex<Authority>, request: &Request, reply: &mut Reply) {
    let origin = format!("http://{}", request.header("host").unwrap_or_default());
    let mut authority = authority.lock().unwrap_or_else(PoisonError::into_inner);
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
            authority.registered += 1;
            reply.json(201, &json!({"client_id": "c"}));
        }
        // A user who agrees at once.
        "/authorize" => {
            let value = |name: &str| {
                let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
                pairs.find(|(key, _)| *key == name).map(|(_, value)| value).unwrap_or_default()
            };
            let back = value("redirect_uri").replace("%3A", ":").replace("%2F", "/");
            let location = format!("{back}?code=c&state={}", value("state"));
            reply.send(302, &[("Location", &location)], "");
        }
        "/token" => {
            let form = String::from_utf8_lossy(&request.body).into_owned();
            let credentials = request.header("authorization").unwrap_or_default().to_owned();
            authority.asked.push((form.clone(), credentials));
            let last = format!("refresh_token=r{}", authority.given);
            if form.contains("grant_type=refresh_token") {
                if !form.split('&').any(|pair| pair == last) {
                    authority.refused += 1;
                    return reply.json(400, &json!({"error": "invalid_grant"}));
                }
                authority.refreshed += 1;
            }
            let given = authority.give();
            reply.send(200, &[("Content-Type", "application/json")], &given);
        }
        "/mcp" if authority.accepts(request) => {
            drop(authority);
            modern(request, reply);
        }
        _ => reply.send(401, &[("WWW-Authenticate", "Bearer")], ""),
    }
}
