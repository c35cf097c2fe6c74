//! Tools whose calls become tasks (SEP-2663), and one whose calls do not.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolwright::{Context, Handler, Tool, ToolError, Toolset, input_requests::Elicited};

use crate::Fixture;

/// All of them.
#[derive(Debug, Toolset)]
#[mcp(handler = Fixture)]
pub(crate) enum TaskTools {
    Greet(Greet),
    SlowCompute(SlowCompute),
    FailingJob(FailingJob),
    ProtocolErrorJob(ProtocolErrorJob),
    ConfirmDelete(ConfirmDelete),
    MultiInput(MultiInput),
    TestToolWithTask(TestToolWithTask),
}

/// Greets at once.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub(crate) struct Greet {
    /// Who to greet.
    name: String,
}

/// Takes its time.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(task)]
pub(crate) struct SlowCompute {
    /// How long, in seconds.
    #[mcp(minimum = 0, maximum = 600)]
    seconds: f64,
    /// What the result is called.
    label: String,
}

/// Fails after a while.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(task = "required")]
pub(crate) struct FailingJob {}

/// Breaks after a while.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(task = "required")]
pub(crate) struct ProtocolErrorJob {}

/// Asks before it deletes a file. It deletes none.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(task)]
pub(crate) struct ConfirmDelete {
    /// The file.
    filename: String,
}

/// Asks two things at once.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(task)]
pub(crate) struct MultiInput {}

/// Asks for a name, and then takes its time.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(task = "required")]
pub(crate) struct TestToolWithTask {}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Confirmation {
    confirm: bool,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Name {
    name: String,
}

impl Handler<Greet> for Fixture {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: Greet, _cx: &Context) -> Self::Output {
        Ok(format!("Hello, {}!", input.name))
    }
}

impl Handler<SlowCompute> for Fixture {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: SlowCompute, _cx: &Context) -> Self::Output {
        tokio::time::sleep(Duration::from_secs_f64(input.seconds)).await;
        Ok(format!("{}: done after {} s", input.label, input.seconds))
    }
}

impl Handler<FailingJob> for Fixture {
    type Output = Result<String, ToolError>;

    async fn call(&self, _input: FailingJob, _cx: &Context) -> Self::Output {
        tokio::time::sleep(Duration::from_secs(1)).await;
        Err(ToolError::new("the job failed, as it always does"))
    }
}

impl Handler<ProtocolErrorJob> for Fixture {
    type Output = Result<String, ToolError>;

    async fn call(&self, _input: ProtocolErrorJob, _cx: &Context) -> Self::Output {
        tokio::time::sleep(Duration::from_millis(200)).await;
        panic!("the job breaks, as it always does");
    }
}

impl Handler<ConfirmDelete> for Fixture {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: ConfirmDelete, cx: &Context) -> Self::Output {
        cx.start_task().await;
        let question = format!("Delete {}?", input.filename);
        Ok(match cx.elicit::<Confirmation>("confirm", &question).await? {
            Elicited::Accepted(Confirmation { confirm: true }) => format!("deleted {}", input.filename),
            _ => format!("kept {}", input.filename),
        })
    }
}

impl Handler<MultiInput> for Fixture {
    type Output = Result<String, ToolError>;

    async fn call(&self, _input: MultiInput, cx: &Context) -> Self::Output {
        cx.start_task().await;
        let (first, second) = tokio::try_join!(
            cx.elicit::<Name>("first", "What is the first name?"),
            cx.elicit::<Name>("second", "What is the second name?")
        )?;
        let names: Vec<String> =
            [first, second].into_iter().filter_map(Elicited::accepted).map(|answer| answer.name).collect();
        Ok(format!("names: {}", names.join(", ")))
    }
}

impl Handler<TestToolWithTask> for Fixture {
    type Output = Result<String, ToolError>;

    async fn call(&self, _input: TestToolWithTask, cx: &Context) -> Self::Output {
        let answer = cx.elicit::<Name>("user_name", "What is your name?").await?;
        let Some(Name { name }) = answer.accepted() else { return Ok("no name was given".to_owned()) };
        cx.start_task().await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        Ok(format!("Hello, {name}!"))
    }
}
