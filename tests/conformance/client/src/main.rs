//! The client that the official conformance suite starts: the last argument is the address of its server, the environment says
//! which scenario and which revision. What it does is what a user of the library would write; nothing of the protocol is
//! done here.

mod browser;

use std::error::Error;

use serde_json::{Value, json};
use toolwright_client::{Client, ClientBuilder, ElicitationResponse, IdentityProvider, OAuth};
use toolwright_core::manifest::Kind;
use toolwright_core::revision::Revision;

type Outcome = Result<(), Box<dyn Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome {
    let url = std::env::args().next_back().ok_or("the last argument is the address of the server")?;
    let scenario = std::env::var("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    let context: Value = match std::env::var("MCP_CONFORMANCE_CONTEXT") {
        Ok(context) => serde_json::from_str(&context)?,
        Err(_) => Value::Null,
    };
    let builder = Client::builder().name("toolwright-conformance", env!("CARGO_PKG_VERSION"));
    let revision = std::env::var("MCP_CONFORMANCE_PROTOCOL_VERSION").unwrap_or_default();
    let builder = match Revision::from_name(&revision) {
        Some(revision) => builder.revision(revision),
        None => builder,
    };
    let builder = match scenario.strip_prefix("auth/") {
        Some(scenario) => builder.authorize(tokens(scenario, &context)?),
        None => answer_input_requests(builder, &scenario),
    };
    let client = builder.connect(url).await?;
    let outcome = act(&client, &scenario, &context).await;
    client.close().await;
    outcome
}

/// Scenarios with input requests have a user who agrees to everything.
fn answer_input_requests(builder: ClientBuilder, scenario: &str) -> ClientBuilder {
    if scenario.contains("elicitation") || scenario.contains("2322") {
        builder.on_elicitation(async |asked| {
            let mut content = asked.defaults();
            if content.is_empty() {
                content.insert("confirmed".to_owned(), true.into());
            }
            ElicitationResponse::Accept(content)
        })
    } else {
        builder
    }
}

/// How a scenario obtains tokens.
fn tokens(scenario: &str, context: &Value) -> Result<OAuth, Box<dyn Error>> {
    let text = |key: &str| context[key].as_str().unwrap_or_default().to_owned();
    let code = || OAuth::authorization_code(browser::CALLBACK, async |url| browser::open(&url).await);
    Ok(match scenario {
        "client-credentials-basic" => OAuth::client_credentials(text("client_id"), text("client_secret")),
        "client-credentials-jwt" => OAuth::client_key(text("client_id"), &text("private_key_pem"))?,
        "wif-jwt-bearer" => OAuth::assertion(text("client_id"), text("valid_jwt")),
        "enterprise-managed-authorization" => {
            let provider = IdentityProvider::new(
                text("idp_token_endpoint"),
                text("idp_client_id"),
                text("idp_id_token"),
            );
            OAuth::enterprise(text("client_id"), text("client_secret"), provider)
        }
        "pre-registration" => {
            let issuer = context["issuer"].as_str().map(str::to_owned);
            code().registered(text("client_id"), Some(text("client_secret").into()), issuer)
        }
        _ => code().metadata_url("https://conformance-test.local/client-metadata.json"),
    })
}

async fn act(client: &Client, scenario: &str, context: &Value) -> Outcome {
    match scenario {
        "elicitation-sep1034-client-defaults" => {
            call(client, "test_client_elicitation_defaults", json!({})).await?;
        }
        "sse-retry" => call(client, "test_reconnection", json!({})).await?,
        "json-schema-2020-12-preservation" => preserve(client).await?,
        "http-standard-headers" => every_kind(client).await?,
        "http-custom-headers" => {
            client.list_tools().await?;
            for wanted in context["toolCalls"].as_array().into_iter().flatten() {
                let name = wanted["name"].as_str().unwrap_or_default();
                call(client, name, wanted["arguments"].clone()).await?;
            }
        }
        "sep-2322-client-request-state" => {
            client.list_tools().await?;
            for tool in [
                "test_mrtr_echo_state",
                "test_mrtr_no_state",
                "test_mrtr_unrelated",
                "test_mrtr_no_result_type",
            ] {
                call(client, tool, json!({})).await?;
            }
        }
        "sep-2640-client-no-prefetch" => drop(client.list_skills().await?),
        skills if skills.starts_with("sep-2640-client-verify") => {
            for skill in client.list_skills().await? {
                if let Err(refused) = client.read_skill(&skill).await {
                    eprintln!("{refused}");
                }
            }
        }
        "initialize" | "json-schema-ref-no-deref" => drop(client.list_tools().await?),
        // Tokens are not requested again before the server has moved.
        "auth/authorization-server-migration" => {
            every_tool(client).await?;
            every_tool(client).await?;
        }
        _ => every_tool(client).await?,
    }
    Ok(())
}

async fn call(client: &Client, tool: &str, arguments: Value) -> Outcome {
    client.call(tool, arguments).await?;
    Ok(())
}

/// Lists the tools, and calls each with the arguments that it requires.
async fn every_tool(client: &Client) -> Outcome {
    for tool in client.list_tools().await?.iter() {
        let arguments = toolwright_core::arguments::example(&tool.definition().input_schema);
        call(client, tool.name(), arguments).await?;
    }
    Ok(())
}

/// Returns a schema unchanged.
async fn preserve(client: &Client) -> Outcome {
    let tools = client.list_tools().await?;
    let tool = tools
        .iter()
        .find(|tool| tool.name() == "json_schema_2020_12_tool")
        .ok_or("the tool is not listed")?;
    call(client, "json_schema_echo", json!({"schema": tool.to_value()["inputSchema"]})).await
}

async fn every_kind(client: &Client) -> Outcome {
    every_tool(client).await?;
    for resource in client.entries(Kind::Resources).await? {
        client.request("resources/read", json!({"uri": resource["uri"]})).await?;
    }
    for prompt in client.entries(Kind::Prompts).await? {
        client.request("prompts/get", json!({"name": prompt["name"]})).await?;
    }
    Ok(())
}
