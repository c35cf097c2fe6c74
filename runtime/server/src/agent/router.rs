//! Finds the command in plain text.

use std::collections::BTreeSet;

use serde_json::value::to_raw_value;
use serde_json::{Map, Value};
use toolwright_core::definition::{ToolDefinition, meta_keys};
use toolwright_core::future::BoxFuture;
use toolwright_core::{names, suggest};

use super::envelope::ToolCall;
use super::text::{Pair, Part, parts};
use super::typing;

/// Turns plain text into a call. Implemented by [`CommandRouter`]; implement it yourself to ask a model, for
/// example.
///
/// ```
/// use toolwright_core::definition::ToolDefinition;
/// use toolwright_server::BoxFuture;
/// use toolwright_server::agent::{RouteError, TextRouter, ToolCall};
///
/// /// Always calls the first tool.
/// struct First;
///
/// impl TextRouter for First {
///     fn route<'a>(
///         &'a self,
///         _text: &'a str,
///         tools: &'a [ToolDefinition],
///     ) -> BoxFuture<'a, Result<ToolCall, RouteError>> {
///         let call = tools.first().map(|tool| ToolCall { name: tool.name.clone(), arguments: None });
///         Box::pin(std::future::ready(call.ok_or(RouteError::Empty)))
///     }
/// }
/// # let _: &dyn TextRouter = &First;
/// ```
pub trait TextRouter: Send + Sync + 'static {
    /// Returns the call that `text` represents.
    ///
    /// # Errors
    /// [`RouteError`]; custom routers return their errors as [`RouteError::Other`].
    fn route<'a>(
        &'a self,
        text: &'a str,
        tools: &'a [ToolDefinition],
    ) -> BoxFuture<'a, Result<ToolCall, RouteError>>;
}

/// A deterministic router, which parses a tool's name and `key=value` arguments.
///
/// `get order details order_id=#W0000001 verbose=true note="two words" filter={"a": [1, 2]}`
///
/// The name may be a current or former one. Spaces, `_` and `-` are equivalent, and case is ignored if that is
/// unambiguous. Values are converted to the types in the tool's schema; quotes make a string, and a list is JSON
/// or a repeated key.
#[derive(Debug, Clone, Copy, Default)]
pub struct CommandRouter;

impl TextRouter for CommandRouter {
    fn route<'a>(
        &'a self,
        text: &'a str,
        tools: &'a [ToolDefinition],
    ) -> BoxFuture<'a, Result<ToolCall, RouteError>> {
        Box::pin(std::future::ready(route(text, tools)))
    }
}

/// A text is not a command.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RouteError {
    /// There is no command before the arguments.
    #[error("the message is empty; write a command and its arguments as `key=value`")]
    Empty,
    /// No tool has this name.
    #[error("unknown command {words:?}{}", did_you_mean(.candidates))]
    NoCommand {
        /// The words before the arguments.
        words: String,
        /// The most similar names, best first.
        candidates: Vec<String>,
    },
    /// Several tools have this name, ignoring case, spaces, `_` and `-`.
    #[error("{words:?} is ambiguous between {}; write the exact name", .candidates.join(", "))]
    Ambiguous {
        /// The words before the arguments.
        words: String,
        /// The names of the tools.
        candidates: Vec<String>,
    },
    /// Words that are neither the command nor arguments. They are not repeated, since they may be part of a
    /// secret.
    #[error("{count} word(s) after `{command}` are not arguments; write `key=value`, with quotes around a value of several words{}", keys(.parameters))]
    Words {
        /// The tool.
        command: String,
        /// The number of words.
        count: usize,
        /// The tool's parameters.
        parameters: Vec<String>,
    },
    /// A quoted value is not terminated.
    #[error("the quote after `{parameter}=` is not terminated")]
    OpenQuote {
        /// The parameter.
        parameter: String,
    },
    /// A parameter that is not a list has several values.
    #[error("`{parameter}` is given twice; give it once")]
    Repeated {
        /// The parameter.
        parameter: String,
    },
    /// An error of a custom router.
    #[error(transparent)]
    Other(Box<dyn std::error::Error + Send + Sync>),
}

fn did_you_mean(candidates: &[String]) -> String {
    if candidates.is_empty() { String::new() } else { format!("; did you mean {}?", candidates.join(", ")) }
}

fn keys(parameters: &[String]) -> String {
    if parameters.is_empty() {
        "; it has none".to_owned()
    } else {
        format!("; it has {}", parameters.join(", "))
    }
}

fn route(text: &str, tools: &[ToolDefinition]) -> Result<ToolCall, RouteError> {
    let parts = parts(text)?;
    let words: Vec<&str> = parts.iter().map_while(Part::as_word).collect();
    if words.is_empty() {
        return Err(RouteError::Empty);
    }
    let tool = find(&words, tools)?;
    call(tool, &parts[words.len()..])
}

/// Creates a call of a known tool.
pub(super) fn call(tool: &ToolDefinition, parts: &[Part<'_>]) -> Result<ToolCall, RouteError> {
    let pairs: Vec<&Pair<'_>> = parts.iter().filter_map(Part::as_pair).collect();
    if pairs.len() < parts.len() {
        return Err(stray_words(tool, parts.len() - pairs.len()));
    }
    tool_call(tool, &typing::arguments(tool, &pairs)?)
}

/// Creates a call of a known tool with these arguments.
pub(super) fn tool_call(
    tool: &ToolDefinition,
    arguments: &Map<String, Value>,
) -> Result<ToolCall, RouteError> {
    let arguments = to_raw_value(arguments).map_err(|error| RouteError::Other(error.into()))?;
    Ok(ToolCall { name: tool.name.clone(), arguments: Some(arguments) })
}

/// Whether this is a current or former name of the tool.
pub(super) fn is_name(tool: &ToolDefinition, name: &str) -> bool {
    names_of(tool).any(|own| own == name)
}

fn stray_words(tool: &ToolDefinition, count: usize) -> RouteError {
    let properties = tool.input_schema.get("properties").and_then(Value::as_object);
    let parameters = properties.into_iter().flat_map(|properties| properties.keys().cloned()).collect();
    RouteError::Words { command: tool.name.clone(), count, parameters }
}

fn find<'a>(words: &[&str], tools: &'a [ToolDefinition]) -> Result<&'a ToolDefinition, RouteError> {
    let alike = |words: &[&str]| -> Vec<&'a ToolDefinition> {
        let folded = fold(&words.join(" "));
        tools.iter().filter(|tool| names_of(tool).any(|name| fold(name) == folded)).collect()
    };
    match alike(words).as_slice() {
        [tool] => return Ok(tool),
        [] => {}
        several => {
            let exact = words.join("_");
            return several.iter().copied().find(|tool| tool.name == exact).ok_or_else(|| {
                RouteError::Ambiguous {
                    words: words.join(" "),
                    candidates: several.iter().map(|tool| tool.name.clone()).collect(),
                }
            });
        }
    }
    // The longest prefix that is a command leaves the fewest words over.
    for end in (1..words.len().min(NAME_WORDS)).rev() {
        if let [tool] = alike(&words[..end]).as_slice() {
            return Err(stray_words(tool, words.len() - end));
        }
    }
    let words: String = words[..words.len().min(NAME_WORDS)].join(" ").chars().take(names::LIMIT).collect();
    Err(RouteError::NoCommand { candidates: candidates(&words, tools), words })
}

/// The maximum number of words that are considered as a name, however long the text is.
const NAME_WORDS: usize = 16;

/// Strips the tool's name from the start of `text`, if present.
pub(super) fn without_name<'a>(tool: &ToolDefinition, text: &'a str) -> &'a str {
    let text = text.trim();
    let ends = text.char_indices().filter(|(_, character)| character.is_whitespace()).map(|(at, _)| at);
    ends.chain([text.len()])
        .take(NAME_WORDS)
        .filter(|end| names_of(tool).any(|name| fold(name) == fold(&text[..*end])))
        .last()
        .map_or(text, |end| text[end..].trim_start())
}

/// The tool's current and former names.
fn names_of(tool: &ToolDefinition) -> impl Iterator<Item = &str> {
    let former = tool.meta.as_ref().and_then(|meta| meta.get(meta_keys::WAS)).and_then(Value::as_array);
    std::iter::once(tool.name.as_str()).chain(former.into_iter().flatten().filter_map(Value::as_str))
}

/// Normalizes a name: ignores case, spaces, `_` and `-`.
pub(super) fn fold(name: &str) -> String {
    let words: Vec<String> = name
        .split(|character: char| character.is_whitespace() || matches!(character, '_' | '-'))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.join("_")
}

/// The maximum number of candidates in an error.
const CANDIDATES: usize = 3;

/// Returns the most similar names: typos first, then names that share the most words.
fn candidates(words: &str, tools: &[ToolDefinition]) -> Vec<String> {
    let folded = fold(words);
    let wanted: BTreeSet<&str> = folded.split('_').collect();
    let slip = suggest::nearest(&folded, tools.iter().map(|tool| tool.name.as_str()));
    let mut shared: Vec<(usize, &str)> = tools
        .iter()
        .map(|tool| {
            (fold(&tool.name).split('_').filter(|word| wanted.contains(word)).count(), tool.name.as_str())
        })
        .filter(|(count, name)| *count > 0 && Some(*name) != slip)
        .collect();
    shared.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    slip.into_iter()
        .chain(shared.into_iter().map(|(_, name)| name))
        .take(CANDIDATES)
        .map(str::to_owned)
        .collect()
}
