//! The protocol's methods, without a transport's bytes.

mod calculator;
mod calls;
mod capabilities;
mod collected;
mod definitions;
mod dropping;
mod endings;
mod eras;
mod functions;
mod handler_errors;
mod handlers;
mod input_requests;
mod interleavings;
mod lists;
mod middleware;
mod nested;
mod never_hangs;
mod observed;
mod promises;
mod prompts;
mod providers;
mod resources;
mod rounds;
mod skills;
mod spans;
mod watching;
