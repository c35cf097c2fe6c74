//! Items that are listed at run time: a tool whose definition is JSON, and a tool and a prompt that are added and
//! removed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use toolwright::auth::Access;
use toolwright::{
    BoxFuture, Context, Handler, Prompt, Provider, Service, Tool, ToolError, ToolResult,
    definition::ToolDefinition,
    provider::{Outcome, ToolRequest},
};

use crate::Fixture;

/// Changes the list of tools: a tool comes, or goes again.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub(crate) struct TestTriggerToolChange {}

/// Changes the list of prompts: a prompt comes, or goes again.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub(crate) struct TestTriggerPromptChange {}

const EXTRA_PROMPT: &str = "test_extra_prompt";

/// The tools that no type describes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Listed(Arc<Changing>);

#[derive(Debug, Default)]
struct Changing {
    has_extra: AtomicBool,
    service: OnceLock<Service>,
}

impl Listed {
    /// Sets the service that notifies its clients of changes.
    pub(crate) fn belongs_to(&self, service: &Service) {
        // The only caller names it once, before the service serves.
        let _ = self.0.service.set(service.clone());
    }

    fn service(&self) -> Result<&Service, ToolError> {
        self.0.service.get().ok_or_else(|| ToolError::new("the server does not serve yet"))
    }

    fn change_tools(&self) -> Result<(), ToolError> {
        self.0.has_extra.fetch_xor(true, Ordering::AcqRel);
        self.service()?.refresh_tools()?;
        Ok(())
    }

    fn change_prompts(&self) -> Result<(), ToolError> {
        let service = self.service()?;
        if !service.remove_prompt(EXTRA_PROMPT) {
            let prompt = Prompt::new(EXTRA_PROMPT).description("Comes and goes with the list of prompts.");
            service.add_prompt(prompt, async || "This prompt comes and goes.")?;
        }
        Ok(())
    }
}

impl Provider for Listed {
    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        let mut tools = vec![described(
            "json_schema_2020_12_tool",
            "Takes an address, and a phone number or an e-mail address.",
            address_schema(),
        )];
        if self.0.has_extra.load(Ordering::Acquire) {
            let schema = json!({"type": "object", "properties": {}});
            tools.push(described("test_extra_tool", "Comes and goes with the list of tools.", schema));
        }
        tools.into()
    }

    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, _cx: &'a Context) -> BoxFuture<'a, Outcome> {
        Outcome::from_future(async move { ToolResult::text(format!("{} was called", request.name)) })
    }
}

fn described(name: &str, description: &str, input_schema: Value) -> ToolDefinition {
    let mut tool = ToolDefinition::new(name, input_schema);
    tool.description = Some(description.to_owned());
    tool
}

/// Uses what JSON Schema 2020-12 has beyond a plain object; clients must get every keyword.
fn address_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            },
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    })
}

impl Handler<TestTriggerToolChange> for Fixture {
    type Output = Result<&'static str, ToolError>;

    async fn call(&self, _input: TestTriggerToolChange, _cx: &Context) -> Self::Output {
        self.listed.change_tools()?;
        Ok("The list of tools has changed.")
    }
}

impl Handler<TestTriggerPromptChange> for Fixture {
    type Output = Result<&'static str, ToolError>;

    async fn call(&self, _input: TestTriggerPromptChange, _cx: &Context) -> Self::Output {
        self.listed.change_prompts()?;
        Ok("The list of prompts has changed.")
    }
}
