//! Callers with API keys and with access tokens of other issuers, beside those with session tokens.

mod issuers;
mod keys;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use toolwright_client::config::{HttpSpec, ServerSpec};
use toolwright_client::{Client, ListedTool};
use toolwright_core::protocol::Revision;
use toolwright_gateway::Gateway;
use toolwright_gateway::callers::{CallerKeys, Callers, Issuers};
use toolwright_gateway::registry::{MemoryStore, Registry, RegistryStore};
use toolwright_gateway::tokens::{KeyRing, Permission, SessionRequest, SessionTokens};
use toolwright_server::auth::Protection;
use toolwright_server::{Http, HttpConfig, Server};

use crate::shop::Shop;

/// Two shops, `red` and `blue`, behind a gateway for callers of all kinds.
struct Stand {
    url: String,
    folder: tempfile::TempDir,
    tokens: Arc<SessionTokens>,
}

/// A response, with its head in lower case.
#[derive(Debug)]
struct Response {
    status: u16,
    head: String,
    body: Value,
}

impl Stand {
    /// Without issuers.
    async fn new() -> Self {
        Self::with(|_| json!({"issuers": []}), |_| ()).await
    }

    /// With the file of issuers for this URL.
    async fn with(
        issuers: impl FnOnce(&str) -> Value,
        on_reload: impl Fn(Result<(), &str>) + Send + Sync + 'static,
    ) -> Self {
        let shops = [("red", listen(&Shop::default())), ("blue", listen(&Shop::default()))];
        Self::before(shops, issuers, on_reload).await
    }

    /// In front of these servers.
    async fn before<const N: usize>(
        servers: [(&str, String); N],
        issuers: impl FnOnce(&str) -> Value,
        on_reload: impl Fn(Result<(), &str>) + Send + Sync + 'static,
    ) -> Self {
        let specs = servers.map(|(name, url)| ServerSpec::new(name, HttpSpec::new(url)));
        let gateway = Gateway::connect(specs, |_| Client::builder()).await.unwrap().by_scope();
        let http = Http::bind("127.0.0.1:0").unwrap().path("/mcp/gateway");
        let url = format!("http://{}/mcp/gateway", http.local_addr().unwrap());
        let folder = tempfile::tempdir().unwrap();
        let store: Arc<dyn RegistryStore> = Arc::new(MemoryStore::new());
        let registry = Registry::with_store(store).start();
        let tokens = Arc::new(SessionTokens::new(KeyRing::generate().unwrap(), &url));
        let stand = Self { url, folder, tokens };
        stand.write_issuers(&issuers(&stand.url));
        let callers = Callers::new()
            .sessions(registry.verifier(Arc::clone(&stand.tokens)))
            .keys(CallerKeys::open(stand.keys_file()).unwrap())
            .issuers(Issuers::open(stand.issuers_file(), &stand.url).unwrap().on_reload(on_reload));
        let protection = Protection::new(&stand.url, callers).unwrap();
        let service = Server::new(()).provider(gateway).provider(registry).build().unwrap();
        let http = http.config(HttpConfig::new().protect(protection));
        tokio::spawn(async move { service.serve(http).await });
        stand
    }

    fn keys_file(&self) -> PathBuf {
        self.folder.path().join("callers.json")
    }

    fn issuers_file(&self) -> PathBuf {
        self.folder.path().join("issuers.json")
    }

    fn write_issuers(&self, issuers: &Value) {
        std::fs::write(self.issuers_file(), issuers.to_string()).unwrap();
    }

    async fn client(&self, token: &str, revision: Revision) -> Client {
        let mut spec = HttpSpec::new(self.url.as_str());
        spec.headers.set("Authorization", format!("Bearer {token}"));
        Client::builder().revision(revision).connect(ServerSpec::new("gateway", spec)).await.unwrap()
    }

    /// A session token for everything.
    fn session(&self) -> String {
        self.tokens.mint(&SessionRequest::new("ada").permit(Permission::RunAll)).unwrap().token
    }

    /// Requests a list with a token.
    async fn list(&self, token: &str) -> Response {
        self.send("/mcp/gateway", Some(token)).await
    }

    /// Waits until a token is accepted, or no longer.
    async fn until(&self, token: &str, status: u16) {
        for _ in 0..500 {
            if self.list(token).await.status == status {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("the status never becomes {status}");
    }

    /// The servers whose tools a token sees.
    async fn servers_of(&self, token: &str) -> Vec<String> {
        let response = self.list(token).await;
        assert_eq!(response.status, 200, "{response:?}");
        let tools = response.body["result"]["tools"].as_array().unwrap().iter();
        let mut servers: Vec<String> =
            tools.map(|tool| tool["name"].as_str().unwrap().split("__").next().unwrap().to_owned()).collect();
        servers.sort();
        servers.dedup();
        servers
    }

    /// Sends `tools/list`, or without a token a request for a document.
    async fn send(&self, path: &str, token: Option<&str>) -> Response {
        let host = self.url.trim_start_matches("http://").split('/').next().unwrap();
        let meta = json!({"io.modelcontextprotocol/protocolVersion": Revision::NEWEST.as_str(),
            "io.modelcontextprotocol/clientCapabilities": {}});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}});
        let (verb, token, body) = match token {
            Some(token) => ("POST", format!("Authorization: Bearer {token}\r\n"), body.to_string()),
            None => ("GET", String::new(), String::new()),
        };
        let head = format!(
            "{verb} {path} HTTP/1.1\r\nHost: {host}\r\n{token}Content-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: {}\r\nMcp-Method: tools/list\r\n\
             Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
            Revision::NEWEST.as_str(),
            body.len()
        );
        let mut stream = TcpStream::connect(host).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let body = serde_json::from_str(body).unwrap_or_else(|_| Value::from(body));
        Response { status, head: head.to_ascii_lowercase(), body }
    }
}

impl Response {
    fn challenge(&self) -> &str {
        let line = self.head.lines().find_map(|line| line.strip_prefix("www-authenticate: "));
        line.unwrap_or_default()
    }
}

fn listen(shop: &Shop) -> String {
    let http = Http::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", http.local_addr().unwrap());
    let service = shop.service();
    tokio::spawn(async move { service.serve(http).await });
    url
}

async fn names(client: &Client) -> Vec<String> {
    client.list_tools().await.unwrap().iter().map(ListedTool::name).map(str::to_owned).collect()
}

/// A caller of `red` uses it in every way, and nothing of `blue`.
async fn uses_red_alone(client: &Client, others: &Client) {
    let tools = names(client).await;
    assert!(!tools.is_empty() && tools.iter().all(|tool| tool.starts_with("red__")), "{tools:?}");
    assert_eq!(client.call("red__echo", json!({"a": 1})).await.unwrap().as_text(), r#"{"a":1}"#);
    let hidden = client.call("blue__echo", json!({})).await.unwrap_err().to_string();
    let unknown = client.call("teal__echo", json!({})).await.unwrap_err().to_string();
    assert_eq!(hidden.replace("blue", "teal"), unknown);
    let prompts = client.list_prompts().await.unwrap();
    assert!(!prompts.is_empty() && prompts.iter().all(|prompt| prompt.name.starts_with("red__")));
    assert!(client.get_prompt("red__greet", json!({"name": "Ada"})).await.is_ok());
    assert!(client.get_prompt("blue__greet", json!({"name": "Ada"})).await.is_err());
    let uri = client.list_resources().await.unwrap()[0].uri.clone();
    assert!(client.read_resource(&uri).await.is_ok());
    uses_nothing(others, &uri).await;
}

/// A caller without a scope sees empty lists, and what it names does not exist.
async fn uses_nothing(client: &Client, uri: &str) {
    assert!(names(client).await.is_empty());
    assert!(client.list_prompts().await.unwrap().is_empty());
    assert!(client.list_resources().await.unwrap().is_empty());
    let hidden = client.call("red__echo", json!({})).await.unwrap_err().to_string();
    let unknown = client.call("teal__echo", json!({})).await.unwrap_err().to_string();
    assert_eq!(hidden.replace("red", "teal"), unknown);
    assert!(client.get_prompt("red__greet", json!({"name": "Ada"})).await.is_err());
    assert!(client.read_resource(uri).await.is_err());
}
