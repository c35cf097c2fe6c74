//! From a typed toolset to entries of the table: each tool with the code that runs it.

use std::marker::PhantomData;
use std::sync::Arc;

use serde_json::value::RawValue;
use toolwright_core::arguments::ArgumentReader;
use toolwright_core::definition::{self, ToolDefinition};
use toolwright_core::result::{IntoToolResult, ToolResult};
use toolwright_core::tool::{TaskSupport, Tool};
use toolwright_core::toolset::{self, Toolset, ToolsetMetadata};

use crate::context::Context;
use crate::error::BuildError;
use crate::executor::{Action, BoxFuture, Executor};
use crate::handler::Handler;
use crate::promise::Promise;
use crate::{log, workflow};

/// A toolset whose every tool has a handler on `S`. Derived together with [`Toolset`].
#[diagnostic::on_unimplemented(
    message = "`{S}` does not handle `{Self}`",
    label = "no handler for this tool, or for one of this set",
    note = "for a tool, which is a type that derives `toolwright::Tool`, write `impl Handler<{Self}>` for the server's state, or serve an `async fn` that takes a `{Self}` and returns text, `Json<T>` or another result of a tool",
    note = "for a set, add `#[mcp(handler = …)]` with the type of the server's state, and each missing handler is reported at its variant"
)]
pub trait Dispatch<S: Send + Sync + 'static>: Toolset {
    /// Adds every tool of the set.
    fn bind(router: &mut Router<S>);
}

#[diagnostic::do_not_recommend]
impl<S, T> Dispatch<S> for T
where
    T: Tool,
    S: Handler<T>,
{
    fn bind(router: &mut Router<S>) {
        router.add::<T>();
    }
}

/// Collects the tools of one state `S`.
#[derive(Debug)]
pub struct Router<S> {
    state: Arc<S>,
    set: ToolsetMetadata,
    credentials: Vec<(String, Box<RawValue>)>,
    pub(crate) entries: Vec<Entry>,
    pub(crate) problems: Vec<BuildError>,
}

impl<S: Send + Sync + 'static> Router<S> {
    pub(crate) fn new(
        state: Arc<S>,
        set: ToolsetMetadata,
        credentials: Vec<(String, Box<RawValue>)>,
    ) -> Self {
        Self { state, set, credentials, entries: Vec::new(), problems: Vec::new() }
    }

    /// Adds the tool `T` with the handler that `S` has for it.
    pub fn add<T: Tool>(&mut self)
    where
        S: Handler<T>,
    {
        let (mut definition, reader) = match definition::with_reader::<T>() {
            Ok(both) => both,
            Err(problem) => {
                self.problems
                    .push(BuildError::Tool { tool: T::NAME.to_owned(), reason: problem.to_string() });
                return;
            }
        };
        let output = <S::Output as IntoToolResult>::output_schema();
        let mut promise = None;
        match (&definition.output_schema, output) {
            (Some(_), None) if !<S::Output as IntoToolResult>::IS_UNTYPED => {
                self.problems.push(BuildError::NoOutput(T::NAME.to_owned()));
            }
            (Some(_), None) => match Promise::new(&definition, true) {
                (kept, None) => promise = Some(kept),
                (_, Some(not_checked)) => self.problems.push(BuildError::Tool {
                    tool: T::NAME.to_owned(),
                    reason: format!(
                        "its handler returns results that must be checked against `output`, and {not_checked}; let it return `Json`"
                    ),
                }),
            },
            (None, Some(output)) if self.set.handler_known => definition.output_schema = Some(output),
            (None, Some(_)) => self.problems.push(BuildError::HiddenOutput(T::NAME.to_owned())),
            (Some(declared), Some(output)) if *declared != output => {
                self.problems.push(BuildError::OtherOutput(T::NAME.to_owned()));
            }
            _ => {}
        }
        toolset::complete(&mut definition, &self.set);
        let bound = self.bound_credentials::<T>();
        let promise = promise.map(Arc::new);
        let run =
            Typed { state: Arc::clone(&self.state), reader, bound, promise, tool: PhantomData::<fn(T)> };
        let mut entry = Entry::new(definition, T::METADATA.was, Box::new(run));
        #[cfg(feature = "http")]
        entry.header_params.know_aliases(T::METADATA.fields);
        if self.set.workflow {
            entry = workflow::entry(entry, T::METADATA.context);
        }
        self.entries.push(entry);
    }

    /// The values of the credentials that `T` asks for; a missing one becomes a problem.
    fn bound_credentials<T: Tool>(&mut self) -> Vec<(String, Box<RawValue>)> {
        let mut bound = Vec::new();
        for field in T::METADATA.fields.iter().filter(|field| field.credential) {
            match self.credentials.iter().find(|(name, _)| name == field.name) {
                Some(credential) => bound.push(credential.clone()),
                None => self.problems.push(BuildError::MissingCredential {
                    tool: T::NAME.to_owned(),
                    credential: field.name.to_owned(),
                }),
            }
        }
        bound
    }
}

/// One tool of the table.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) definition: ToolDefinition,
    /// Former names that call it too.
    pub(crate) was: Vec<String>,
    /// Whether a call may become a task, or must.
    pub(crate) task: Option<TaskSupport>,
    /// What a caller needs to see it and to call it.
    pub(crate) scopes: Box<[String]>,
    pub(crate) run: Box<dyn Run>,
    /// The number of the executor that it comes from, unless it has a typed handler.
    pub(crate) executor: Option<usize>,
    /// Whether peers that take only objects as structured content get `{"result": …}`.
    pub(crate) wraps: bool,
    /// The parameters that callers over HTTP repeat in headers.
    #[cfg(feature = "http")]
    pub(crate) header_params: crate::transport::http::HeaderParams,
}

impl Entry {
    fn new(definition: ToolDefinition, was: &[&str], run: Box<dyn Run>) -> Self {
        let wraps = definition
            .output_schema
            .as_ref()
            .is_some_and(|schema| schema.get("type") != Some(&"object".into()));
        Self {
            #[cfg(feature = "http")]
            header_params: crate::transport::http::HeaderParams::of(&definition.input_schema),
            task: definition.task(),
            scopes: definition.scopes().into(),
            definition,
            was: was.iter().map(|&name| name.to_owned()).collect(),
            run,
            executor: None,
            wraps,
        }
    }

    /// The entry of a tool that an executor runs, the one of this number, whose definition was checked. `checks_output` is
    /// whether results are held to the output schema.
    pub(crate) fn of_executor(
        number: usize,
        executor: &Arc<dyn Executor>,
        definition: ToolDefinition,
        checks_output: bool,
    ) -> Self {
        let (promise, not_checked) = Promise::new(&definition, checks_output);
        if let Some(not_checked) = not_checked {
            log::warn(format_args!(
                "results of the tool `{}` are not checked against its output schema: {not_checked}",
                definition.name
            ));
        }
        let run = Forwarded {
            executor: Arc::clone(executor),
            name: definition.name.clone(),
            promise: Arc::new(promise),
        };
        Self { executor: Some(number), ..Self::new(definition, &[], Box::new(run)) }
    }

    /// Whether it stands for what the executor of this number lists.
    pub(crate) fn is_of(&self, number: usize, definition: &ToolDefinition) -> bool {
        self.executor == Some(number) && self.definition == *definition
    }
}

/// Starts a call: decoding borrows the message, what goes on after it does not.
pub(crate) trait Run: std::fmt::Debug + Send + Sync {
    fn start(&self, arguments: Option<&RawValue>, cx: &Context) -> Started;
}

/// How a call has started.
pub(crate) enum Started {
    /// It is done already, as arguments that do not fit are.
    Ready(ToolResult),
    /// It goes on when polled.
    Running(BoxFuture<'static, ToolResult>),
}

/// A tool with a typed handler.
struct Typed<S, T> {
    state: Arc<S>,
    reader: ArgumentReader,
    bound: Vec<(String, Box<RawValue>)>,
    /// For a handler that declares its output and returns results of its own making.
    promise: Option<Arc<Promise>>,
    tool: PhantomData<fn(T)>,
}

impl<S: Handler<T>, T: Tool> Run for Typed<S, T> {
    fn start(&self, arguments: Option<&RawValue>, cx: &Context) -> Started {
        match self.reader.read_tool::<T>(arguments, &self.bound) {
            Ok(input) => {
                let (state, cx) = (Arc::clone(&self.state), cx.clone());
                let Some(promise) = self.promise.clone() else {
                    return Started::Running(Box::pin(async move {
                        state.call(input, &cx).await.into_tool_result()
                    }));
                };
                Started::Running(Box::pin(async move {
                    promise.kept(state.call(input, &cx).await.into_tool_result())
                }))
            }
            Err(errors) => Started::Ready(errors.into()),
        }
    }
}

impl<S, T: Tool> std::fmt::Debug for Typed<S, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Bound values are secrets.
        f.debug_tuple("Typed").field(&T::NAME).finish_non_exhaustive()
    }
}

/// A tool that an executor runs.
struct Forwarded {
    executor: Arc<dyn Executor>,
    name: String,
    promise: Arc<Promise>,
}

impl Run for Forwarded {
    fn start(&self, arguments: Option<&RawValue>, cx: &Context) -> Started {
        let (executor, name, cx) = (Arc::clone(&self.executor), self.name.clone(), cx.clone());
        let promise = Arc::clone(&self.promise);
        let arguments = arguments.map(ToOwned::to_owned);
        Started::Running(Box::pin(async move {
            let action =
                Action { name: &name, arguments: arguments.as_deref(), context_path: cx.context_path() };
            promise.kept(executor.execute(action, &cx).await)
        }))
    }
}

impl std::fmt::Debug for Forwarded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Forwarded").field(&self.name).finish()
    }
}
