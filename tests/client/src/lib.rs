//! Helpers for tests of the client: an authorization server, HTTP servers, and recorded events.

pub mod authorization_server;
pub mod http;

use std::sync::{Arc, Mutex};

use toolwright_client::config::StdioSpec;
use toolwright_client::{Client, ClientBuilder, Event};

/// The events of a client.
#[derive(Debug, Clone, Default)]
pub struct Events(Arc<Mutex<Vec<Event>>>);

impl Events {
    /// Returns the builder of a client whose events are recorded.
    ///
    /// # Panics
    /// If the lock of the events is poisoned.
    pub fn builder(&self) -> ClientBuilder {
        let events = Arc::clone(&self.0);
        Client::builder().on_event(move |event| events.lock().expect("not poisoned").push(event))
    }

    /// Returns the warnings so far.
    ///
    /// # Panics
    /// If the lock of the events is poisoned.
    pub fn warnings(&self) -> Vec<String> {
        let events = self.0.lock().expect("not poisoned");
        let warnings = events.iter().filter_map(|event| match event {
            Event::Warning(text) => Some(text.clone()),
            _ => None,
        });
        warnings.collect()
    }

    /// Returns the lines of standard error so far.
    ///
    /// # Panics
    /// If the lock of the events is poisoned.
    pub fn stderr(&self) -> Vec<String> {
        let events = self.0.lock().expect("not poisoned");
        let lines = events.iter().filter_map(|event| match event {
            Event::Stderr(text) => Some(text.clone()),
            _ => None,
        });
        lines.collect()
    }
}

/// Returns the spec of a program with arguments.
pub fn program(path: &str, arguments: &[&str]) -> StdioSpec {
    arguments.iter().fold(StdioSpec::new(path), |spec, argument| spec.arg(*argument))
}
