//! Tools that send input requests during a call: elicitation and sampling.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolwright::{
    Context, Handler, Tool, ToolError,
    input_requests::{Elicited, Sampling},
};

use crate::Fixture;

/// Has the client's model answer a prompt.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub(crate) struct TestSampling {
    /// The prompt.
    prompt: String,
}

/// Asks the client's user who they are.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub(crate) struct TestElicitation {
    /// What the user is told.
    message: String,
}

/// Shows a form whose members have defaults.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(name = "test_elicitation_sep1034_defaults")]
pub(crate) struct TestElicitationDefaults {}

/// Shows a form with each kind of choice.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(name = "test_elicitation_sep1330_enums")]
pub(crate) struct TestElicitationEnums {}

/// Needs a client that samples.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub(crate) struct TestMissingCapability {}

/// Asks the client's user to go on.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub(crate) struct TestStreamingElicitation {}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Person {
    /// Your name here.
    username: String,
    /// Where to write to.
    #[schemars(email)]
    email: String,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct Defaults {
    name: String,
    age: u32,
    score: f64,
    status: Status,
    verified: bool,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Status {
    Active,
    Inactive,
    Pending,
}

impl Default for Defaults {
    fn default() -> Self {
        Self { name: "John Doe".to_owned(), age: 30, score: 95.5, status: Status::Active, verified: true }
    }
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Enums {
    untitled_single: Plain,
    titled_single: Titled,
    /// Titles as revisions before 2025-11-25 have them.
    #[schemars(extend("enumNames" = ["Option One", "Option Two", "Option Three"]))]
    legacy_enum: Plain,
    untitled_multi: Vec<Plain>,
    titled_multi: Vec<Titled>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Plain {
    Option1,
    Option2,
    Option3,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Titled {
    /// First Option
    Value1,
    /// Second Option
    Value2,
    /// Third Option
    Value3,
}

/// Describes a user's response.
pub(crate) fn words<T: Serialize>(elicited: &Elicited<T>) -> String {
    match elicited {
        Elicited::Accepted(content) => format!("accepted: {}", serde_json::json!(content)),
        Elicited::Declined => "declined".to_owned(),
        Elicited::Cancelled => "cancelled".to_owned(),
    }
}

impl Handler<TestSampling> for Fixture {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: TestSampling, cx: &Context) -> Self::Output {
        let sampled = cx.sample("prompt", Sampling::new(input.prompt).max_tokens(100)).await?;
        Ok(format!("LLM response: {}", sampled.text()))
    }
}

impl Handler<TestElicitation> for Fixture {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: TestElicitation, cx: &Context) -> Self::Output {
        Ok(words(&cx.elicit::<Person>("person", &input.message).await?))
    }
}

impl Handler<TestElicitationDefaults> for Fixture {
    type Output = Result<String, ToolError>;

    async fn call(&self, _input: TestElicitationDefaults, cx: &Context) -> Self::Output {
        Ok(words(&cx.elicit::<Defaults>("person", "Is this right?").await?))
    }
}

impl Handler<TestElicitationEnums> for Fixture {
    type Output = Result<String, ToolError>;

    async fn call(&self, _input: TestElicitationEnums, cx: &Context) -> Self::Output {
        Ok(words(&cx.elicit::<Enums>("choices", "Choose.").await?))
    }
}

impl Handler<TestMissingCapability> for Fixture {
    type Output = Result<String, ToolError>;

    async fn call(&self, _input: TestMissingCapability, cx: &Context) -> Self::Output {
        Ok(cx.sample("text", Sampling::new("Write something.")).await?.text())
    }
}

impl Handler<TestStreamingElicitation> for Fixture {
    type Output = Result<String, ToolError>;

    async fn call(&self, _input: TestStreamingElicitation, cx: &Context) -> Self::Output {
        Ok(words(&cx.elicit::<Person>("person", "Who are you?").await?))
    }
}
