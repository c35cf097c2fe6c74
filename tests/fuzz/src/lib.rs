//! What the fuzz targets share: types that are hard to read, a server, a client, requests written as text, and the invariants of every response.

pub mod answer;
pub mod arguments;
pub mod client;
pub mod events;
pub mod request;
pub mod server;
pub mod worker;
