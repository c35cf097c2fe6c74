//! Third-party servers for tests, the processes that they leave, and the programs of this repository.

pub mod installed;
pub mod processes;
pub mod programs;
