//! What every store of runs must do.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use toolwright_core::definition::ToolDefinition;
use toolwright_gateway::registry::{
    Entry, MAX_ENTRIES, MAX_RUN_BYTES, RUN_TTL, RegistryStore, Revocation, RunChanged, RunId, Status,
    StoreError, TokenId,
};

macro_rules! suite {
    ($attribute:meta, $stores:expr) => {
        mod registry {
            crate::sides::tests! { $attribute, $stores, registry:
                an_empty_run_is_no_missing_run
                entries_keep_the_order_of_their_first_registration
                every_change_of_an_entry_is_a_revision
                a_run_belongs_to_one_organization
                a_run_that_is_not_renewed_ends_whole
                a_renewed_run_stays
                an_ended_run_is_gone_and_may_be_opened_again
                a_run_has_room_for_so_many_entries
                a_run_has_room_for_so_many_bytes
                entries_that_clients_could_not_use_are_refused
                revoking_a_run_changes_its_epoch_only
                a_revoked_token_is_known_at_once
                tokens_of_an_organization_are_revoked_by_their_time
                watchers_are_told_which_run_has_changed
                both_see_the_same_entries
            }
        }
    };
}
pub(crate) use suite;

/// A store as two processes have it.
pub(crate) struct Stores {
    pub(crate) one: Arc<dyn RegistryStore>,
    pub(crate) other: Arc<dyn RegistryStore>,
    pub(crate) _keep: Box<dyn Any + Send>,
}

fn run() -> RunId {
    RunId::new(Some("acme"), "run-1")
}

fn entry(node: &str) -> Entry {
    Entry::component(node, "default", ToolDefinition::new(node, json!({"type": "object"})))
}

async fn nodes(store: &dyn RegistryStore) -> Vec<String> {
    let snapshot = store.snapshot("run-1").await.unwrap().expect("the run should be there");
    snapshot.entries.into_iter().map(|entry| entry.node).collect()
}

pub(crate) async fn an_empty_run_is_no_missing_run(stores: Stores) {
    let store = stores.one;
    assert_eq!(store.snapshot("run-1").await.unwrap(), None);
    assert_eq!(store.state("run-1", None).await.unwrap(), None);
    let missing = StoreError::NoRun("run-1".to_owned());
    assert_eq!(store.register(&run(), entry("a")).await.unwrap_err(), missing);
    assert_eq!(store.remove(&run(), "a").await.unwrap_err(), missing);
    assert_eq!(store.renew(&run(), RUN_TTL).await.unwrap_err(), missing);
    assert_eq!(store.revoke(&Revocation::Run(run())).await.unwrap_err(), missing);
    store.end(&run()).await.unwrap();

    let opened = store.open(&run(), RUN_TTL).await.unwrap();
    assert_eq!((opened.org.as_deref(), opened.is_revoked), (Some("acme"), false));
    assert_eq!(nodes(&*store).await, [""; 0]);
    assert_eq!(store.state("run-1", None).await.unwrap(), Some(opened.clone()));
    assert_eq!(store.open(&run(), RUN_TTL).await.unwrap(), opened, "opening again renews");
}

pub(crate) async fn entries_keep_the_order_of_their_first_registration(stores: Stores) {
    let store = stores.one;
    store.open(&run(), RUN_TTL).await.unwrap();
    for node in ["z", "b", "a", "y"] {
        store.register(&run(), entry(node)).await.unwrap();
    }
    store.register(&run(), entry("b").with_status(Status::Failed)).await.unwrap();
    assert_eq!(nodes(&*store).await, ["z", "b", "a", "y"]);
    let snapshot = store.snapshot("run-1").await.unwrap().unwrap();
    assert_eq!(snapshot.entries[1], entry("b").with_status(Status::Failed));
    store.remove(&run(), "z").await.unwrap();
    store.register(&run(), entry("z")).await.unwrap();
    assert_eq!(nodes(&*store).await, ["b", "a", "y", "z"]);
}

pub(crate) async fn every_change_of_an_entry_is_a_revision(stores: Stores) {
    let store = stores.one;
    let opened = store.open(&run(), RUN_TTL).await.unwrap();
    let first = store.register(&run(), entry("a")).await.unwrap();
    assert!(first > opened.revision);
    let second = store.register(&run(), entry("a")).await.unwrap();
    assert!(second > first);
    let third = store.remove(&run(), "a").await.unwrap();
    assert!(third > second);
    assert_eq!(store.remove(&run(), "a").await.unwrap(), third, "nothing was removed");
    assert_eq!(store.state("run-1", None).await.unwrap().unwrap().revision, third);
    assert_eq!(store.snapshot("run-1").await.unwrap().unwrap().state.revision, third);
}

pub(crate) async fn a_run_belongs_to_one_organization(stores: Stores) {
    let store = stores.one;
    store.open(&run(), RUN_TTL).await.unwrap();
    store.register(&run(), entry("a")).await.unwrap();
    for org in [None, Some("other"), Some("")] {
        let foreign = RunId::new(org, "run-1");
        let refused = StoreError::OtherOrganization("run-1".to_owned());
        assert_eq!(store.open(&foreign, RUN_TTL).await.unwrap_err(), refused);
        assert_eq!(store.renew(&foreign, RUN_TTL).await.unwrap_err(), refused);
        assert_eq!(store.end(&foreign).await.unwrap_err(), refused);
        assert_eq!(store.register(&foreign, entry("b")).await.unwrap_err(), refused);
        assert_eq!(store.remove(&foreign, "a").await.unwrap_err(), refused);
        assert_eq!(store.revoke(&Revocation::Run(foreign)).await.unwrap_err(), refused);
    }
    assert_eq!(nodes(&*store).await, ["a"]);
    // No organization is one of its own.
    let nobody = RunId::new(None, "run-2");
    assert_eq!(store.open(&nobody, RUN_TTL).await.unwrap().org, None);
    store.open(&RunId::new(Some("null"), "run-2"), RUN_TTL).await.unwrap_err();
}

pub(crate) async fn a_run_that_is_not_renewed_ends_whole(stores: Stores) {
    let store = stores.one;
    let opened = store.open(&run(), Duration::from_millis(300)).await.unwrap();
    store.register(&run(), entry("a")).await.unwrap();
    tokio::time::sleep(Duration::from_millis(400)).await;
    assert_eq!(store.snapshot("run-1").await.unwrap(), None);
    let again = store.open(&run(), RUN_TTL).await.unwrap();
    assert_ne!(again.epoch, opened.epoch);
    assert_eq!(nodes(&*store).await, [""; 0]);
}

pub(crate) async fn a_renewed_run_stays(stores: Stores) {
    let store = stores.one;
    store.open(&run(), Duration::from_millis(400)).await.unwrap();
    store.register(&run(), entry("a")).await.unwrap();
    for _ in 0..4 {
        tokio::time::sleep(Duration::from_millis(200)).await;
        store.renew(&run(), Duration::from_millis(400)).await.unwrap();
    }
    assert_eq!(nodes(&*store).await, ["a"]);
}

pub(crate) async fn an_ended_run_is_gone_and_may_be_opened_again(stores: Stores) {
    let store = stores.one;
    let opened = store.open(&run(), RUN_TTL).await.unwrap();
    store.register(&run(), entry("a")).await.unwrap();
    store.end(&run()).await.unwrap();
    assert_eq!(store.state("run-1", None).await.unwrap(), None);
    assert_eq!(store.snapshot("run-1").await.unwrap(), None);
    store.end(&run()).await.unwrap();
    assert_ne!(store.open(&run(), RUN_TTL).await.unwrap().epoch, opened.epoch);
    assert_eq!(nodes(&*store).await, [""; 0]);
}

pub(crate) async fn a_run_has_room_for_so_many_entries(stores: Stores) {
    let store = stores.one;
    store.open(&run(), RUN_TTL).await.unwrap();
    for number in 0..MAX_ENTRIES {
        store.register(&run(), entry(&format!("node-{number}"))).await.unwrap();
    }
    let full = store.register(&run(), entry("more")).await.unwrap_err();
    assert!(matches!(full, StoreError::Full { limit: MAX_ENTRIES, .. }), "{full:?}");
    store.register(&run(), entry("node-7")).await.unwrap();
    store.remove(&run(), "node-7").await.unwrap();
    store.register(&run(), entry("more")).await.unwrap();
}

pub(crate) async fn a_run_has_room_for_so_many_bytes(stores: Stores) {
    let store = stores.one;
    store.open(&run(), RUN_TTL).await.unwrap();
    let large = |node: &str| {
        let mut tool = ToolDefinition::new(node, json!({"type": "object"}));
        tool.description = Some("x".repeat(250_000));
        Entry::component(node, "default", tool)
    };
    let (mut taken, mut full) = (0, None);
    for number in 0..40 {
        match store.register(&run(), large(&format!("node-{number}"))).await {
            Ok(_) => taken += 1,
            Err(error) => full = full.or(Some(error)),
        }
    }
    assert!(matches!(full, Some(StoreError::Full { limit: MAX_RUN_BYTES, .. })), "{full:?}");
    assert_eq!(taken, MAX_RUN_BYTES / 250_200);
    // A replaced entry is counted once, and a removed one not at all.
    store.register(&run(), large("node-0")).await.unwrap();
    store.remove(&run(), "node-0").await.unwrap();
    store.register(&run(), large("other")).await.unwrap();
}

pub(crate) async fn entries_that_clients_could_not_use_are_refused(stores: Stores) {
    let store = stores.one;
    store.open(&run(), RUN_TTL).await.unwrap();
    let flawed = Entry::component("a", "default", ToolDefinition::new("a", json!({"type": "string"})));
    assert!(matches!(store.register(&run(), flawed).await, Err(StoreError::Invalid(_))));
    assert_eq!(nodes(&*store).await, [""; 0]);
}

pub(crate) async fn revoking_a_run_changes_its_epoch_only(stores: Stores) {
    let store = stores.one;
    let opened = store.open(&run(), RUN_TTL).await.unwrap();
    store.register(&run(), entry("a")).await.unwrap();
    store.revoke(&Revocation::Run(run())).await.unwrap();
    let revoked = stores.other.state("run-1", None).await.unwrap().unwrap();
    assert_ne!(revoked.epoch, opened.epoch);
    assert_eq!(nodes(&*store).await, ["a"]);
}

pub(crate) async fn a_revoked_token_is_known_at_once(stores: Stores) {
    let store = stores.one;
    store.open(&run(), RUN_TTL).await.unwrap();
    store.revoke(&Revocation::Token("t1".to_owned())).await.unwrap();
    for (id, is_revoked) in [("t1", true), ("t2", false)] {
        let state = stores.other.state("run-1", Some(TokenId { id, issued_at: 1 })).await.unwrap().unwrap();
        assert_eq!(state.is_revoked, is_revoked, "{id}");
        let of_no_run = stores.other.is_revoked(Some("acme"), TokenId { id, issued_at: 1 }).await.unwrap();
        assert_eq!(of_no_run, is_revoked, "{id}");
    }
    assert!(!store.state("run-1", None).await.unwrap().unwrap().is_revoked);
}

pub(crate) async fn tokens_of_an_organization_are_revoked_by_their_time(stores: Stores) {
    let store = stores.one;
    store.open(&run(), RUN_TTL).await.unwrap();
    store.open(&RunId::new(None, "run-2"), RUN_TTL).await.unwrap();
    store.revoke(&Revocation::Org(Some("acme".to_owned()), 1_000)).await.unwrap();
    // An earlier time takes nothing back.
    store.revoke(&Revocation::Org(Some("acme".to_owned()), 500)).await.unwrap();
    for (run, issued_at, is_revoked) in
        [("run-1", 999, true), ("run-1", 1_000, true), ("run-1", 1_001, false), ("run-2", 999, false)]
    {
        let token = TokenId { id: "t", issued_at };
        let state = stores.other.state(run, Some(token)).await.unwrap().unwrap();
        assert_eq!(state.is_revoked, is_revoked, "{run} {issued_at}");
        let of_no_run = stores.other.is_revoked(state.org.as_deref(), token).await.unwrap();
        assert_eq!(of_no_run, is_revoked, "{run} {issued_at}");
    }
    store.revoke(&Revocation::Org(None, 1_000)).await.unwrap();
    let token = TokenId { id: "t", issued_at: 999 };
    assert!(stores.other.state("run-2", Some(token)).await.unwrap().unwrap().is_revoked);
}

pub(crate) async fn watchers_are_told_which_run_has_changed(stores: Stores) {
    let mut changes = stores.other.watch();
    let store = stores.one;
    let told = async |changes: &mut tokio::sync::broadcast::Receiver<RunChanged>| {
        tokio::time::timeout(Duration::from_secs(5), changes.recv()).await.expect("a change").unwrap().run
    };
    // A watcher that has just connected may have missed something, and is told so.
    let mut next = async || {
        loop {
            let run = told(&mut changes).await;
            if run.is_some() {
                return run;
            }
        }
    };
    store.open(&run(), RUN_TTL).await.unwrap();
    assert_eq!(next().await.as_deref(), Some("run-1"));
    store.register(&run(), entry("a")).await.unwrap();
    assert_eq!(next().await.as_deref(), Some("run-1"));
    store.remove(&run(), "a").await.unwrap();
    assert_eq!(next().await.as_deref(), Some("run-1"));
    store.revoke(&Revocation::Run(run())).await.unwrap();
    assert_eq!(next().await.as_deref(), Some("run-1"));
    store.end(&run()).await.unwrap();
    assert_eq!(next().await.as_deref(), Some("run-1"));
    store.revoke(&Revocation::Token("t".to_owned())).await.unwrap();
    assert_eq!(told(&mut changes).await, None);
}

pub(crate) async fn both_see_the_same_entries(stores: Stores) {
    stores.one.open(&run(), RUN_TTL).await.unwrap();
    for node in ["c", "a", "b"] {
        stores.one.register(&run(), entry(node).bind(["apiKey"])).await.unwrap();
    }
    let (one, other) = tokio::join!(stores.one.snapshot("run-1"), stores.other.snapshot("run-1"));
    assert_eq!(one.unwrap().unwrap(), other.unwrap().unwrap());
    assert_eq!(nodes(&*stores.other).await, ["c", "a", "b"]);
}
