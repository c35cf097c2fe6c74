//! Tests of the connection pool.

use serde_json::json;

use super::*;

/// Polls all futures concurrently, in one task.
async fn all(calls: Vec<impl Future<Output = ToolMessage>>) -> Vec<ToolMessage> {
    let mut calls: Vec<_> = calls.into_iter().map(Box::pin).collect();
    let mut answers: Vec<Option<ToolMessage>> = calls.iter().map(|_| None).collect();
    std::future::poll_fn(|cx| {
        for (call, answer) in calls.iter_mut().zip(&mut answers) {
            if answer.is_none()
                && let std::task::Poll::Ready(message) = call.as_mut().poll(cx)
            {
                *answer = Some(message);
            }
        }
        if answers.iter().all(Option::is_some) {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
    answers.into_iter().flatten().collect()
}

#[tokio::test]
async fn calls_of_one_server_share_a_connection() {
    let (toolbox, servers) = toolbox([mcp("m", "repeat:"), mcp("n", "repeat:"), mcp("o", "other:")]);
    assert_eq!(servers.connects(), 0, "nothing is connected before the first call");
    let calls: Vec<_> = (0..10)
        .map(|number| toolbox.call(if number % 2 == 0 { "m" } else { "n" }, json!({"a": number})))
        .collect();
    for (number, message) in all(calls).await.into_iter().enumerate() {
        assert!(!message.is_error && message.text.ends_with(&format!("{{\"a\":{number}}}")), "{message:?}");
    }
    assert_eq!((servers.connects(), servers.calls()), (1, 10));
    toolbox.call("o", json!({})).await;
    toolbox.call("m", json!({})).await;
    assert_eq!(servers.connects(), 2);
    toolbox.close().await;
    assert_eq!(servers.closed.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn credentials_do_not_share_a_connection() {
    let ToolValue::Mcp(mut second) = mcp("n", "repeat:") else { unreachable!("it is one of MCP") };
    second.credential_ref = Some("boss".to_owned());
    let (toolbox, servers) = toolbox([mcp("m", "repeat:"), second.into()]);
    toolbox.call("m", json!({})).await;
    toolbox.call("n", json!({})).await;
    assert_eq!(servers.connects(), 2);
}

#[tokio::test]
async fn concurrent_calls_share_a_failed_connect() {
    let (toolbox, servers) = toolbox([mcp("m", "refuse:")]);
    let messages = all((0..10).map(|_| toolbox.call("m", json!({}))).collect()).await;
    assert!(messages.iter().all(|message| message.text == "error: cannot connect to refuse:: refused"));
    assert_eq!(servers.connects(), 1);
    toolbox.call("m", json!({})).await;
    assert_eq!(servers.connects(), 2, "a later call tries again");
}

/// It is unknown whether the call ran, so it is not retried.
#[tokio::test]
async fn a_broken_connection_is_reopened_without_retries() {
    let (toolbox, servers) = toolbox([mcp("m", "break:")]);
    let message = toolbox.call("m", json!({})).await;
    assert!(message.text.contains("which may or may not have run: end of file"), "{message:?}");
    assert_eq!((servers.connects(), servers.calls()), (1, 1));
    toolbox.call("m", json!({})).await;
    assert_eq!((servers.connects(), servers.calls()), (2, 2));
}

#[tokio::test]
async fn dropping_a_call_while_connecting_blocks_no_other() {
    let (toolbox, servers) = toolbox([mcp("m", "repeat:")]);
    {
        let mut left = Box::pin(toolbox.call("m", json!({})));
        std::future::poll_fn(|cx| {
            assert!(left.as_mut().poll(cx).is_pending());
            std::task::Poll::Ready(())
        })
        .await;
    }
    assert!(!toolbox.call("m", json!({})).await.is_error);
    assert_eq!((servers.connects(), servers.calls()), (2, 1));
}
