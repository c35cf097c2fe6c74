//! Connects each tool of a typed toolset with the code that runs it.

use std::marker::PhantomData;
use std::sync::Arc;

use serde_json::value::RawValue;
use toolwright_core::arguments::ArgumentReader;
use toolwright_core::definition;
use toolwright_core::result::{IntoToolResult, ToolResult};
use toolwright_core::tool::Tool;
use toolwright_core::toolset::{self, Toolset, ToolsetMetadata};

use crate::context::Context;
use crate::error::BuildError;
use crate::handler::Handler;
use crate::provider::Outcome;
use crate::result_check::ResultCheck;
use crate::tool::{Run, Started, ToolEntry};
use crate::workflow;

/// A toolset whose tools all have handlers on `S`. Derived together with [`Toolset`].
///
/// The example of [`Handler`] uses a set of one tool.
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
    entries: Vec<ToolEntry>,
    problems: Vec<BuildError>,
}

impl<S: Send + Sync + 'static> Router<S> {
    pub(crate) fn new(
        state: Arc<S>,
        set: ToolsetMetadata,
        credentials: Vec<(String, Box<RawValue>)>,
    ) -> Self {
        Self { state, set, credentials, entries: Vec::new(), problems: Vec::new() }
    }

    /// The tools that were added.
    ///
    /// # Errors
    /// The first problem of any.
    pub(crate) fn finish(mut self) -> Result<Vec<ToolEntry>, BuildError> {
        if self.problems.is_empty() { Ok(self.entries) } else { Err(self.problems.swap_remove(0)) }
    }

    /// Adds the tool `T` with its handler on `S`.
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
        let mut check = None;
        match (&definition.output_schema, output) {
            (Some(_), None) if !<S::Output as IntoToolResult>::IS_UNTYPED => {
                self.problems.push(BuildError::NoOutput(T::NAME.to_owned()));
            }
            (Some(_), None) => match ResultCheck::new(&definition, true) {
                (needed, None) => check = Some(needed),
                (_, Some(not_checked)) => self.problems.push(BuildError::Tool {
                    tool: T::NAME.to_owned(),
                    reason: format!(
                        "its handler returns results that must be checked against `output`, and {not_checked}; return `Json`"
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
        let check = check.map(Arc::new);
        let run = Typed { state: Arc::clone(&self.state), reader, bound, check, tool: PhantomData::<fn(T)> };
        let mut entry = ToolEntry::new(definition, T::METADATA.was, Box::new(run));
        #[cfg(feature = "http")]
        entry.header_params.add_aliases(T::METADATA.fields);
        if self.set.workflow {
            entry = workflow::entry(entry, T::METADATA.context);
        }
        self.entries.push(entry);
    }

    /// The values of the credentials of `T`; a missing one is recorded as a problem.
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

/// A tool with a typed handler.
struct Typed<S, T> {
    state: Arc<S>,
    reader: ArgumentReader,
    bound: Vec<(String, Box<RawValue>)>,
    /// Set for a handler that declares its output and constructs results itself.
    check: Option<Arc<ResultCheck>>,
    tool: PhantomData<fn(T)>,
}

impl<S: Handler<T>, T: Tool> Run for Typed<S, T> {
    fn start(&self, arguments: Option<&RawValue>, cx: &Context) -> Started {
        match self.reader.read_tool::<T>(arguments, &self.bound) {
            Ok(input) => {
                let (state, cx) = (Arc::clone(&self.state), cx.clone());
                let Some(check) = self.check.clone() else {
                    return Started::Running(Box::pin(async move {
                        Outcome::Result(state.call(input, &cx).await.into_tool_result())
                    }));
                };
                Started::Running(Box::pin(async move {
                    Outcome::Result(check.check(state.call(input, &cx).await.into_tool_result()))
                }))
            }
            Err(errors) => Started::Ready(ToolResult::from(errors).into()),
        }
    }
}

impl<S, T: Tool> std::fmt::Debug for Typed<S, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Bound values are secret.
        f.debug_tuple("Typed").field(&T::NAME).finish_non_exhaustive()
    }
}
