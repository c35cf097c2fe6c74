//! Tests of delegation.

use super::*;

/// Picks a tool by a word in the request, as a model would.
fn delegate() -> Delegate {
    let tools = agent().tools(InputForm::Query);
    Delegate::new(tools, |request, tools| {
        Box::pin(async move {
            let (word, rest) = request.split_once(' ').unwrap_or((request, ""));
            if word == "think" {
                std::future::pending::<()>().await;
            }
            if word == "broken" {
                return Err("the model is down".into());
            }
            let tool =
                tools.iter().find(|tool| tool.name().contains(word)).map_or(word, TextTool::name).to_owned();
            Ok(Selection { tool, input: rest.to_owned() })
        })
    })
}

#[tokio::test]
async fn the_selection_picks_the_tool_and_its_input() {
    let delegate = delegate();
    assert_eq!(delegate.tools().len(), definitions().len());
    for input in ["details order_id=#W1", r##"details {"order_id":"#W1"}"##] {
        let answer = delegate.run(input, &cx()).await.unwrap();
        assert_eq!(answer.tool, "get_order_details");
        assert_eq!(seen(&answer)["arguments"], json!({"order_id": "#W1"}));
    }
}

#[tokio::test]
async fn errors_of_delegation_have_their_causes() {
    let cases = [
        ("broken", &["no tool could be selected", "the model is down"][..]),
        ("refund order", &["the selected tool `refund` does not exist"]),
        (
            "slow down",
            &[
                "1 word(s) after `slow` are not arguments; write `key=value`, with quotes around a value of several words; it has none",
            ],
        ),
    ];
    for (request, expected) in cases {
        let error = delegate().run(request, &cx()).await.unwrap_err();
        assert_eq!(chain(&error), expected, "{request}");
    }
    let soon = Context::detached(Duration::from_millis(20));
    assert!(matches!(delegate().run("think", &soon).await, Err(AgentError::Undecided)));
    let answer = delegate().run("fails", &cx()).await.unwrap();
    assert!(answer.is_error, "a failed tool is a result");
}
