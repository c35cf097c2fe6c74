//! A gateway whose callers see what their tokens admit.

use std::sync::Arc;

use serde_json::{Value, json};
use toolwright_client::config::{HttpSpec, ServerSpec};
use toolwright_client::{Client, ListedTool};
use toolwright_core::protocol::{CompleteParams, Revision};
use toolwright_gateway::registry::{MemoryStore, Registry, RegistryStore, Revocation};
use toolwright_gateway::tokens::{KeyRing, Permission, SessionRequest, SessionTokens};
use toolwright_gateway::{Gateway, Selection};
use toolwright_server::auth::Protection;
use toolwright_server::{Http, HttpConfig, Server};

use crate::shop::Shop;

struct Stand {
    url: String,
    tokens: Arc<SessionTokens>,
    store: Arc<MemoryStore>,
    blue: Shop,
}

/// Two shops behind a gateway that goes by scopes.
async fn stand() -> Stand {
    let blue = Shop::default();
    let shops = [("red", Shop::default()), ("blue", blue.clone())].map(|(name, shop)| {
        let http = Http::bind("127.0.0.1:0").unwrap();
        let spec = HttpSpec::new(format!("http://{}/mcp", http.local_addr().unwrap()));
        let service = shop.service();
        tokio::spawn(async move { service.serve(http).await });
        ServerSpec::new(name, spec)
    });
    let gateway = Gateway::connect(shops, |_| Client::builder()).await.unwrap().by_scope();
    let http = Http::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", http.local_addr().unwrap());
    let store = Arc::new(MemoryStore::new());
    let registry = Registry::with_store(Arc::clone(&store) as Arc<dyn RegistryStore>).start();
    let tokens = Arc::new(SessionTokens::new(KeyRing::generate().unwrap(), &url));
    let protection = Protection::new(&url, registry.verifier(Arc::clone(&tokens))).unwrap();
    let service = Server::new(()).provider(gateway).provider(registry).build().unwrap();
    let http = http.config(HttpConfig::new().protect(protection));
    tokio::spawn(async move { service.serve(http).await });
    Stand { url, tokens, store, blue }
}

impl Stand {
    async fn client(&self, request: SessionRequest, revision: Revision) -> Client {
        let mut spec = HttpSpec::new(self.url.as_str());
        let token = self.tokens.mint(&request).unwrap().token;
        spec.headers.set("Authorization", format!("Bearer {token}"));
        Client::builder().revision(revision).connect(ServerSpec::new("gateway", spec)).await.unwrap()
    }
}

fn caller() -> SessionRequest {
    SessionRequest::new("ada")
}

fn completion(prompt: &str) -> CompleteParams {
    let reference = json!({"type": "ref/prompt", "name": prompt});
    let params = json!({"ref": reference, "argument": {"name": "name", "value": "A"}});
    serde_json::from_value(params).unwrap()
}

// As in IBM/mcp-context-forge#1915: what one list hides, no other method shows, and its error is that of what does not exist.
#[tokio::test]
async fn every_method_keeps_to_the_scope() {
    let stand = stand().await;
    for revision in [Revision::NEWEST, Revision::NEWEST_LEGACY] {
        let red = stand.client(caller().nodes(Selection::only(["red"])), revision).await;
        let tools = red.list_tools().await.unwrap();
        assert!(!tools.is_empty() && tools.iter().all(|tool| tool.name().starts_with("red__")));
        assert_eq!(red.call("red__echo", json!({"a": 1})).await.unwrap().as_text(), r#"{"a":1}"#);
        let hidden = red.call("blue__echo", json!({})).await.unwrap_err().to_string();
        let unknown = red.call("teal__echo", json!({})).await.unwrap_err().to_string();
        assert_eq!(hidden.replace("blue", "teal"), unknown);

        let prompts = red.list_prompts().await.unwrap();
        assert!(!prompts.is_empty() && prompts.iter().all(|prompt| prompt.name.starts_with("red__")));
        assert!(red.get_prompt("red__greet", json!({"name": "Ada"})).await.is_ok());
        assert!(red.get_prompt("blue__greet", json!({"name": "Ada"})).await.is_err());
        assert!(red.complete(&completion("red__greet")).await.is_ok());
        assert!(red.complete(&completion("blue__greet")).await.is_err());

        let echo = stand.client(
            caller().nodes(Selection::only(["red", "blue"])).tools(Selection::only(["blue__echo"])),
            revision,
        );
        let echo = echo.await;
        let names: Vec<_> =
            echo.list_tools().await.unwrap().iter().map(ListedTool::name).map(str::to_owned).collect();
        assert_eq!(names, ["blue__echo"]);
        assert!(echo.call("red__echo", json!({})).await.is_err());
        assert!(echo.list_prompts().await.unwrap().is_empty(), "it names tools only");
        assert!(echo.list_resources().await.unwrap().is_empty());
        assert!(echo.get_prompt("blue__greet", json!({"name": "Ada"})).await.is_err());

        let nothing = stand.client(caller().nodes(Selection::only([] as [&str; 0])), revision).await;
        assert!(nothing.list_tools().await.unwrap().is_empty());
        assert!(nothing.list_resources().await.unwrap().is_empty());
        let uri = red.list_resources().await.unwrap()[0].uri.clone();
        assert!(red.read_resource(&uri).await.is_ok());
        assert!(nothing.read_resource(&uri).await.is_err());

        let everything = stand.client(caller().permit(Permission::RunAll), revision).await;
        assert!(everything.call("blue__echo", json!({})).await.is_ok());
    }
}

#[tokio::test]
async fn tokens_of_a_run_reach_no_server_of_the_configuration() {
    let stand = stand().await;
    let run = toolwright_gateway::registry::RunId::new(None, "r");
    let state = stand.store.open(&run, toolwright_gateway::registry::RUN_TTL).await.unwrap();
    let of_run = caller().run(None, "r", state.epoch).permit(Permission::RunAll);
    let client = stand.client(of_run, Revision::NEWEST).await;
    assert!(client.list_tools().await.unwrap().is_empty());
    assert!(client.list_resources().await.unwrap().is_empty());
    assert!(client.call("red__echo", json!({})).await.is_err());
    let revoked = caller().permit(Permission::RunAll);
    let client = stand.client(revoked, Revision::NEWEST).await;
    assert!(client.call("red__echo", json!({})).await.is_ok());
    let now = toolwright_gateway::Clock::default().now().as_secs();
    stand.store.revoke(&Revocation::Org(None, now)).await.unwrap();
    let error: Value = json!(client.call("red__echo", json!({})).await.unwrap_err().to_string());
    assert!(error.as_str().unwrap().contains("revoked"), "{error}");
}

// As in stacklok/toolhive#5749: what a server offers later is held to the scope as well.
#[tokio::test]
async fn tools_that_come_later_are_held_to_the_scope() {
    let stand = stand().await;
    for revision in [Revision::NEWEST, Revision::NEWEST_LEGACY] {
        let red = stand.client(caller().nodes(Selection::only(["red"])), revision).await;
        let one = caller().nodes(Selection::only(["blue"])).tools(Selection::only(["blue__echo"]));
        let (one, all) =
            (stand.client(one, revision).await, SessionRequest::new("ben").permit(Permission::RunAll));
        let all = stand.client(all, revision).await;
        let (mut told, mut untold) = (all.watch_tools().await.unwrap(), red.watch_tools().await.unwrap());
        let before = red.list_tools().await.unwrap().len();
        stand.blue.grow();
        let change = told.changed().await.unwrap();
        let added: Vec<&str> = change.added.iter().map(ListedTool::name).collect();
        assert!(added.len() == 1 && added[0].starts_with("blue__further_"), "{added:?}");
        let names: Vec<String> =
            one.list_tools().await.unwrap().iter().map(|tool| tool.name().to_owned()).collect();
        assert_eq!(names, ["blue__echo"]);
        assert!(one.call(added[0], ()).await.is_err());
        assert!(all.call(added[0], ()).await.is_ok());
        assert_eq!(red.list_tools().await.unwrap().len(), before);
        let silent = tokio::time::timeout(std::time::Duration::from_millis(100), untold.changed()).await;
        assert!(silent.is_err(), "{silent:?}");
    }
}
