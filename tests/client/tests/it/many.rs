//! Many servers at once.

use std::time::Duration;

use serde_json::json;
use test_client::http::{Fixture, modern};
use test_client::program;
use toolwright_client::config::{ConfigReader, ServerSpec, StdioSpec};
use toolwright_client::{Client, ClientError, Clients, ErrorKind};

fn shop(name: &str) -> ServerSpec {
    ServerSpec::new(name, program(env!("CARGO_BIN_EXE_shop"), &[]))
}

#[tokio::test]
async fn a_failing_server_does_not_affect_the_others() {
    let mut silent = shop("silent");
    silent.load_tools = false;
    let mut hanging = ServerSpec::new("hanging", super::faulty_server("hangs"));
    hanging.start_timeout = Duration::from_millis(300);
    let absent = ServerSpec::new("absent", StdioSpec::new("/no/such/program"));
    let servers = [shop("one"), absent, shop("two"), silent, hanging];
    let clients = Clients::connect(servers, |_| Client::builder()).await.unwrap();

    let offer = clients.list().await;
    let names: Vec<_> = offer.tools.iter().map(|tool| &*tool.name).collect();
    let tools = ["add", "ask", "cancelled", "change", "fail", "slow"];
    let expected: Vec<_> =
        ["one", "two"].iter().flat_map(|server| tools.map(|tool| format!("{server}__{tool}"))).collect();
    assert_eq!(names, expected);
    let mut failed: Vec<_> = offer.failures.iter().map(|failure| failure.server().to_owned()).collect();
    failed.sort();
    assert_eq!(failed, ["absent", "hanging"], "{:?}", offer.failures);

    for server in ["one", "two"] {
        let sum = clients.call(&format!("{server}__add"), json!({"a": 1, "b": 2})).await.unwrap();
        assert!(sum.as_text().contains('3'));
    }
    let missing = clients.call("silent__add", json!({})).await.unwrap_err();
    super::check(&missing, ErrorKind::Protocol, &["silent__add", "list the tools again"]);
    clients.close().await;
}

#[tokio::test]
async fn servers_of_a_file_are_connected_with_its_tokens() {
    let rotating = Fixture::start(|request, reply| match request.header("authorization") {
        Some("Bearer new") => modern(request, reply),
        _ => reply.send(401, &[], ""),
    });
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("token"), "new").unwrap();
    let (shop, token) = (env!("CARGO_BIN_EXE_shop"), folder.path().join("token"));
    let text = json!({
        "servers": {
            "shop": {"command": shop},
            "web": {"url": rotating.url, "headers": {"Authorization": "Bearer ${runtime:web}"}},
            "absent": {"command": "/no/such/program"},
        },
        "tokens": {"web": {"file": token}},
    });
    let config = ConfigReader::new().read_text("mcp.json", &text.to_string()).unwrap();
    let clients = Clients::from_config(&config, |_| Client::builder()).await.unwrap();
    let offer = clients.list().await;
    let names: Vec<_> = offer.tools.iter().map(|tool| &*tool.name).collect();
    assert!(names.contains(&"shop__add") && names.contains(&"web__echo"), "{names:?} {:?}", offer.failures);
    let failed: Vec<_> = offer.failures.iter().map(ClientError::server).collect();
    assert_eq!(failed, ["absent"], "{:?}", offer.failures);
    assert_eq!(clients.call("web__echo", json!({"text": "hi"})).await.unwrap().as_text(), "hi");
    clients.close().await;
}

#[tokio::test]
async fn a_required_server_that_fails_is_an_error() {
    let mut absent = ServerSpec::new("absent", StdioSpec::new("/no/such/program"));
    absent.required = true;
    let error = Clients::connect([shop("one"), absent], |_| Client::builder()).await.unwrap_err();
    super::check(&error, ErrorKind::Connect, &["absent"]);
}

#[tokio::test]
async fn ambiguous_names_are_rejected() {
    for servers in [vec![shop("a__b")], vec![shop("_a")], vec![shop("one"), shop("one")]] {
        let error = Clients::connect(servers, |_| Client::builder()).await.unwrap_err();
        super::check(&error, ErrorKind::Connect, &["name"]);
    }
}
