//! What a proxy passes on, in both eras on both sides.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use toolwright_client::{Change, Changes, Client, Event, ListedTool};
use toolwright_core::protocol::{CompleteParams, ListKind};

use crate::shop::{client, everywhere, until};

#[tokio::test]
async fn lists_are_those_of_the_server_behind() {
    everywhere(async |_, service, revision| {
        let client = client(&service, Client::builder().revision(revision)).await;
        let tools = client.list_tools().await.unwrap();
        let names: Vec<_> = tools.iter().map(ListedTool::name).collect();
        assert_eq!(names, ["ask", "ask_twice", "echo", "fail", "odd", "open", "refuse", "slow", "trace"]);
        let echo = tools[2].to_value();
        assert_eq!(echo["inputSchema"]["x-vendor"], json!([1]), "{echo}");
        assert_eq!(echo["x-vendor"], json!({"kept": true}), "{echo}");
        let first = async |kind| client.entries(kind).await.unwrap().remove(0);
        assert_eq!(first(ListKind::Prompts).await["arguments"][0]["name"], "name");
        assert_eq!(first(ListKind::Resources).await["uri"], "shop://menu");
        assert_eq!(first(ListKind::ResourceTemplates).await["uriTemplate"], "shop://dishes/{name}");
    })
    .await;
}

#[tokio::test]
async fn requests_and_their_results_are_passed_on() {
    everywhere(async |_, service, revision| {
        let client = client(&service, Client::builder().revision(revision)).await;
        let echoed = client.call("echo", json!({"a": [1.50, "ü"], "b": {}})).await.unwrap();
        assert_eq!(echoed.as_text(), r#"{"a":[1.5,"ü"],"b":{}}"#);
        let prompt = client.get_prompt("greet", json!({"name": "Ada"})).await.unwrap();
        assert_eq!(json!(prompt.messages[0])["content"]["text"], "Hello, Ada!");
        for (uri, text) in [("shop://menu", "soup"), ("shop://dishes/pie", "a pie")] {
            let read = client.read_resource(uri).await.unwrap();
            assert_eq!(json!(read.contents[0])["text"], text);
        }
        let params = json!({"ref": {"type": "ref/prompt", "name": "greet"}, "argument": {"name": "name", "value": "A"}});
        let params: CompleteParams = serde_json::from_value(params).unwrap();
        assert_eq!(client.complete(&params).await.unwrap().completion.values, ["Ada"]);
    })
    .await;
}

#[tokio::test]
async fn failures_and_unknown_members_are_passed_on() {
    everywhere(async |_, service, revision| {
        let client = client(&service, Client::builder().revision(revision)).await;
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
        // What only a gateway says is not passed on.
        assert!(meta.keys().all(|key| !key.starts_with("io.toolwright.gateway/")), "{meta:?}");
        let missing = client.read_resource("shop://none").await.unwrap_err();
        assert_eq!(missing.rpc().unwrap().code, revision.resource_not_found_code(), "{missing}");
        let traced = client.call("trace", ()).meta("traceparent", &json!("00-1-2-01")).await.unwrap();
        assert_eq!(traced.as_text(), r#""00-1-2-01""#);
    })
    .await;
}

#[tokio::test]
async fn progress_and_log_messages_reach_the_caller() {
    everywhere(async |_, service, revision| {
        let logged = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&logged);
        let builder = Client::builder().revision(revision).log_level("info").on_event(move |event| {
            if let Event::Log { original, logger, data, .. } = event {
                kept.lock().unwrap().push((original, logger, data));
            }
        });
        let (client, mut seen) = (client(&service, builder).await, Vec::new());
        let call = client.call("slow", ()).on_progress(|report| seen.push((report.progress, report.message)));
        assert_eq!(call.await.unwrap().as_text(), "done");
        assert_eq!(seen.last(), Some(&(3.0, Some("working".to_owned()))), "{seen:?}");
        until("the log messages come", || logged.lock().unwrap().len() == 3).await;
        let expected = ("warning".to_owned(), Some("oven".to_owned()), json!({"step": 3}));
        assert_eq!(logged.lock().unwrap()[2], expected);
    })
    .await;
}

#[tokio::test]
async fn a_call_that_is_cancelled_is_cancelled_behind() {
    everywhere(async |shop, service, revision| {
        let client = client(&service, Client::builder().revision(revision)).await;
        let call = client.call("slow", json!({"ms": 60_000})).into_future();
        assert!(tokio::time::timeout(Duration::from_millis(50), call).await.is_err());
        until("the call is cancelled", || shop.cancelled() == 1).await;
        assert_eq!(client.call("echo", ()).await.unwrap().as_text(), "{}");
    })
    .await;
}

#[tokio::test]
async fn changes_behind_are_changes_in_front() {
    everywhere(async |shop, service, revision| {
        let client = client(&service, Client::builder().revision(revision)).await;
        let mut watch = client.watch_tools().await.unwrap();
        shop.grow();
        let change = watch.changed().await.unwrap();
        assert_eq!(change.added.iter().map(ListedTool::name).collect::<Vec<_>>(), ["further_0"]);
        assert!(client.call("further_0", ()).await.unwrap().as_text() == "null");
    })
    .await;
}

#[tokio::test]
async fn resources_are_watched_behind_while_they_are_in_front() {
    everywhere(async |shop, service, revision| {
        let client = client(&service, Client::builder().revision(revision)).await;
        let mut changes = Vec::new();
        for uri in ["shop://menu", "shop://dishes/pie"] {
            let mut subscription = client.subscribe(Changes::new().resource(uri)).await.unwrap();
            // The server behind is told a moment later.
            let told = async {
                loop {
                    shop.resource_updated(uri);
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            };
            tokio::select! {
                change = subscription.next() => assert_eq!(change, Some(Change::Resource(uri.to_owned()))),
                () = told => {}
            }
            changes.push(subscription);
        }
    })
    .await;
}

#[tokio::test]
async fn what_the_server_behind_lacks_is_not_declared() {
    let bare = toolwright_server::Server::new(()).build().unwrap();
    let behind = client(&bare, Client::builder().relay_input_requests()).await;
    let proxy = toolwright_gateway::Proxy::new(behind).await.unwrap();
    let service = toolwright_server::Server::new(()).provider(proxy).build().unwrap();
    let server = client(&service, Client::builder()).await.server().await.unwrap();
    let declared: Vec<&String> = server.capabilities.keys().collect();
    for lacking in ["prompts", "resources", "completions"] {
        assert!(!server.has(lacking), "{declared:?}");
    }
}

/// The answers to these messages, by a client that writes and reads lines.
async fn said(
    service: &toolwright_server::Service,
    messages: &[serde_json::Value],
) -> Vec<serde_json::Value> {
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (reader, writer) = tokio::io::split(theirs);
    let service = service.clone();
    tokio::spawn(async move { service.serve(toolwright_server::Lines::new(reader, writer)).await });
    let (reader, mut writer) = tokio::io::split(ours);
    let (mut lines, mut answers) = (BufReader::new(reader).lines(), Vec::new());
    for message in messages {
        writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
        if message.get("id").is_some() {
            answers.push(serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap());
        }
    }
    answers
}

// As in agentgateway/agentgateway#2982: clients without sessions in front of servers with sessions, and the other way round.
#[tokio::test]
async fn each_side_gets_the_members_of_its_revision() {
    use toolwright_core::protocol::Revision;

    let call = |id: u32, params: serde_json::Value| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
    let list = |params: serde_json::Value| json!({"jsonrpc": "2.0", "id": 9, "method": "tools/list", "params": params});
    let meta = json!({"io.modelcontextprotocol/protocolVersion": Revision::NEWEST.as_str(),
        "io.modelcontextprotocol/clientCapabilities": {}});
    let service = crate::shop::front(&crate::shop::Shop::default(), Revision::NEWEST_LEGACY).await;
    let modern = call(1, json!({"name": "echo", "arguments": {}, "_meta": meta}));
    let answers = said(&service, &[modern, list(json!({"_meta": meta}))]).await;
    assert_eq!(answers[0]["result"]["resultType"], "complete", "{answers:?}");
    assert!(
        answers[1]["result"]["ttlMs"].is_u64() && answers[1]["result"]["cacheScope"].is_string(),
        "{answers:?}"
    );

    let service = crate::shop::front(&crate::shop::Shop::default(), Revision::NEWEST).await;
    let params = json!({"protocolVersion": Revision::NEWEST_LEGACY.as_str(), "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"}});
    let initialize = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let echo = call(1, json!({"name": "echo", "arguments": {}}));
    let answers = said(&service, &[initialize, initialized, echo, list(json!({}))]).await;
    for answer in &answers[1..] {
        let result = answer["result"].as_object().unwrap();
        for member in ["resultType", "ttlMs", "cacheScope"] {
            assert!(!result.contains_key(member), "{answer}");
        }
    }
}
