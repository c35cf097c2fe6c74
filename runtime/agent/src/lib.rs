//! Tools and tool messages from an agent's point of view.
//!
//! | module | contents |
//! |---|---|
//! | [`value`] | one value for every kind of tool, its records, and collections of them |
//! | [`toolbox`] | the tools of one agent: names, definitions and calls, whatever their kind |
//! | [`model_api`] | tools and results in the formats of model providers |
//! | [`parts`] | one representation for the tool parts of chat messages |

pub mod model_api;
pub mod parts;
pub mod toolbox;
pub mod value;
