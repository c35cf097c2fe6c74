//! Task notifications on a subscription (SEP-2663 "Task Status Notifications").

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use toolwright::tasks::Tasks;

use crate::stage::{Caller, Do, Stage, named, service};

const ID_KEY: &str = "io.modelcontextprotocol/subscriptionId";

async fn next(caller: &Caller) -> Value {
    let word = tokio::time::timeout(Duration::from_secs(10), caller.0.next_notification()).await;
    word.expect("word comes").expect("the connection is open")
}

/// Opens a subscription, whose request has no answer before it ends.
fn listen(caller: &Arc<Caller>, task_ids: &Value) {
    let params = json!({"notifications": {"taskIds": task_ids}});
    let caller = Arc::clone(caller);
    tokio::spawn(async move { caller.request("subscriptions/listen", params).await });
}

#[tokio::test]
async fn task_notifications_match_tasks_get() {
    let stage = Stage::default();
    let service = service(&stage, Tasks::new());
    let caller = Arc::new(Caller::of(&service));
    let (script, other) = (stage.script("told"), stage.script("other"));
    let (id, other_id) = (caller.play("told").await, caller.play("other").await);
    let ended = {
        let script = stage.script("ended");
        let id = caller.play("ended").await;
        script.send(Do::Fail).expect("the handler runs");
        caller.until_status(&id, "completed").await;
        id
    };
    listen(&caller, &json!([id, "nobody", ended]));
    let acknowledged = next(&caller).await;
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(acknowledged["params"]["notifications"], json!({"taskIds": [id]}), "what can still change");
    let subscription = acknowledged["params"]["_meta"][ID_KEY].clone();

    other.send(Do::Say("not asked for")).expect("the handler runs");
    caller.until(&other_id, |task| task["statusMessage"] == "not asked for").await;
    script.send(Do::Ask("who")).expect("the handler runs");
    let word = next(&caller).await;
    assert_eq!((&word["method"], &word["params"]["taskId"]), (&json!("notifications/tasks"), &json!(id)));
    assert_eq!(word["params"]["_meta"], json!({ID_KEY: subscription}));
    assert_eq!(word["params"]["status"], "input_required");
    let shown = caller.get(&id).await;
    for member in ["inputRequests", "createdAt", "lastUpdatedAt", "ttlMs", "pollIntervalMs"] {
        assert_eq!(word["params"][member], shown[member], "{member}");
    }
    caller.answer(&id, "who", named("Ada")).await;
    assert_eq!(next(&caller).await["params"]["status"], "working");
    script.send(Do::Return("done".to_owned())).expect("the handler runs");
    let word = next(&caller).await;
    assert_eq!(word["params"]["status"], "completed");
    assert_eq!(word["params"]["result"]["content"][0]["text"], "done");
}

#[tokio::test]
async fn the_tasks_of_a_subscription_are_bounded() {
    let service = service(&Stage::default(), Tasks::new());
    let caller = Caller::of(&service);
    let ids: Vec<String> = (0..2_000).map(|number| number.to_string()).collect();
    let params = json!({"notifications": {"taskIds": ids}});
    assert_eq!(caller.refused("subscriptions/listen", params).await.0, -32603);
}
