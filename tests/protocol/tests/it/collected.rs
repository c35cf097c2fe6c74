//! A subscriber of `tracing` that keeps spans and events.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// The fields of a span or event, as strings.
pub(crate) type Fields = BTreeMap<String, String>;

/// Keeps the spans of the server, and the events of the server and of these tests.
#[derive(Clone)]
pub(crate) struct Collected {
    /// The prefix of the targets of the server.
    target: &'static str,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// With their names. None is removed, since the index is the id.
    spans: Vec<(&'static str, Fields)>,
    /// The number of spans that were taken.
    taken: usize,
    entered: Vec<u64>,
    events: Vec<Recorded>,
}

/// An event.
#[derive(Debug, Clone)]
pub(crate) struct Recorded {
    pub(crate) level: Level,
    pub(crate) fields: Fields,
    /// The span that it belongs to.
    pub(crate) within: Option<u64>,
}

struct Reader<'a>(&'a mut Fields);

impl Visit for Reader<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}"));
    }
}

impl Default for Collected {
    fn default() -> Self {
        Self::of("toolwright")
    }
}

impl Collected {
    pub(crate) fn of(target: &'static str) -> Self {
        Self { target, state: Arc::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic")
    }

    /// Returns the spans of requests since the last time.
    pub(crate) fn requests(&self) -> Vec<Fields> {
        let mut state = self.state();
        let count = state.spans.len();
        let from = std::mem::replace(&mut state.taken, count);
        let new = state.spans.iter().skip(from).filter(|(name, _)| *name == "mcp.request");
        new.map(|(_, fields)| fields.clone()).collect()
    }

    /// Returns all spans with this name.
    pub(crate) fn spans(&self, name: &str) -> Vec<Fields> {
        let state = self.state();
        state.spans.iter().filter(|span| span.0 == name).map(|span| span.1.clone()).collect()
    }

    /// Returns all events.
    pub(crate) fn events(&self) -> Vec<Recorded> {
        self.state().events.clone()
    }

    /// Returns all events with this field.
    pub(crate) fn events_with(&self, field: &str) -> Vec<Recorded> {
        self.state().events.iter().filter(|event| event.fields.contains_key(field)).cloned().collect()
    }
}

impl Subscriber for Collected {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with(self.target) || metadata.target().starts_with("it")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut fields = Fields::new();
        span.record(&mut Reader(&mut fields));
        let mut state = self.state();
        state.spans.push((span.metadata().name(), fields));
        Id::from_u64(state.spans.len() as u64)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        let index = usize::try_from(span.into_u64()).expect("a small number") - 1;
        values.record(&mut Reader(&mut self.state().spans[index].1));
    }

    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::new();
        event.record(&mut Reader(&mut fields));
        let mut state = self.state();
        let within = state.entered.last().copied().filter(|_| !event.is_root());
        state.events.push(Recorded { level: *event.metadata().level(), fields, within });
    }

    fn enter(&self, span: &Id) {
        self.state().entered.push(span.into_u64());
    }

    fn exit(&self, span: &Id) {
        self.state().entered.retain(|entered| *entered != span.into_u64());
    }
}

/// Fields with these values.
pub(crate) fn fields<const N: usize>(expected: [(&str, &str); N]) -> Fields {
    expected.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
}
