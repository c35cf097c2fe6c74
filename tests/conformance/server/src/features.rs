//! Prompts, resources and completion.

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::{
    Prompt, Resource, ResourceTemplate, Server,
    completion::{CompletionContext, Reference},
    content::ContentBlock,
    prompt::PromptMessage,
};

use crate::Fixture;
use crate::media::PIXEL;

#[derive(Debug, Deserialize, JsonSchema)]
struct TwoTexts {
    /// The first text.
    arg1: String,
    /// The second text.
    arg2: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Embedded {
    /// The address of the resource to embed.
    resource_uri: String,
}

/// The variables of the template.
#[derive(Debug, Deserialize, JsonSchema)]
struct Item {
    id: String,
}

/// The server with prompts and their completion.
pub(crate) fn with_prompts(server: Server<Fixture>) -> Server<Fixture> {
    let described = |name, description| Prompt::new(name).description(description);
    server
        .prompt(
            described("test_simple_prompt", "Takes no arguments."),
            async || "This is a simple prompt for testing.",
        )
        .prompt(described("test_prompt_with_arguments", "Repeats two texts."), async |texts: TwoTexts| {
            format!("Prompt with arguments: arg1='{}', arg2='{}'", texts.arg1, texts.arg2)
        })
        .prompt(
            described("test_prompt_with_embedded_resource", "Embeds a resource."),
            async |input: Embedded| {
                let text = "Embedded resource content for testing.";
                [
                    PromptMessage::user(ContentBlock::text_resource(input.resource_uri, "text/plain", text)),
                    PromptMessage::user("Please process the embedded resource above."),
                ]
            },
        )
        .prompt(described("test_prompt_with_image", "Shows a picture."), async || {
            [
                PromptMessage::user(ContentBlock::image(PIXEL, "image/png")),
                PromptMessage::user("Please analyze the image above."),
            ]
        })
        .complete(
            Reference::prompt("test_prompt_with_arguments"),
            "arg1",
            async |start: String, _: CompletionContext| {
                let words = ["testing", "text", "trial"];
                words.into_iter().filter(|word| word.starts_with(&start)).collect::<Vec<_>>()
            },
        )
}

/// The server with resources.
pub(crate) fn with_resources(server: Server<Fixture>) -> Server<Fixture> {
    let described = |uri, name, description| Resource::new(uri, name).description(description);
    server
        .resource(
            described("test://static-text", "static-text", "A text.").mime_type("text/plain"),
            async || "This is the content of the static text resource.",
        )
        .resource(
            described("test://static-binary", "static-binary", "A picture.").mime_type("image/png"),
            async || PIXEL.to_vec(),
        )
        .resource(
            described("test://watched-resource", "watched-resource", "What clients subscribe to.")
                .mime_type("text/plain"),
            async || "This resource is watched.",
        )
        .resource_template(
            ResourceTemplate::new("test://template/{id}/data", "template-data")
                .description("Data of an id.")
                .mime_type("application/json"),
            async |item: Item| {
                let data = serde_json::json!({
                    "id": item.id, "templateTest": true, "data": format!("Data for ID: {}", item.id),
                });
                data.to_string()
            },
        )
}
