//! What the fuzz targets share: a server, requests written as text, and what must hold of every answer.

pub mod answer;
pub mod events;
pub mod request;
pub mod server;
