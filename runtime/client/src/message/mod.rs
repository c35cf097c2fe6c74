//! Writes and parses messages. Parsed messages borrow from their text.

mod read;
mod write;

#[cfg(feature = "http")]
pub(crate) use read::read_tool_response;
pub(crate) use read::{Id, Message, find_id, read, read_simple_response, split_batch};
pub(crate) use write::{OutgoingRequest, error_response, notification, push_string, response, write_request};
