//! What every store of credentials must do.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use toolwright_core::definition::ToolDefinition;
use toolwright_gateway::registry::{Entry, RUN_TTL, RegistryStore, RunId, StoreError};
use toolwright_gateway::secrets::{
    MAX_RUN_SEALED_BYTES, MAX_SECRET_BYTES, MasterKeys, Place, Sealed, SecretError, SecretStore,
};

macro_rules! suite {
    ($attribute:meta, $vaults:expr) => {
        mod secrets {
            crate::sides::tests! { $attribute, $vaults, secrets:
                what_one_process_seals_another_opens
                credentials_end_with_their_node_and_run
                credentials_last_as_long_as_their_run
                credentials_belong_to_one_organization
                a_run_has_room_for_so_many_credentials
                changed_credentials_are_not_replaced
                rekeying_reaches_every_run_and_reports_failures
            }
        }
    };
}
pub(crate) use suite;

/// A store of credentials as two processes have it, with that of the runs.
pub(crate) struct Vaults {
    pub(crate) runs: Arc<dyn RegistryStore>,
    pub(crate) one: Arc<dyn SecretStore>,
    pub(crate) other: Arc<dyn SecretStore>,
    pub(crate) _keep: Box<dyn Any + Send>,
}

fn run() -> RunId {
    RunId::new(Some("acme"), "run-1")
}

fn sealed(keys: &MasterKeys, run: &RunId, node: &str, value: &[u8]) -> Sealed {
    let place = Place { org: run.org.as_deref(), run: &run.run, node, field: "apiKey" };
    Sealed::from([("apiKey".to_owned(), keys.seal(&place, value).unwrap())])
}

fn opened(keys: &MasterKeys, run: &RunId, node: &str, sealed: &Sealed) -> Result<Vec<u8>, SecretError> {
    let place = Place { org: run.org.as_deref(), run: &run.run, node, field: "apiKey" };
    Ok(keys.open(&place, &sealed["apiKey"])?.expose().to_vec())
}

pub(crate) async fn what_one_process_seals_another_opens(vaults: Vaults) {
    let keys = MasterKeys::generate().unwrap();
    vaults.runs.open(&run(), RUN_TTL).await.unwrap();
    assert_eq!(vaults.other.sealed(&run(), "a").await.unwrap(), Sealed::new());
    for value in [&b"first"[..], b"second"] {
        vaults.one.put_sealed(&run(), "a", &sealed(&keys, &run(), "a", value)).await.unwrap();
        let kept = vaults.other.sealed(&run(), "a").await.unwrap();
        assert_eq!(opened(&keys, &run(), "a", &kept).unwrap(), value);
        // As in Extra-Chill/data-machine#3503: nothing opens elsewhere, and never as it is stored.
        assert!(matches!(opened(&keys, &run(), "b", &kept), Err(SecretError::DoesNotOpen { .. })));
    }
    vaults.one.put_sealed(&run(), "b", &sealed(&keys, &run(), "b", b"x")).await.unwrap();
    assert_eq!(vaults.other.sealed_nodes(&run()).await.unwrap(), ["a", "b"]);
    vaults.one.put_sealed(&run(), "a", &Sealed::new()).await.unwrap();
    assert_eq!(vaults.other.sealed_nodes(&run()).await.unwrap(), ["b"]);
}

pub(crate) async fn credentials_end_with_their_node_and_run(vaults: Vaults) {
    let keys = MasterKeys::generate().unwrap();
    vaults.runs.open(&run(), RUN_TTL).await.unwrap();
    for node in ["a", "b"] {
        let tool = ToolDefinition::new(node, json!({"type": "object"}));
        vaults.runs.register(&run(), Entry::component(node, "p", tool)).await.unwrap();
        vaults.one.put_sealed(&run(), node, &sealed(&keys, &run(), node, b"x")).await.unwrap();
    }
    vaults.runs.remove(&run(), "a").await.unwrap();
    assert_eq!(vaults.one.sealed_nodes(&run()).await.unwrap(), ["b"]);
    vaults.runs.end(&run()).await.unwrap();
    assert_eq!(vaults.one.sealed(&run(), "b").await.unwrap_err(), StoreError::NoRun("run-1".to_owned()));
    assert_eq!(vaults.one.runs_with_sealed().await.unwrap(), []);
    vaults.runs.open(&run(), RUN_TTL).await.unwrap();
    assert_eq!(
        vaults.one.sealed_nodes(&run()).await.unwrap(),
        [] as [&str; 0],
        "another run of the same name"
    );
}

pub(crate) async fn credentials_last_as_long_as_their_run(vaults: Vaults) {
    let (keys, ttl) = (MasterKeys::generate().unwrap(), Duration::from_millis(400));
    vaults.runs.open(&run(), ttl).await.unwrap();
    vaults.one.put_sealed(&run(), "a", &sealed(&keys, &run(), "a", b"x")).await.unwrap();
    vaults.runs.renew(&run(), RUN_TTL).await.unwrap();
    tokio::time::sleep(ttl * 2).await;
    assert_eq!(vaults.one.sealed_nodes(&run()).await.unwrap(), ["a"], "they are renewed with the run");
    vaults.runs.renew(&run(), ttl).await.unwrap();
    tokio::time::sleep(ttl * 2).await;
    assert!(matches!(vaults.one.sealed_nodes(&run()).await, Err(StoreError::NoRun(_))));
    assert_eq!(vaults.one.runs_with_sealed().await.unwrap(), []);
}

pub(crate) async fn credentials_belong_to_one_organization(vaults: Vaults) {
    let keys = MasterKeys::generate().unwrap();
    vaults.runs.open(&run(), RUN_TTL).await.unwrap();
    let kept = sealed(&keys, &run(), "a", b"x");
    vaults.one.put_sealed(&run(), "a", &kept).await.unwrap();
    for org in [None, Some("evil"), Some("")] {
        let other = RunId::new(org, "run-1");
        let refused = StoreError::OtherOrganization("run-1".to_owned());
        assert_eq!(vaults.one.sealed(&other, "a").await.unwrap_err(), refused);
        assert_eq!(vaults.one.sealed_nodes(&other).await.unwrap_err(), refused);
        assert_eq!(vaults.one.put_sealed(&other, "a", &kept).await.unwrap_err(), refused);
        assert_eq!(vaults.one.replace_sealed(&other, "a", &kept, &kept).await.unwrap_err(), refused);
        assert!(opened(&keys, &other, "a", &kept).is_err());
    }
    let gone = RunId::new(Some("acme"), "gone");
    assert_eq!(
        vaults.one.put_sealed(&gone, "a", &kept).await.unwrap_err(),
        StoreError::NoRun("gone".to_owned())
    );
}

pub(crate) async fn a_run_has_room_for_so_many_credentials(vaults: Vaults) {
    let keys = MasterKeys::generate().unwrap();
    vaults.runs.open(&run(), RUN_TTL).await.unwrap();
    let long = vec![7; MAX_SECRET_BYTES];
    let mut count = 0;
    let error = loop {
        let node = format!("node-{count}");
        match vaults.one.put_sealed(&run(), &node, &sealed(&keys, &run(), &node, &long)).await {
            Ok(()) => count += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, StoreError::Full { limit: MAX_RUN_SEALED_BYTES, .. }), "{error}");
    assert!((90..=96).contains(&count), "{count}");
    // Replacing one takes no more room, and those of one that is removed give theirs back.
    vaults.one.put_sealed(&run(), "node-0", &sealed(&keys, &run(), "node-0", &long)).await.unwrap();
    vaults.one.put_sealed(&run(), "node-1", &Sealed::new()).await.unwrap();
    vaults.one.put_sealed(&run(), "another", &sealed(&keys, &run(), "another", &long)).await.unwrap();
}

pub(crate) async fn changed_credentials_are_not_replaced(vaults: Vaults) {
    let keys = MasterKeys::generate().unwrap();
    vaults.runs.open(&run(), RUN_TTL).await.unwrap();
    let [first, second, third] = [b"1", b"2", b"3"].map(|value| sealed(&keys, &run(), "a", value));
    assert!(!vaults.one.replace_sealed(&run(), "a", &first, &second).await.unwrap(), "there are none");
    vaults.one.put_sealed(&run(), "a", &first).await.unwrap();
    assert!(vaults.one.replace_sealed(&run(), "a", &first, &second).await.unwrap());
    assert!(!vaults.other.replace_sealed(&run(), "a", &first, &third).await.unwrap());
    assert_eq!(vaults.one.sealed(&run(), "a").await.unwrap(), second);
}

pub(crate) async fn rekeying_reaches_every_run_and_reports_failures(vaults: Vaults) {
    let (old, lost) = (MasterKeys::generate().unwrap(), MasterKeys::generate().unwrap());
    let runs = [RunId::new(None, "run-0"), run(), RunId::new(Some("evil"), "run-2")];
    for run in &runs {
        vaults.runs.open(run, RUN_TTL).await.unwrap();
        vaults.one.put_sealed(run, "a", &sealed(&old, run, "a", b"s3cret")).await.unwrap();
    }
    vaults.one.put_sealed(&run(), "b", &sealed(&lost, &run(), "b", b"s3cret")).await.unwrap();
    assert_eq!(vaults.one.runs_with_sealed().await.unwrap(), runs);

    let new = MasterKeys::generate().unwrap();
    let both = new.clone().with_previous(old.clone());
    let rekeyed = both.rekey_store(&*vaults.other).await.unwrap();
    assert_eq!((rekeyed.rekeyed, rekeyed.unchanged), (3, 0));
    let (failed, name, error) = &rekeyed.failed[0];
    assert_eq!((failed, name.as_str(), rekeyed.failed.len()), (&run(), "b/apiKey", 1));
    assert!(error.to_string().contains(lost.ids().next().unwrap()), "{error}");
    for run in &runs {
        let kept = vaults.one.sealed(run, "a").await.unwrap();
        assert_eq!(opened(&new, run, "a", &kept).unwrap(), b"s3cret", "the old key is not needed");
        assert!(matches!(opened(&old, run, "a", &kept), Err(SecretError::UnknownKey { .. })));
    }
    let again = both.rekey_store(&*vaults.one).await.unwrap();
    assert_eq!((again.rekeyed, again.unchanged, again.failed.len()), (0, 3, 1));
}
