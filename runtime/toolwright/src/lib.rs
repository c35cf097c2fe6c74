//! Turns the commands of a Rust service into tools of the [Model Context Protocol](https://modelcontextprotocol.io) (MCP).
//!
//! A command is a struct: its fields are the arguments, its doc comments the descriptions. A derive makes the tool's
//! definition of it, with the JSON Schema; a [`Server`] lists the tools and checks and runs the calls;
//! `cargo mcp manifest` shows the same definitions at build time.
//!
//! # A first server
//!
//! ```toml
//! [dependencies]
//! schemars = "1"
//! serde = { version = "1", features = ["derive"] }
//! tokio = { version = "1", features = ["macros", "rt"] }
//! toolwright = "0.1"
//! ```
//!
//! ```no_run
//! use toolwright::{Server, Stdio, Tool};
//!
//! /// Says hello.
//! #[derive(Tool, serde::Deserialize, schemars::JsonSchema)]
//! struct Hello {
//!     /// Who to greet.
//!     name: String,
//! }
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), toolwright::ServeError> {
//!     let hello = async |input: Hello| format!("Hello, {}!", input.name);
//!     Server::new(hello).tools::<Hello>().serve(Stdio).await
//! }
//! ```
//!
//! This program speaks MCP on its standard input and output. A stray `println!` goes to stderr while it serves (on Unix;
//! elsewhere it would break the protocol). Its name and version are those of the package, the tool's name is the
//! struct's in `snake_case`.
//!
//! # A tool
//!
//! `#[mcp(…)]` says what types and doc comments cannot: hints for the client on the struct, bounds and examples on the
//! fields. serde's attributes (`rename`, `default`, `flatten`, `alias`, …) are obeyed. All keys stand in
//! [`attributes`].
//!
//! ```
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//! use serde_json::json;
//! use toolwright::Tool;
//!
//! /// Shows an order and its items.
//! #[derive(Tool, Deserialize, JsonSchema)]
//! #[mcp(title = "Order details", read_only, idempotent, open_world = false, was("find_order"))]
//! struct GetOrder {
//!     /// The order: `#W` and seven digits.
//!     #[mcp(pattern = r"^#W\d{7}$", example = "#W0000001")]
//!     order_id: String,
//!     /// How many items to show; all if left out.
//!     #[mcp(minimum = 1)]
//!     limit: Option<u8>,
//! }
//!
//! let definition = GetOrder::definition();
//! assert_eq!(definition.name, "get_order");
//! assert_eq!(
//!     definition.input_schema,
//!     json!({
//!         "type": "object",
//!         "properties": {
//!             "order_id": {
//!                 "type": "string",
//!                 "description": "The order: `#W` and seven digits.",
//!                 "pattern": r"^#W\d{7}$",
//!                 "examples": ["#W0000001"],
//!             },
//!             "limit": {
//!                 "type": "integer",
//!                 "description": "How many items to show; all if left out.",
//!                 "minimum": 1,
//!                 "maximum": 255,
//!             },
//!         },
//!         "required": ["order_id"],
//!         "additionalProperties": false,
//!     })
//! );
//! ```
//!
//! A mistake in an attribute is a compile error at its place that says what to write instead. `was` keeps former
//! names working: they call the tool and are not listed.
//!
//! # A set of tools, and data as a result
//!
//! A server offers a [`Toolset`](trait@Toolset): an enum with one variant a tool. The code behind each tool is a [`Handler`] on the
//! service's own type, which all calls share. With `handler = Shop` a forgotten handler is an error at its variant.
//!
//! ```
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//! use toolwright::{Context, Handler, Json, Tool, ToolError, Toolset};
//!
//! /// Shows an order.
//! #[derive(Tool, Deserialize, JsonSchema)]
//! #[mcp(read_only)]
//! struct GetOrder {
//!     /// The order's number.
//!     order: u32,
//! }
//!
//! /// Counts the orders.
//! #[derive(Tool, Deserialize, JsonSchema)]
//! #[mcp(read_only)]
//! struct CountOrders {}
//!
//! /// An order.
//! #[derive(Clone, Serialize, JsonSchema)]
//! struct Order {
//!     /// What was ordered.
//!     items: Vec<String>,
//! }
//!
//! struct Shop {
//!     orders: Vec<Order>,
//! }
//!
//! impl Handler<GetOrder> for Shop {
//!     type Output = Json<Order>;
//!
//!     async fn call(&self, input: GetOrder, _cx: &Context) -> Result<Self::Output, ToolError> {
//!         let found = usize::try_from(input.order).ok().and_then(|order| self.orders.get(order));
//!         match found {
//!             Some(order) => Ok(Json(order.clone())),
//!             None => Err(ToolError::new("there is no such order; count_orders says how many there are")),
//!         }
//!     }
//! }
//!
//! impl Handler<CountOrders> for Shop {
//!     type Output = usize;
//!
//!     async fn call(&self, _input: CountOrders, _cx: &Context) -> Result<Self::Output, ToolError> {
//!         Ok(self.orders.len())
//!     }
//! }
//!
//! #[derive(Toolset)]
//! #[mcp(name = "shop", handler = Shop, instructions = "Count the orders first.")]
//! enum ShopTools {
//!     GetOrder(GetOrder),
//!     CountOrders(CountOrders),
//! }
//!
//! let [get_order, count_orders] = &ShopTools::definitions()[..] else { panic!("two tools") };
//! let output = get_order.output_schema.as_ref().expect("`Json` gives the schema");
//! assert_eq!(output["properties"]["items"]["type"], "array");
//! assert_eq!(count_orders.output_schema, None);
//! ```
//!
//! [`Json`] sends its value as structured content, the same JSON as text for clients that read text only, and puts its
//! schema into the definition. A handler may also return text, a number, `()`, one or more [`ContentBlock`]s (text,
//! image, audio, links, embedded resources), a whole [`ToolResult`], or a `Result` of any of these: see
//! [`IntoToolResult`]. Where the set has no `handler = …`, `#[mcp(output = Order)]` on the tool names the type.
//!
//! # Errors that a model can act on
//!
//! What a model can mend reaches it as a result with `isError`:
//!
//! - A handler's [`ToolError`]. Every `std::error::Error` becomes one by `?`; what the model reads is its text and the
//!   texts of its sources. Say what to do next, and keep secrets out.
//! - Arguments that do not fit ([`ArgumentErrors`]): every problem at once, with its place, what was expected and what
//!   came, and an example that fits. The handler has not run.
//! - A call that took longer than [`Limits::call_timeout`].
//!
//! Protocol errors are for the client's programmer: an unknown tool, a malformed message, too many calls at once. A
//! panic in a handler is one as well, without the panic's text; other calls go on.
//!
//! # Testing
//!
//! A [`Client`] in the same process sends real messages, without a process or a socket.
//!
//! ```
//! # use schemars::JsonSchema;
//! # use serde::Deserialize;
//! use serde_json::json;
//! use toolwright::{Client, Server, Tool};
//!
//! /// Adds two numbers.
//! #[derive(Tool, Deserialize, JsonSchema)]
//! struct Add {
//!     #[mcp(maximum = 100)]
//!     left: u32,
//!     right: u32,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let add = async |input: Add| input.left + input.right;
//! let service = Server::new(add).tools::<Add>().build()?;
//! let client = Client::in_process(&service);
//!
//! let sum = client.call("add", json!({"left": 3, "right": 4})).await?;
//! assert_eq!(sum.as_text(), "7");
//!
//! let refused = client.call("add", json!({"left": 300, "rigth": "4"})).await?;
//! assert!(refused.is_error);
//! assert_eq!(
//!     refused.as_text().lines().collect::<Vec<_>>(),
//!     [
//!         "the arguments do not fit; nothing was done:",
//!         r#"- /rigth: unknown name; did you mean "right"?"#,
//!         "- /right: missing; expected an integer from 0 to 4294967295",
//!         "- /left: expected an integer from 0 to 100; got 300",
//!         r#"example of arguments that fit: {"left":1,"right":1}"#,
//!     ]
//! );
//! # Ok(())
//! # }
//! ```
//!
//! [`Client::in_process_at`] speaks an older revision. A test that builds the server is worth having in any case:
//! [`Server::build`] finds what the compiler cannot, such as two tools of one name in two sets, a missing credential, or
//! a pattern that cannot be enforced ([`BuildError`]).
//!
//! # Serving
//!
//! [`Server::serve`] serves until the peer leaves. [`Service::serve_until`] ends in order on a signal of yours: running
//! calls get [`Limits::shutdown_grace`] to finish, and their answers are sent. One process serves clients of every
//! [`Revision`], from 2024-11-05 to 2026-07-28: those that start with `initialize` and those that name the revision on
//! each request. Each gets what its revision knows.
//!
//! A handler is first polled where its message was read, so an answer that is there at once costs no task. One that
//! waits goes on as a task of the tokio runtime. One that blocks the reading thread of stdio is left behind after 25 ms,
//! and another thread reads on; still, the place for work that blocks is `tokio::task::spawn_blocking`.
//!
//! # What a handler sees of its call
//!
//! ```
//! use std::time::Duration;
//! # use schemars::JsonSchema;
//! # use serde::Deserialize;
//! use toolwright::{Context, Handler, LogLevel, Tool, ToolError};
//!
//! /// Builds the index anew.
//! #[derive(Tool, Deserialize, JsonSchema)]
//! struct Reindex {}
//!
//! struct Search;
//!
//! impl Handler<Reindex> for Search {
//!     type Output = String;
//!
//!     async fn call(&self, _input: Reindex, cx: &Context) -> Result<Self::Output, ToolError> {
//!         for part in 1..=4_u8 {
//!             cx.progress(part.into(), Some(4.0), Some("indexing")).await;
//!             tokio::time::sleep(Duration::from_millis(1)).await;
//!         }
//!         cx.log(LogLevel::Info, Some("index"), "done").await;
//!         Ok("4 parts".to_owned())
//!     }
//! }
//! ```
//!
//! - [`Context::progress`] sends nothing unless the caller asked for it, [`Context::log`] what is of the level that the
//!   caller wants. Both wait while the caller reads too slowly.
//! - When the caller cancels, when the deadline passes and when the server has shut down, the handler's future is
//!   dropped. [`Context::cancellation`] is the token for work that it started elsewhere.
//! - [`Context::meta`], [`Context::revision`], [`Context::deadline`] and [`Context::context_path`] say what the request
//!   came with.
//! - [`Context::elicit`], [`Context::sample`] and [`Context::roots`] ask the client: its user, its model, its folders.
//!   [`ask`] has an example, and what such a handler must keep in mind.
//! - [`Context::principal`] says who calls over HTTP, `#[mcp(scopes("orders:write"))]` and [`Resource::scopes`] what a caller
//!   needs, and [`Server::show_if`] who sees which prompts and resources: see [`auth`].
//!
//! # Secrets and credentials
//!
//! ```
//! # use schemars::JsonSchema;
//! # use serde::Deserialize;
//! # use serde_json::json;
//! use toolwright::{Client, Server, Tool};
//!
//! /// Opens a door.
//! #[derive(Tool, Deserialize, JsonSchema)]
//! struct OpenDoor {
//!     /// The door's code, from the caller; never repeated.
//!     #[mcp(secret, min_length = 4)]
//!     code: String,
//!     /// The building's key, from the server; no caller sees it.
//!     #[mcp(credential)]
//!     key: String,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let open = async |input: OpenDoor| input.code == "4711" && input.key == "from the vault";
//! let service = Server::new(open).tools::<OpenDoor>().credential("key", "from the vault").build()?;
//! let client = Client::in_process(&service);
//!
//! assert_eq!(client.call("open_door", json!({"code": "4711"})).await?.as_text(), "true");
//! assert!(OpenDoor::definition().input_schema["properties"].get("key").is_none());
//!
//! let refused = client.call("open_door", json!({"code": "123", "key": "mine"})).await?;
//! assert!(refused.is_error && !refused.as_text().contains("123") && !refused.as_text().contains("mine"));
//! # Ok(())
//! # }
//! ```
//!
//! A `secret` is marked `writeOnly` in the schema. A server whose credential is missing is not built.
//!
//! # Contexts and workflows
//!
//! `#[mcp(context = "orders")]` says where in the application a command belongs. A request whose `_meta` has
//! `io.toolwright/contextPath`, such as `orders/42`, lists the tools of that context, of those above it, and those that
//! belong to none. `workflow` on a toolset gives every tool the standard parameters `command`, which names the tool, and
//! `workitem_path`, and refuses calls from outside the tool's context.
//!
//! ```
//! # use schemars::JsonSchema;
//! # use serde::Deserialize;
//! # use serde_json::json;
//! use toolwright::{Client, Context, Handler, Server, Tool, ToolError, Toolset};
//!
//! /// Ships the order of the active context.
//! #[derive(Tool, Deserialize, JsonSchema)]
//! #[mcp(context = "orders")]
//! struct Ship {}
//!
//! #[derive(Toolset)]
//! #[mcp(workflow, handler = Shop)]
//! enum ShopTools {
//!     Ship(Ship),
//! }
//!
//! struct Shop;
//!
//! impl Handler<Ship> for Shop {
//!     type Output = String;
//!
//!     async fn call(&self, _input: Ship, cx: &Context) -> Result<Self::Output, ToolError> {
//!         Ok(format!("shipped {}", cx.context_path().unwrap_or_default()))
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::in_process(&Server::new(Shop).tools::<ShopTools>().build()?);
//! let shipped = client.call("ship", json!({"command": "ship", "workitem_path": "orders/42"})).await?;
//! assert_eq!(shipped.as_text(), "shipped orders/42");
//! let refused = client.call("ship", json!({"command": "ship", "workitem_path": "customers/7"})).await?;
//! assert!(refused.is_error);
//! # Ok(())
//! # }
//! ```
//!
//! # Tools that are not structs
//!
//! An [`Executor`] runs tools by name: tools from a database, from another process, or from another MCP server. Its
//! list may change; [`Service::refresh_tools`] takes the change up and tells the clients. Checking arguments is its own
//! matter. A [`Service`] is an executor as well.
//!
//! What an executor lists and returns is read before clients see it. A definition that they could not use is left out,
//! and a result that does not fit its output schema becomes an error; standard error says which tool and why.
//! [`Server::check_outputs`] switches the latter off.
//!
//! ```
//! use std::sync::Arc;
//!
//! use serde_json::json;
//! use toolwright::{Action, BoxFuture, Context, Executor, Server, ToolDefinition, ToolResult};
//!
//! struct Shout;
//!
//! impl Executor for Shout {
//!     fn tools(&self) -> Arc<[ToolDefinition]> {
//!         let properties = json!({"text": {"type": "string"}});
//!         [ToolDefinition::new("shout", json!({"type": "object", "properties": properties}))].into()
//!     }
//!
//!     fn execute<'a>(&'a self, action: Action<'a>, _cx: &'a Context) -> BoxFuture<'a, ToolResult> {
//!         let arguments = action.arguments.map_or("{}", |arguments| arguments.get());
//!         Box::pin(async move { ToolResult::text(arguments.to_uppercase()) })
//!     }
//! }
//!
//! let service = Server::new(()).executor(Shout).name("shouting").version("1.0.0").build()?;
//! assert_eq!(service.tools()[0].name, "shout");
//! # Ok::<(), toolwright::BuildError>(())
//! ```
//!
//! # Prompts, resources and completion
//!
//! A prompt is a template that a person chooses, a resource is data that a client reads by its address, a resource
//! template stands for all resources whose addresses have its form. The code behind each is an async function: of
//! nothing, of a struct with the arguments (for a template, the variables), or of that struct and the [`Context`]. All
//! arguments are texts; their names, descriptions and which are required come from the struct. A variable that becomes a
//! part of a path is a [`PathSegment`](resource::PathSegment), which holds no `/`, `..` or NUL.
//!
//! ```
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//! use serde_json::json;
//! use toolwright::{Client, CompletionContext, Prompt, Reference, Resource, ResourceTemplate, Server};
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Review {
//!     /// The language of the code.
//!     language: String,
//!     /// What to look at; all if left out.
//!     focus: Option<String>,
//! }
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Order {
//!     id: String,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let languages = async |so_far: String, _: CompletionContext| {
//!     ["python", "rust"].into_iter().filter(|name| name.starts_with(&so_far)).collect::<Vec<_>>()
//! };
//! let service = Server::new(())
//!     .prompt(Prompt::new("review").description("Asks for a review."), async |review: Review| {
//!         let focus = review.focus.unwrap_or_else(|| "everything".to_owned());
//!         format!("Review this {} code. Look at {focus}.", review.language)
//!     })
//!     .complete(Reference::prompt("review"), "language", languages)
//!     .resource(Resource::new("shop://terms", "terms").mime_type("text/markdown"), async || "# Terms")
//!     .resource_template(ResourceTemplate::new("shop://orders/{id}", "orders"), async |order: Order| {
//!         // `None` is a resource that does not exist.
//!         (order.id == "7").then(|| "two apples")
//!     })
//!     .build()?;
//! let client = Client::in_process(&service);
//!
//! let listed = client.request("prompts/list", json!({})).await?;
//! assert_eq!(
//!     listed["prompts"][0]["arguments"],
//!     json!([
//!         {"name": "language", "description": "The language of the code.", "required": true},
//!         {"name": "focus", "description": "What to look at; all if left out.", "required": false},
//!     ])
//! );
//! let arguments = json!({"language": "Rust"});
//! let filled = client.request("prompts/get", json!({"name": "review", "arguments": arguments})).await?;
//! assert_eq!(filled["messages"][0]["content"]["text"], "Review this Rust code. Look at everything.");
//!
//! let order = client.request("resources/read", json!({"uri": "shop://orders/7"})).await?;
//! assert_eq!(order["contents"][0]["text"], "two apples");
//! assert!(client.request("resources/read", json!({"uri": "shop://orders/8"})).await.is_err());
//! # Ok(())
//! # }
//! ```
//!
//! [`declare!`] puts prompts, resources and templates into the manifest, where `cargo mcp` checks them as it checks tools.
//!
//! A prompt's function returns text, one or more [`PromptMessage`]s or a [`PromptResult`]; a resource's returns text,
//! bytes, [`ResourceContents`] or a [`ResourceResult`], which also says how long clients may keep it; any of them in a
//! `Result` ([`IntoPromptResult`], [`IntoResourceResult`], [`RequestError`]). State that the functions share is what they
//! capture, such as an `Arc`. They run under the rules of calls: deadline, cancellation, and a panic ends one request.
//!
//! Prompts and resources may come and go at run time: [`Service::add_prompt`], [`Service::add_resource`] and their like
//! tell the clients that listen, [`Service::notify_resource_updated`] tells those that watch a resource. Clients learn at
//! the start what a server has, so one that begins without any is built [`Server::with_prompts`] or
//! [`Server::with_resources`]. The manifest shows tools only.
//!
//! # Agents in the same process
//!
//! [`agent`] takes an agent's message, a tool call as JSON or a command as text, runs it on an executor and answers in
//! one form for both.
//!
//! ```
//! # use std::{sync::Arc, time::Duration};
//! # use schemars::JsonSchema;
//! # use serde::Deserialize;
//! use toolwright::agent::Agent;
//! use toolwright::{Context, Server, Tool};
//!
//! /// Repeats a text.
//! #[derive(Tool, Deserialize, JsonSchema)]
//! struct Repeat {
//!     text: String,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let service = Server::new(async |input: Repeat| input.text).tools::<Repeat>().build()?;
//! let agent = Agent::new(Arc::new(service));
//! let cx = Context::detached(Duration::from_secs(10));
//! for message in [
//!     r#"{"type": "mcp_tool_call", "tool_call": {"name": "repeat", "arguments": {"text": "two words"}}}"#,
//!     r#"repeat text="two words""#,
//! ] {
//!     assert_eq!(agent.ask(message, &cx).await.outcome?.to_text(), "two words");
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # The manifest
//!
//! `cargo mcp manifest` builds a package and prints its tools as one JSON document, without running its `main`;
//! `cargo mcp manifest --check FILE` fails when they have changed. `tools` in it is what `tools/list` shows in revision
//! 2026-07-28; tools of executors are known at run time only and not in it. See `docs/cli.md` in the repository, and [`manifest`]
//! for reading and comparing the documents in Rust. [`assert_manifest!`] is the same check in a test of yours:
//! `toolwright::assert_manifest!("mcp.json", ShopTools);`.
//!
//! # Where the schema comes from
//!
//! Schemas are those of `schemars` (JSON Schema 2020-12), inputs by what serde reads, outputs by what it writes. Then
//! they are made *portable*, so that model providers and editors with narrow readers take them:
//!
//! - The root is one object with `properties`; no `$schema`, no title at the root. It and every object below that lists its
//!   members is closed by `additionalProperties: false`, unless `allow_unknown` or a flattened map opens it.
//! - Definitions stand where they are used; `$defs` is left only for what is recursive or large.
//! - Formats that only Rust knows become bounds: a `u8` is an integer from 0 to 255.
//! - An enum of plain names is one `enum`; an optional argument does not list `null`, though `null` is taken.
//!
//! What the schema shows is enforced, by serde or beside it, but for formats that nobody checks; [`arguments`] has the
//! table of who checks what, and what is read generously. [`schema::Profile::Faithful`] leaves what schemars wrote; definitions are always portable.
//!
//! # Limits
//!
//! [`Limits`] bounds what a peer can make grow, with these defaults: a message has 16 MiB, a connection 16,384 calls at
//! once, 64 subscriptions and 1,024 watched resources, a call 5 minutes, a page of a list 2,000 entries, a batch 100
//! messages, a call 16 open questions whose answers count for 10 minutes; 4 MiB wait for a slow reader before handlers
//! that send wait as well; a peer that reads nothing for a minute is given up; messages of 256 MiB are received or handled at
//! once; calls get 1.5 seconds to finish at the end. A Unix socket and a WebSocket server have 10,000 peers at once.
//!
//! Of all that, one caller has about a quarter ([`CallerLimits`]): a principal, or over HTTP without tokens the address of a
//! peer. Behind a proxy, say where the address of the caller is to be found (`HttpConfig::caller_address`). How often a
//! caller may call a tool is not limited unless you set [`Limits::tool_call_rate`].
//!
//! # Features
//!
//! | feature | what it brings |
//! |---|---|
//! | `stdio` (default) | [`Stdio`], the transport over standard input and output; implies `server` |
//! | `auth` | `HttpConfig::protect`: API keys, verifiers of your own, metadata and challenges of OAuth; implies `http` |
//! | `oauth` | access tokens of OAuth: `auth::JwtVerifier` and `auth::Introspection`, with an HTTP client and TLS; implies `auth` |
//! | `http` | `Http`, a server over Streamable HTTP, and `HttpService`, the same to mount in axum or another `tower` stack; HTTP+SSE, their predecessor, when asked for; implies `server` |
//! | `socket` | `UnixSocket`, for programs of the same machine and user, and `Lines`, over any pair of byte streams; implies `server` |
//! | `ws` | `WebSocket`, a server of its own, and `WebSocketService`, the same to mount on hyper; implies `http` |
//! | `jsonrpsee` | `Service::rpc_module`, the methods as a table for a jsonrpsee server; implies `server` |
//! | `server` | [`Server`], [`Handler`], [`Executor`], the in-process [`Client`], [`agent`] |
//! | none | the derives and the definitions: for a library of tools that another crate serves; `handler = …` on a toolset needs `server` |

#[cfg(feature = "server")]
mod serving;

pub use toolwright_core::{
    arguments, content, definition, docs, foreign, json, manifest, names, prompt, request, resource, result,
    schema, tool, toolset,
};

pub use toolwright_core::arguments::ArgumentErrors;
pub use toolwright_core::content::ContentBlock;
pub use toolwright_core::definition::ToolDefinition;
pub use toolwright_core::prompt::{IntoPromptResult, Prompt, PromptMessage, PromptResult};
pub use toolwright_core::request::RequestError;
pub use toolwright_core::resource::{
    CacheScope, IntoResourceResult, Resource, ResourceContents, ResourceResult, ResourceTemplate,
};
pub use toolwright_core::result::{IntoToolResult, Json, ToolError, ToolResult};
pub use toolwright_core::revision::Revision;
pub use toolwright_core::tool::Tool;
pub use toolwright_core::toolset::Toolset;
pub use toolwright_macros::{Tool, Toolset};

#[cfg(feature = "server")]
pub use serving::*;

#[doc = include_str!("../attributes.md")]
pub mod attributes {}

mod assert_manifest;
mod declare;

#[doc(hidden)]
pub mod __private {
    pub use crate::assert_manifest::{of_package, of_toolset};
    pub use toolwright_core::__private::*;
    #[cfg(feature = "server")]
    pub use toolwright_server::__private::*;

    /// Without the `server` feature a toolset has definitions only.
    #[cfg(not(feature = "server"))]
    #[doc(hidden)]
    #[macro_export]
    macro_rules! __no_dispatch {
        ($($ignored:tt)*) => {};
    }
    #[cfg(not(feature = "server"))]
    pub use __no_dispatch as dispatch;
}

/// Compiles the code that the README shows.
#[cfg(all(doctest, feature = "stdio", feature = "http"))]
#[doc = include_str!("../../../README.md")]
struct Readme;
