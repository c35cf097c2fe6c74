//! Agents and the tools of their runs, over HTTP.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use toolwright_client::config::{HttpSpec, ServerSpec};
use toolwright_client::{Client, ClientError};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::protocol::Revision;
use toolwright_gateway::registry::{
    Entry, MAX_ENTRIES, MemoryStore, RUN_TTL, Registry, RegistryBuilder, RegistryStore, Revocation, RunId,
    Status, StoreError,
};
use toolwright_gateway::tokens::{KeyRing, Permission, SessionRequest, SessionTokens};
use toolwright_gateway::{Clock, Selection};
use toolwright_server::auth::Protection;
use toolwright_server::{Http, HttpConfig, Server};

use crate::shop::Shop;

/// A gateway over a store of its own, and the tokens for it.
pub(crate) struct Stand {
    url: String,
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) tokens: Arc<SessionTokens>,
}

impl Stand {
    fn new() -> Self {
        Self::with(|registry| registry)
    }

    pub(crate) fn with(build: impl FnOnce(RegistryBuilder) -> RegistryBuilder) -> Self {
        let http = Http::bind("127.0.0.1:0").unwrap().path("/mcp/gateway");
        let url = format!("http://{}/mcp/gateway", http.local_addr().unwrap());
        let tokens = SessionTokens::new(KeyRing::generate().unwrap(), &url);
        Self::serve(http, tokens, build)
    }

    /// The same with another clock.
    pub(crate) fn with_clock(clock: &Clock) -> Self {
        let http = Http::bind("127.0.0.1:0").unwrap().path("/mcp/gateway");
        let url = format!("http://{}/mcp/gateway", http.local_addr().unwrap());
        let tokens = SessionTokens::new(KeyRing::generate().unwrap(), &url).clock(clock.clone());
        Self::serve(http, tokens, |registry| registry.clock(clock.clone()))
    }

    fn serve(
        http: Http,
        tokens: SessionTokens,
        build: impl FnOnce(RegistryBuilder) -> RegistryBuilder,
    ) -> Self {
        let url = format!("http://{}/mcp/gateway", http.local_addr().unwrap());
        let stand = Self { url, store: Arc::new(MemoryStore::new()), tokens: Arc::new(tokens) };
        stand.serve_at(http, build);
        stand
    }

    fn serve_at(&self, http: Http, build: impl FnOnce(RegistryBuilder) -> RegistryBuilder) {
        let registry = build(Registry::with_store(Arc::clone(&self.store) as Arc<dyn RegistryStore>)).start();
        let protection = Protection::new(&self.url, registry.verifier(Arc::clone(&self.tokens))).unwrap();
        let service = Server::new(()).provider(registry).build().unwrap();
        let http = http.config(HttpConfig::new().protect(protection));
        tokio::spawn(async move { service.serve(http).await });
    }

    /// Another gateway for the same tokens, over the same store.
    pub(crate) fn beside(&self) -> String {
        let http = Http::bind("127.0.0.1:0").unwrap().path("/mcp/gateway");
        let url = format!("http://{}/mcp/gateway", http.local_addr().unwrap());
        self.serve_at(http, |registry| registry);
        url
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) async fn open(&self, org: Option<&str>, run: &str) -> RunId {
        let run = RunId::new(org, run);
        self.store.open(&run, RUN_TTL).await.unwrap();
        run
    }

    /// A node with two tools, of a server that runs elsewhere.
    pub(crate) async fn register(&self, run: &RunId, node: &str) {
        self.store.register(run, Entry::remote(node, listen(&Shop::default()))).await.unwrap();
    }

    pub(crate) async fn token(&self, run: &RunId, nodes: &[&str]) -> String {
        let state = self.store.state(&run.run, None).await.unwrap().unwrap();
        let request = SessionRequest::new("agent").run(run.org.as_deref(), &run.run, state.epoch);
        self.tokens.mint(&request.nodes(Selection::only(nodes.iter().copied()))).unwrap().token
    }

    pub(crate) async fn client(&self, token: &str, revision: Revision) -> Result<Client, ClientError> {
        let mut spec = HttpSpec::new(self.url.as_str());
        spec.headers.set("Authorization", format!("Bearer {token}"));
        Client::builder().revision(revision).connect(ServerSpec::new("gateway", spec)).await
    }

    /// The names that a token sees, and the error where it sees nothing.
    async fn names(&self, token: &str) -> Result<Vec<String>, String> {
        let client = self.client(token, Revision::NEWEST).await.map_err(|error| error.to_string())?;
        let tools = client.list_tools().await.map_err(|error| error.to_string())?;
        Ok(tools.iter().map(|tool| tool.name().to_owned()).collect())
    }

    /// Waits until the token sees this tool.
    pub(crate) async fn sees(&self, token: &str, tool: &str) {
        until(async || self.names(token).await.is_ok_and(|names| names.iter().any(|name| name == tool)))
            .await;
    }
}

/// Waits until something holds.
async fn until(holds: impl AsyncFn() -> bool) {
    for _ in 0..500 {
        if holds().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it never holds");
}

fn listen(shop: &Shop) -> String {
    let http = Http::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", http.local_addr().unwrap());
    let service = shop.service();
    tokio::spawn(async move { service.serve(http).await });
    url
}

fn lookup(name: &str) -> ToolDefinition {
    let ip = json!({"type": "string"});
    ToolDefinition::new(name, json!({"type": "object", "properties": {"ip": ip}, "required": ["ip"]}))
}

#[tokio::test]
async fn agents_see_and_call_what_is_wired_to_them() {
    let stand = Stand::new();
    let run = stand.open(Some("acme"), "run-1").await;
    stand.register(&run, "red").await;
    stand.register(&run, "blue").await;
    let (red, both, none) = (
        stand.token(&run, &["red"]).await,
        stand.token(&run, &["red", "blue"]).await,
        stand.token(&run, &[]).await,
    );
    stand.sees(&both, "red__echo").await;
    stand.sees(&both, "blue__echo").await;
    for revision in [Revision::NEWEST, Revision::NEWEST_LEGACY] {
        let client = stand.client(&red, revision).await.unwrap();
        let tools = client.list_tools().await.unwrap();
        assert!(tools.iter().all(|tool| tool.name().starts_with("red__")), "{tools:?}");
        let echo = tools.iter().find(|tool| tool.name() == "red__echo").unwrap().to_value();
        assert_eq!(echo["_meta"]["io.toolwright/node"], "red");
        assert_eq!(client.call("red__echo", json!({"a": 1})).await.unwrap().as_text(), r#"{"a":1}"#);
        // As in github/gh-aw-mcpg#3332: hidden and unknown tools give the same error.
        let hidden = client.call("blue__echo", json!({"a": 1})).await.unwrap_err().to_string();
        let unknown = client.call("teal__echo", json!({"a": 1})).await.unwrap_err().to_string();
        assert_eq!(hidden.replace("blue", "teal"), unknown);
        for near in ["red__Echo", "red__echo ", "RED__echo"] {
            assert!(client.call(near, json!({})).await.is_err(), "{near}");
        }
    }
    assert_eq!(stand.names(&none).await.unwrap(), [] as [&str; 0]);
}

#[tokio::test]
async fn lists_grow_and_shrink_with_the_run() {
    let stand = Stand::new();
    let run = stand.open(None, "run-1").await;
    let token = stand.token(&run, &["late"]).await;
    let client = stand.client(&token, Revision::NEWEST).await.unwrap();
    assert!(client.list_tools().await.unwrap().is_empty());
    let mut watch = client.watch_tools().await.unwrap();
    stand.register(&run, "late").await;
    watch.changed().await.expect("a notification");
    stand.sees(&token, "late__echo").await;
    stand.store.remove(&run, "late").await.unwrap();
    until(async || stand.names(&token).await.unwrap().is_empty()).await;
    assert!(client.call("late__echo", json!({})).await.is_err());
}

#[tokio::test]
async fn tokens_are_good_for_their_run_only() {
    let stand = Stand::new();
    let (one, other) = (stand.open(Some("acme"), "one").await, stand.open(Some("evil"), "other").await);
    stand.register(&one, "shared").await;
    stand.register(&other, "shared").await;
    let token = stand.token(&one, &["shared"]).await;
    stand.sees(&token, "shared__echo").await;

    let epoch = stand.store.state("one", None).await.unwrap().unwrap().epoch;
    let request = |org, run: &str, epoch: &str| {
        SessionRequest::new("agent").run(org, run, epoch).nodes(Selection::only(["shared"]))
    };
    for (forged, why) in [
        (request(Some("evil"), "one", &epoch), "another organization"),
        (request(None, "one", &epoch), "another organization"),
        (request(Some("acme"), "one", "another epoch"), "revoked"),
        (request(Some("acme"), "gone", &epoch), "registry was lost"),
    ] {
        let forged = stand.tokens.mint(&forged).unwrap().token;
        let error = stand.names(&forged).await.unwrap_err();
        assert!(error.contains(why), "{error}");
    }
    // A token of no run reaches no run.
    let without = SessionRequest::new("agent").permit(Permission::RunAll);
    let without = stand.tokens.mint(&without).unwrap().token;
    assert_eq!(stand.names(&without).await.unwrap(), [] as [&str; 0]);
}

#[tokio::test]
async fn what_is_revoked_is_refused_at_once() {
    let stand = Stand::new();
    let run = stand.open(Some("acme"), "run-1").await;
    stand.register(&run, "red").await;
    let (first, second) = (stand.token(&run, &["red"]).await, stand.token(&run, &["red"]).await);
    stand.sees(&first, "red__echo").await;
    stand.sees(&second, "red__echo").await;
    let connected = stand.client(&second, Revision::NEWEST_LEGACY).await.unwrap();
    connected.call("red__echo", json!({})).await.unwrap();

    let id = stand.tokens.check(&first).unwrap().jti;
    stand.store.revoke(&Revocation::Token(id)).await.unwrap();
    assert!(stand.names(&first).await.unwrap_err().contains("revoked"));
    assert!(stand.names(&second).await.is_ok(), "the other one is still good");

    stand.store.revoke(&Revocation::Run(run.clone())).await.unwrap();
    let error = connected.call("red__echo", json!({})).await.unwrap_err().to_string();
    assert!(error.contains("revoked"), "{error}");
    let third = stand.token(&run, &["red"]).await;
    stand.sees(&third, "red__echo").await;

    let now = Clock::default().now().as_secs();
    stand.store.revoke(&Revocation::Org(Some("acme".to_owned()), now)).await.unwrap();
    assert!(stand.names(&third).await.unwrap_err().contains("revoked"));
}

#[tokio::test]
async fn calls_under_way_end_when_their_run_is_revoked() {
    let stand = Stand::new();
    let run = stand.open(Some("acme"), "run-1").await;
    stand.register(&run, "red").await;
    let token = stand.token(&run, &["red"]).await;
    stand.sees(&token, "red__echo").await;
    let client = stand.client(&token, Revision::NEWEST).await.unwrap();
    let call = tokio::spawn(async move { client.call("red__slow", json!({"ms": 10_000})).await });
    tokio::time::sleep(Duration::from_millis(200)).await;
    stand.store.revoke(&Revocation::Run(run)).await.unwrap();
    let error = call.await.unwrap().unwrap_err();
    assert!(error.to_string().contains("revoked"), "{error}");
    let data: Value = serde_json::from_str(error.rpc().unwrap().data.as_ref().unwrap().get()).unwrap();
    assert_eq!(data["kind"], "revoked");
}

#[tokio::test]
async fn nodes_that_cannot_be_offered_are_refused_or_left_out() {
    let stand = Stand::new();
    let run = stand.open(None, "r").await;
    let pending = Entry::component("slow", "p", lookup("slow")).with_status(Status::Pending);
    stand.store.register(&run, pending).await.unwrap();
    stand.store.register(&run, Entry::component("one", "p", lookup("same"))).await.unwrap();
    stand.store.register(&run, Entry::component("two", "p", lookup("same"))).await.unwrap();
    let token = stand.token(&run, &["one", "two", "slow"]).await;
    assert_eq!(stand.names(&token).await.unwrap(), ["same"]);
    // The newcomer has not taken the name over.
    let two = stand.token(&run, &["two"]).await;
    assert_eq!(stand.names(&two).await.unwrap(), [] as [&str; 0]);
    stand.store.register(&run, Entry::component("slow", "p", lookup("slow"))).await.unwrap();
    assert_eq!(stand.names(&token).await.unwrap(), ["same", "slow"]);

    let invalid = [
        Entry::component("", "p", lookup("t")),
        Entry::component("a b", "p", lookup("t")),
        Entry::component("n", "p", ToolDefinition::new("t", json!({"type": "string"}))),
        Entry::component("n", "p", lookup("t")).bind(["ip"]),
        Entry::remote("n", "file:///etc/passwd"),
        Entry::remote("n", "https://user:password@example.com"),
        Entry::remote("two__parts", "https://example.com"),
    ];
    for entry in invalid {
        let error = stand.store.register(&run, entry.clone()).await.unwrap_err();
        assert!(matches!(error, StoreError::Invalid(_)), "{entry:?}: {error}");
    }
    let other = RunId::new(Some("evil"), "r");
    let refused = stand.store.register(&other, Entry::remote("n", "https://example.com")).await;
    assert_eq!(refused, Err(StoreError::OtherOrganization("r".to_owned())));
    for number in 0..MAX_ENTRIES - 3 {
        let entry = Entry::component(format!("n{number}"), "p", lookup(&format!("t{number}")));
        stand.store.register(&run, entry).await.unwrap();
    }
    let full = stand.store.register(&run, Entry::component("more", "p", lookup("more"))).await;
    assert!(matches!(full, Err(StoreError::Full { limit: MAX_ENTRIES, .. })), "{full:?}");
}

#[tokio::test]
async fn calls_without_workers_say_so() {
    let stand = Stand::new();
    let run = stand.open(None, "r").await;
    let entry = Entry::component("abuse", "p", lookup("abuse")).bind(["apiKey"]);
    stand.store.register(&run, entry).await.unwrap();
    let token = stand.token(&run, &["abuse"]).await;
    let client = stand.client(&token, Revision::NEWEST).await.unwrap();
    let wrong = client.call("abuse", json!({"ip": 8})).await.unwrap();
    assert!(wrong.is_error && wrong.as_text().contains("/ip"), "{}", wrong.as_text());
    let bound = client.call("abuse", json!({"ip": "8.8.8.8", "apiKey": "mine"})).await.unwrap();
    assert!(bound.is_error && bound.as_text().contains("`apiKey`"), "{}", bound.as_text());
    assert!(!bound.as_text().contains("mine"));
    let error = client.call("abuse", json!({"ip": "8.8.8.8"})).await.unwrap_err();
    assert!(error.to_string().contains("no workers"), "{error}");
}
