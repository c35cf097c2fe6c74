//! What a tool's type adds to schemas and readers: these know types, and no tools.

use serde_json::value::RawValue;

use super::{Described, Read, Tool};
use crate::arguments::{self, ArgumentErrors, ArgumentReader, SchemaError};
use crate::per_type::PerType;
use crate::schema::{Amendment, Draft};

impl Draft {
    /// The draft of a tool's input, with what the attributes of its fields and the type itself say.
    pub fn of<T: Tool>() -> Self {
        // Definitions are made over and over, and a type is asked once.
        static AMENDMENTS: PerType<[Amendment]> = PerType::new();
        let metadata = T::METADATA;
        let draft = Self::of_type::<T, Described<T>, Read<T>>(&metadata);
        let amendments = AMENDMENTS.get::<T>(|| arguments::ask::<Read<T>>(&draft, metadata.shape));
        draft.amended(amendments)
    }
}

impl ArgumentReader {
    /// Compiles the reader of `T`.
    ///
    /// # Errors
    /// A schema that cannot be enforced, or that describes what serde never reads (see [`SchemaFault`](crate::arguments::SchemaFault)); the error
    /// names the tool.
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

    /// Reads and checks the arguments of the tool `T`; see [`read`](Self::read).
    ///
    /// # Errors
    /// Every problem of the arguments at once.
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

/// Reads and checks the arguments of one call of `T`, compiling the reader each time: for single use, such as tests.
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
