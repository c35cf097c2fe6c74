//! The functions behind prompts and resources.

use std::future::Future;

use toolwright_core::arguments::TextArguments;

use crate::context::Context;

/// The code behind a prompt, a resource or a resource template: an async function of nothing, of the arguments (for a
/// template, the variables), or of these and the [`Context`].
///
/// `Parameters` tells the three apart; the compiler finds it. The function starts again for each request, so what it
/// shares with others it holds in an `Arc`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot answer for a prompt or a resource",
    note = "write an async function or closure of nothing, of a struct with the arguments, or of that struct and a `Context`; its future must be `Send`"
)]
pub trait RequestHandler<Parameters>: Send + Sync + 'static {
    /// The arguments or variables.
    type Input: TextArguments;
    /// What comes of it.
    type Output;

    /// Answers one request.
    fn answer(&self, input: Self::Input, cx: Context) -> impl Future<Output = Self::Output> + Send;
}

#[diagnostic::do_not_recommend]
impl<F, R> RequestHandler<()> for F
where
    F: Fn() -> R + Send + Sync + 'static,
    R: Future + Send,
{
    type Input = ();
    type Output = R::Output;

    fn answer(&self, (): (), _cx: Context) -> impl Future<Output = R::Output> + Send {
        self()
    }
}

#[diagnostic::do_not_recommend]
impl<F, I, R> RequestHandler<(I,)> for F
where
    F: Fn(I) -> R + Send + Sync + 'static,
    I: TextArguments,
    R: Future + Send,
{
    type Input = I;
    type Output = R::Output;

    fn answer(&self, input: I, _cx: Context) -> impl Future<Output = R::Output> + Send {
        self(input)
    }
}

#[diagnostic::do_not_recommend]
impl<F, I, R> RequestHandler<(I, Context)> for F
where
    F: Fn(I, Context) -> R + Send + Sync + 'static,
    I: TextArguments,
    R: Future + Send,
{
    type Input = I;
    type Output = R::Output;

    fn answer(&self, input: I, cx: Context) -> impl Future<Output = R::Output> + Send {
        self(input, cx)
    }
}
