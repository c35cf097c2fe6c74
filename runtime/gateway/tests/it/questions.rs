//! Whose client responds to the input requests of a server behind; `bridge` has what is forwarded of them.

use std::num::NonZeroUsize;
use std::time::Duration;

use serde_json::json;
use toolwright_client::config::{HttpSpec, ServerSpec, SseSpec};
use toolwright_client::{Client, ClientBuilder, Elicitation, ElicitationResponse};
use toolwright_core::protocol::Revision;
use toolwright_gateway::Proxy;
use toolwright_server::{Http, Server, Service};

use crate::shop::{Shop, client, front, until};

/// A client whose user gives this answer to any form, which tells the message as well.
fn answering(revision: Revision, colour: &'static str) -> ClientBuilder {
    Client::builder().revision(revision).on_elicitation(move |asked| {
        let Elicitation::Form { message, .. } = asked else { panic!("a form") };
        let answer = json!({"colour": format!("{message} {colour}")});
        std::future::ready(ElicitationResponse::Accept(answer.as_object().unwrap().clone()))
    })
}

/// A legacy server over a channel does not say for which call it asks.
#[tokio::test]
async fn nobody_is_asked_about_the_call_of_another() {
    let shop = Shop::default();
    let service = front(&shop, Revision::NEWEST_LEGACY).await;
    let one = client(&service, answering(Revision::NEWEST_LEGACY, "blue")).await;
    let other = client(&service, answering(Revision::NEWEST, "red")).await;
    let slow = other.call("slow", json!({"ms": 60_000})).into_future();
    let asking = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        one.call("ask", ()).await.unwrap()
    };
    tokio::select! {
        result = asking => assert!(result.is_error && result.as_text().contains("several requests"), "{result:?}"),
        _ = slow => panic!("it is slow"),
    }
    until("the other call has ended", || shop.cancelled() == 1).await;
    assert_eq!(one.call("ask", ()).await.unwrap().as_text(), r#""Which colour? blue""#);
}

/// A service over HTTP; its address.
fn served(service: Service) -> String {
    let http = Http::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", http.local_addr().unwrap());
    tokio::spawn(async move { service.serve(http).await });
    url
}

#[tokio::test]
async fn over_http_each_question_reaches_whose_call_it_is() {
    let spec: ServerSpec = HttpSpec::new(served(Shop::default().service())).into();
    let behind = Client::builder()
        .revision(Revision::NEWEST_LEGACY)
        .relay_input_requests()
        .connect(spec)
        .await
        .unwrap();
    let proxy = Proxy::new(behind).await.unwrap();
    let service = Server::new(()).provider(proxy).build().unwrap();
    let mut calls = tokio::task::JoinSet::new();
    for (number, colour) in ["blue", "red", "green", "black"].into_iter().cycle().take(16).enumerate() {
        let revision = if number % 2 == 0 { Revision::NEWEST } else { Revision::NEWEST_LEGACY };
        let client = client(&service, answering(revision, colour)).await;
        calls.spawn(async move {
            let result = client.call("ask", json!({"message": number.to_string()})).await.unwrap();
            assert_eq!(result.as_text(), format!("\"{number} {colour}\""));
        });
    }
    calls.join_all().await;
}

/// Over HTTP+SSE all messages come on one stream.
#[tokio::test]
async fn one_call_at_a_time_leaves_no_doubt_who_is_asked() {
    let http = Http::bind("127.0.0.1:0").unwrap().with_sse();
    let url = format!("http://{}/sse", http.local_addr().unwrap());
    let behind = Shop::default().service();
    tokio::spawn(async move { behind.serve(http).await });
    let mut spec: ServerSpec = SseSpec::new(url).into();
    spec.max_concurrency = NonZeroUsize::new(1);
    let proxy = Proxy::connect(spec).await.unwrap();
    let service = Server::new(()).provider(proxy).build().unwrap();
    let mut calls = tokio::task::JoinSet::new();
    for colour in ["blue", "red", "green"] {
        let client = client(&service, answering(Revision::NEWEST_LEGACY, colour)).await;
        calls.spawn(async move {
            let result = client.call("ask", json!({"message": "m"})).await.unwrap();
            assert_eq!(result.as_text(), format!("\"m {colour}\""));
        });
    }
    calls.join_all().await;
}
