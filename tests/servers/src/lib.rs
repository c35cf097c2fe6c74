//! Third-party servers for tests, and the processes that they leave.

pub mod installed;
pub mod processes;
