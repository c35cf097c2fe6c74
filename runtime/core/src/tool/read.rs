//! Methods of schemas and readers that take a tool type.

use serde_json::value::RawValue;

use super::{Described, Read, Tool};
use crate::arguments::{self, ArgumentErrors, ArgumentReader, SchemaError};
use crate::per_type::PerType;
use crate::schema::{Amendment, Draft};

impl Draft {
    /// Creates the draft of a tool's input, with field attributes and everything learned from the type.
    pub fn of<T: Tool>() -> Self {
        // Cached: definitions are created often, and the type is only queried once.
        static AMENDMENTS: PerType<[Amendment]> = PerType::new();
        let metadata = T::METADATA;
        let draft = Self::of_type::<T, Described<T>, Read<T>>(&metadata);
        let amendments =
            AMENDMENTS.get::<T>(|| arguments::query_amendments::<Read<T>>(&draft, metadata.shape));
        draft.with_amendments(amendments)
    }
}

impl ArgumentReader {
    /// Compiles the reader of `T`.
    ///
    /// # Errors
    /// Returns an error if the schema cannot be enforced, or describes values that serde never accepts (see
    /// [`SchemaFault`](crate::arguments::SchemaFault)); it names the tool.
    pub fn of<T: Tool>() -> Result<Self, SchemaError> {
        Self::of_draft::<T>(&Draft::of::<T>())
    }

    /// Compiles the reader of `T` from its draft.
    pub(crate) fn of_draft<T: Tool>(draft: &Draft) -> Result<Self, SchemaError> {
        let metadata = T::METADATA;
        Self::new(draft, metadata.fields, metadata.shape, metadata.allow_unknown)
            .and_then(|reader| reader.check_type::<Read<T>>(draft))
            .map_err(|error| SchemaError { tool: Some(T::NAME), ..error })
    }

    /// Reads and validates the arguments of the tool `T`; see [`read`](Self::read).
    ///
    /// # Errors
    /// Returns all problems of the arguments.
    pub fn read_tool<T: Tool>(
        &self,
        arguments: Option<&RawValue>,
        bound: &[(String, Box<RawValue>)],
    ) -> Result<T, ArgumentErrors> {
        let read = self.read::<Read<T>>(arguments, bound)?;
        let arguments: T::Arguments = read.into();
        Ok(arguments.into())
    }
}

/// Reads and validates the arguments of one call of `T`. Compiles the reader each time, so it is meant for tests.
///
/// # Errors
/// Returns all problems of the arguments.
///
/// # Panics
/// If `T`'s schema has a pattern or reference that cannot be enforced; a server rejects such a tool at startup.
pub fn decode<T: Tool>(arguments: Option<&RawValue>) -> Result<T, ArgumentErrors> {
    let reader = ArgumentReader::of::<T>().unwrap_or_else(|error| panic!("{error}"));
    reader.read_tool(arguments, &[])
}
