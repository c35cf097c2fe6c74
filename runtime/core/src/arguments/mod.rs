//! Reading and checking the arguments of a call.
//!
//! The schema decides what every value is, and serde reads what it decided: so what is read of one argument never
//! depends on how another one is written. One walk over the text chooses among variants, finds every problem, and notes
//! what is to be read otherwise than it was written (`2.0` as `2`). Where that could change nothing, because serde by
//! itself refuses all that the schema refuses but unknown names and rules about single values, the text goes straight
//! into the tool's struct, after a look at these. Both ways give the same value.
//!
//! # Who enforces what
//!
//! | the schema shows | enforced by |
//! |---|---|
//! | which members an object has, at every depth | the look at the names; other names are refused unless the tool says `allow_unknown` or the schema itself takes more |
//! | bounds, lengths, `pattern`, counts of items | the look at the names, which sees the values too |
//! | everything else that [`Checker`] knows | [`Checker`]; for a tool whose other rules are those of its types, serde |
//! | `format` of the table below | [`Checker`] |
//! | any other `format` | serde, where the type has one (`url::Url` and `uri`); else nobody: it is a hint |
//!
//! # What is asked of the type
//!
//! A schema of schemars says nothing of some of serde's attributes. The type is asked about these: it is given small
//! values to read, which are dropped.
//!
//! - Other names (`alias`) of fields and variants are taken wherever they stand, and the rules of the field hold for
//!   them. A type is asked when a call has a name that its schema does not know, up to 256 times a call.
//! - Members of a flattened `Option` belong together: where one is sent, all that its type needs must be there
//!   (`dependentRequired`).
//! - An enum with a variant for all others (`#[serde(other)]`) takes any name.
//! - A tool of which serde can never read a call is refused when its reader is made, such as one with
//!   `deny_unknown_fields` over a flattened enum.
//!
//! What cannot be known: other names in a type whose `Deserialize` is written by hand, and those of a field in a place
//! for which the schema gives no example that the type takes.
//!
//! # Untagged enums
//!
//! A value is taken for the first variant that it fits as it is written, else for the first that it fits as it is meant
//! (`2.0` for an integer). Serde takes the first variant whose *types* fit: where that is another one, it is the one
//! that is read, and its rules must hold. So put the variant with more members first.
//!
//! A call for which that variant has no place for a member is refused: serde would drop it. Where an example of the
//! schema shows that, so would every such call, and the tool is refused when its reader is made
//! ([`SchemaFault::Dropped`]).
//!
//! # Where schema and call differ
//!
//! The schema of a tool takes what the call takes, and the other way round, but for this:
//!
//! - What code of the type's author refuses, in `try_from`, `deserialize_with` or a `Deserialize` written by hand, only
//!   the type knows. The schema takes such a value, and the call is refused with the author's words. That holds in a
//!   flattened `Option` too, which serde by itself reads as `None`.
//! - `null` for a member of another variant is left out, as some clients send it for all that may be left out. Beside a
//!   flattened `Option` of a map serde by itself reads `None` then, and loses the other members.
//! - A flattened enum beside a flattened map is one variant: a call that has the names of two is refused, since serde
//!   would take the one that comes first, and the other for a member of the map.
//! - Clients show a choice at the root of a schema in no way that all of them can read, so an enum at the root, or
//!   flattened into it, is shown as one object with the members of all variants. A call is held to its variant: one that
//!   mixes the members of two, or leaves out what its variant needs, fits the schema and is refused with the problem.
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
//! Patterns are read as ECMA-262 reads them (JSON Schema 2020-12, core 6.4), as far as that takes linear time: a match
//! anywhere in the text is a match, `.` matches no line end, `\\s` is all white space of Unicode, `\\d` and `\\w` are
//! ASCII; look-around and back-references do not exist. A tool with any other pattern is refused when its reader is
//! compiled.
//!
//! # What is read generously
//!
//! - Absent arguments, `null` and `{}` are the same.
//! - `null` for a member is what its type makes of it: `None` for an `Option`, also where the field has another default.
//!   A member that need not be there and whose type takes no `null` is left out.
//! - `2.0` and `2e0` are integers, as JSON Schema says, read digit for digit.
//! - JSON text in the place of an object or array is read as such, where the schema allows nothing else there:
//!   some clients and models write nested values so. [`ArgumentReader::strict`] switches this off. Numbers and
//!   booleans are never read from text.
//!
//! An integer of more than 64 bits is refused where the type holds any JSON value, since it would become a float.
//!
//! # Limits
//!
//! [`MAX_PROBLEMS`], [`MAX_QUOTED`], [`MAX_LISTED`] and [`MAX_EXAMPLE`] bound the text of errors. 127 levels of nesting
//! are read.
//!
//! The work on a call grows with the size of its text. At most 20,000 schemas are applied to values, and 200 more for
//! each value. What serde's own reading of untagged enums would cost is counted before it is done: it copies a value for
//! each variant that it tries, and once more for each untagged enum in it. More than 50,000 values, and 500 for each of
//! the text, are refused. Where something went wrong in a flattened `Option`, which serde then reads as `None`, the type
//! reads the call again for each member that may be the reason: 50,000 values at most (`MAX_REREAD`), and 500 more for
//! each of the text (`REREAD_PER_VALUE`). A call for which that is not enough is refused.

mod amend;
mod careful;
mod checker;
mod doc;
mod example;
mod faults;
mod insight;
mod knowledge;
mod names;
mod places;
mod problem;
mod reader;
mod rejection;
mod scan;
mod swallowed;
mod texts;

#[cfg(test)]
mod tests;

pub(crate) use amend::ask;
pub use checker::{Checker, SchemaError, SchemaFault};
pub use example::example;
pub use problem::{
    ArgumentErrors, Findings, MAX_EXAMPLE, MAX_LISTED, MAX_PROBLEMS, MAX_QUOTED, Problem, ProblemKind,
};
pub use reader::ArgumentReader;
pub use texts::{TextArguments, TextReader, TextsError};
