//! Credentials from their registration to the worker and the server that use them, and nowhere else.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use toolwright_client::config::Secret;
use toolwright_client::{Client, ListedTool};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::result::{ToolError, ToolResult};
use toolwright_gateway::Worker;
use toolwright_gateway::calls::{CallBus, MemoryBus};
use toolwright_gateway::registry::{
    Entry, MemoryStore, RUN_TTL, RegisterError, Registry, RegistryStore, RunId, StoreError,
};
use toolwright_gateway::secrets::{MasterKeys, SecretError, SecretStore};
use toolwright_gateway::tokens::{KeyRing, SessionRequest, SessionTokens};
use toolwright_gateway::worker::{CredentialError, Credentials};
use toolwright_server::auth::{Access, ApiKeys, Protection};
use toolwright_server::{BoxFuture, Context, Http, HttpConfig, Outcome, Provider, Server, ToolRequest};

const CANARY: &str = "s3cret-canary-of-the-component";
const HEADER: &str = "s3cret-canary-of-the-header-0123";

/// What happened in a handler that wanted its credential.
#[derive(Clone, Default)]
struct Vendor(Arc<Mutex<Vec<Result<String, CredentialError>>>>);

impl Provider for Vendor {
    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        ["lookup", "leak", "fail"].map(|name| ToolDefinition::new(name, json!({"type": "object"}))).into()
    }

    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, cx: &'a Context) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            let credentials = Credentials::of(cx).expect("the worker has credentials");
            let opened = credentials.open("apiKey").await;
            let shown = opened.as_ref().map(|value| value.expose_str().unwrap().to_owned());
            let (text, shown) = (shown.clone().unwrap_or_default(), shown.map_err(Clone::clone));
            let failed = shown.as_ref().err().map(ToString::to_string);
            self.0.lock().unwrap().push(shown);
            let result = match (request.name, failed) {
                (_, Some(why)) => Err(ToolError::new(why)),
                ("leak", _) => Ok(ToolResult::text(format!("{credentials:?} {opened:?} {text} \" {text}"))),
                ("fail", _) => Err(ToolError::new(text)),
                _ => Ok(ToolResult::text("found")),
            };
            result.unwrap_or_else(ToolResult::from).into()
        })
    }
}

/// A gateway with keys, a worker with the same, and a client of the run.
struct Stand {
    registry: Registry,
    vendor: Vendor,
    url: String,
    tokens: Arc<SessionTokens>,
}

fn run() -> RunId {
    RunId::new(Some("acme"), "run-1")
}

impl Stand {
    async fn new(
        store: Arc<dyn RegistryStore>,
        secrets: Arc<dyn SecretStore>,
        bus: Arc<dyn CallBus>,
        worker_keys: Option<MasterKeys>,
    ) -> Self {
        let keys = MasterKeys::generate().unwrap();
        let registry = Registry::with_store(Arc::clone(&store))
            .shared_bus(Arc::clone(&bus))
            .credentials(Arc::clone(&secrets), keys.clone())
            .start();
        let http = Http::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/mcp", http.local_addr().unwrap());
        let tokens = Arc::new(SessionTokens::new(KeyRing::generate().unwrap(), &url));
        let protection = Protection::new(&url, registry.verifier(Arc::clone(&tokens))).unwrap();
        let front = Server::new(()).provider(registry.clone()).build().unwrap();
        let http = http.config(HttpConfig::new().protect(protection));
        tokio::spawn(async move { front.serve(http).await });
        let vendor = Vendor::default();
        let service = Server::new(()).provider(vendor.clone()).build().unwrap();
        let worker = Worker::new(bus, "p", service).credentials(secrets, worker_keys.unwrap_or(keys));
        tokio::spawn(worker.run());
        store.open(&run(), RUN_TTL).await.unwrap();
        Self { registry, vendor, url, tokens }
    }

    async fn in_memory() -> Self {
        let store = Arc::new(MemoryStore::new());
        Self::new(Arc::clone(&store) as _, store, Arc::new(MemoryBus::new()), None).await
    }

    async fn register(&self, node: &str, credentials: Option<&[(&str, &str)]>) -> Result<u64, RegisterError> {
        let entry = Entry::component(node, "p", ToolDefinition::new(node, json!({"type": "object"})));
        self.registry.register(&run(), entry, credentials.map(map)).await
    }

    async fn client(&self, nodes: &[&str]) -> Client {
        let epoch = self.registry.store().state("run-1", None).await.unwrap().unwrap().epoch;
        let nodes = toolwright_gateway::Selection::only(nodes.iter().copied());
        let request = SessionRequest::new("agent").run(Some("acme"), "run-1", epoch).nodes(nodes);
        let mut spec = toolwright_client::config::HttpSpec::new(self.url.as_str());
        let token = self.tokens.mint(&request).unwrap().token;
        spec.headers.set("Authorization", format!("Bearer {token}"));
        let spec = toolwright_client::config::ServerSpec::new("gateway", spec);
        Client::builder().connect(spec).await.unwrap()
    }

    /// Calls a tool as soon as there is a worker.
    async fn call(&self, tool: &str) -> String {
        let client = self.client(&[tool]).await;
        for _ in 0..500 {
            match client.call(tool, json!({})).await {
                Err(error) if error.to_string().contains("worker") => {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
                result => return format!("{:?}", result.unwrap()),
            }
        }
        panic!("there is no worker");
    }

    fn opened(&self) -> Result<String, CredentialError> {
        self.vendor.0.lock().unwrap().last().unwrap().clone()
    }
}

fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, Secret> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), Secret::new(*value))).collect()
}

async fn a_worker_opens_what_was_registered(stand: &Stand) {
    stand.register("lookup", Some(&[("apiKey", CANARY)])).await.unwrap();
    assert!(stand.call("lookup").await.contains("found"));
    assert_eq!(stand.opened().unwrap(), CANARY);
    // It is bound, so that no caller gives another one.
    let client = stand.client(&["lookup"]).await;
    let refused = client.call("lookup", json!({"apiKey": "mine"})).await.unwrap();
    assert!(refused.is_error && refused.as_text().contains("`apiKey`"), "{refused:?}");
    for tool in ["leak", "fail"] {
        stand.register(tool, Some(&[("apiKey", CANARY)])).await.unwrap();
        let result = stand.call(tool).await;
        assert!(result.contains("[secret]") && !result.contains(CANARY), "{result}");
    }
    let report = serde_json::to_string(&stand.registry.report("run-1").await.unwrap()).unwrap();
    assert!(!report.contains(CANARY), "{report}");
}

#[tokio::test]
async fn workers_open_credentials_in_memory() {
    a_worker_opens_what_was_registered(&Stand::in_memory().await).await;
}

#[cfg(feature = "redis")]
#[tokio::test]
async fn credentials_are_nowhere_in_redis() {
    use toolwright_gateway::redis::{RedisBus, RedisStore};

    use crate::redis_server::{Keeps, RedisServer};
    let server = RedisServer::start(Keeps::Nothing);
    let store = RedisStore::connect(&server.url()).await.unwrap();
    let secrets = Arc::new(store.secrets());
    let bus = RedisBus::connect(&server.url()).await.unwrap();
    let stand = Stand::new(Arc::new(store), secrets, Arc::new(bus), None).await;
    a_worker_opens_what_was_registered(&stand).await;
    a_header_reaches_its_server(&stand).await;
    let kept = server.dump();
    assert!(kept.contains("\"apiKey\"") && kept.contains("\"Authorization\""), "{kept}");
    assert!(!kept.contains(CANARY) && !kept.contains(HEADER), "{kept}");
}

async fn a_header_reaches_its_server(stand: &Stand) {
    let http = Http::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", http.local_addr().unwrap());
    let keys = ApiKeys::new().key("gateway", HEADER, [""; 0]).unwrap();
    let protection = Protection::new(&url, keys).unwrap();
    let behind = Server::new(()).provider(Vendor::default()).build().unwrap();
    let http = http.config(HttpConfig::new().protect(protection));
    tokio::spawn(async move { behind.serve(http).await });
    let entry = Entry::remote("files", url);
    let value = format!("Bearer {HEADER}");
    let credentials = Some(map(&[("Authorization", value.as_str())]));
    stand.registry.register(&run(), entry.clone(), credentials).await.unwrap();
    let sees = async |tool: &str| {
        for _ in 0..500 {
            // A client keeps a list for a while.
            let tools = stand.client(&["files"]).await.list_tools().await.unwrap();
            if tools.iter().map(ListedTool::name).any(|name| name == tool) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{tool} is not there");
    };
    sees("files__lookup").await;
    // As in BerriAI/litellm#28924: what was read, changed and sent back leaves the credential as it is.
    for credentials in
        [None, Some(map(&[("Authorization", "****")])), Some(map(&[("Authorization", "Bearer ****")]))]
    {
        stand.registry.register(&run(), entry.clone(), credentials).await.unwrap();
        let snapshot = stand.registry.store().snapshot("run-1").await.unwrap().unwrap();
        let kept = snapshot.entries.iter().find(|entry| entry.node == "files").unwrap();
        assert!(kept.sealed.contains("Authorization"), "{kept:?}");
        assert!(!format!("{kept:?}").contains(HEADER));
        sees("files__lookup").await;
    }
}

#[tokio::test]
async fn sealed_headers_reach_their_server() {
    a_header_reaches_its_server(&Stand::in_memory().await).await;
}

// As in Extra-Chill/data-machine#3503: what does not open is an error, and is never used as it is.
#[tokio::test]
async fn a_worker_with_another_key_gets_an_error() {
    let store = Arc::new(MemoryStore::new());
    let other = Some(MasterKeys::generate().unwrap());
    let stand = Stand::new(Arc::clone(&store) as _, store, Arc::new(MemoryBus::new()), other).await;
    stand.register("lookup", Some(&[("apiKey", CANARY)])).await.unwrap();
    let result = stand.call("lookup").await;
    assert!(result.contains("cannot be used") && !result.contains(CANARY), "{result}");
    let error = stand.opened().unwrap_err();
    assert!(
        matches!(error, CredentialError::Sealed { source: SecretError::UnknownKey { .. }, .. }),
        "{error}"
    );

    stand.register("fail", Some(&[])).await.unwrap();
    stand.call("fail").await;
    assert!(matches!(stand.opened().unwrap_err(), CredentialError::Missing { .. }));
}

#[tokio::test]
async fn credentials_that_cannot_be_used_are_refused() {
    let stand = Stand::in_memory().await;
    for value in ["", "changeme", "${KEY}", "****", "Bearer ****", "[secret]"] {
        let error = stand.register("lookup", Some(&[("apiKey", value)])).await.unwrap_err();
        assert!(matches!(error, RegisterError::Invalid { .. }), "{value:?}: {error}");
    }
    let wrong = stand.register("a b", Some(&[("apiKey", CANARY)])).await.unwrap_err();
    assert!(matches!(wrong, RegisterError::Store(StoreError::Invalid(_))), "{wrong}");
    for (name, value) in [("a b", CANARY), ("X-Key", "two\nlines-of-text"), ("authorization", CANARY)] {
        let mut entry = Entry::remote("files", "https://files.example/mcp");
        if let toolwright_gateway::registry::Backend::Remote { headers, .. } = &mut entry.backend {
            headers.insert("Authorization".to_owned(), "x".to_owned());
        }
        let error = stand.registry.register(&run(), entry, Some(map(&[(name, value)]))).await.unwrap_err();
        assert!(!error.to_string().contains(value), "{error}");
    }
    // Without a master key, nothing is stored.
    let bare = Registry::builder(MemoryStore::new()).start();
    bare.store().open(&run(), RUN_TTL).await.unwrap();
    let entry = Entry::remote("files", "https://files.example/mcp");
    let error = bare.register(&run(), entry, Some(map(&[("X-Key", CANARY)]))).await.unwrap_err();
    assert!(error.to_string().contains("openssl rand"), "{error}");
}
