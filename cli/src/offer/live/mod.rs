//! What a running server offers: a client that lists, and does nothing else.

mod http;
mod stdio;

use std::ffi::OsString;
use std::time::Duration;

use serde_json::{Map, Value, json};
use toolwright_core::revision::Revision;

use super::{LISTS, Offer};
use http::Http;
use stdio::Stdio;

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a server may take to start and to answer the first request; one that does not know it may stay silent
/// (2026-07-28, basic/transports/stdio "Backward Compatibility").
const PROBE: Duration = Duration::from_secs(5);
/// The longest message.
const MAX_MESSAGE: usize = 64 << 20;
/// How many pages a list may have.
const MAX_PAGES: usize = 1_000;

/// Starts a server, asks it, and ends it.
pub(super) fn over_stdio(words: &[OsString]) -> Result<Offer, String> {
    Client { wire: Wire::Stdio(Stdio::start(words)?), id: 0, era: Era::Unknown }.offer()
}

/// Asks a server over Streamable HTTP.
pub(super) fn over_http(url: &str) -> Result<Offer, String> {
    Client { wire: Wire::Http(Http::new(url)?), id: 0, era: Era::Unknown }.offer()
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
    fn offer(mut self) -> Result<Offer, String> {
        let introduction = self.meet()?;
        let mut offer = Offer {
            server: introduction.server.as_object().cloned().unwrap_or_default(),
            instructions: introduction.instructions,
            ..Offer::default()
        };
        for (list, key) in LISTS {
            let (method, capability) = match list {
                "resourceTemplates" => ("resources/templates/list", "resources"),
                "tools" => ("tools/list", "tools"),
                "prompts" => ("prompts/list", "prompts"),
                _ => ("resources/list", "resources"),
            };
            if introduction.capabilities.get(capability).is_some() {
                for page in self.pages(method, list)? {
                    offer.extend(list, key, page).map_err(|error| error.to_string())?;
                }
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

    /// All pages of a list (MAN-04).
    fn pages(&mut self, method: &str, list: &str) -> Result<Vec<Value>, String> {
        let mut pages = Vec::new();
        let mut cursors: Vec<Value> = Vec::new();
        loop {
            let mut params = Map::new();
            if let Some(cursor) = cursors.last() {
                params.insert("cursor".to_owned(), cursor.clone());
            }
            let result = self.result(method, params)?;
            pages.push(
                result
                    .get(list)
                    .cloned()
                    .ok_or_else(|| format!("`{method}` was answered without `{list}`"))?,
            );
            let Some(cursor) = result.get("nextCursor").filter(|cursor| !cursor.is_null()) else {
                return Ok(pages);
            };
            if cursors.contains(cursor) || cursors.len() >= MAX_PAGES {
                return Err(format!("the pages of `{method}` do not end"));
            }
            cursors.push(cursor.clone());
        }
    }

    fn result(&mut self, method: &str, params: Map<String, Value>) -> Result<Value, String> {
        let answer = self.request(method, params, PATIENCE)?;
        match (answer.get("result"), answer.get("error")) {
            (Some(result), _) => Ok(result.clone()),
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
        match &mut self.wire {
            Wire::Stdio(stdio) => stdio.request(&message, self.id, patience),
            Wire::Http(http) => http.request(&message, self.id, method, self.era == Era::Legacy),
        }
    }

    fn notify(&mut self, method: &str) -> Result<(), String> {
        let message = json!({"jsonrpc": "2.0", "method": method});
        match &mut self.wire {
            Wire::Stdio(stdio) => stdio.send(&message),
            Wire::Http(http) => http.notify(&message),
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
