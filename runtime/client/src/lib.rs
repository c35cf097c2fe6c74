//! A client for any Model Context Protocol server.

pub mod config;
pub mod model_content;
