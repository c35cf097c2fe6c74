//! Tools and tool messages as agents hold them.
//!
//! | module | what it is |
//! |---|---|
//! | [`value`] | one value for every kind of tool, its records, and collections of them |
//! | [`toolbox`] | the tools of one agent: names, definitions and calls, whatever their kind |
//! | [`model_api`] | tools and answers in the forms of model providers |
//! | [`parts`] | one form for the tool parts of chat messages |

pub mod model_api;
pub mod parts;
pub mod toolbox;
pub mod value;
