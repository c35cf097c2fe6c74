//! Tools that answer with each kind of content.

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::{Context, Handler, Tool, ToolError, content::ContentBlock};

use crate::Fixture;
use crate::media::{PIXEL, SILENCE};

/// Says what this server is for. The first tool by name, which the suite calls without arguments.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(read_only)]
pub(crate) struct About {}

/// Answers with a text.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(read_only)]
pub(crate) struct TestSimpleText {}

/// Answers with a picture.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(read_only)]
pub(crate) struct TestImageContent {}

/// Answers with a sound.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(read_only)]
pub(crate) struct TestAudioContent {}

/// Answers with a resource.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(read_only)]
pub(crate) struct TestEmbeddedResource {}

/// Answers with a text, a picture and a resource.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(read_only)]
pub(crate) struct TestMultipleContentTypes {}

impl Handler<About> for Fixture {
    type Output = Result<&'static str, ToolError>;

    async fn call(&self, _input: About, _cx: &Context) -> Self::Output {
        Ok("The conformance suite calls this server.")
    }
}

impl Handler<TestSimpleText> for Fixture {
    type Output = Result<&'static str, ToolError>;

    async fn call(&self, _input: TestSimpleText, _cx: &Context) -> Self::Output {
        Ok("This is a simple text response for testing.")
    }
}

impl Handler<TestImageContent> for Fixture {
    type Output = Result<ContentBlock, ToolError>;

    async fn call(&self, _input: TestImageContent, _cx: &Context) -> Self::Output {
        Ok(ContentBlock::image(PIXEL, "image/png"))
    }
}

impl Handler<TestAudioContent> for Fixture {
    type Output = Result<ContentBlock, ToolError>;

    async fn call(&self, _input: TestAudioContent, _cx: &Context) -> Self::Output {
        Ok(ContentBlock::audio(SILENCE, "audio/wav"))
    }
}

impl Handler<TestEmbeddedResource> for Fixture {
    type Output = Result<ContentBlock, ToolError>;

    async fn call(&self, _input: TestEmbeddedResource, _cx: &Context) -> Self::Output {
        let text = "This is an embedded resource content.";
        Ok(ContentBlock::text_resource("test://embedded-resource", "text/plain", text))
    }
}

impl Handler<TestMultipleContentTypes> for Fixture {
    type Output = Result<Vec<ContentBlock>, ToolError>;

    async fn call(&self, _input: TestMultipleContentTypes, _cx: &Context) -> Self::Output {
        let json = r#"{"test":"data","value":123}"#;
        Ok(vec![
            ContentBlock::text("Multiple content types test:"),
            ContentBlock::image(PIXEL, "image/png"),
            ContentBlock::text_resource("test://mixed-content-resource", "application/json", json),
        ])
    }
}
