//! A store that cannot be reached lets nobody in, and shows nobody less than there is.

use std::sync::Arc;

use serde_json::json;
use toolwright_gateway::calls::MemoryBus;
use toolwright_gateway::redis::RedisStore;
use toolwright_gateway::registry::Revocation;

use crate::redis_server::{Keeps, RedisServer};
use crate::tenants::Table;

// As in IBM/mcp-context-forge#2467 and attevon-llc/OpenTranscribe#324.
#[tokio::test]
async fn an_outage_opens_no_doors() {
    let server = RedisServer::start(Keeps::Nothing);
    let store = RedisStore::connect(&server.url()).await.unwrap();
    let secrets = Arc::new(store.secrets());
    let table = Table::new(Arc::new(store), secrets, Arc::new(MemoryBus::new())).await;
    let (seen, revoked) = (&table.callers[0], &table.callers[2]);
    table.store.revoke(&Revocation::Run(revoked.0.run_id())).await.unwrap();
    let unseen = table.mint_again(seen.0).await;
    let refused = table.modern(&revoked.1, "tools/list", &json!({})).await;
    assert!(refused.starts_with("HTTP/1.1 401") && refused.contains("revoked"), "{refused}");

    server.pause();
    let all = json!({});
    let list = |token| table.modern(token, "tools/list", &all);
    // A state that was read a moment ago counts for a second.
    let mut answer = list(&seen.1).await;
    while answer.starts_with("HTTP/1.1 200") {
        assert!(answer.contains("red__say"), "{answer}");
        answer = list(&seen.1).await;
    }
    let (one, two, three) = tokio::join!(list(&seen.1), list(&unseen), list(&revoked.1));
    for answer in [one, two, three] {
        // Neither 401, which would have clients throw good tokens away, nor an empty list.
        assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("store_unavailable"), "{answer}");
    }
    server.go_on();
    let again = table.modern(&unseen, "tools/list", &json!({})).await;
    assert!(again.contains("red__say"), "{again}");
    let refused = table.modern(&revoked.1, "tools/list", &json!({})).await;
    assert!(refused.starts_with("HTTP/1.1 401"), "{refused}");
}
