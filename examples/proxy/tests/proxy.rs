//! The program in front of a server over HTTP.

use std::future::ready;

use serde_json::json;
use toolwright::client::Client;
use toolwright::client::config::StdioSpec;
use toolwright::{Http, Resource, Revision, Server};

#[tokio::test]
async fn the_program_offers_what_the_server_behind_has() {
    let shop = Server::new(()).instructions("Read the menu first.");
    let shop = shop.resource(Resource::new("shop://menu", "menu"), || ready("soup")).build().unwrap();
    let http = Http::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", http.local_addr().unwrap());
    let serving = tokio::spawn(async move { shop.serve(http).await });

    for revision in [Revision::NEWEST, Revision::NEWEST_LEGACY] {
        let program = StdioSpec::new(env!("CARGO_BIN_EXE_proxy")).arg(&*url);
        let client = Client::builder().revision(revision).connect(program).await.unwrap();
        let about = client.server().await.unwrap();
        assert_eq!(
            (about.name(), about.instructions.as_deref()),
            (Some("proxy"), Some("Read the menu first."))
        );
        assert_eq!(client.list_resources().await.unwrap()[0].name, "menu");
        let menu = client.read_resource("shop://menu").await.unwrap();
        assert_eq!(json!(menu.contents[0])["text"], "soup");
        client.close().await;
    }
    serving.abort();
}

#[test]
fn without_a_server_the_program_says_how_it_is_used() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_proxy")).output().unwrap();
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("usage: proxy URL"));
}
