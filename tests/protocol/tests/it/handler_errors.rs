//! Handlers that fail with errors of their own, of `anyhow` and `eyre`, and with strings.

use std::error::Error;

use anyhow::Context as _;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use test_protocol::raw::RawClient;
use toolwright::handler::Handler;
use toolwright::request::{RequestError, RequestErrorKind};
use toolwright::result::ToolResult;
use toolwright::{Context, Server, Tool, ToolError};

/// Opens a door.
#[derive(Tool, Deserialize, JsonSchema)]
struct Open {
    door: String,
}

#[derive(Debug, thiserror::Error)]
enum DoorError {
    #[error("there is no door `{0}`")]
    Unknown(String),
    #[error("the lock is stuck")]
    Stuck(#[from] std::io::Error),
}

struct House;

impl Handler<Open> for House {
    type Output = Result<&'static str, DoorError>;

    async fn call(&self, input: Open, _: &Context) -> Self::Output {
        match input.door.as_str() {
            "front" => Ok("it is open"),
            "cellar" => Err(std::io::Error::other("rust"))?,
            _ => Err(DoorError::Unknown(input.door)),
        }
    }
}

async fn opened(server: Server<impl Send + Sync + 'static>, door: &str) -> ToolResult {
    let service = server.build().expect("a server");
    RawClient::in_process(&service).call("open", json!({"door": door})).await.expect("a result")
}

#[tokio::test]
async fn a_handler_returns_an_error_type_of_its_own() {
    for (door, text) in [
        ("front", "it is open"),
        ("cellar", "the lock is stuck: rust"),
        ("attic", "there is no door `attic`"),
    ] {
        let result = opened(Server::new(House).tools::<Open>(), door).await;
        assert_eq!((result.is_error, result.as_text().as_str()), (door != "front", text));
    }
}

#[tokio::test]
async fn anyhow_eyre_and_strings_are_errors_of_tools() {
    let expected = "opening: the lock is stuck";
    let anyhow = async |_: Open| -> anyhow::Result<()> {
        Err(anyhow::anyhow!("the lock is stuck")).context("opening")
    };
    let eyre = async |_: Open| -> eyre::Result<()> {
        eyre::WrapErr::wrap_err(Err(eyre::eyre!("the lock is stuck")), "opening")
    };
    let string = async |_: Open| -> Result<(), String> { Err("opening: the lock is stuck".to_owned()) };
    let boxed =
        async |_: Open| -> Result<(), Box<dyn Error + Send + Sync>> { Err("opening: the lock is stuck")? };
    for server in [
        Server::new(()).tool(anyhow),
        Server::new(()).tool(eyre),
        Server::new(()).tool(string),
        Server::new(()).tool(boxed),
    ] {
        let result = opened(server, "front").await;
        assert!(result.is_error);
        assert_eq!(result.as_text(), expected);
    }
}

#[test]
fn the_question_mark_converts_every_kind_of_error() {
    fn fail(kind: &str) -> Result<(), ToolError> {
        match kind {
            "own" => Err(DoorError::Unknown("attic".to_owned()))?,
            "anyhow" => Err(anyhow::anyhow!("anyhow"))?,
            "eyre" => Err(eyre::eyre!("eyre"))?,
            "string" => Err("string".to_owned())?,
            "tool" => Err(ToolError::new("tool"))?,
            _ => Err("str")?,
        }
        Ok(())
    }
    for (kind, text) in [
        ("own", "there is no door `attic`"),
        ("anyhow", "anyhow"),
        ("eyre", "eyre"),
        ("string", "string"),
        ("tool", "tool"),
        ("str", "str"),
    ] {
        assert_eq!(fail(kind).map_err(|error| error.message()), Err(text.to_owned()));
    }
}

// A function of the service returns `anyhow::Error`, and adds context to an error that was made for the model.
#[test]
fn a_tool_error_keeps_its_data_through_anyhow_and_eyre() -> Result<(), Box<dyn Error>> {
    let original = ToolError::new("there is no door").with_data(&json!({"doors": ["front"]}))?;
    let plain = anyhow::Error::from(original.clone().into_error());
    assert_eq!(ToolError::from(plain), original);
    assert_eq!(ToolError::from(eyre::Report::from(original.clone().into_error())), original);

    let with_context = anyhow::Error::from(original.clone().into_error()).context("opening");
    let expected = ToolError::new("opening: there is no door").with_data(&json!({"doors": ["front"]}))?;
    assert_eq!(ToolError::from(with_context), expected);

    let missing = anyhow::Error::from(RequestError::not_found("there is no door").into_error());
    let missing = RequestError::from(missing.context("opening"));
    assert_eq!(
        (missing.kind(), missing.message()),
        (RequestErrorKind::NotFound, "opening: there is no door")
    );
    Ok(())
}
