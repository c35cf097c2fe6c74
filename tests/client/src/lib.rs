//! Helpers of the client's tests: servers with faults, on standard streams and over HTTP.

pub mod authorization_server;
pub mod http;

use std::sync::{Arc, Mutex};

use toolwright_client::config::StdioSpec;
use toolwright_client::{Client, ClientBuilder, Event};

/// The events of a client.
#[derive(Debug, Clone, Default)]
pub struct Events(Arc<Mutex<Vec<Event>>>);

impl Events {
    /// A client whose events are recorded.
    ///
    /// # Panics
    /// After a panic elsewhere.
    pub fn builder(&self) -> ClientBuilder {
        let events = Arc::clone(&self.0);
        Client::builder().on_event(move |event| events.lock().expect("not poisoned").push(event))
    }

    /// The texts of the warnings.
    ///
    /// # Panics
    /// After a panic elsewhere.
    pub fn warnings(&self) -> Vec<String> {
        let events = self.0.lock().expect("not poisoned");
        let warnings = events.iter().filter_map(|event| match event {
            Event::Warning(text) => Some(text.clone()),
            _ => None,
        });
        warnings.collect()
    }

    /// The lines of standard error.
    ///
    /// # Panics
    /// After a panic elsewhere.
    pub fn stderr(&self) -> Vec<String> {
        let events = self.0.lock().expect("not poisoned");
        let lines = events.iter().filter_map(|event| match event {
            Event::Stderr(text) => Some(text.clone()),
            _ => None,
        });
        lines.collect()
    }
}

/// A program of this package.
pub fn program(path: &str, arguments: &[&str]) -> StdioSpec {
    arguments.iter().fold(StdioSpec::new(path), |spec, argument| spec.arg(*argument))
}
