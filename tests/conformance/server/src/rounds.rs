//! Tools and a prompt that need one or two rounds of input requests (2026-07-28, basic/patterns/mrtr).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolwright::{
    Context, Handler, Prompt, Server, Tool, ToolError, input_requests::Sampling, request::RequestError,
};

use crate::Fixture;
use crate::input_requests::words;

/// Asks for a name.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub(crate) struct TestInputRequiredResultElicitation {}

/// Has the client's model answer.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub(crate) struct TestInputRequiredResultSampling {}

/// Asks for the client's folders.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub(crate) struct TestInputRequiredResultListRoots {}

/// Continues from a state.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub(crate) struct TestInputRequiredResultRequestState {}

/// Asks three things at once.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub(crate) struct TestInputRequiredResultMultipleInputs {}

/// Asks one thing after another.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub(crate) struct TestInputRequiredResultMultiRound {}

/// Rejects a foreign state.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub(crate) struct TestInputRequiredResultTamperedState {}

/// Makes the input requests that the client supports.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub(crate) struct TestInputRequiredResultCapabilities {}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Name {
    name: String,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Color {
    color: String,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Confirmation {
    ok: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct UserContext {
    context: String,
}

const NAME: &str = "What is your name?";
const CAPITAL: &str = "What is the capital of France?";

impl Handler<TestInputRequiredResultElicitation> for Fixture {
    type Output = Result<String, ToolError>;

    async fn call(&self, _input: TestInputRequiredResultElicitation, cx: &Context) -> Self::Output {
        Ok(words(&cx.elicit::<Name>("user_name", NAME).await?))
    }
}

impl Handler<TestInputRequiredResultSampling> for Fixture {
    type Output = Result<String, ToolError>;

    async fn call(&self, _input: TestInputRequiredResultSampling, cx: &Context) -> Self::Output {
        Ok(cx.sample("capital_question", Sampling::new(CAPITAL).max_tokens(100)).await?.text())
    }
}

impl Handler<TestInputRequiredResultListRoots> for Fixture {
    type Output = Result<String, ToolError>;

    async fn call(&self, _input: TestInputRequiredResultListRoots, cx: &Context) -> Self::Output {
        Ok(format!("{:?}", cx.roots("client_roots").await?))
    }
}

impl Handler<TestInputRequiredResultRequestState> for Fixture {
    type Output = Result<String, ToolError>;

    async fn call(&self, _input: TestInputRequiredResultRequestState, cx: &Context) -> Self::Output {
        let confirmed = cx.elicit::<Confirmation>("confirm", "Go on?").await?;
        Ok(format!("state-ok, {}", words(&confirmed)))
    }
}

impl Handler<TestInputRequiredResultMultipleInputs> for Fixture {
    type Output = Result<String, ToolError>;

    async fn call(&self, _input: TestInputRequiredResultMultipleInputs, cx: &Context) -> Self::Output {
        let (name, capital, roots) = tokio::join!(
            cx.elicit::<Name>("user_name", NAME),
            cx.sample("capital_question", Sampling::new(CAPITAL).max_tokens(100)),
            cx.roots("client_roots"),
        );
        Ok(format!("{}, {}, {:?}", words(&name?), capital?.text(), roots?))
    }
}

impl Handler<TestInputRequiredResultMultiRound> for Fixture {
    type Output = Result<String, ToolError>;

    async fn call(&self, _input: TestInputRequiredResultMultiRound, cx: &Context) -> Self::Output {
        let name = cx.elicit::<Name>("step1", NAME).await?;
        let color = cx.elicit::<Color>("step2", "What is your favorite color?").await?;
        Ok(format!("{}, {}", words(&name), words(&color)))
    }
}

impl Handler<TestInputRequiredResultTamperedState> for Fixture {
    type Output = Result<String, ToolError>;

    async fn call(&self, _input: TestInputRequiredResultTamperedState, cx: &Context) -> Self::Output {
        Ok(words(&cx.elicit::<Confirmation>("confirm", "Go on?").await?))
    }
}

impl Handler<TestInputRequiredResultCapabilities> for Fixture {
    type Output = Result<String, ToolError>;

    async fn call(&self, _input: TestInputRequiredResultCapabilities, cx: &Context) -> Self::Output {
        if cx.client().can_elicit_form() {
            return Ok(words(&cx.elicit::<Name>("user_name", NAME).await?));
        }
        Ok(cx.sample("capital_question", Sampling::new(CAPITAL).max_tokens(100)).await?.text())
    }
}

/// The server with the prompt.
pub(crate) fn with_prompt(server: Server<Fixture>) -> Server<Fixture> {
    let prompt = Prompt::new("test_input_required_result_prompt")
        .description("Asks the user before it makes its messages.");
    server.prompt(prompt, async |(): (), cx: Context| -> Result<String, RequestError> {
        let context = cx.elicit::<UserContext>("user_context", "What is this about?").await?;
        Ok(match context.accepted() {
            Some(UserContext { context }) => format!("The user says: {context}"),
            None => "The user says nothing.".to_owned(),
        })
    })
}
