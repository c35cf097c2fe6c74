//! The cached list of a server's tools, and what calls need to know about each tool.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use serde_json::Value;
use serde_json::value::RawValue;
use tokio::time::Instant;
use toolwright_core::external::OutputChecker;
use toolwright_core::result::StructuredContent;

use crate::param_headers::ParamHeader;
use crate::tool::ListedTool;

#[derive(Debug, Default)]
pub(crate) struct ToolCache(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    tools: Option<CachedList>,
    info: HashMap<Box<str>, Arc<ToolInfo>>,
}

#[derive(Debug)]
struct CachedList {
    tools: Arc<[ListedTool]>,
    expires: Instant,
    /// The version of the list: it changes when the server reports a changed list, and with the session.
    version: (u64, u64),
}

/// What calls of one tool need to know.
#[derive(Debug, Default)]
pub(crate) struct ToolInfo {
    pub(crate) param_headers: Vec<ParamHeader>,
    pub(crate) output: Option<OutputSchema>,
    /// Calls may become tasks.
    pub(crate) accepts_task: bool,
}

/// The output schema of a tool.
#[derive(Debug)]
pub(crate) struct OutputSchema {
    schema: Box<RawValue>,
    /// Compiled for the first result.
    checker: OnceLock<Result<OutputChecker, String>>,
}

impl OutputSchema {
    pub(crate) fn new(schema: &RawValue) -> Self {
        Self { schema: schema.to_owned(), checker: OnceLock::new() }
    }

    /// Validates structured content.
    pub(crate) fn check(&self, content: &StructuredContent) -> Result<(), String> {
        let checker = self.checker.get_or_init(|| {
            let schema: Value = serde_json::from_str(self.schema.get()).map_err(|error| error.to_string())?;
            // References are never fetched (2026-07-28, basic "`$ref` Resolution").
            OutputChecker::compile(&schema).map_err(|error| error.to_string())
        });
        match checker {
            Ok(checker) => checker.check(&content.to_value()),
            Err(problem) => Err(format!("its output schema cannot be checked: {problem}")),
        }
    }
}

impl ToolCache {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the cached list if it has this version and has not expired.
    pub(crate) fn tools(&self, version: (u64, u64)) -> Option<Arc<[ListedTool]>> {
        let state = self.lock();
        let list =
            state.tools.as_ref().filter(|list| list.version == version && Instant::now() < list.expires)?;
        Some(Arc::clone(&list.tools))
    }

    pub(crate) fn store(
        &self,
        tools: &Arc<[ListedTool]>,
        info: HashMap<Box<str>, Arc<ToolInfo>>,
        expires: Option<Instant>,
        version: (u64, u64),
    ) {
        let mut state = self.lock();
        state.tools = expires.map(|expires| CachedList { tools: Arc::clone(tools), expires, version });
        state.info = info;
    }

    pub(crate) fn info(&self, tool: &str) -> Option<Arc<ToolInfo>> {
        self.lock().info.get(tool).cloned()
    }

    pub(crate) fn clear(&self) {
        *self.lock() = State::default();
    }
}
