//! Many servers behind one.

use std::future::ready;
use std::time::Duration;

use serde_json::{Value, json};
use toolwright_client::config::ServerSpec;
use toolwright_client::{Change, Changes, Client, ElicitationResponse, ErrorKind, ListedTool};
use toolwright_core::protocol::{CompleteParams, Revision};
use toolwright_gateway::{Gateway, GatewayError, MAX_SERVERS, UpstreamState};
use toolwright_server::{Http, Server, Service};

use crate::shop::{Shop, TOOLS, client, until};

/// Serves a shop over HTTP, at an address of its own.
pub(crate) fn listen(shop: &Shop) -> String {
    let http = Http::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", http.local_addr().unwrap());
    let service = shop.service();
    tokio::spawn(async move { service.serve(http).await });
    url
}

/// A port at which nothing listens.
fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

pub(crate) fn spec(name: &str, url: &str) -> ServerSpec {
    let mut spec = ServerSpec::from(url);
    name.clone_into(&mut spec.name);
    spec
}

pub(crate) async fn gateway(specs: impl IntoIterator<Item = ServerSpec>) -> Gateway {
    Gateway::connect(specs, |_| Client::builder()).await.unwrap()
}

pub(crate) fn front(gateway: &Gateway) -> Service {
    Server::new(()).name("front").version("1").provider(gateway.clone()).build().unwrap()
}

pub(crate) async fn names(client: &Client) -> Vec<String> {
    client.list_tools().await.unwrap().iter().map(|tool| tool.name().to_owned()).collect()
}

#[tokio::test]
async fn entries_are_named_after_their_server() {
    let (red, blue) = (Shop::default(), Shop::default());
    let service = front(&gateway([spec("red", &listen(&red)), spec("blue", &listen(&blue))]).await);
    for revision in [Revision::NEWEST, Revision::NEWEST_LEGACY] {
        let client = client(&service, Client::builder().revision(revision)).await;
        let tools = client.list_tools().await.unwrap();
        let echo = tools.iter().find(|tool| tool.name() == "blue__echo").unwrap().to_value();
        assert_eq!(echo["_meta"]["io.toolwright/server"], "blue", "{echo}");
        assert_eq!(echo["_meta"]["io.toolwright/name"], "echo", "{echo}");
        assert_eq!(echo["x-vendor"], json!({"kept": true}), "{echo}");
        assert_eq!(tools.iter().filter(|tool| tool.name().starts_with("red__")).count(), TOOLS.len());
        assert!(tools.iter().map(ListedTool::name).is_sorted());

        let echoed = client.call("red__echo", json!({"a": 1})).await.unwrap();
        assert_eq!(echoed.as_text(), r#"{"a":1}"#);
        let unknown = client.call("echo", ()).await.unwrap_err();
        assert!(unknown.to_string().contains("echo"), "{unknown}");

        let prompt = client.get_prompt("blue__greet", json!({"name": "Ada"})).await.unwrap();
        assert_eq!(json!(prompt.messages[0])["content"]["text"], "Hello, Ada!");
        let reference = json!({"type": "ref/prompt", "name": "red__greet"});
        let params = json!({"ref": reference, "argument": {"name": "name", "value": "A"}});
        let params: CompleteParams = serde_json::from_value(params).unwrap();
        assert_eq!(client.complete(&params).await.unwrap().completion.values, ["Ada"]);
    }
}

#[tokio::test]
async fn a_single_server_may_keep_its_names() {
    let (red, blue) = (Shop::default(), Shop::default());
    let one = [spec("red", &listen(&red))];
    let gateway = gateway(one.clone()).await.plain_names().unwrap();
    let client = client(&front(&gateway), Client::builder()).await;
    let tools = client.list_tools().await.unwrap();
    let echo = tools.iter().find(|tool| tool.name() == "echo").unwrap().to_value();
    assert_eq!(echo["_meta"]["io.toolwright/server"], "red", "{echo}");
    assert_eq!(tools.len(), TOOLS.len());
    assert_eq!(gateway.instructions().as_deref(), Some("Read the menu first."));
    assert_eq!(client.call("echo", json!({"a": 1})).await.unwrap().as_text(), r#"{"a":1}"#);
    let prompt = client.get_prompt("greet", json!({"name": "Ada"})).await.unwrap();
    assert_eq!(json!(prompt.messages[0])["content"]["text"], "Hello, Ada!");

    let two = [spec("red", &listen(&red)), spec("blue", &listen(&blue))];
    let error = gateway.apply(two.clone(), |_| Client::builder()).unwrap_err();
    assert!(matches!(error, GatewayError::PlainNames(2)), "{error}");
    assert!(client.call("echo", ()).await.is_ok(), "nothing has changed");
    let many = Gateway::connect(two, |_| Client::builder()).await.unwrap();
    assert!(matches!(many.plain_names(), Err(GatewayError::PlainNames(2))));
}

#[tokio::test]
async fn resources_keep_their_addresses() {
    let (red, blue) = (Shop::default(), Shop::default());
    let gateway = gateway([spec("red", &listen(&red)), spec("blue", &listen(&blue))]).await;
    let client = client(&front(&gateway), Client::builder()).await;
    let listed = client.list_resources().await.unwrap();
    assert_eq!(listed.iter().map(|resource| &*resource.uri).collect::<Vec<_>>(), ["shop://menu"]);
    for (uri, text) in [("shop://menu", "soup"), ("shop://dishes/pie", "a pie")] {
        let menu = client.read_resource(uri).await.unwrap();
        assert_eq!(json!(menu.contents[0])["text"], text);
    }
    let missing = client.read_resource("elsewhere://none").await.unwrap_err();
    assert_eq!(missing.rpc().unwrap().code, -32602, "{missing}");

    let mut changes = client.subscribe(Changes::new().resource("shop://menu")).await.unwrap();
    // The server behind is told a moment later.
    let told = async {
        loop {
            red.resource_updated("shop://menu");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let change = tokio::time::timeout(Duration::from_secs(10), async {
        tokio::select! {
            change = changes.next() => change,
            () = told => None,
        }
    });
    assert_eq!(change.await.unwrap(), Some(Change::Resource("shop://menu".to_owned())));
}

#[tokio::test]
async fn questions_reach_the_caller_of_each_server() {
    let shop = Shop::default();
    let service = front(&gateway([spec("red", &listen(&shop))]).await);
    for revision in [Revision::NEWEST, Revision::NEWEST_LEGACY] {
        let green = json!({"colour": "green"}).as_object().cloned().unwrap();
        let builder = Client::builder()
            .revision(revision)
            .on_elicitation(move |_| ready(ElicitationResponse::Accept(green.clone())));
        let client = client(&service, builder).await;
        let asked = client.call("red__ask", ()).await.unwrap();
        assert_eq!(asked.as_text(), "\"green\"", "{revision}");
    }
}

#[tokio::test]
async fn a_server_that_is_down_joins_when_it_is_up() {
    let shop = Shop::default();
    let port = free_port();
    let late = format!("http://127.0.0.1:{port}/mcp");
    let gateway = gateway([spec("red", &listen(&shop)), spec("late", &late)]).await;
    let client = client(&front(&gateway), Client::builder()).await;
    assert!(names(&client).await.iter().all(|name| name.starts_with("red__")));
    let status = gateway.status();
    let UpstreamState::Failed(why) = &status[1].state else { panic!("{status:?}") };
    assert!(why.contains("late") && why.contains("cannot be reached"), "{why}");

    let mut changes = client.subscribe(Changes::new().tools()).await.unwrap();
    let http = Http::bind(("127.0.0.1", port)).unwrap();
    let service = shop.service();
    tokio::spawn(async move { service.serve(http).await });
    let change = tokio::time::timeout(Duration::from_secs(10), changes.next()).await.unwrap();
    assert!(matches!(change, Some(Change::Tools)), "{change:?}");
    assert!(names(&client).await.contains(&"late__echo".to_owned()));
    assert_eq!(client.call("late__echo", json!({})).await.unwrap().as_text(), "{}");
}

#[tokio::test]
async fn a_required_server_that_is_down_is_an_error() {
    let mut needed = spec("needed", &format!("http://127.0.0.1:{}/mcp", free_port()));
    needed.required = true;
    let error = Gateway::connect([needed], |_| Client::builder()).await.unwrap_err();
    let GatewayError::Required(error) = error else { panic!("{error}") };
    assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
}

#[tokio::test]
async fn other_servers_are_taken_up_and_running_calls_end() {
    let (red, blue) = (Shop::default(), Shop::default());
    let (red_url, blue_url) = (listen(&red), listen(&blue));
    let gateway = gateway([spec("red", &red_url), spec("blue", &blue_url)]).await;
    let service = front(&gateway);
    let client = client(&service, Client::builder()).await;
    let running = tokio::spawn({
        let client = client.clone();
        async move { client.call("blue__slow", json!({"ms": 300})).await }
    });
    tokio::time::sleep(Duration::from_millis(200)).await;

    let same =
        gateway.apply([spec("red", &red_url), spec("blue", &blue_url)], |_| Client::builder()).unwrap();
    assert!(same.is_empty(), "{same:?}");
    let servers = [spec("red", &red_url), spec("green", &blue_url)];
    let applied = gateway.apply(servers, |_| Client::builder()).unwrap();
    assert_eq!((applied.added, applied.removed), (vec!["green".to_owned()], vec!["blue".to_owned()]));
    until("green is up", || matches!(gateway.status()[1].state, UpstreamState::Up)).await;
    until("its tools are there", || service.tools().iter().any(|tool| tool.name == "green__echo")).await;

    assert!(names(&client).await.iter().all(|name| !name.starts_with("blue__")));
    assert_eq!(running.await.unwrap().unwrap().as_text(), "done");
    assert_eq!(blue.cancelled(), 0);
}

#[tokio::test]
async fn names_that_clash_change_nothing() {
    let gateway = gateway([spec("red", &listen(&Shop::default()))]).await;
    let apply = |names: &[&str]| {
        let specs: Vec<_> = names.iter().map(|name| spec(name, "http://127.0.0.1:1/mcp")).collect();
        gateway.apply(specs, |_| Client::builder()).unwrap_err()
    };
    assert!(matches!(apply(&["one", "One"]), GatewayError::Duplicate(name) if name == "One"));
    assert!(matches!(apply(&["a__b"]), GatewayError::Name(_)));
    let many: Vec<_> = (0..=MAX_SERVERS).map(|number| format!("s{number}")).collect();
    let many: Vec<_> = many.iter().map(String::as_str).collect();
    assert!(matches!(apply(&many), GatewayError::TooMany(1_001)));
    assert_eq!(gateway.status().len(), 1);
    let client = client(&front(&gateway), Client::builder()).await;
    let echoed: Value =
        serde_json::from_str(&client.call("red__echo", json!({})).await.unwrap().as_text()).unwrap();
    assert_eq!(echoed, json!({}));
}
