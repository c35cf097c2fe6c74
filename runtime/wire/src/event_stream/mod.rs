//! Event streams (WHATWG HTML, "Server-sent events"): messages as events, one `data` line each.

mod read;
mod write;

pub use read::{Event, EventReader, TooLarge};
pub use write::{COMMENT, messages, write_event, write_event_with_id, write_events, write_priming};
