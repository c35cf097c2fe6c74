//! The functions behind prompts and resources, and their results.

use std::fmt;
use std::future::Future;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use toolwright_core::arguments::StringReader;
use toolwright_core::protocol::{ErrorObject, error};
use toolwright_core::request::RequestError;
use toolwright_core::revision::Revision;

use crate::context::Context;
use crate::input_requests::InputRequired;
use crate::provider::{Outcome, RawResult};

/// The code behind a prompt, a resource or a resource template: an async function without parameters, of the
/// arguments (for a template, the variables), or of these and the [`Context`].
///
/// The compiler infers `Parameters`, which distinguishes these three forms. The function is called for each request,
/// so keep shared state in an `Arc`.
///
/// ```
/// use toolwright_core::prompt::Prompt;
/// use toolwright_core::resource::Resource;
/// use toolwright_server::Server;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Review {
///     /// The file to review.
///     file: String,
/// }
///
/// async fn review(input: Review) -> String {
///     format!("Review {}.", input.file)
/// }
///
/// let service = Server::new(())
///     .prompt(Prompt::new("review"), review)
///     .resource(Resource::new("shop://terms", "terms"), async || "No returns.")
///     .build()?;
/// # let _ = service;
/// # Ok::<(), toolwright_server::BuildError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot handle requests for a prompt or a resource",
    label = "not a handler of a prompt or a resource",
    note = "write an async function or closure without parameters, with a struct of the arguments, or with that struct and a `Context`; its future must be `Send`"
)]
pub trait RequestHandler<Parameters>: Send + Sync + 'static {
    /// The arguments or variables: [`StringArguments`](toolwright_core::arguments::StringArguments), or a struct that derives `Prompt` or `Resource`.
    type Input: Send + 'static;
    /// The result.
    type Output;

    /// Handles one request.
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
    I: Send + 'static,
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
    I: Send + 'static,
    R: Future + Send,
{
    type Input = I;
    type Output = R::Output;

    fn answer(&self, input: I, cx: Context) -> impl Future<Output = R::Output> + Send {
        self(input, cx)
    }
}

/// The result of a request for a prompt, a resource or a completion.
pub(crate) type RequestResult<T> = Result<T, Failure>;

/// A request without a regular result.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The handler's error.
    Request(RequestError),
    /// A protocol error of a provider.
    Error(ErrorObject),
    /// A provider requires input from the client.
    Input(InputRequired),
    /// An unparsed result that a provider forwards.
    Raw(RawResult),
}

impl From<RequestError> for Failure {
    fn from(error: RequestError) -> Self {
        Self::Request(error)
    }
}

/// Converts the outcome of a provider.
pub(crate) fn result_of<T>(outcome: Outcome<T>) -> RequestResult<T> {
    match outcome {
        Outcome::Result(result) => Ok(result),
        Outcome::Error(error) => Err(Failure::Error(error)),
        Outcome::InputRequired(input) => Err(Failure::Input(input)),
        Outcome::Raw(raw) => Err(Failure::Raw(raw)),
        Outcome::Task(_) | Outcome::Created(_) => {
            Err(Failure::Error(error::internal("the provider has not completed the request")))
        }
    }
}

/// Converts a result to the outcome of a provider. `uri` is set when reading a resource.
pub(crate) fn outcome_of<T>(result: RequestResult<T>, uri: Option<&str>, revision: Revision) -> Outcome<T> {
    match result {
        Ok(result) => Outcome::Result(result),
        Err(Failure::Request(failure)) => Outcome::Error(crate::error::of_request(&failure, uri, revision)),
        Err(Failure::Error(error)) => Outcome::Error(error),
        Err(Failure::Input(input)) => Outcome::InputRequired(input),
        Err(Failure::Raw(raw)) => Outcome::Raw(raw),
    }
}

/// User code with a `Debug` name.
pub(super) struct Code<F: ?Sized>(pub(super) Box<F>);

impl<F: ?Sized> fmt::Debug for Code<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Code")
    }
}

/// Parses the arguments of a prompt or the variables of a template.
pub(super) fn read<A: DeserializeOwned>(
    reader: &StringReader,
    arguments: Option<&RawValue>,
) -> RequestResult<A> {
    Ok(reader.read(arguments).map_err(|errors| RequestError::invalid(errors.to_string()))?)
}
