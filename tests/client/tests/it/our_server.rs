//! Our own server, over both transports and in both eras.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::json;
use test_client::{Events, program};
use toolwright::Revision;
use toolwright_client::config::{ServerSpec, SseSpec, TransportSpec};
use toolwright_client::{Change, Changes, Client, ClientBuilder, ElicitationResponse, ErrorKind, ListedTool};

/// A server process over HTTP, and its URL. It is killed when the test ends.
struct Served(Child, String);

impl Served {
    fn start(transport: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_shop"))
            .arg(transport)
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut url = String::new();
        BufReader::new(child.stderr.take().expect("piped")).read_line(&mut url).expect("a line");
        Self(child, url.trim().to_owned())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

/// Runs a test over every transport, with the detected revision and with several requested ones.
async fn everywhere(test: impl AsyncFn(ClientBuilder, ServerSpec, bool)) {
    let (served, sockets) = (Served::start("http"), Served::start("ws"));
    let sse = SseSpec::new(served.1.replace("/mcp", "/sse"));
    for revision in
        [None, Some(Revision::V2024_11_05), Some(Revision::V2025_06_18), Some(Revision::V2025_11_25)]
    {
        for server in [
            program(env!("CARGO_BIN_EXE_shop"), &[]).into(),
            ServerSpec::from(&*served.1),
            ServerSpec::from(&*sockets.1),
            sse.clone().into(),
        ] {
            let builder = match revision {
                Some(revision) => Client::builder().revision(revision),
                None => Client::builder(),
            };
            let is_sse = matches!(server.transport, TransportSpec::Sse(_));
            Box::pin(test(builder, server, revision.is_none() && !is_sse)).await;
        }
    }
}

#[tokio::test]
async fn tools_are_listed_and_called() {
    everywhere(async |builder, server, is_modern| {
        let client = builder.strict().connect(server).await.unwrap();
        let about = client.server().await.unwrap();
        assert_eq!((about.name(), about.revision.is_modern()), (Some("test-client"), is_modern));
        let tools = client.list_tools().await.unwrap();
        let names: Vec<_> = tools.iter().map(ListedTool::name).collect();
        assert_eq!(names, ["add", "ask", "cancelled", "change", "fail", "slow"]);
        let sum = client.call("add", json!({"a": 1, "b": 2})).await.unwrap();
        assert!(sum.as_text().contains('3'), "{sum:?}");
        client.ping().await.unwrap();
        client.close().await;
        let closed = client.call("add", json!({"a": 1, "b": 2})).await.unwrap_err();
        assert!(closed.to_string().contains("is closed"), "{closed}");
    })
    .await;
}

#[tokio::test]
async fn failing_and_unknown_tools_are_distinguished() {
    everywhere(async |builder, server, _| {
        let client = builder.connect(server).await.unwrap();
        let failed = client.call("fail", json!({"reason": "sold out"})).await.unwrap();
        assert!(failed.is_error && failed.as_text() == "sold out");
        let missing = client.call("nothing", json!({})).await.unwrap_err();
        super::check(&missing, ErrorKind::Protocol, &["-32602", "nothing", "check the name"]);
        assert_eq!(missing.rpc().unwrap().code, -32602);
    })
    .await;
}

#[tokio::test]
async fn progress_is_reported_and_restarts_the_timeout() {
    everywhere(async |builder, server, _| {
        let client = builder.connect(server).await.unwrap();
        let mut seen = Vec::new();
        let call = client.call("slow", json!({"steps": 4, "step_ms": 100}));
        let call =
            call.timeout(Duration::from_millis(300)).on_progress(|progress| seen.push(progress.progress));
        assert_eq!(call.await.unwrap().as_text(), "done");
        assert_eq!(seen.last(), Some(&4.0), "{seen:?}");
    })
    .await;
}

#[tokio::test]
async fn a_dropped_call_is_cancelled() {
    everywhere(async |builder, server, _| {
        let client = builder.connect(server).await.unwrap();
        let count =
            async || client.call("cancelled", json!({})).await.unwrap().as_text().parse::<u32>().unwrap();
        let before = count().await;
        let slow = json!({"steps": 1, "step_ms": 60_000});
        let late = client.call("slow", &slow).timeout(Duration::from_millis(50)).await.unwrap_err();
        super::check(&late, ErrorKind::Timeout, &["50ms", "tools/call", "request_timeout"]);
        let dropped =
            tokio::time::timeout(Duration::from_millis(50), client.call("slow", &slow).into_future());
        assert!(dropped.await.is_err());
        for _ in 0..500 {
            if count().await >= before + 2 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("the calls were not cancelled");
    })
    .await;
}

#[tokio::test]
async fn input_requests_get_responses_in_both_eras() {
    everywhere(async |builder, server, _| {
        let builder =
            builder.on_elicitation(async |elicitation| ElicitationResponse::Accept(elicitation.defaults()));
        let client = builder.connect(server).await.unwrap();
        if client.server().await.unwrap().revision >= Revision::V2025_06_18 {
            assert_eq!(client.call("ask", ()).await.unwrap().as_text(), "blue");
        }
    })
    .await;
}

#[tokio::test]
async fn concurrent_calls_get_their_own_responses() {
    everywhere(async |builder, server, _| {
        let client = builder.connect(server).await.unwrap();
        let calls: Vec<_> = (0..200_i64)
            .map(|n| {
                let client = client.clone();
                tokio::spawn(async move { (n, client.call("add", json!({"a": n, "b": 1})).await.unwrap()) })
            })
            .collect();
        for call in calls {
            let (n, sum) = call.await.unwrap();
            assert!(sum.as_text().contains(&(n + 1).to_string()));
        }
    })
    .await;
}

#[tokio::test]
async fn changes_of_a_resource_are_reported() {
    everywhere(async |builder, server, is_modern| {
        let client = builder.connect(server).await.unwrap();
        let wanted = Changes::new().tools().resource("shop://stock");
        let mut changes = client.subscribe(wanted).await.unwrap();
        let honored = changes.honored().contains(&Change::Resource("shop://stock".to_owned()));
        assert!(honored, "{:?} {is_modern}", changes.honored());
        client.call("change", ()).await.unwrap();
        let change = tokio::time::timeout(Duration::from_secs(20), changes.next()).await.expect("a change");
        assert_eq!(change, Some(Change::Resource("shop://stock".to_owned())));
    })
    .await;
}

#[tokio::test]
async fn a_server_in_the_same_process_is_reached_over_streams() {
    let service = toolwright::Server::new(()).build().unwrap();
    let (client_end, server_end) = tokio::io::duplex(1024);
    let (reader, writer) = tokio::io::split(server_end);
    let serving =
        tokio::spawn(async move { service.serve(toolwright::transport::Lines::new(reader, writer)).await });
    let (reader, writer) = tokio::io::split(client_end);
    let client = Client::builder().connect_streams("here", reader, writer).await.unwrap();
    assert!(client.server().await.unwrap().revision.is_modern());
    assert!(client.list_tools().await.unwrap().is_empty());
    client.close().await;
    serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn watched_lists_report_what_was_added_and_removed() {
    for revision in [Revision::NEWEST, Revision::NEWEST_LEGACY] {
        let service = toolwright::Server::new(()).with_prompts().with_resources().build().unwrap();
        let (client_end, server_end) = tokio::io::duplex(1024);
        let (reader, writer) = tokio::io::split(server_end);
        let served = service.clone();
        tokio::spawn(async move { served.serve(toolwright::transport::Lines::new(reader, writer)).await });
        let (reader, writer) = tokio::io::split(client_end);
        let builder = Client::builder().revision(revision);
        let client = builder.connect_streams("here", reader, writer).await.unwrap();

        let mut prompts = client.watch_prompts().await.unwrap();
        let mut resources = client.watch_resources().await.unwrap();
        let prompt = toolwright::Prompt::new("greet");
        service
            .add_prompt(prompt, || std::future::ready(toolwright::prompt::PromptMessage::user("hi")))
            .unwrap();
        let resource = toolwright::Resource::new("shop://menu", "menu");
        service.add_resource(resource, || std::future::ready("soup")).unwrap();
        let wait = Duration::from_secs(20);
        let change = tokio::time::timeout(wait, prompts.changed()).await.expect("in time").unwrap();
        assert_eq!((change.added.len(), &*change.added[0].name), (1, "greet"), "{revision}");
        let change = tokio::time::timeout(wait, resources.changed()).await.expect("in time").unwrap();
        assert_eq!((change.added.len(), &*change.added[0].uri), (1, "shop://menu"), "{revision}");

        assert!(service.remove_prompt("greet"));
        let change = tokio::time::timeout(wait, prompts.changed()).await.expect("in time").unwrap();
        assert_eq!((change.removed.len(), &*change.removed[0].name), (1, "greet"), "{revision}");
        assert!(prompts.items().is_empty());
    }
}

#[tokio::test]
async fn elicitation_without_a_handler_is_an_error() {
    let events = Events::default();
    let client = events.builder().connect(program(env!("CARGO_BIN_EXE_shop"), &[])).await.unwrap();
    let error = client.call("ask", ()).await.unwrap_err();
    super::check(&error, ErrorKind::Protocol, &["-32021", "add a handler"]);
}
