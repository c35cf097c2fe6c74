//! Items that the output of the derives names: those of `toolwright_core::__private`, and those of servers.

use std::marker::PhantomData;

use toolwright_core::result::IntoToolResult;

pub use toolwright_core::__private::*;

pub use crate::completion::{Completes, Completions};
pub use crate::context::Context;
pub use crate::features::{PromptHandler, ResourceHandler};
pub use crate::handler::Handler;
pub use crate::router::{Dispatch, Router};
pub use crate::server::{Handlers, Server};

/// [`Handler`] for a type that may not be a tool. Derived code requires this trait, so that a variant that is not
/// a tool causes only one error.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no handler for the tool `{T}`",
    label = "no `Handler<{T}>` for `{Self}`",
    note = "write `impl Handler<{T}> for {Self} {{ type Output = Result<…, ToolError>; async fn call(&self, input: {T}, cx: &Context) -> Self::Output {{ … }} }}`"
)]
pub trait Serves<T>: Sized {
    /// Adds the tool and its handler.
    fn add_to(router: &mut Router<Self>);

    /// The tool's definition, with the output schema that its handler determines.
    fn definition() -> ToolDefinition;
}

#[diagnostic::do_not_recommend]
impl<S: Handler<T>, T: Tool> Serves<T> for S {
    fn add_to(router: &mut Router<S>) {
        router.add::<T>();
    }

    fn definition() -> ToolDefinition {
        let mut definition = T::definition();
        if definition.output_schema.is_none() {
            definition.output_schema = <S::Output as IntoToolResult>::output_schema();
        }
        definition
    }
}

/// [`Slot`] of a tool whose handler is known.
#[derive(Debug)]
pub struct ServedSlot<S, T>(PhantomData<(S, T)>);

impl<S, T: Tool> ServedSlot<S, T> {
    /// Adds the tool's definition, with the output schema that its handler determines.
    pub fn define(definitions: &mut Vec<ToolDefinition>)
    where
        S: Serves<T>,
    {
        definitions.push(S::definition());
    }
}

impl<S, T> NoTool<T> for ServedSlot<S, T> {}

/// A prompt or resource that the state `S` handles. If it is neither, or `S` cannot be a state, [`NoFeature`] applies
/// instead, so that only its handler reports an error.
#[derive(Debug)]
pub struct Feature<S, F>(PhantomData<(S, F)>);

impl<S: Send + Sync + 'static, F: TypedPrompt> Feature<S, F> {
    /// Adds the prompt.
    pub fn add_prompt(server: Server<S>) -> Server<S>
    where
        F: Completes,
        S: PromptHandler<F>,
    {
        server.prompts::<F>()
    }
}

impl<S: Send + Sync + 'static, F: TypedResource> Feature<S, F> {
    /// Adds the resource.
    pub fn add_resource(server: Server<S>) -> Server<S>
    where
        F: Completes,
        S: ResourceHandler<F>,
    {
        server.resources::<F>()
    }
}

/// The counterparts of [`Feature`].
pub trait NoFeature<S> {
    /// Adds nothing.
    fn add_prompt(server: Server<S>) -> Server<S> {
        server
    }

    /// Adds nothing.
    fn add_resource(server: Server<S>) -> Server<S> {
        server
    }
}

impl<S, F> NoFeature<S> for Feature<S, F> {}

/// Implements `Dispatch` for a derived toolset: `dispatch! { ShopTools { #[cfg(…)] Tool, … } }`.
///
/// A macro, so that it expands to nothing without the `server` feature.
#[doc(hidden)]
#[macro_export]
macro_rules! __dispatch {
    ($set:ty { $($(#[$attribute:meta])* $tool:ty),* $(,)? }) => {
        #[automatically_derived]
        impl<__State> $crate::__private::Dispatch<__State> for $set
        where
            __State: ::core::marker::Send + ::core::marker::Sync + 'static,
            $(__State: $crate::__private::Serves<$tool>,)*
        {
            fn bind(router: &mut $crate::__private::Router<__State>) {
                $($(#[$attribute])* <__State as $crate::__private::Serves<$tool>>::add_to(router);)*
            }
        }
    };
}
pub use __dispatch as dispatch;

/// Implements `Completes` for a derived prompt or resource: `completions! { Review { add "language" => (path); } }`.
///
/// A macro, so that it expands to nothing without the `server` feature.
#[doc(hidden)]
#[macro_export]
macro_rules! __completions {
    ($type:ty { $($add:ident $argument:literal => ($($handler:tt)+);)* }) => {
        #[automatically_derived]
        impl $crate::__private::Completes for $type {
            fn completions(completions: &mut $crate::__private::Completions) {
                let _ = &completions;
                $(completions.$add($argument, $($handler)+);)*
            }
        }
    };
}
pub use __completions as completions;
