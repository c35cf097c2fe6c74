//! Completion: suggestions for arguments of prompts and variables of resource templates (2026-07-28,
//! server/utilities/completion).

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use toolwright_core::future::BoxFuture;
use toolwright_core::request::RequestError;

use crate::context::Context;

/// The maximum number of values in a response (2026-07-28, server/utilities/completion "Completion
/// Results").
const MAX_VALUES: usize = 100;

/// The prompt or template whose argument is completed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize)]
#[serde(tag = "type")]
#[non_exhaustive]
pub enum Reference {
    /// A prompt.
    #[serde(rename = "ref/prompt")]
    Prompt {
        /// Its name.
        name: String,
    },
    /// A resource template.
    #[serde(rename = "ref/resource")]
    Resource {
        /// The template, or the URI of a resource, which has nothing to complete.
        uri: String,
    },
}

impl Reference {
    /// Refers to the prompt with this name.
    pub fn prompt(name: impl Into<String>) -> Self {
        Self::Prompt { name: name.into() }
    }

    /// Refers to the resource template with this URI template, as it was registered.
    pub fn template(uri_template: impl Into<String>) -> Self {
        Self::Resource { uri: uri_template.into() }
    }

    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Prompt { name } => name,
            Self::Resource { uri } => uri,
        }
    }
}

/// What a completer receives besides the text so far.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CompletionContext {
    /// The arguments that already have values; clients before 2025-06-18 send none.
    pub arguments: BTreeMap<String, String>,
    /// The context of the request.
    pub request: Context,
}

/// Suggested values, best first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Completion {
    /// The values. At most 100 are sent.
    pub values: Vec<String>,
    /// The total number of values; `values.len()` if not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Whether there are more values than `values`.
    pub has_more: bool,
}

impl Completion {
    /// Truncates the values to the protocol's limit.
    pub(crate) fn cap(mut self) -> Self {
        let count = u64::try_from(self.values.len()).unwrap_or(u64::MAX);
        let total = *self.total.get_or_insert(count);
        self.values.truncate(MAX_VALUES);
        self.has_more |= total > u64::try_from(self.values.len()).unwrap_or(u64::MAX);
        self
    }
}

/// The values that a completer can return.
///
/// ```
/// use toolwright_core::request::RequestError;
/// use toolwright_server::{Completion, IntoCompletion};
///
/// /// The cities that a search found.
/// struct Cities(Vec<&'static str>);
///
/// impl IntoCompletion for Cities {
///     fn into_completion(self) -> Result<Completion, RequestError> {
///         self.0.into_completion()
///     }
/// }
///
/// assert_eq!(Cities(vec!["Bern", "Berlin"]).into_completion()?.values, ["Bern", "Berlin"]);
/// # Ok::<(), RequestError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a completion",
    label = "return a list of strings, a `Completion`, or a `Result` of these"
)]
pub trait IntoCompletion {
    /// Returns the suggestions, or the error.
    fn into_completion(self) -> Result<Completion, RequestError>;
}

impl IntoCompletion for Completion {
    fn into_completion(self) -> Result<Completion, RequestError> {
        Ok(self)
    }
}

impl<T: Into<String>> IntoCompletion for Vec<T> {
    fn into_completion(self) -> Result<Completion, RequestError> {
        Ok(Completion { values: self.into_iter().map(Into::into).collect(), ..Completion::default() })
    }
}

impl<T: IntoCompletion, E: Into<RequestError>> IntoCompletion for Result<T, E> {
    fn into_completion(self) -> Result<Completion, RequestError> {
        self.map_err(Into::into)?.into_completion()
    }
}

/// A function that completes an argument, for `#[mcp(complete = path)]`: an async function of the text so far, or of it and a
/// [`CompletionContext`]. It returns suggestions, best first; at most 100 are sent, along with their total number.
///
/// The compiler infers `Parameters`, which distinguishes the two forms.
///
/// ```
/// use toolwright_core::request::RequestError;
/// use toolwright_server::{CompletionContext, Completions};
///
/// async fn cities(so_far: String) -> Vec<&'static str> {
///     ["Bern", "Berlin"].into_iter().filter(|city| city.starts_with(&so_far)).collect()
/// }
///
/// async fn streets(so_far: String, cx: CompletionContext) -> Result<Vec<String>, RequestError> {
///     let city = cx.arguments.get("city").ok_or_else(|| RequestError::invalid("choose the city first"))?;
///     Ok(vec![format!("{so_far}, {city}")])
/// }
///
/// // What `#[mcp(complete = …)]` generates:
/// let mut completions = Completions::default();
/// completions.add("city", cities);
/// completions.add("street", streets);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot complete an argument",
    label = "not a completion",
    note = "write an async function of a `String`, or of a `String` and a `CompletionContext`, that returns a list of strings, a `Completion`, or a `Result` of these; its future must be `Send`"
)]
pub trait CompletionHandler<Parameters>: Send + Sync + 'static {
    /// Suggests values that begin with the text so far, or that it may mean.
    fn complete(
        &self,
        so_far: String,
        cx: CompletionContext,
    ) -> impl Future<Output = Result<Completion, RequestError>> + Send;
}

#[diagnostic::do_not_recommend]
impl<F, R> CompletionHandler<(String,)> for F
where
    F: Fn(String) -> R + Send + Sync + 'static,
    R: Future<Output: IntoCompletion> + Send,
{
    async fn complete(&self, so_far: String, _cx: CompletionContext) -> Result<Completion, RequestError> {
        self(so_far).await.into_completion()
    }
}

#[diagnostic::do_not_recommend]
impl<F, R> CompletionHandler<(String, CompletionContext)> for F
where
    F: Fn(String, CompletionContext) -> R + Send + Sync + 'static,
    R: Future<Output: IntoCompletion> + Send,
{
    async fn complete(&self, so_far: String, cx: CompletionContext) -> Result<Completion, RequestError> {
        self(so_far, cx).await.into_completion()
    }
}

/// The completions of a derived prompt or resource.
#[derive(Default)]
pub struct Completions(Vec<(String, Complete)>);

type Complete = Box<
    dyn Fn(String, CompletionContext) -> BoxFuture<'static, Result<Completion, RequestError>> + Send + Sync,
>;

impl Completions {
    /// Completes the argument with this name by `handler`.
    pub fn add<P, H: CompletionHandler<P>>(&mut self, argument: impl Into<String>, handler: H) {
        let handler = Arc::new(handler);
        let complete: Complete = Box::new(move |so_far, cx| {
            let handler = Arc::clone(&handler);
            Box::pin(async move { handler.complete(so_far, cx).await })
        });
        self.0.push((argument.into(), complete));
    }

    pub(crate) fn into_functions(self) -> Vec<(String, Complete)> {
        self.0
    }
}

impl fmt::Debug for Completions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(argument, _)| argument)).finish()
    }
}

/// The completions of a prompt or resource, which `#[derive(Prompt)]` and `#[derive(Resource)]` implement from
/// `#[mcp(complete = path)]`. Enums and booleans are completed without it.
///
/// ```
/// use toolwright_macros::Prompt;
/// use toolwright_server::{Completes, Completions};
///
/// /// Asks for a timetable.
/// #[derive(Prompt, serde::Deserialize, schemars::JsonSchema)]
/// # #[mcp(crate = toolwright_server)]
/// struct Timetable {
///     #[mcp(complete = cities)]
///     city: String,
/// }
///
/// async fn cities(so_far: String) -> Vec<&'static str> {
///     ["Bern", "Berlin"].into_iter().filter(|city| city.starts_with(&so_far)).collect()
/// }
///
/// let mut completions = Completions::default();
/// Timetable::completions(&mut completions);
/// assert_eq!(format!("{completions:?}"), r#"["city"]"#);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say how its arguments are completed",
    label = "no `Completes` for this type",
    note = "derive `toolwright::Prompt` or `toolwright::Resource`, or write `impl Completes for {Self} {{ fn completions(_: &mut Completions) {{}} }}`"
)]
pub trait Completes {
    /// Adds the completions.
    fn completions(completions: &mut Completions);
}

#[cfg(test)]
mod tests {
    use super::{Completion, IntoCompletion};

    #[test]
    fn at_most_a_hundred_values_are_sent() {
        let values = |count: usize| vec!["x"; count].into_completion().expect("values").cap();
        for (count, sent, has_more) in [(0, 0, false), (100, 100, false), (101, 100, true)] {
            let capped = values(count);
            assert_eq!((capped.values.len(), capped.has_more), (sent, has_more), "{count}");
            assert_eq!(capped.total, u64::try_from(count).ok());
        }
        let told = Completion { total: Some(7), ..values(3) }.cap();
        assert_eq!((told.total, told.has_more), (Some(7), true));
    }
}
