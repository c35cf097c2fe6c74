//! How a gateway starts: it answers before slow servers are available, and its lists grow.

use std::time::{Duration, Instant};

use test_programs::cargo_mcp;
use test_servers::installed::{self, Program};
use toolwright_client::config::HttpSpec;
use toolwright_client::{Change, Changes, Client};
use toolwright_core::revision::Revision;

use crate::running::{Files, Running};

/// The time limit of everything that a test waits for.
const LIMIT: Duration = Duration::from_secs(20);

async fn servers_of(client: &Client) -> Vec<String> {
    let tools = client.list_tools().await.unwrap();
    let mut servers: Vec<_> =
        tools.iter().filter_map(|tool| Some(tool.name().split_once("__")?.0.to_owned())).collect();
    servers.dedup();
    servers
}

#[tokio::test]
async fn lists_grow_when_a_slow_server_is_available() {
    let files = Files::new();
    let start = files.folder.path().join("start");
    let shop = installed::typescript();
    // It waits for a file, so that it cannot be faster than the first list.
    let script = format!("while [ ! -e '{}' ]; do sleep 0.05; done; exec \"$@\"", start.display());
    let words: Vec<&str> = shop.words.iter().map(String::as_str).collect();
    let slow = Program::new("sh".as_ref(), &[&["-c", &script, "sh"], &words[..]].concat());
    let files = files.required("everything", &installed::npm("everything", &[])).with("slow", &slow, false);
    let gateway = Running::start(files.folder.path(), &[]);

    let mut waiting = Vec::new();
    for revision in [Revision::NEWEST, Revision::NEWEST_LEGACY] {
        let builder = Client::builder().revision(revision);
        let client = builder.connect(HttpSpec::new(gateway.url.as_str())).await.unwrap();
        assert_eq!(servers_of(&client).await, ["everything"], "{revision}");
        let changes = client.subscribe(Changes::new().tools()).await.unwrap();
        waiting.push((client, changes));
    }
    std::fs::write(&start, "").unwrap();
    for (client, mut changes) in waiting {
        let change = tokio::time::timeout(LIMIT, changes.next()).await.expect("a notification");
        assert_eq!(change, Some(Change::Tools));
        assert_eq!(servers_of(&client).await, ["everything", "slow"]);
        assert_eq!(
            client.call("slow__add", serde_json::json!({"a": 19, "b": 23})).await.unwrap().as_text(),
            "42"
        );
        client.close().await;
    }
    drop(gateway);
    files.mark.assert_gone().await;
}

/// Prints how long the first list takes, for `cargo nextest run --success-output final`.
#[tokio::test]
async fn the_first_answer_arrives_with_three_npm_servers() {
    // Built before the clock runs.
    cargo_mcp();
    let files = Files::new()
        .with("everything", &installed::npm("everything", &[]), false)
        .with_files(false)
        .with("memory", &installed::npm("memory", &[]), false);
    let started = Instant::now();
    let gateway = Running::start(files.folder.path(), &[]);
    let client = Client::connect(HttpSpec::new(gateway.url.as_str())).await.unwrap();
    let servers = servers_of(&client).await;
    println!("the first list came after {:?}, with {servers:?}", started.elapsed());
    client.close().await;
    drop(gateway);
    files.mark.assert_gone().await;
}
