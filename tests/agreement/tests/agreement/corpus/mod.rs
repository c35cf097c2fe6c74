//! The types.

pub(crate) mod attributes;
pub(crate) mod collections;
pub(crate) mod enums;
pub(crate) mod kept;
pub(crate) mod numbers;
pub(crate) mod recursion;
pub(crate) mod seeds;
pub(crate) mod structs;
pub(crate) mod texts;
