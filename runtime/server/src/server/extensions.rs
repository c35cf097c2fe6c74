//! Extensions of a server under construction.

use serde_json::Value;

use super::Server;
#[cfg(feature = "skills")]
use crate::skills::Skills;
#[cfg(feature = "tasks")]
use crate::tasks::Tasks;

/// Extensions (2026-07-28, extensions/overview).
impl<S: Send + Sync + 'static> Server<S> {
    /// Says to clients that the server speaks an extension of the protocol, such as `io.modelcontextprotocol/ui`, with the
    /// settings that the extension defines: `json!({})` if there are none. What the client declares of it is found by
    /// [`Context::client_extension`](crate::Context::client_extension).
    ///
    /// Skills and tasks need no such word: a server declares them when it has some.
    pub fn extension(mut self, identifier: impl Into<String>, settings: Value) -> Self {
        self.extensions.declared.push((identifier.into(), settings));
        self
    }

    /// Offers skills: as resources, and by the methods of the extension `io.modelcontextprotocol/skills`. What they are
    /// is read and checked by [`Server::build`]. Skills of several calls are offered together.
    #[cfg(feature = "skills")]
    pub fn skills(mut self, skills: Skills) -> Self {
        self.extensions.skills.get_or_insert_default().extend(skills);
        self
    }
}

/// Tasks (SEP-2663).
#[cfg(feature = "tasks")]
impl<S: Send + Sync + 'static> Server<S> {
    /// How tasks are kept. Without this, a server with a tool that is marked `#[mcp(task)]` keeps them in memory as
    /// [`Tasks::default`] says. A server whose providers get such tools later must be built with it.
    pub fn tasks(mut self, tasks: Tasks) -> Self {
        self.extensions.tasks = Some(tasks);
        self
    }
}
