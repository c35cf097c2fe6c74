//! Reads and validates the arguments of calls.
//!
//! The schema decides how each value is interpreted, and serde deserializes the result, so the interpretation
//! of one argument never depends on another one. A single walk over the text selects variants, finds all
//! problems and records which values are read differently from how they are written (`2.0` as `2`). If serde
//! rejects by itself everything that the schema rejects, except unknown names and constraints of single values,
//! the text is deserialized directly after checking those. Both paths produce the same value.
//!
//! # Who enforces what
//!
//! | part of the schema | enforced by |
//! |---|---|
//! | which members an object has, at every depth | the name check; unknown names are rejected unless the tool has `allow_unknown` or the schema accepts them |
//! | bounds, lengths, `pattern`, counts of items | the name check, which covers values as well |
//! | all other keywords that [`Checker`] supports | [`Checker`], or serde if the type implies them |
//! | `format`s of the table below | [`Checker`] |
//! | any other `format` | serde, if the type has one (`url::Url` and `uri`); otherwise it is an annotation |
//!
//! # Queries to the type
//!
//! A schemars schema does not express some serde attributes. The type is queried about these: it deserializes
//! small values, which are then dropped.
//!
//! - Other names (`alias`) of fields and variants are accepted everywhere, and the constraints of the field
//!   apply to them. The type is queried if a call has a name that the schema does not contain, up to 256 times
//!   per call.
//! - Members of a flattened `Option` belong together: if one is present, everything that its type requires must
//!   be present (`dependentRequired`).
//! - An enum with a catch-all variant (`#[serde(other)]`) accepts any name.
//! - A tool whose calls serde could never deserialize is rejected when its reader is created, for instance one
//!   with `deny_unknown_fields` and a flattened enum.
//!
//! Two things cannot be detected: other names in a type with a hand-written `Deserialize`, and other names of a
//! field for which the schema yields no example that the type accepts.
//!
//! # Untagged enums
//!
//! A value selects the first variant that it matches as written, or else the first that it matches after
//! conversion (`2.0` to an integer). Serde selects the first variant whose *types* match. If that is a
//! different one, serde's variant is used, and its constraints apply. So put the variant with more members
//! first.
//!
//! A call is rejected if serde's variant would drop a member. If an example of the schema shows that this
//! affects all such calls, the tool is rejected when its reader is created ([`SchemaFault::Dropped`]).
//!
//! # Differences between schema and calls
//!
//! The schema of a tool accepts exactly what calls accept, with these exceptions:
//!
//! - Only the type knows what the author's code rejects, in `try_from`, `deserialize_with` or a hand-written
//!   `Deserialize`. The schema accepts such a value, and the call is rejected with the author's message. This
//!   includes flattened `Option`s, which serde by itself reads as `None`.
//! - `null` for a member of another variant is ignored, since some clients send it for all optional members.
//!   Next to a flattened `Option` of a map, serde by itself would read `None` and lose the other members.
//! - A flattened enum next to a flattened map has exactly one variant: a call with the names of two is
//!   rejected, since serde would use the first one and treat the other as a member of the map.
//! - There is no choice at the root of a schema that all clients can read, so an enum at the root, or flattened
//!   into it, is shown as one object with the members of all variants. A call is validated against its variant:
//!   one that mixes members of two, or lacks a required one, matches the schema but is rejected.
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
//! Patterns follow ECMA-262 (JSON Schema 2020-12, core 6.4) as far as they can be matched in linear time: a
//! match anywhere counts, `.` matches no line terminator, `\\s` matches all Unicode white space, `\\d` and
//! `\\w` are ASCII; look-around and back-references are not supported. A tool with any other pattern is
//! rejected when its reader is compiled.
//!
//! # Lenient parsing
//!
//! - Absent arguments, `null` and `{}` are equivalent.
//! - `null` for a member is what its type makes of it: `None` for an `Option`, even if the field has another
//!   default. If the type does not accept `null` and the member is optional, it is ignored.
//! - `2.0` and `2e0` are integers, as in JSON Schema, and are read digit for digit.
//! - A string with JSON text is parsed if the schema only accepts an object or array there: some clients and
//!   models send nested values like this. [`ArgumentReader::strict`] disables this. Numbers and booleans are
//!   never parsed from strings.
//!
//! An integer of more than 64 bits is rejected if the type holds any JSON value, since it would become a float.
//!
//! # Limits
//!
//! [`MAX_PROBLEMS`], [`MAX_QUOTED`], [`MAX_LISTED`] and [`MAX_EXAMPLE`] bound the size of errors. The maximum
//! nesting depth is 127.
//!
//! The work per call is linear in the size of its text. At most 20,000 schemas are applied to values, plus 200
//! for each value. The cost of serde's handling of untagged enums is counted in advance: serde copies a value
//! for each variant that it tries, and once more for each nested untagged enum. Calls that would need more than
//! 50,000 copied values, plus 500 for each value of the text, are rejected. If an error inside a flattened
//! `Option` made serde read `None`, the type deserializes the call again for each member that may be the cause:
//! at most 50,000 values (`MAX_REREAD`), plus 500 for each value of the text (`REREAD_PER_VALUE`). A call that
//! needs more is rejected.

mod amend;
mod by_schema;
mod checker;
mod doc;
mod example;
mod faults;
mod names;
mod places;
mod problem;
mod queries;
mod reader;
mod rejection;
mod scan;
mod strings;
mod swallowed;
mod text_form;
mod type_facts;

#[cfg(test)]
mod tests;

pub(crate) use amend::query_amendments;
pub use checker::{Checker, SchemaError, SchemaFault};
pub use example::example;
pub use problem::{
    ArgumentErrors, Findings, MAX_EXAMPLE, MAX_LISTED, MAX_PROBLEMS, MAX_QUOTED, Problem, ProblemKind,
};
pub use reader::ArgumentReader;
pub use strings::{StringArguments, StringArgumentsError, StringReader};
