//! The table of what a proxy forwards: each scenario in each cell. A cell is the revision in front, the revision behind
//! and the transport of both; a failure names its cell and its scenario.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tokio::time::timeout;
use toolwright_client::{
    Change, Changes, Client, ClientBuilder, Elicitation, ElicitationResponse, Event, ListedTool, Root,
};
use toolwright_core::protocol::{CompleteParams, ListKind, Revision};
use toolwright_gateway::Proxy;
use toolwright_server::{BoxFuture, Server, Service};

use crate::shop::{Listening, Shop, TOOLS, client, listen, until};

const LIMIT: Duration = Duration::from_secs(20);

#[derive(Clone, Copy)]
enum Wire {
    /// Lines, as over stdio.
    Lines,
    Http,
}

#[derive(Clone, Copy)]
struct Cell {
    before: Revision,
    behind: Revision,
    wire: Wire,
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wire = match self.wire {
            Wire::Lines => "lines",
            Wire::Http => "HTTP",
        };
        write!(f, "{} in front of {} over {wire}", self.before, self.behind)
    }
}

impl Cell {
    fn all() -> Vec<Self> {
        let revisions = [Revision::NEWEST, Revision::NEWEST_LEGACY];
        let mut all = Vec::new();
        for wire in [Wire::Lines, Wire::Http] {
            for behind in revisions {
                all.extend(revisions.map(|before| Self { before, behind, wire }));
            }
        }
        all
    }

    /// A shop, and a proxy in front of it.
    async fn open(self) -> Bridge {
        let shop = Shop::default();
        let mut listening = Vec::new();
        let builder = Client::builder().revision(self.behind).relay_input_requests();
        let behind = self.connect(&shop.service(), builder, &mut listening).await;
        let proxy = Proxy::new(behind).await.unwrap();
        assert_eq!(proxy.instructions(), Some("Read the menu first."));
        let front = Server::new(()).name("front").version("1").provider(proxy).build().unwrap();
        Bridge { cell: self, shop, front, listening: Mutex::new(listening) }
    }

    async fn connect(self, service: &Service, builder: ClientBuilder, all: &mut Vec<Listening>) -> Client {
        match self.wire {
            Wire::Lines => client(service, builder).await,
            Wire::Http => {
                let listening = listen(service.clone());
                let connected = builder.connect(&*listening.url).await.unwrap();
                all.push(listening);
                connected
            }
        }
    }
}

struct Bridge {
    cell: Cell,
    shop: Shop,
    front: Service,
    listening: Mutex<Vec<Listening>>,
}

impl Bridge {
    fn builder(&self) -> ClientBuilder {
        Client::builder().revision(self.cell.before)
    }

    async fn client(&self, builder: ClientBuilder) -> Client {
        let mut listening = Vec::new();
        let client = self.cell.connect(&self.front, builder, &mut listening).await;
        self.listening.lock().unwrap().append(&mut listening);
        client
    }

    async fn plain(&self) -> Client {
        self.client(self.builder()).await
    }
}

type Scenario = fn(Bridge) -> BoxFuture<'static, ()>;

const SCENARIOS: [(&str, Scenario); 16] = [
    ("list", |bridge| Box::pin(list(bridge))),
    ("call, prompt, read, complete", |bridge| Box::pin(requests(bridge))),
    ("error and unknown members", |bridge| Box::pin(errors(bridge))),
    ("progress and log messages", |bridge| Box::pin(progress(bridge))),
    ("cancel", |bridge| Box::pin(cancel(bridge))),
    ("tool list changed", |bridge| Box::pin(changed_tools(bridge))),
    ("prompt and resource lists changed", |bridge| Box::pin(changed_lists(bridge))),
    ("resource updated", |bridge| Box::pin(updated_resource(bridge))),
    ("elicitation with a form", |bridge| Box::pin(elicit_form(bridge))),
    ("elicitation with a URL", |bridge| Box::pin(elicit_url(bridge))),
    ("declined and cancelled elicitation", |bridge| Box::pin(decline(bridge))),
    ("sampling", |bridge| Box::pin(sample(bridge))),
    ("roots", |bridge| Box::pin(list_roots(bridge))),
    ("input requests of several kinds", |bridge| Box::pin(several_inputs(bridge))),
    ("input that the client does not support", |bridge| Box::pin(unsupported_input(bridge))),
    ("input requests of a prompt and a resource", |bridge| Box::pin(input_of_features(bridge))),
];

#[tokio::test]
async fn every_scenario_holds_in_every_cell() {
    let mut failures = Vec::new();
    for cell in Cell::all() {
        for (name, scenario) in SCENARIOS {
            let running = tokio::spawn(async move { timeout(LIMIT, scenario(cell.open().await)).await });
            match running.await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => failures.push(format!("{cell}: {name}: it hangs")),
                Err(panic) => failures.push(format!("{cell}: {name}: {panic}")),
            }
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

async fn list(bridge: Bridge) {
    let client = bridge.plain().await;
    let tools = client.list_tools().await.unwrap();
    let names: Vec<_> = tools.iter().map(ListedTool::name).collect();
    assert_eq!(names, TOOLS);
    let echo = tools[1].to_value();
    assert_eq!(echo["inputSchema"]["x-vendor"], json!([1]), "{echo}");
    assert_eq!(echo["x-vendor"], json!({"kept": true}), "{echo}");
    let first = async |kind| client.entries(kind).await.unwrap().remove(0);
    assert_eq!(first(ListKind::Prompts).await["arguments"][0]["name"], "name");
    assert_eq!(first(ListKind::Resources).await["uri"], "shop://menu");
    assert_eq!(first(ListKind::ResourceTemplates).await["uriTemplate"], "shop://dishes/{name}");
}

async fn requests(bridge: Bridge) {
    let client = bridge.plain().await;
    let echoed = client.call("echo", json!({"a": [1.50, "ü"], "b": {}})).await.unwrap();
    assert_eq!(echoed.as_text(), r#"{"a":[1.5,"ü"],"b":{}}"#);
    let prompt = client.get_prompt("greet", json!({"name": "Ada"})).await.unwrap();
    assert_eq!(json!(prompt.messages[0])["content"]["text"], "Hello, Ada!");
    for (uri, text) in [("shop://menu", "soup"), ("shop://dishes/pie", "a pie")] {
        let read = client.read_resource(uri).await.unwrap();
        assert_eq!(json!(read.contents[0])["text"], text);
    }
    let params =
        json!({"ref": {"type": "ref/prompt", "name": "greet"}, "argument": {"name": "name", "value": "A"}});
    let params: CompleteParams = serde_json::from_value(params).unwrap();
    assert_eq!(client.complete(&params).await.unwrap().completion.values, ["Ada"]);
}

async fn errors(bridge: Bridge) {
    let client = bridge.plain().await;
    let failed = client.call("fail", ()).await.unwrap();
    assert!(failed.is_error && failed.as_text() == "sold out", "{failed:?}");
    let refused = client.call("refuse", ()).await.unwrap_err();
    let error = refused.rpc().unwrap();
    assert_eq!((error.code, &*error.message), (-31999, "closed"));
    assert_eq!(error.data.as_ref().unwrap().get(), r#"{"until":[9,1.5]}"#);
    let odd = client.call("odd", ()).await.unwrap();
    assert_eq!(odd.other["x-vendor"], json!({"a": [1.0, null]}), "{odd:?}");
    let meta = odd.meta.unwrap();
    assert_eq!(meta["shop/id"], 7);
    // What only a gateway writes is not forwarded.
    assert!(meta.keys().all(|key| !key.starts_with("io.toolwright.gateway/")), "{meta:?}");
    let missing = client.read_resource("shop://none").await.unwrap_err();
    assert_eq!(missing.rpc().unwrap().code, bridge.cell.before.resource_not_found_code(), "{missing}");
    let traced = client.call("trace", ()).meta("traceparent", &json!("00-1-2-01")).await.unwrap();
    assert_eq!(traced.as_text(), r#""00-1-2-01""#);
}

async fn progress(bridge: Bridge) {
    let logged = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&logged);
    let builder = bridge.builder().log_level("info").on_event(move |event| {
        if let Event::Log { original, logger, data, .. } = event {
            kept.lock().unwrap().push((original, logger, data));
        }
    });
    let (client, mut seen) = (bridge.client(builder).await, Vec::new());
    let call = client.call("slow", ()).on_progress(|report| seen.push((report.progress, report.message)));
    assert_eq!(call.await.unwrap().as_text(), "done");
    assert_eq!(seen.last(), Some(&(3.0, Some("working".to_owned()))), "{seen:?}");
    until("the log messages come", || logged.lock().unwrap().len() == 3).await;
    let expected = ("warning".to_owned(), Some("oven".to_owned()), json!({"step": 3}));
    assert_eq!(logged.lock().unwrap().last(), Some(&expected));
}

async fn cancel(bridge: Bridge) {
    let client = bridge.plain().await;
    let call = client.call("slow", json!({"ms": 60_000})).into_future();
    assert!(timeout(Duration::from_millis(50), call).await.is_err());
    until("the call is cancelled", || bridge.shop.cancelled() == 1).await;
    assert_eq!(client.call("echo", ()).await.unwrap().as_text(), "{}");
}

async fn changed_tools(bridge: Bridge) {
    let client = bridge.plain().await;
    let mut watch = client.watch_tools().await.unwrap();
    bridge.shop.grow();
    let change = watch.changed().await.unwrap();
    assert_eq!(change.added.iter().map(ListedTool::name).collect::<Vec<_>>(), ["further_0"]);
    assert_eq!(client.call("further_0", ()).await.unwrap().as_text(), "null");
}

async fn changed_lists(bridge: Bridge) {
    let client = bridge.plain().await;
    let mut changes = client.subscribe(Changes::new().prompts().resources()).await.unwrap();
    for (change, wanted) in
        [(Shop::change_prompts as fn(&Shop), Change::Prompts), (Shop::change_resources, Change::Resources)]
    {
        change(&bridge.shop);
        while changes.next().await.expect("the subscription goes on") != wanted {}
    }
}

async fn updated_resource(bridge: Bridge) {
    let client = bridge.plain().await;
    let mut kept = Vec::new();
    for uri in ["shop://menu", "shop://dishes/pie"] {
        let mut subscription = client.subscribe(Changes::new().resource(uri)).await.unwrap();
        // The server behind is told a moment later.
        let told = async {
            loop {
                bridge.shop.resource_updated(uri);
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::select! {
            change = subscription.next() => assert_eq!(change, Some(Change::Resource(uri.to_owned()))),
            () = told => {}
        }
        kept.push(subscription);
    }
}

/// A client that has everything that servers request.
fn answering(builder: ClientBuilder) -> ClientBuilder {
    builder
        .url_elicitation()
        .on_elicitation(|asked| {
            std::future::ready(match asked {
                Elicitation::Form { message, .. } => {
                    let answer = json!({"colour": format!("{message} blue")});
                    ElicitationResponse::Accept(answer.as_object().unwrap().clone())
                }
                Elicitation::Url { url, message, .. } => {
                    assert_eq!((&*url, &*message), ("https://example.com/login", "Log in."));
                    ElicitationResponse::Accept(serde_json::Map::new())
                }
                _ => ElicitationResponse::Cancel,
            })
        })
        .on_sampling(
            |_| std::future::ready(true),
            |request| {
                let text = request.params["messages"].to_string();
                assert!(text.contains("write"), "{text}");
                let content = json!({"type": "text", "text": "once"});
                std::future::ready(json!({"role": "assistant", "model": "m", "content": content}))
            },
        )
        .roots([Root::new("file:///work")])
}

async fn check_answer(bridge: Bridge, tool: &str, expected: &str) {
    let client = bridge.client(answering(bridge.builder())).await;
    let result = client.call(tool.to_owned(), ()).await.unwrap();
    assert_eq!((result.as_text().as_str(), result.is_error), (expected, false));
}

async fn elicit_form(bridge: Bridge) {
    check_answer(bridge, "ask", r#""Which colour? blue""#).await;
}

async fn elicit_url(bridge: Bridge) {
    check_answer(bridge, "open", "opened").await;
}

async fn sample(bridge: Bridge) {
    check_answer(bridge, "sample", "once").await;
}

async fn list_roots(bridge: Bridge) {
    check_answer(bridge, "roots", "file:///work").await;
}

async fn several_inputs(bridge: Bridge) {
    check_answer(bridge, "several", r#"file:///work once "Which colour? blue" opened"#).await;
}

async fn decline(bridge: Bridge) {
    for (response, expected) in
        [(ElicitationResponse::Decline, "Declined"), (ElicitationResponse::Cancel, "Cancelled")]
    {
        let builder = bridge.builder().url_elicitation();
        let respond = move |_| std::future::ready(response.clone());
        let client = bridge.client(builder.on_elicitation(respond)).await;
        for tool in ["ask", "open"] {
            assert_eq!(client.call(tool, ()).await.unwrap().as_text(), expected, "{tool}");
        }
    }
}

/// No revision lets a server request what the client has not declared. The call behind ends with the reason.
async fn unsupported_input(bridge: Bridge) {
    let client = bridge.plain().await;
    for (tool, reason) in [("ask", "elicit"), ("open", "elicit"), ("sample", "sampl"), ("roots", "roots")] {
        let (is_refused, text) = match client.call(tool, ()).await {
            Ok(result) => (result.is_error, result.as_text()),
            Err(error) => (error.rpc().is_some(), error.to_string()),
        };
        assert!(is_refused && text.contains(reason), "{tool}: {text}");
    }
    // A client with forms is not sent URLs.
    let forms = bridge.builder().on_elicitation(async |_| ElicitationResponse::Decline);
    let client = bridge.client(forms).await;
    let (is_refused, text) = match client.call("open", ()).await {
        Ok(result) => (result.is_error, result.as_text()),
        Err(error) => (error.rpc().is_some(), error.to_string()),
    };
    assert!(is_refused && text.contains("elicit"), "{text}");
    assert_eq!(client.call("echo", ()).await.unwrap().as_text(), "{}");
}

async fn input_of_features(bridge: Bridge) {
    let client = bridge.client(answering(bridge.builder())).await;
    let prompt = client.get_prompt("greet", json!({"name": "ask"})).await.unwrap();
    assert_eq!(json!(prompt.messages[0])["content"]["text"], r#"Hello, "For whom? blue"!"#);
    let read = client.read_resource("shop://dishes/ask").await.unwrap();
    assert_eq!(json!(read.contents[0])["text"], r#"a "For whom? blue""#);
}

#[test]
fn cells_and_scenarios_differ() {
    let named: std::collections::BTreeSet<String> = Cell::all().iter().map(Cell::to_string).collect();
    assert_eq!(named.len(), 8, "{named:?}");
    let scenarios: std::collections::BTreeSet<&str> = SCENARIOS.iter().map(|(name, _)| *name).collect();
    assert_eq!(scenarios.len(), SCENARIOS.len());
}
