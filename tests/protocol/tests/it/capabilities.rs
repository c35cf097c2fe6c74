//! Providers that gain and lose capabilities while their server runs.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use serde_json::{Value, json};
use test_protocol::raw::RawClient;
use toolwright::auth::Access;
use toolwright::prompt::{PromptMessage, PromptResult};
use toolwright::provider::{Changes, Outcome, PromptRequest, ProviderCapabilities};
use toolwright::{BoxFuture, Context, Prompt, Provider, Resource, Revision, Server, Service};

/// Has prompts and resources while it is switched on.
#[derive(Clone, Default)]
struct Switch {
    is_on: Arc<AtomicBool>,
    changes: Arc<OnceLock<Changes>>,
    watched: Arc<Mutex<Vec<String>>>,
}

impl Switch {
    fn turn(&self, is_on: bool) {
        self.is_on.store(is_on, Ordering::Release);
        self.changes.get().expect("it is attached").capabilities();
    }
}

impl Provider for Switch {
    fn attach(&self, changes: Changes) {
        assert!(self.changes.set(changes).is_ok(), "it is attached once");
    }

    fn capabilities(&self) -> ProviderCapabilities {
        if self.is_on.load(Ordering::Acquire) {
            ProviderCapabilities::TOOLS.with_prompts().with_resources().with_completions()
        } else {
            ProviderCapabilities::TOOLS
        }
    }

    fn prompts(&self, _caller: &Access) -> Arc<[Prompt]> {
        [Prompt::new("review")].into()
    }

    fn get_prompt<'a>(
        &'a self,
        request: PromptRequest<'a>,
        _cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<PromptResult>> {
        let result = PromptResult::new([PromptMessage::user(format!("Do a {}.", request.name))]);
        Box::pin(std::future::ready(result.into()))
    }

    fn resources(&self, _caller: &Access) -> Arc<[Resource]> {
        [Resource::new("lib://a", "a")].into()
    }

    fn watch_resource(&self, uri: &str) {
        self.watched.lock().expect("not poisoned").push(uri.to_owned());
    }
}

fn service(switch: &Switch) -> Service {
    Server::new(()).provider(switch.clone()).build().expect("a service")
}

/// A service in front of that.
fn nested(switch: &Switch) -> Service {
    Server::new(()).provider(service(switch)).build().expect("a service")
}

/// The currently declared capabilities.
async fn declared(service: &Service) -> Value {
    let client = RawClient::in_process(service);
    client.request("server/discover", json!({})).await.expect("a result")["capabilities"].clone()
}

#[tokio::test]
async fn capabilities_of_a_provider_come_and_go() {
    for make in [service, nested] {
        let switch = Switch::default();
        let service = make(&switch);
        for is_on in [false, true, false, true] {
            switch.turn(is_on);
            let declared = declared(&service).await;
            for capability in ["prompts", "resources", "completions"] {
                assert_eq!(declared.get(capability).is_some(), is_on, "{capability}");
            }
            for revision in Revision::ALL {
                let client = RawClient::in_process_at(&service, revision).await.expect("a client");
                let prompt = client.request("prompts/get", json!({"name": "review"})).await;
                assert_eq!(prompt.is_ok(), is_on, "{revision}");
                let listed = client.request("prompts/list", json!({})).await;
                assert_eq!(
                    listed.map(|list| list["prompts"][0]["name"].clone()).ok(),
                    is_on.then(|| json!("review"))
                );
                let listed = client.request("resources/list", json!({})).await;
                assert_eq!(listed.is_ok(), is_on, "{revision}");
            }
        }
    }
}

#[tokio::test]
async fn connected_clients_are_notified_of_new_capabilities() {
    for make in [service, nested] {
        let switch = Switch::default();
        let service = make(&switch);
        let client = RawClient::in_process_at(&service, Revision::NEWEST_LEGACY).await.expect("a client");
        for is_on in [true, false] {
            switch.turn(is_on);
            for list in ["prompts", "resources"] {
                let word = client.next_notification().await.expect("a notification");
                assert_eq!(word["method"], format!("notifications/{list}/list_changed"));
                assert_eq!(client.request(&format!("{list}/list"), json!({})).await.is_ok(), is_on);
            }
        }
    }
}

#[tokio::test]
async fn a_provider_that_gains_resources_learns_subscriptions() {
    let switch = Switch::default();
    let own = Resource::new("own://a", "a");
    let server = Server::new(()).provider(switch.clone()).resource(own, || std::future::ready("text"));
    let service = server.build().expect("a service");
    let client = RawClient::in_process_at(&service, Revision::NEWEST_LEGACY).await.expect("a client");
    for uri in ["own://a", "lib://a"] {
        client.request("resources/subscribe", json!({"uri": uri})).await.expect("it is taken");
    }
    assert!(switch.watched.lock().expect("not poisoned").is_empty(), "it has no resources");
    switch.turn(true);
    assert_eq!(*switch.watched.lock().expect("not poisoned"), ["lib://a"]);
}
