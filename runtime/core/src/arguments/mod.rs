//! Reading and checking the arguments of a call.
//!
//! A call whose arguments fit costs what serde costs: the text goes straight into the tool's struct, after a look
//! at the names. Rules that a schema shows and serde does not know run beside it, over the members that have some.
//! Only where something fails is the text read a second time, to name every problem at once.
//!
//! # Who enforces what
//!
//! | the schema shows | enforced by |
//! |---|---|
//! | `type`, `required`, which members a nested object has | serde, through the type itself; [`Checker`] where serde would read a struct from an array |
//! | which members the root has | the look at the names: properties and serde's aliases |
//! | `minimum`, `maximum` that belong to an integer type | serde |
//! | all other bounds, `multipleOf`, lengths, counts, `uniqueItems`, `enum`, `const`, `pattern`, `contains`, `oneOf`, `not`, `if`, `dependent…`, `propertyNames` | [`Checker`] |
//! | `format` of the table below | [`Checker`] |
//! | any other `format` | serde, where the type has one (`url::Url` and `uri`); else nobody: it is a hint |
//! | `unevaluatedProperties`, `unevaluatedItems` | serde (`deny_unknown_fields` beside `flatten`) |
//!
//! An alias of an enum's *variant* is taken only if the schema lists it too, since `enum` is enforced as shown.
//!
//! # Formats
//!
//! | format | check |
//! |---|---|
//! | `date` | RFC 3339 `full-date`, with the days of each month |
//! | `time` | RFC 3339 `full-time`, with an offset |
//! | `date-time` | RFC 3339 `date-time` |
//! | `uuid` | 8-4-4-4-12 hexadecimal digits (RFC 9562) |
//! | `ipv4` | four decimal numbers up to 255 without leading zeros (RFC 2673) |
//! | `ipv6` | RFC 4291, section 2.2 |
//!
//! Patterns are those of `regex-lite`: `\d`, `\w` and `\s` mean ASCII, a match anywhere in the text is a match,
//! look-around and back-references do not exist. A tool with any other pattern is refused when its reader is
//! compiled.
//!
//! # What is read generously
//!
//! - Absent arguments, `null` and `{}` are the same.
//! - `null` for an optional member is the same as leaving the member out.
//! - `2.0` is an integer, as JSON Schema says.
//! - JSON text in the place of an object or array is read as such, where the schema allows nothing else there:
//!   some clients and models write nested values so. [`ArgumentReader::strict`] switches this off. Numbers and
//!   booleans are never read from text.
//!
//! # Limits
//!
//! [`MAX_PROBLEMS`], [`MAX_QUOTED`], [`MAX_LISTED`] and [`MAX_EXAMPLE`] bound the text of errors. `serde_json` reads
//! 127 levels of nesting.

mod amend;
mod careful;
mod checker;
mod doc;
mod example;
mod faults;
mod insight;
mod names;
mod places;
mod probe;
mod problem;
mod reader;
mod rejection;
mod scan;
mod texts;

#[cfg(test)]
mod tests;

use serde_json::value::RawValue;

use crate::tool::Tool;

pub(crate) use amend::{Amendment, Change, amendments, ask};
pub use checker::{Checker, SchemaError, SchemaFault};
pub use example::example;
pub use problem::{
    ArgumentErrors, Findings, MAX_EXAMPLE, MAX_LISTED, MAX_PROBLEMS, MAX_QUOTED, Problem, ProblemKind,
};
pub use reader::ArgumentReader;
pub use texts::{TextArguments, TextReader, TextsError};

/// Reads and checks the arguments of one call of `T`, compiling the reader anew: for single use, such as tests.
///
/// # Errors
/// Every problem of the arguments at once.
///
/// # Panics
/// If `T`'s schema has a pattern or reference that cannot be enforced; a server refuses such a tool when it
/// starts.
pub fn decode<T: Tool>(arguments: Option<&RawValue>) -> Result<T, ArgumentErrors> {
    let reader = ArgumentReader::of::<T>().unwrap_or_else(|error| panic!("{error}"));
    reader.read_tool(arguments, &[])
}
