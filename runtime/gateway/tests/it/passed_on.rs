//! What a proxy declares, and the members of each revision. `bridge` has the table of what it forwards.

use serde_json::json;
use toolwright_client::Client;

use crate::shop::client;

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
