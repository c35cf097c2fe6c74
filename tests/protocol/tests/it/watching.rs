//! Providers are informed of subscriptions to their resources.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use test_protocol::raw::RawClient;
use toolwright::{Provider, Resource, Revision, Server, Service, provider::ProviderCapabilities};

/// Records the subscriptions.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Vec<String>>>);

impl Told {
    fn note(&self, sign: char, uri: &str) {
        self.0.lock().expect("not poisoned").push(format!("{sign}{uri}"));
    }

    /// Waits until exactly these calls were made.
    async fn expect(&self, expected: &[&str]) {
        for _ in 0..500 {
            if *self.0.lock().expect("not poisoned") == expected {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(*self.0.lock().expect("not poisoned"), expected);
    }
}

impl Provider for Told {
    fn capabilities(&self) -> ProviderCapabilities {
        ProviderCapabilities::TOOLS.with_resources()
    }

    fn watch_resource(&self, uri: &str) {
        self.note('+', uri);
    }

    fn unwatch_resource(&self, uri: &str) {
        self.note('-', uri);
    }
}

fn service(told: &Told) -> Service {
    let own = Resource::new("own://a", "a");
    let server = Server::new(()).provider(told.clone()).resource(own, || std::future::ready("text"));
    server.build().expect("a service")
}

#[tokio::test]
async fn providers_learn_of_the_first_and_last_subscription() {
    let told = Told::default();
    let service = service(&told);
    let client =
        async || RawClient::in_process_at(&service, Revision::NEWEST_LEGACY).await.expect("a client");
    let watch = async |client: &RawClient, method: &str, uri: &str| {
        client.request(method, json!({"uri": uri})).await.expect("it is taken");
    };
    let (one, other) = (client().await, client().await);
    watch(&one, "resources/subscribe", "own://a").await;
    watch(&one, "resources/subscribe", "lib://a").await;
    watch(&one, "resources/subscribe", "lib://a").await;
    watch(&other, "resources/subscribe", "lib://a").await;
    told.expect(&["+lib://a"]).await;
    watch(&one, "resources/unsubscribe", "lib://a").await;
    watch(&one, "resources/unsubscribe", "lib://a").await;
    told.expect(&["+lib://a"]).await;
    // A session that ends watches nothing.
    drop(other);
    told.expect(&["+lib://a", "-lib://a"]).await;
}

#[tokio::test]
async fn a_subscription_is_notified_until_it_ends() {
    let told = Told::default();
    let service = service(&told);
    let client = RawClient::in_process(&service);
    let filter = json!({"notifications": {"resourceSubscriptions": ["lib://b", "own://a", "lib://a"]}});
    let listening = client.request("subscriptions/listen", filter);
    tokio::select! {
        ended = listening => panic!("{ended:?}"),
        () = told.expect(&["+lib://a", "+lib://b"]) => {}
    }
    // Nobody waits for its response any longer, which cancels it.
    told.expect(&["+lib://a", "+lib://b", "-lib://a", "-lib://b"]).await;
}
