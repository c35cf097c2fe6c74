//! A server with one tool, prompt or resource per behavior, including failures, and a client that exchanges single lines with it.

pub mod dialog;
pub mod features;
pub mod input_requests;
pub mod peer;
pub mod raw;
pub mod signal;
pub mod tools;
pub mod validation;
