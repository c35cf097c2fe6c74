//! The shop as a whole: its data, its rules and its tools.

mod ask;
mod data;
mod http;
mod manifest;
mod rules;
mod stdio;
mod support;
mod tools;
mod walk;
