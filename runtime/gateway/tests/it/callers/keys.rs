//! Callers with API keys.

use std::time::Duration;

use serde_json::json;
use toolwright_core::protocol::Revision;
use toolwright_gateway::callers::{CallerKeyRequest, CallerKeys};

use super::{Stand, names, uses_red_alone};
use crate::revoked::Open;

fn add(stand: &Stand, request: &CallerKeyRequest) -> String {
    CallerKeys::add(&stand.keys_file(), request).unwrap()
}

fn red(name: &str) -> CallerKeyRequest {
    CallerKeyRequest::new(name).servers(["red"])
}

#[tokio::test]
async fn every_method_keeps_to_the_scope_of_the_key() {
    let stand = Stand::new().await;
    let none = [] as [&str; 0];
    let (red, nothing, tool, all) = (
        add(&stand, &red("red")),
        add(&stand, &CallerKeyRequest::new("nothing").servers(none)),
        add(&stand, &CallerKeyRequest::new("tool").tools(["blue__echo"])),
        add(&stand, &CallerKeyRequest::new("all").all()),
    );
    // The file did not exist when the gateway started.
    stand.until(&all, 200).await;
    for revision in [Revision::NEWEST, Revision::NEWEST_LEGACY] {
        let nothing = stand.client(&nothing, revision).await;
        uses_red_alone(&stand.client(&red, revision).await, &nothing).await;
        let tool = stand.client(&tool, revision).await;
        assert_eq!(names(&tool).await, ["blue__echo"]);
        assert!(tool.call("blue__echo", json!({})).await.is_ok());
        assert!(tool.call("red__echo", json!({})).await.is_err());
        assert!(tool.list_prompts().await.unwrap().is_empty(), "it names tools only");
        let all = stand.client(&all, revision).await;
        assert!(all.call("blue__echo", json!({})).await.is_ok());
        assert!(all.get_prompt("blue__greet", json!({"name": "Ada"})).await.is_ok());
    }
    assert_eq!(stand.servers_of(&stand.session()).await, ["blue", "red"], "session tokens work beside keys");
}

#[tokio::test]
async fn wrong_keys_get_a_challenge() {
    let stand = Stand::new().await;
    let key = add(&stand, &red("red"));
    stand.until(&key, 200).await;
    let last = if key.ends_with('A') { 'B' } else { 'A' };
    for (wrong, why) in [
        (format!("{}{last}", &key[..key.len() - 1]), "mistyped"),
        (key[..key.len() - 1].to_owned(), "mistyped"),
        ("twck_".to_owned(), "mistyped"),
        (key.replace("twck_", "twsk_"), "not a session token"),
        (key.to_uppercase(), "not a session token"),
        (key[5..].to_owned(), "not a session token"),
    ] {
        let response = stand.list(&wrong).await;
        assert_eq!(response.status, 401, "{wrong}: {response:?}");
        let challenge = response.challenge();
        assert!(challenge.contains(r#"error="invalid_token""#) && challenge.contains(why), "{challenge}");
        assert!(!response.body.to_string().contains(&wrong), "{response:?}");
    }
}

#[tokio::test]
async fn subscriptions_end_when_their_key_is_removed_or_changed() {
    let stand = Stand::new().await;
    let (removed, changed, kept) =
        (add(&stand, &red("removed")), add(&stand, &red("changed")), add(&stand, &red("kept")));
    stand.until(&kept, 200).await;
    let streams = [Open::new(&stand.url, &removed).await, Open::new(&stand.url, &changed).await];
    let mut untouched = Open::new(&stand.url, &kept).await;
    CallerKeys::remove(&stand.keys_file(), "removed").unwrap();
    let text = std::fs::read_to_string(stand.keys_file()).unwrap();
    let changed_text = text.replacen("\"red\"", "\"blue\"", 1);
    assert!(changed_text.find("blue") < changed_text.find("\"kept\""), "{changed_text}");
    std::fs::write(stand.keys_file(), changed_text).unwrap();
    // Nobody sends a request meanwhile.
    for stream in streams {
        let rest = stream.ends().await;
        assert!(rest.contains("\"resultType\":\"complete\""), "{rest}");
    }
    untouched.stays().await;
    let response = stand.list(&removed).await;
    assert!(response.status == 401 && response.challenge().contains("removed"), "{response:?}");
    assert_eq!(stand.servers_of(&changed).await, ["blue"]);
    std::fs::write(stand.keys_file(), "nonsense").unwrap();
    untouched.stays().await;
    assert_eq!(stand.servers_of(&kept).await, ["red"], "an invalid file changes nothing");
    std::fs::remove_file(stand.keys_file()).unwrap();
    untouched.ends().await;
    assert_eq!(stand.list(&kept).await.status, 401);
}

#[tokio::test]
async fn subscriptions_end_when_their_key_expires() {
    let stand = Stand::new().await;
    let key = add(&stand, &red("short").lifetime(Duration::from_secs(3)));
    stand.until(&key, 200).await;
    Open::new(&stand.url, &key).await.ends().await;
    let response = stand.list(&key).await;
    assert!(response.status == 401 && response.challenge().contains("expired"), "{response:?}");
}
