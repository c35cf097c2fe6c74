//! Messages as text: requests are put together, answers are taken apart without copying.

mod read;
mod write;

pub(crate) use read::{Id, Message, id_in_broken, quick, read, split_batch};
pub(crate) use write::{Outgoing, notification, push_string, request, response, response_error};
