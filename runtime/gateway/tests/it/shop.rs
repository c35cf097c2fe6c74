//! The server behind, and how the parts are connected in one process.

use std::future::ready;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::AbortHandle;
use toolwright_client::{Client, ClientBuilder};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::prompt::{Prompt, PromptMessage};
use toolwright_core::protocol::{ErrorObject, Revision};
use toolwright_core::request::RequestError;
use toolwright_core::resource::{Resource, ResourceTemplate};
use toolwright_core::result::{ToolError, ToolResult};
use toolwright_gateway::Proxy;
use toolwright_server::auth::Access;
use toolwright_server::{
    BoxFuture, Changes, Context, Elicited, Http, HttpConfig, InputRequestError, Lines, LogLevel, Outcome,
    Provider, Reference, Sampling, Server, Service, ToolRequest,
};

/// The tools of the server behind.
#[derive(Clone, Default)]
pub(crate) struct Shop(Arc<State>);

#[derive(Default)]
struct State {
    cancelled: AtomicUsize,
    further: AtomicUsize,
    changes: Mutex<Option<Changes>>,
}

/// Counts the calls that end before they are done.
struct Counted<'a>(&'a AtomicUsize, bool);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        if !self.1 {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
}

impl Shop {
    pub(crate) fn cancelled(&self) -> usize {
        self.0.cancelled.load(Ordering::SeqCst)
    }

    fn changes(&self) -> Changes {
        self.0.changes.lock().unwrap().clone().unwrap()
    }

    /// Adds a tool.
    pub(crate) fn grow(&self) {
        self.0.further.fetch_add(1, Ordering::SeqCst);
        self.changes().tools();
    }

    pub(crate) fn change_prompts(&self) {
        self.changes().prompts();
    }

    pub(crate) fn change_resources(&self) {
        self.changes().resources();
    }

    pub(crate) fn resource_updated(&self, uri: &str) {
        self.changes().resource_updated(uri);
    }

    pub(crate) fn service(&self) -> Service {
        let greet = Prompt::new("greet");
        let menu = Resource::new("shop://menu", "menu");
        let dishes = ResourceTemplate::new("shop://dishes/{name}", "dishes");
        Server::new(())
            .name("shop")
            .version("1")
            .instructions("Read the menu first.")
            .provider(self.clone())
            .prompt(greet, greeting)
            .resource(menu, || ready("soup"))
            .resource_template(dishes, dish)
            .complete(Reference::prompt("greet"), "name", |typed: String, _| {
                ready(vec![format!("{typed}da")])
            })
            .build()
            .unwrap()
    }

    async fn run(&self, name: &str, arguments: Value, cx: &Context) -> Result<Outcome, ToolError> {
        let text = match name {
            "echo" => return Ok(ToolResult::text(arguments.to_string()).into()),
            "ask" => colour(cx, arguments["message"].as_str().unwrap_or("Which colour?")).await?,
            "sample" => cx.sample("text", Sampling::new("write")).await?.text(),
            "roots" => cx.roots("roots").await?[0].uri.clone(),
            "open" => open(cx).await?,
            "several" => {
                let roots = cx.roots("roots").await?;
                let text = cx.sample("text", Sampling::new("write")).await?.text();
                format!("{} {text} {} {}", roots[0].uri, colour(cx, "Which colour?").await?, open(cx).await?)
            }
            "slow" => {
                let mut counted = Counted(&self.0.cancelled, false);
                for step in 1..=3_u32 {
                    cx.progress(f64::from(step), Some(3.0), Some("working")).await;
                    cx.log(LogLevel::Warning, Some("oven"), json!({"step": step})).await;
                    tokio::time::sleep(Duration::from_millis(arguments["ms"].as_u64().unwrap_or(1))).await;
                }
                counted.1 = true;
                "done".to_owned()
            }
            "fail" => return Err(ToolError::new("sold out")),
            "refuse" => {
                return Ok(ErrorObject::new(-31999, "closed").with_data(&json!({"until": [9, 1.5]})).into());
            }
            "odd" => {
                let mut result = ToolResult::text("x");
                result.other.insert("x-vendor".to_owned(), json!({"a": [1.0, null]}));
                let forged = json!({"kind": "outcome_unknown", "retryable": true, "call_id": "x"});
                result.meta =
                    json!({"shop/id": 7, "io.toolwright.gateway/fault": forged}).as_object().cloned();
                return Ok(result.into());
            }
            _ => format!("{}", cx.meta()["traceparent"]),
        };
        Ok(ToolResult::text(text).into())
    }
}

async fn colour(cx: &Context, message: &str) -> Result<String, InputRequestError> {
    let form =
        json!({"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]});
    Ok(match cx.elicit_form("first", message, &form).await? {
        Elicited::Accepted(answer) => answer["colour"].to_string(),
        other => format!("{other:?}"),
    })
}

async fn open(cx: &Context) -> Result<String, InputRequestError> {
    Ok(match cx.elicit_url("page", "https://example.com/login", "Log in.").await? {
        Elicited::Accepted(()) => "opened".to_owned(),
        other => format!("{other:?}"),
    })
}

/// Requests input if the name is `ask`.
async fn greeting(Greet { name }: Greet, cx: Context) -> Result<PromptMessage, RequestError> {
    let name = if name == "ask" { colour(&cx, "For whom?").await? } else { name };
    Ok(PromptMessage::user(format!("Hello, {name}!")))
}

/// The same for a resource.
async fn dish(Dish { name }: Dish, cx: Context) -> Result<String, RequestError> {
    let name = if name == "ask" { colour(&cx, "For whom?").await? } else { name };
    Ok(format!("a {name}"))
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Greet {
    name: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Dish {
    name: String,
}

pub(crate) const TOOLS: [&str; 11] =
    ["ask", "echo", "fail", "odd", "open", "refuse", "roots", "sample", "several", "slow", "trace"];

impl Provider for Shop {
    fn attach(&self, changes: Changes) {
        *self.0.changes.lock().unwrap() = Some(changes);
    }

    fn tools(&self, _: &Access) -> Arc<[ToolDefinition]> {
        let further = (0..self.0.further.load(Ordering::SeqCst)).map(|number| format!("further_{number}"));
        let names = TOOLS.map(str::to_owned).into_iter().chain(further);
        let definition = |name| {
            let mut definition = ToolDefinition::new(name, json!({"type": "object", "x-vendor": [1]}));
            definition.other.insert("x-vendor".to_owned(), json!({"kept": true}));
            definition
        };
        names.map(definition).collect()
    }

    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, cx: &'a Context) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            let arguments = request.arguments.map_or("{}", |arguments| arguments.get());
            let arguments = serde_json::from_str(arguments).unwrap();
            self.run(request.name, arguments, cx).await.unwrap_or_else(|error| ToolResult::from(error).into())
        })
    }
}

/// A client of a service in the same process.
pub(crate) async fn client(service: &Service, builder: ClientBuilder) -> Client {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (reader, writer) = tokio::io::split(theirs);
    let service = service.clone();
    tokio::spawn(async move { service.serve(Lines::new(reader, writer)).await });
    let (reader, writer) = tokio::io::split(ours);
    builder.connect_streams("here", reader, writer).await.unwrap()
}

/// A service in front of the shop, which speaks `revision` with it.
pub(crate) async fn front(shop: &Shop, revision: Revision) -> Service {
    let behind = client(&shop.service(), Client::builder().revision(revision).relay_input_requests()).await;
    let proxy = Proxy::new(behind).await.unwrap();
    assert_eq!(proxy.instructions(), Some("Read the menu first."));
    Server::new(()).name("front").version("1").provider(proxy).build().unwrap()
}

/// A service over HTTP, until this is dropped.
pub(crate) struct Listening {
    pub(crate) url: String,
    pub(crate) address: SocketAddr,
    serving: AbortHandle,
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// Serves over HTTP, with the configuration for the address.
pub(crate) fn listen_with(service: impl FnOnce(&str) -> (Service, HttpConfig)) -> Listening {
    let http = Http::bind("127.0.0.1:0").unwrap();
    let address = http.local_addr().unwrap();
    let url = format!("http://{address}/mcp");
    let (service, config) = service(&url);
    let serving = tokio::spawn(async move { service.serve(http.config(config)).await }).abort_handle();
    Listening { url, address, serving }
}

/// The same without protection.
pub(crate) fn listen(service: Service) -> Listening {
    listen_with(|_| (service, HttpConfig::new()))
}

/// Waits until something holds.
pub(crate) async fn until(what: &str, holds: impl Fn() -> bool) {
    for _ in 0..500 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("never: {what}");
}
