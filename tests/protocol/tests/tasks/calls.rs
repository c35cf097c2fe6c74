//! Which calls become tasks, and for which clients.

use serde_json::json;
use test_protocol::raw::{RawClient, RawError};
use toolwright::{Client, Revision, tasks::Tasks};

use crate::stage::{Caller, Do, Stage, TASKS, asked, named, service};

#[tokio::test]
async fn only_a_call_that_waits_becomes_a_task() {
    let stage = Stage::default();
    let service = service(&stage, Tasks::new());
    let caller = Caller::of(&service);
    for (name, arguments) in [("play", json!({"script": "none"})), ("must", json!({}))] {
        let result = caller.request("tools/call", json!({"name": name, "arguments": arguments})).await;
        let result = result.expect("a result");
        assert_eq!(
            (&result["resultType"], &result["isError"]),
            (&json!("complete"), &json!(false)),
            "{name}"
        );
    }
    let must = json!({"name": "must", "arguments": {"wait": true}});
    let made = caller.request("tools/call", must).await.expect("a task");
    for member in ["taskId", "status", "createdAt", "lastUpdatedAt", "ttlMs", "pollIntervalMs", "_meta"] {
        assert!(made.get(member).is_some(), "{member}: {made}");
    }
    for member in ["task", "result", "error", "inputRequests", "requestState", "content"] {
        assert!(made.get(member).is_none(), "{member}: {made}");
    }
    assert_eq!((&made["ttlMs"], &made["pollIntervalMs"]), (&json!(7_200_000), &json!(1_000)));
    let id = made["taskId"].as_str().expect("an id");
    assert!(id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
    let task = caller.until_status(id, "completed").await;
    assert_eq!(task["result"]["content"][0]["text"], "done");
    assert_eq!(
        (&task["resultType"], &task["result"]["resultType"]),
        (&json!("complete"), &json!("complete"))
    );
}

#[tokio::test]
async fn invalid_arguments_are_answered_immediately() {
    let service = service(&Stage::default(), Tasks::new());
    let caller = Caller::of(&service);
    for arguments in [json!({"script": ""}), json!({}), json!({"wait": "x"})] {
        let call = json!({"name": "play", "arguments": arguments});
        let result = caller.request("tools/call", call).await.expect("a result");
        assert_eq!((&result["resultType"], &result["isError"]), (&json!("complete"), &json!(true)));
    }
}

#[tokio::test]
async fn only_clients_that_declare_tasks_get_them() {
    let stage = Stage::default();
    let service = service(&stage, Tasks::new());
    let client = RawClient::in_process(&service);
    let plays = |script: &str| json!({"name": "play", "arguments": {"script": script}});

    let script = stage.script("alone");
    let called = tokio::spawn({
        let client = RawClient::in_process(&service);
        let call = plays("alone");
        async move { client.request("tools/call", call).await }
    });
    script.send(Do::Return("unchanged".to_owned())).expect("the handler runs");
    let result = called.await.expect("no panic").expect("a result");
    assert_eq!(
        (&result["resultType"], &result["content"][0]["text"]),
        (&json!("complete"), &json!("unchanged"))
    );

    let required = json!({"requiredCapabilities": {"extensions": {TASKS: {}}}});
    for (method, params) in [
        ("tools/call", json!({"name": "must", "arguments": {}})),
        ("tasks/get", json!({"taskId": "x"})),
        ("tasks/update", json!({"taskId": "x", "inputResponses": {}})),
        ("tasks/cancel", json!({"taskId": "x"})),
        ("subscriptions/listen", json!({"notifications": {"taskIds": ["x"]}})),
    ] {
        for declared in
            [json!({}), json!({"extensions": {}}), json!({"extensions": {TASKS: true}}), json!({"tasks": {}})]
        {
            let mut params = params.clone();
            params["_meta"] = json!({"io.modelcontextprotocol/clientCapabilities": declared});
            match client.request(method, params).await {
                Err(RawError::Rpc(error)) => {
                    assert_eq!(
                        (error.code, error.data.as_ref()),
                        (-32021, Some(&required)),
                        "{method} {declared}"
                    );
                }
                other => panic!("{method} {declared}: {other:?}"),
            }
        }
    }
}

#[tokio::test]
async fn a_plain_tool_never_becomes_a_task() {
    let service = service(&Stage::default(), Tasks::new());
    let call = json!({"name": "plain", "arguments": {}, "task": {"ttl": 60_000}});
    let result = Caller::of(&service).request("tools/call", call).await.expect("a result");
    assert_eq!((&result["resultType"], result.get("taskId")), (&json!("complete"), None));
}

#[tokio::test]
async fn earlier_revisions_have_no_tasks() {
    let service = service(&Stage::default(), Tasks::new());
    let modern = RawClient::in_process(&service);
    let discovered = modern.request("server/discover", json!({})).await.expect("an answer");
    assert_eq!(discovered["capabilities"]["extensions"], json!({TASKS: {}}));
    assert_eq!(discovered["capabilities"].get("tasks"), None);
    let names = async |revision| -> Vec<String> {
        let client = Client::builder().revision(revision).in_process(&service);
        let tools = client.list_tools().await.expect("a list");
        tools.iter().map(|tool| tool.name().to_owned()).collect()
    };
    assert_eq!(names(Revision::NEWEST).await, ["ask_then_work", "must", "plain", "play"]);
    for method in ["tasks/list", "tasks/result"] {
        assert_eq!(Caller::of(&service).refused(method, json!({"taskId": "x"})).await.0, -32601);
    }

    let legacy = RawClient::in_process_at(&service, Revision::NEWEST_LEGACY).await.expect("a client");
    assert_eq!(names(Revision::NEWEST_LEGACY).await, ["ask_then_work", "plain", "play"]);
    for method in ["tasks/get", "tasks/update", "tasks/cancel", "tasks/list", "tasks/result"] {
        match legacy.request(method, json!({"taskId": "x", "inputResponses": {}})).await {
            Err(RawError::Rpc(error)) => assert_eq!(error.code, -32601, "{method}"),
            other => panic!("{method}: {other:?}"),
        }
    }
    let meta = json!({"io.modelcontextprotocol/clientCapabilities": {"extensions": {TASKS: {}}}});
    let play = json!({"name": "play", "arguments": {"script": "none"}, "_meta": meta});
    let result = legacy.request("tools/call", play).await.expect("a result");
    assert_eq!(result["content"][0]["text"], "there is no script");
    match legacy.request("tools/call", json!({"name": "must", "arguments": {}})).await {
        Err(RawError::Rpc(error)) => {
            assert_eq!(error.code, -32602);
            assert!(error.message.contains(TASKS), "{error}");
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_server_without_such_tools_has_no_tasks() {
    let service = toolwright::Server::new(()).build().expect("a service");
    let caller = Caller::of(&service);
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        assert_eq!(caller.refused(method, json!({"taskId": "x", "inputResponses": {}})).await.0, -32601);
    }
    let discovered = caller.request("server/discover", json!({})).await.expect("an answer");
    assert_eq!(discovered["capabilities"].get("extensions"), None);
}

#[tokio::test]
async fn input_requests_belong_to_the_call_or_to_its_task() {
    let service = service(&Stage::default(), Tasks::new());
    let caller = Caller::of(&service);
    let mut call = json!({"name": "ask_then_work", "arguments": {}});
    let round = caller.request("tools/call", call.clone()).await.expect("a round");
    assert_eq!((&round["resultType"], round.get("taskId")), (&json!("input_required"), None));
    assert_eq!(asked(&round), ["first"]);
    call["inputResponses"] = json!({"first": named("Ada")});
    call["requestState"] = round["requestState"].clone();
    let made = caller.request("tools/call", call).await.expect("a task");
    assert_eq!(made["resultType"], "task");
    for member in ["requestState", "inputRequests"] {
        assert_eq!(made.get(member), None);
    }
    let id = made["taskId"].as_str().expect("an id");
    let task = caller.until_asked(id, &["second"]).await;
    assert_eq!(task["inputRequests"]["second"]["method"], "elicitation/create");
    caller.answer(id, "second", named("Bob")).await;
    let task = caller.until_status(id, "completed").await;
    assert_eq!(task["result"]["content"][0]["text"], "Ada, Ada, Bob");
}

#[tokio::test]
async fn an_answer_before_the_task_may_end_the_call() {
    let service = service(&Stage::default(), Tasks::new());
    let caller = Caller::of(&service);
    let mut call = json!({"name": "ask_then_work", "arguments": {}});
    let round = caller.request("tools/call", call.clone()).await.expect("a round");
    call["inputResponses"] = json!({"first": {"action": "decline"}});
    call["requestState"] = round["requestState"].clone();
    let result = caller.request("tools/call", call).await.expect("a result");
    assert_eq!(
        (&result["resultType"], &result["content"][0]["text"]),
        (&json!("complete"), &json!("nobody"))
    );
}
