//! What a running server offers: a client that lists, and does nothing else.

mod http;
mod limits;
mod stdio;

use std::collections::HashSet;
use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use toolwright_core::manifest::Kind;
use toolwright_core::revision::Revision;

use super::ServerDefinitions;
use http::Http;
use limits::{ANSWER, Budget, PROBE};
use stdio::Stdio;

/// Starts a server, asks it, and ends it; for no longer than `timeout`.
pub(super) fn over_stdio(words: &[OsString], timeout: Duration) -> Result<ServerDefinitions, String> {
    let budget = Arc::new(Budget::new(timeout));
    let wire = Wire::Stdio(Stdio::start(words, &budget)?);
    Client { wire, budget, id: 0, era: Era::Unknown }.offer()
}

/// Asks a server over Streamable HTTP, for no longer than `timeout`.
pub(super) fn over_http(url: &str, timeout: Duration) -> Result<ServerDefinitions, String> {
    let budget = Arc::new(Budget::new(timeout));
    let wire = Wire::Http(Http::new(url, &budget)?);
    Client { wire, budget, id: 0, era: Era::Unknown }.offer()
}

enum Wire {
    Stdio(Stdio),
    Http(Http),
}

/// How the server is spoken to.
#[derive(Debug, PartialEq, Eq)]
enum Era {
    Unknown,
    Modern,
    Legacy,
}

struct Client {
    wire: Wire,
    budget: Arc<Budget>,
    id: u64,
    era: Era,
}

/// What the server says about itself, in either era.
struct Introduction {
    server: Value,
    instructions: Option<String>,
    capabilities: Value,
}

impl Client {
    fn offer(mut self) -> Result<ServerDefinitions, String> {
        let introduction = self.meet()?;
        let mut offer = ServerDefinitions {
            server: introduction.server.as_object().cloned().unwrap_or_default(),
            instructions: introduction.instructions,
            ..ServerDefinitions::default()
        };
        for kind in Kind::ALL {
            // A list that the server does not offer is known to be empty.
            offer.kinds.insert(kind);
            let capability = if kind == Kind::ResourceTemplates { Kind::Resources } else { kind };
            if introduction.capabilities.get(capability.member()).is_some() {
                self.pages(kind, &mut offer)?;
            }
        }
        Ok(offer)
    }

    /// Finds out the era: the newest first, then the handshake (2026-07-28, basic/versioning "Backward Compatibility").
    fn meet(&mut self) -> Result<Introduction, String> {
        let probe = self.request("server/discover", Map::new(), PROBE);
        let probe = probe.ok().and_then(|answer| answer.get("result").cloned());
        if let Some(result) = probe.filter(|result| result.get("supportedVersions").is_some()) {
            self.era = Era::Modern;
            let server = result.get("_meta").and_then(|meta| meta.get("io.modelcontextprotocol/serverInfo"));
            return Ok(introduction(server, &result));
        }
        self.era = Era::Legacy;
        let params = json!({
            "protocolVersion": Revision::NEWEST_LEGACY.as_str(),
            "capabilities": {},
            "clientInfo": client_info(),
        });
        let params = params.as_object().cloned().unwrap_or_default();
        let result = self.result("initialize", params)?;
        if let Wire::Http(http) = &mut self.wire {
            http.agreed_on(result.get("protocolVersion").and_then(Value::as_str).unwrap_or_default());
        }
        self.notify("notifications/initialized")?;
        Ok(introduction(result.get("serverInfo"), &result))
    }

    /// Adds all pages of a list.
    fn pages(&mut self, kind: Kind, offer: &mut ServerDefinitions) -> Result<(), String> {
        let method = kind.method();
        let mut cursor: Option<Value> = None;
        // A page costs at least its cursor, so these take no more memory than pages may have bytes.
        let mut seen: HashSet<String> = HashSet::new();
        loop {
            let mut params = Map::new();
            params.extend(cursor.map(|cursor| ("cursor".to_owned(), cursor)));
            self.budget.turn()?;
            let mut result = self.result(method, params)?;
            let page = result.get_mut(kind.member()).map(Value::take);
            let page = page.ok_or_else(|| format!("`{method}` was answered without `{}`", kind.member()))?;
            offer.extend(kind, page).map_err(|error| error.to_string())?;
            match result.get_mut("nextCursor").map(Value::take) {
                None | Some(Value::Null) => return Ok(()),
                Some(next) if seen.insert(next.to_string()) => cursor = Some(next),
                Some(_) => return Err(format!("the pages of `{method}` do not end")),
            }
        }
    }

    fn result(&mut self, method: &str, params: Map<String, Value>) -> Result<Value, String> {
        let mut answer = self.request(method, params, ANSWER)?;
        match (answer.get_mut("result").map(Value::take), answer.get("error")) {
            (Some(result), _) => Ok(result),
            (None, Some(error)) => {
                let message = error.get("message").and_then(Value::as_str).unwrap_or("no message");
                Err(format!("`{method}` was answered with the error {message:?}"))
            }
            (None, None) => Err(format!("`{method}` was answered with neither a result nor an error")),
        }
    }

    fn request(
        &mut self,
        method: &str,
        mut params: Map<String, Value>,
        patience: Duration,
    ) -> Result<Value, String> {
        self.id += 1;
        if self.era != Era::Legacy {
            params.insert(
                "_meta".to_owned(),
                json!({
                    "io.modelcontextprotocol/protocolVersion": Revision::NEWEST.as_str(),
                    "io.modelcontextprotocol/clientInfo": client_info(),
                    "io.modelcontextprotocol/clientCapabilities": {},
                }),
            );
        }
        let message = json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params});
        let deadline = self.budget.deadline(patience);
        match &mut self.wire {
            Wire::Stdio(stdio) => stdio.request(&message, self.id, deadline),
            Wire::Http(http) => http.request(&message, self.id, method, self.era == Era::Legacy, deadline),
        }
    }

    fn notify(&mut self, method: &str) -> Result<(), String> {
        let message = json!({"jsonrpc": "2.0", "method": method});
        match &mut self.wire {
            Wire::Stdio(stdio) => stdio.send(&message),
            Wire::Http(http) => http.notify(&message, self.budget.deadline(ANSWER)),
        }
    }
}

fn introduction(server: Option<&Value>, result: &Value) -> Introduction {
    Introduction {
        server: server.cloned().unwrap_or_default(),
        instructions: result.get("instructions").and_then(Value::as_str).map(str::to_owned),
        capabilities: result.get("capabilities").cloned().unwrap_or_default(),
    }
}

fn client_info() -> Value {
    json!({"name": "cargo-mcp", "version": env!("CARGO_PKG_VERSION")})
}

/// Whether a message answers the request with this id.
fn answers(message: &Value, id: u64) -> bool {
    message.get("id") == Some(&Value::from(id)) && message.get("method").is_none()
}
