//! Two organizations, two runs of each, two nodes of each run, every method, in both eras: nobody is shown what is another's.
//!
//! All runs have nodes, tools, prompts and addresses of the same names. What each says has a mark of its own, and each node has a
//! secret; the marks of others and all secrets are searched for in everything that a caller receives, in the audit, in the metrics,
//! and in what services get from the internal API.

mod table;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use toolwright_core::definition::ToolDefinition;
use toolwright_gateway::calls::MemoryBus;
use toolwright_gateway::registry::{Entry, MemoryStore, Revocation};

use self::table::{LEGACY, SECRET, Tenant, read_all, tenants};

pub(crate) use self::table::Table;

/// A request, and whether its answer must have the mark of the caller.
type Row = (&'static str, Value, bool);

/// Every method, first for what is the caller's own, then for what is of other nodes and runs.
fn rows(caller: Tenant) -> Vec<Row> {
    let mut rows: Vec<Row> = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"]
        .map(|method| (method, json!({}), true))
        .to_vec();
    let completion = |reference: Value| json!({"ref": reference, "argument": {"name": "name", "value": "m"}});
    for node in ["red", "blue"] {
        let is_own = node == caller.node;
        for tool in ["say", "fail", "refuse"] {
            rows.push(("tools/call", json!({"name": format!("{node}__{tool}"), "arguments": {}}), is_own));
        }
        rows.push(("tools/call", json!({"name": format!("look_{node}"), "arguments": {}}), is_own));
        let greet = format!("{node}__greet");
        rows.push(("prompts/get", json!({"name": greet, "arguments": {"name": "a"}}), is_own));
        rows.push(("completion/complete", completion(json!({"type": "ref/prompt", "name": greet})), is_own));
        rows.push(("resources/read", json!({"uri": format!("shop://{node}/pie")}), is_own));
        let template = json!({"type": "ref/resource", "uri": format!("shop://{node}/{{name}}")});
        rows.push(("completion/complete", completion(template), false));
    }
    rows.push(("resources/read", json!({"uri": "shop://menu"}), true));
    for tenant in tenants() {
        rows.push(("resources/read", json!({"uri": tenant.own_uri()}), tenant == caller));
        // Names as another run might have them.
        rows.push(("tools/call", json!({"name": format!("{}__{}__say", tenant.run, tenant.node)}), false));
    }
    for method in ["tasks/get", "tasks/cancel", "tasks/result"] {
        rows.push((method, json!({"taskId": "1"}), false));
    }
    rows.push(("tasks/list", json!({}), false));
    rows.push(("no/such", json!({}), false));
    rows.push(("tools/list", json!({"cursor": "look_red"}), false));
    rows
}

/// Fails if there is the mark of another in what a caller was sent.
fn check(caller: Tenant, what: &str, answer: &str, has_own: bool) {
    for other in tenants().into_iter().filter(|other| *other != caller) {
        let leaked = answer.contains(&other.mark());
        assert!(!leaked, "{} was sent {}: {what}: {answer}", caller.mark(), other.mark());
    }
    assert!(!answer.contains(SECRET), "{}: {what}: {answer}", caller.mark());
    assert!(!has_own || answer.contains(&caller.mark()), "{}: {what}: {answer}", caller.mark());
}

async fn every_method_keeps_to_its_tenant(table: &Table) {
    for (caller, token) in &table.callers {
        let session = table.open_session(token).await;
        for (method, params, has_own) in rows(*caller) {
            let what = format!("{method} {params}");
            let answer = table.modern(token, method, &params).await;
            check(*caller, &what, &answer, has_own);
            // As in HelpCode-ai/anythingmcp#533: what differs by caller is no one else's to keep.
            if answer.contains("\"ttlMs\"") {
                assert!(answer.contains("\"cacheScope\":\"private\""), "{what}: {answer}");
            }
            check(*caller, &what, &table.legacy(token, &session, method, &params).await, has_own);
        }
        for method in ["ping", "logging/setLevel", "resources/subscribe"] {
            let params = json!({"level": "debug", "uri": "shop://menu"});
            check(*caller, method, &table.legacy(token, &session, method, &params).await, false);
        }
        check(*caller, "server/discover", &table.modern(token, "server/discover", &json!({})).await, false);
    }
}

/// As in IBM/mcp-context-forge#1915: the error of what is hidden is that of what does not exist.
async fn hidden_and_unknown_are_one(table: &Table) {
    for (caller, token) in &table.callers {
        let other = if caller.node == "red" { "blue" } else { "red" };
        for (method, hidden) in [
            ("tools/call", json!({"name": format!("{other}__say"), "arguments": {}})),
            ("tools/call", json!({"name": format!("look_{other}"), "arguments": {}})),
            ("prompts/get", json!({"name": format!("{other}__greet"), "arguments": {"name": "a"}})),
            ("resources/read", json!({"uri": format!("shop://{other}/pie")})),
        ] {
            let unknown: Value = serde_json::from_str(&hidden.to_string().replace(other, "teal")).unwrap();
            let body = |answer: String| answer.split_once("\r\n\r\n").unwrap().1.to_owned();
            let hidden = body(table.modern(token, method, &hidden).await);
            let unknown = body(table.modern(token, method, &unknown).await);
            assert_eq!(hidden.replace(other, "teal"), unknown, "{method}");
        }
    }
}

/// A session is its owner's: with the token of another, it does not exist, and neither do its events.
async fn sessions_are_their_owners(table: &Table) {
    let (_, owner) = &table.callers[0];
    let session = table.open_session(owner).await;
    let call = json!({"name": "red__say", "arguments": {}});
    let answer = table.legacy(owner, &session, "tools/call", &call).await;
    let last = answer.lines().find_map(|line| line.strip_prefix("id: ")).unwrap_or("r1-1").to_owned();
    for (caller, token) in &table.callers[1..] {
        let refused = table.legacy(token, &session, "tools/list", &json!({})).await;
        assert!(refused.starts_with("HTTP/1.1 404"), "{refused}");
        let headers = format!(
            "MCP-Protocol-Version: {LEGACY}\r\nMcp-Session-Id: {session}\r\nLast-Event-ID: {last}\r\n"
        );
        let resumed = read_all(table.send("GET", token, &headers, "").await).await;
        assert!(resumed.starts_with("HTTP/1.1 404"), "{resumed}");
        check(*caller, "resumption", &resumed, false);
        let ended = read_all(table.send("DELETE", token, &headers, "").await).await;
        assert!(ended.starts_with("HTTP/1.1 404"), "{ended}");
    }
    assert!(table.legacy(owner, &session, "tools/list", &json!({})).await.starts_with("HTTP/1.1 200"));
}

/// A line of the audit says whose it is, and nothing of what was said; a call of a worker can be looked up by it.
async fn the_audit_says_who_called_and_no_more(table: &Table) {
    let (mut calls, mut seen) = (BTreeSet::new(), BTreeSet::new());
    for mut line in table.audited() {
        let text = line.to_string();
        assert!(!text.contains("mark-of-") && !text.contains(SECRET), "{text}");
        let tenant = table.ids[line["token"].as_str().unwrap()];
        assert_eq!((&line["org"], &line["run"]), (&tenant.org.into(), &tenant.run.into()), "{text}");
        assert_eq!(line["caller"], tenant.node, "{text}");
        let target = line.as_object_mut().unwrap().remove("target").unwrap();
        for other in tenants().into_iter().filter(|other| other.run != tenant.run) {
            assert!(!line.to_string().contains(other.run), "{text}");
        }
        let (node, call) = (line["node"].as_str(), line["call"].as_str());
        if line["code"] == -32602 {
            assert_eq!((node, call), (None, None), "{text}");
        }
        if target == format!("look_{}", tenant.node) {
            assert_eq!(node, Some(format!("look-{}", tenant.node).as_str()), "{text}");
            assert!(calls.insert(call.unwrap().to_owned()), "{text}");
            if line["outcome"] == "ok" && seen.insert(tenant.mark()) {
                let path = format!("calls/{}", call.unwrap());
                let found = table.internal("GET", &path, &table.operator, &Value::Null).await;
                check(tenant, &path, &found, true);
            }
        }
        if target == format!("{}__say", tenant.node) {
            assert_eq!((node, call), (Some(tenant.node), None), "{text}");
        }
    }
    assert_eq!(seen.len(), tenants().len(), "{seen:?}");
}

/// What is for operators has no label or name of a run, a caller or an organization.
async fn metrics_and_status_name_no_one(table: &Table) {
    for path in ["metrics", "status"] {
        let shown = table.internal("GET", path, &table.operator, &Value::Null).await;
        assert!(shown.starts_with("HTTP/1.1 200") && !shown.contains(SECRET), "{shown}");
        for tenant in tenants() {
            let names = [tenant.org, tenant.run, &tenant.mark(), &format!("\"{}\"", tenant.node)];
            assert!(!names.iter().any(|name| shown.contains(name)), "{shown}");
        }
        let labels: BTreeSet<_> =
            shown.split(['{', ',', '}']).filter_map(|label| label.split_once("=\"")).collect();
        let other = labels.iter().find(|(name, _)| !["method", "server", "outcome", "le"].contains(name));
        assert_eq!((other, labels.is_empty()), (None, path == "status"), "{shown}");
        assert!(labels.iter().all(|(name, value)| *name != "server" || *value == "\""), "{shown}");
    }
}

/// The key of one organization neither shows nor changes what is of another.
async fn services_reach_only_their_organization(table: &Table) {
    let nothing = &Value::Null;
    for (org, key) in &table.services {
        for tenant in tenants() {
            let path = format!("runs/{}", tenant.run);
            let shown = table.internal("GET", &path, key, nothing).await;
            let path = format!("events?run={}", tenant.run);
            let events = table.internal("GET", &path, key, nothing).await;
            if tenant.org == *org {
                assert!(events.contains(&format!("\"node\":\"look-{}\"", tenant.node)), "{events}");
                // Marks are those of pools, titles and texts, which are in no event.
                let is_silent =
                    !events.contains("mark-of-") && !events.contains(SECRET) && !events.contains("http:");
                assert!(is_silent, "{events}");
                let strangers = tenants().into_iter().filter(|other| other.run != tenant.run);
                assert!(!strangers.map(|other| other.run).any(|other| events.contains(other)), "{events}");
                assert!(shown.contains(&format!("look_{}", tenant.node)), "{shown}");
                let is_other = |other: &Tenant| other.run != tenant.run;
                let others = tenants().into_iter().filter(is_other).map(|other| other.run);
                assert!(!others.chain([SECRET]).any(|other| shown.contains(other)), "{shown}");
                continue;
            }
            let unknown = table.internal("GET", "runs/teal-1", key, nothing).await;
            assert!(unknown.starts_with("HTTP/1.1 404"), "{unknown}");
            let body = |answer: &str| answer.split_once("\r\n\r\n").unwrap().1.replace(tenant.run, "teal-1");
            assert_eq!(body(&shown), body(&unknown));
            assert_eq!(body(&events), body(&unknown));
            let named = format!("{path}&org={}", tenant.org);
            assert_eq!(body(&table.internal("GET", &named, key, nothing).await), body(&unknown));
            for (verb, path, body) in intrusions(tenant) {
                let refused = table.internal(verb, &path, key, &body).await;
                let is_refused =
                    ["HTTP/1.1 403", "HTTP/1.1 404"].iter().any(|head| refused.starts_with(head));
                assert!(is_refused, "{org}: {verb} {path} {body}: {refused}");
                assert!(!refused.contains("mark-of-") && !refused.contains(SECRET), "{refused}");
            }
        }
    }
    for (caller, token) in &table.callers {
        let listed = table.modern(token, "tools/list", &json!({})).await;
        check(*caller, "after the attempts of others", &listed, true);
        assert!(listed.contains(&format!("look_{}", caller.node)), "{listed}");
    }
}

/// What a service of another organization might send about a node, without and with the name of its organization.
fn intrusions(tenant: Tenant) -> Vec<(&'static str, String, Value)> {
    let (run, node) = (tenant.run, tenant.node);
    let mut all: Vec<(_, String, Value)> =
        ["status", "metrics", "calls/1"].map(|path| ("GET", path.to_owned(), Value::Null)).into();
    all.push(("POST", "revoke".to_owned(), json!({"org": tenant.org})));
    for (verb, path, body) in [
        ("POST", "runs".to_owned(), json!({"run": run})),
        (
            "POST",
            "tools".to_owned(),
            json!({"run": run, "node": node, "kind": "remote", "url": "http://127.0.0.1:9/"}),
        ),
        ("POST", "sessions".to_owned(), json!({"run": run, "node": node, "nodes": [node]})),
        ("POST", "revoke".to_owned(), json!({"run": run})),
        ("DELETE", format!("runs/{run}/nodes/{node}"), json!({})),
        ("DELETE", format!("runs/{run}"), json!({})),
    ] {
        let mut named = body.clone();
        named["org"] = tenant.org.into();
        all.push((verb, path.clone(), body));
        all.push((verb, path, named));
    }
    all
}

/// Changes in one run are not told in others, and say nothing of themselves. Ends all runs.
async fn subscriptions_say_nothing_of_others(table: &Table) {
    let uris: Vec<String> = tenants().iter().map(Tenant::own_uri).collect();
    let wanted = json!({"notifications": {"toolsListChanged": true, "promptsListChanged": true,
        "resourcesListChanged": true, "resourceSubscriptions": uris}});
    let mut open = Vec::new();
    for (caller, token) in &table.callers {
        open.push((*caller, table.send_modern(token, "subscriptions/listen", &wanted).await));
    }
    // The next change must find them open.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let grown = tenants()[0];
    let further = ToolDefinition::new("look_red_again", json!({"type": "object", "title": grown.mark()}));
    table.store.register(&grown.run_id(), Entry::component("look-red", grown.mark(), further)).await.unwrap();
    let seen = async {
        loop {
            let listed = table.modern(&table.callers[0].1, "tools/list", &json!({})).await;
            if listed.contains("look_red_again") {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), seen).await.expect("the change is seen");
    for tenant in tenants() {
        table.store.revoke(&Revocation::Run(tenant.run_id())).await.unwrap();
    }
    for (caller, stream) in open {
        let all = read_all(stream).await;
        assert!(all.contains("subscriptions/acknowledged"), "{all}");
        check(caller, "subscriptions/listen", &all, false);
        let changes = all.matches("tools/list_changed").count();
        // The caller's own run has changed when it was revoked.
        assert!(changes <= 1 || caller.run == grown.run, "{}: {all}", caller.mark());
    }
}

/// The events of a token name its id, and neither it nor what it is signed with.
async fn events_name_tokens_by_their_ids(table: &Table) {
    for (org, key) in &table.services {
        let own = tenants().into_iter().find(|tenant| tenant.org == *org).unwrap();
        let wanted = json!({"run": own.run, "node": own.node, "nodes": [own.node]});
        let minted = table.internal("POST", "sessions", key, &wanted).await;
        let minted: Value = serde_json::from_str(minted.split_once("\r\n\r\n").unwrap().1).unwrap();
        let token = minted["token"].as_str().unwrap();
        let path = format!("events?run={}&org={org}", own.run);
        let events = table.internal("GET", &path, &table.operator, &Value::Null).await;
        assert!(events.contains("session.created"), "{events}");
        assert!(!token.split('.').any(|part| events.contains(part)), "{events}");
    }
}

async fn whole(table: Table) {
    every_method_keeps_to_its_tenant(&table).await;
    hidden_and_unknown_are_one(&table).await;
    sessions_are_their_owners(&table).await;
    the_audit_says_who_called_and_no_more(&table).await;
    metrics_and_status_name_no_one(&table).await;
    events_name_tokens_by_their_ids(&table).await;
    services_reach_only_their_organization(&table).await;
    subscriptions_say_nothing_of_others(&table).await;
}

#[tokio::test]
async fn nothing_crosses_tenants_in_memory() {
    let store = Arc::new(MemoryStore::new());
    whole(Table::new(Arc::clone(&store) as _, store, Arc::new(MemoryBus::new())).await).await;
}

#[cfg(feature = "redis")]
#[tokio::test]
async fn nothing_crosses_tenants_on_redis() {
    use toolwright_gateway::redis::{RedisBus, RedisStore};

    use crate::redis_server::{Keeps, RedisServer};
    let server = RedisServer::start(Keeps::Nothing);
    let store = RedisStore::connect(&server.url()).await.unwrap();
    let bus = RedisBus::connect(&server.url()).await.unwrap();
    let secrets = Arc::new(store.secrets());
    let table = Table::new(Arc::new(store), secrets, Arc::new(bus)).await;
    let tokens: Vec<String> = table.callers.iter().map(|(_, token)| token.clone()).collect();
    whole(table).await;
    let kept = server.dump();
    assert!(kept.contains("session.created"), "events are seen");
    assert!(kept.contains("mark-of-acme-1-red"), "what is kept is seen");
    assert!(kept.contains("\"apiKey\"") && !kept.contains(SECRET), "a secret is kept");
    for token in &tokens {
        let signature = token.rsplit('.').next().unwrap();
        assert!(!kept.contains(token.as_str()) && !kept.contains(signature), "a token is kept");
    }
}
