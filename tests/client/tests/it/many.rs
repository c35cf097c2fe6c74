//! Many servers at once.

use std::time::Duration;

use serde_json::json;
use test_client::program;
use toolwright_client::config::{ServerSpec, StdioSpec};
use toolwright_client::{Client, Clients, ErrorKind};

fn shop(name: &str) -> ServerSpec {
    ServerSpec::new(name, program(env!("CARGO_BIN_EXE_shop"), &[]))
}

#[tokio::test]
async fn servers_that_fail_leave_the_others_alone() {
    let mut silent = shop("silent");
    silent.load_tools = false;
    let mut hanging = ServerSpec::new("hanging", super::fx("hangs"));
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
async fn a_required_server_that_fails_is_an_error() {
    let mut absent = ServerSpec::new("absent", StdioSpec::new("/no/such/program"));
    absent.required = true;
    let refused = Clients::connect([shop("one"), absent], |_| Client::builder()).await.unwrap_err();
    super::check(&refused, ErrorKind::Connect, &["absent"]);
}

#[tokio::test]
async fn names_that_would_be_ambiguous_are_refused() {
    for servers in [vec![shop("a__b")], vec![shop("_a")], vec![shop("one"), shop("one")]] {
        let refused = Clients::connect(servers, |_| Client::builder()).await.unwrap_err();
        super::check(&refused, ErrorKind::Connect, &["name"]);
    }
}
