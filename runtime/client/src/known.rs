//! What is known of a server's tools: the last list, while it is fresh, and what calls need of it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use serde_json::Value;
use serde_json::value::RawValue;
use tokio::time::Instant;
use toolwright_core::external::OutputChecker;
use toolwright_core::result::StructuredContent;

use crate::mirror::Mirror;
use crate::tool::ListedTool;

#[derive(Debug, Default)]
pub(crate) struct Known(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    tools: Option<Fresh>,
    facts: HashMap<Box<str>, Arc<Facts>>,
}

#[derive(Debug)]
struct Fresh {
    tools: Arc<[ListedTool]>,
    until: Instant,
    /// Of what the list is: it ends when the server says that the list has changed, and with the session.
    of: (u64, u64),
}

/// What calls of one tool need.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    pub(crate) mirrors: Vec<Mirror>,
    pub(crate) output: Option<Output>,
    /// Its calls may become tasks.
    pub(crate) takes_task: bool,
}

/// What the structured content of a tool must fit.
#[derive(Debug)]
pub(crate) struct Output {
    schema: Box<RawValue>,
    /// Compiled with the first result.
    checker: OnceLock<Result<OutputChecker, String>>,
}

impl Output {
    pub(crate) fn new(schema: &RawValue) -> Self {
        Self { schema: schema.to_owned(), checker: OnceLock::new() }
    }

    /// What is wrong with a value, if something is.
    pub(crate) fn check(&self, content: &StructuredContent) -> Result<(), String> {
        let checker = self.checker.get_or_init(|| {
            let schema: Value = serde_json::from_str(self.schema.get()).map_err(|error| error.to_string())?;
            // References are never fetched (2026-07-28, basic "`$ref` Resolution").
            OutputChecker::compile(&schema).map_err(|error| error.to_string())
        });
        match checker {
            Ok(checker) => checker.check(content),
            Err(problem) => Err(format!("its output schema cannot be checked: {problem}")),
        }
    }
}

impl Known {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The last list of tools, if it is still good for `of`.
    pub(crate) fn tools(&self, of: (u64, u64)) -> Option<Arc<[ListedTool]>> {
        let state = self.lock();
        let fresh = state.tools.as_ref().filter(|fresh| fresh.of == of && Instant::now() < fresh.until)?;
        Some(Arc::clone(&fresh.tools))
    }

    pub(crate) fn learn(
        &self,
        tools: &Arc<[ListedTool]>,
        facts: HashMap<Box<str>, Arc<Facts>>,
        until: Option<Instant>,
        of: (u64, u64),
    ) {
        let mut state = self.lock();
        state.tools = until.map(|until| Fresh { tools: Arc::clone(tools), until, of });
        state.facts = facts;
    }

    pub(crate) fn facts(&self, tool: &str) -> Option<Arc<Facts>> {
        self.lock().facts.get(tool).cloned()
    }

    pub(crate) fn forget(&self) {
        *self.lock() = State::default();
    }
}
