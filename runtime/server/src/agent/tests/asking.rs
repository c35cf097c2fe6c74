//! Tests of messages and sessions.

use super::*;

const ENVELOPE: &str =
    r##"{"type":"mcp_tool_call","tool_call":{"name":"get_order_details","arguments":{"order_id":"#W1"}}}"##;

fn called(tool: &str, source: Source) -> TraceEvent {
    TraceEvent::Called { tool: tool.to_owned(), source }
}

fn finished(tool: &str, is_error: bool) -> TraceEvent {
    TraceEvent::Finished { tool: tool.to_owned(), is_error }
}

#[tokio::test]
async fn envelopes_and_text_give_the_same_message() {
    let messages = [(ENVELOPE, Source::Mcp), ("get order details order_id=#W1", Source::Command)];
    let mut answers = Vec::new();
    for (text, source) in messages {
        let turn = agent().ask(text, &cx()).await;
        assert_eq!(turn.trace, [called("get_order_details", source), finished("get_order_details", false)]);
        let answer = turn.outcome.unwrap();
        let mut json = serde_json::to_value(&answer).unwrap();
        assert_eq!(json["source"].take(), serde_json::to_value(source).unwrap());
        answers.push(json);
    }
    assert_eq!(answers[0], answers[1]);
    let text = r##"{"name":"get_order_details","arguments":{"order_id":"#W1"},"context":null}"##;
    assert_eq!(
        answers[0],
        json!({
            "source": null,
            "tool": "get_order_details",
            "isError": false,
            "content": [{"type": "text", "text": text}],
            "structuredContent": {"name": "get_order_details", "arguments": {"order_id": "#W1"}, "context": null},
        })
    );
}

#[tokio::test]
async fn calls_are_made_in_the_context_of_the_agent() {
    let call = ToolCall::from_envelope(ENVELOPE).unwrap();
    let request = call.request(Some("orders/1"));
    assert_eq!((request.name, request.context_path), ("get_order_details", Some("orders/1")));
    assert_eq!(request.arguments.unwrap().get(), r##"{"order_id":"#W1"}"##);

    let answer = agent().in_context("orders/42").ask(ENVELOPE, &cx()).await.outcome.unwrap();
    assert_eq!(seen(&answer)["context"], "orders/42");
}

#[tokio::test]
async fn an_agent_has_only_the_tools_of_its_context() {
    let envelope = r#"{"type":"mcp_tool_call","tool_call":{"name":"ship","arguments":{}}}"#;
    for (path, has_it) in [("orders", true), ("orders/42", true), ("ordersearch", false), ("", false)] {
        let agent = agent().in_context(path);
        assert_eq!(agent.definitions().iter().any(|tool| tool.name == "ship"), has_it, "{path}");
        assert_eq!(agent.simple_docs().contains("ship: "), has_it);
        let answer = agent.ask(envelope, &cx()).await.outcome.unwrap();
        assert_eq!(!answer.is_error, has_it, "{path}: {answer:?}");
        assert_eq!(agent.ask("ship", &cx()).await.outcome.is_ok(), has_it);
        let tool = agent.tools(InputForm::Query).into_iter().find(|tool| tool.name() == "ship");
        assert_eq!(tool.is_some(), has_it);
        if let Some(tool) = tool {
            assert_eq!(seen(&tool.call("", &cx()).await.unwrap())["context"], path);
        }
    }
}

#[test]
fn content_without_a_type_is_text() {
    let message: AgentMessage = serde_json::from_value(json!({
        "source": "mcp", "tool": "t", "content": [{}, {"text": "a"}, {"type": "text"}, {"type": "audio", "data": "AA==", "mimeType": "audio/wav"}],
    }))
    .unwrap();
    assert!(!message.is_error);
    assert_eq!(
        message.content,
        [
            ContentBlock::text(""),
            ContentBlock::text("a"),
            ContentBlock::text(""),
            ContentBlock::audio([0], "audio/wav"),
        ]
    );
    let again: AgentMessage = serde_json::from_str(&serde_json::to_string(&message).unwrap()).unwrap();
    assert_eq!(again, message);
}

#[tokio::test]
async fn an_invalid_envelope_is_routed_as_text() {
    for text in [r#"{"type":"mcp_tool_call","tool_call":{"name":"#, r#"{"type":"other"}"#] {
        let turn = agent().ask(text, &cx()).await;
        assert!(
            matches!(&turn.trace[0], TraceEvent::NoEnvelope { error } if error.contains("not a tool call"))
        );
        assert!(matches!(&turn.trace[1], TraceEvent::Failed { error } if error.contains("unknown command")));
        assert_eq!(turn.trace.len(), 2);
        let error = turn.outcome.unwrap_err();
        assert!(matches!(
            &error,
            AgentError::Input { refused: Some(EnvelopeError::Shape(_)), route: RouteError::NoCommand { .. } }
        ));
        assert!(error.to_string().contains("; it is not a tool call of the form"), "{error}");
    }
    // Text that does not look like JSON is not taken for an envelope.
    let turn = agent().ask("nonsense", &cx()).await;
    assert!(matches!(turn.outcome, Err(AgentError::Input { refused: None, .. })));
    assert_eq!(turn.trace.len(), 1);
}

/// A router that knows one message.
struct Scripted;

impl TextRouter for Scripted {
    fn route<'a>(
        &'a self,
        text: &'a str,
        _: &'a [ToolDefinition],
    ) -> BoxFuture<'a, Result<ToolCall, RouteError>> {
        Box::pin(async move {
            match text {
                r#"{"where": "is my order"}"# => Ok(ToolCall { name: "slow".to_owned(), arguments: None }),
                _ => Err(RouteError::Other("the model is down".into())),
            }
        })
    }
}

#[tokio::test]
async fn custom_routers_get_the_text_and_return_errors() {
    let agent = agent().with_router(Scripted);
    let turn = agent.ask(r#"{"where": "is my order"}"#, &cx()).await;
    assert!(matches!(turn.trace[0], TraceEvent::NoEnvelope { .. }));
    assert_eq!(turn.trace[1..], [called("slow", Source::Command), finished("slow", false)]);
    assert_eq!(turn.outcome.unwrap().to_text(), "slow");
    let error = agent.ask("else", &cx()).await.outcome.unwrap_err();
    assert_eq!(chain(&error), ["the model is down"]);
}

#[tokio::test]
async fn calls_without_a_result_are_errors_and_never_hang() {
    let soon = || Context::detached(Duration::from_millis(20));
    assert!(matches!(agent().ask("never", &soon()).await.outcome, Err(AgentError::TimedOut { .. })));
    let cancelled = cx();
    cancelled.cancellation().cancel();
    let never = r#"{"type":"mcp_tool_call","tool_call":{"name":"never"}}"#;
    assert!(matches!(agent().ask(never, &cancelled).await.outcome, Err(AgentError::Cancelled { .. })));
    assert!(matches!(agent().ask("never", &cancelled).await.outcome, Err(AgentError::Undecided)));
    let error = agent().ask("panics", &cx()).await.outcome.unwrap_err();
    assert_eq!(error.to_string(), "`panics` failed unexpectedly; the program's log has the reason");
}

#[tokio::test]
async fn messages_render_as_text() {
    let cases = [
        ("fails", true, "error: the tool failed and gave no reason"),
        ("empty", false, "(empty returned nothing)"),
        ("picture", false, "here:\n\n[image: image/png, 3 bytes]"),
    ];
    for (text, is_error, shown) in cases {
        let answer = agent().ask(text, &cx()).await.outcome.unwrap();
        assert_eq!((answer.is_error, answer.to_text().as_str()), (is_error, shown));
    }
    let long = |lengths: &[usize]| {
        let content: Vec<ContentBlock> =
            lengths.iter().map(|length| ContentBlock::text("é".repeat(*length))).collect();
        AgentMessage::new(Source::Mcp, "t", ToolResult::new(content)).to_text()
    };
    assert!(!long(&[RENDER_LIMIT - 1, 1]).contains('['));
    assert!(long(&[RENDER_LIMIT - 1, 2, 1]).ends_with("é\n\n[2 more blocks omitted: too long]"));
    let cut = long(&[RENDER_LIMIT + 7]);
    assert_eq!(cut.chars().filter(|character| *character == 'é').count(), RENDER_LIMIT);
    assert!(cut.ends_with("\n[truncated: 7 more characters]"));
}

#[tokio::test]
async fn each_session_preserves_its_order() {
    let agent = Arc::new(agent());
    let run = |number: usize| {
        let mut session = Session::open(Arc::clone(&agent));
        async move {
            for text in ["slow", "nonsense"] {
                session.send(text).await.unwrap();
            }
            let second = session.input();
            second.send(format!("get order details order_id={number}")).await.unwrap();
            assert_eq!(session.next().await.unwrap().unwrap().to_text(), "slow");
            assert!(session.next().await.unwrap().is_err());
            let answer = session.next().await.unwrap().unwrap();
            assert_eq!(seen(&answer)["arguments"]["order_id"], number.to_string());

            let mut trace = Vec::new();
            for _ in 0..5 {
                trace.push(session.next_event().await.unwrap());
            }
            assert_eq!(trace[..2], [called("slow", Source::Command), finished("slow", false)]);
            assert!(matches!(trace[2], TraceEvent::Failed { .. }));
            assert_eq!(
                trace[3..],
                [called("get_order_details", Source::Command), finished("get_order_details", false)]
            );
            second
        }
    };
    let start = std::time::Instant::now();
    let inputs = tokio::join!(run(0), run(1), run(2), run(3));
    assert!(start.elapsed() < Duration::from_millis(4 * 30), "sessions run beside each other");
    // The sessions have been dropped.
    tokio::time::timeout(Duration::from_secs(5), async {
        while inputs.0.send("slow").await.is_ok() {
            tokio::task::yield_now().await;
        }
    })
    .await
    .expect("a dropped session closes its input");
}

#[tokio::test]
async fn dropping_a_session_cancels_the_current_call() {
    let agent = Arc::new(agent());
    let mut session = Session::open(Arc::clone(&agent));
    session.send("never").await.unwrap();
    session.send("slow").await.unwrap();
    let waiting = tokio::time::timeout(Duration::from_millis(20), session.next()).await;
    assert!(waiting.is_err(), "the first message holds the second");
    drop(session);
    let gone = tokio::time::timeout(Duration::from_secs(5), async {
        while Arc::strong_count(&agent) > 1 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    });
    gone.await.expect("the session's task ends");
}
