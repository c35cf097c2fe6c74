//! What the fuzz targets share: types that are hard to read, a server, a client, requests written as text, and what must hold of every answer.

pub mod answer;
pub mod arguments;
pub mod client;
pub mod events;
pub mod request;
pub mod server;
