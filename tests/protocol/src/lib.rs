//! A server with one tool, prompt or resource for each thing that can go right or wrong, and a peer that talks to it line by line.

pub mod asking;
pub mod dialog;
pub mod features;
pub mod judge;
pub mod peer;
pub mod raw;
pub mod signal;
pub mod tools;
