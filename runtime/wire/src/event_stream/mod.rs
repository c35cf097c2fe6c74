//! Event streams (WHATWG HTML, "Server-sent events"): messages as events, one `data` line each.

mod write;

pub use write::{COMMENT, messages, write_event, write_event_with_id, write_events, write_priming};
