//! Extensions of a server under construction.

use serde_json::Value;

use super::Server;
#[cfg(feature = "skills")]
use crate::skills::Skills;
#[cfg(feature = "tasks")]
use crate::tasks::Tasks;

/// Extensions (2026-07-28, extensions/overview).
impl<S: Send + Sync + 'static> Server<S> {
    /// Declares that the server supports an extension of the protocol, such as `io.modelcontextprotocol/ui`, with the
    /// settings that the extension defines (`json!({})` for none).
    /// [`Context::client_extension`](crate::Context::client_extension) returns the client's declaration.
    ///
    /// Skills and tasks are declared automatically if the server has any.
    pub fn extension(mut self, identifier: impl Into<String>, settings: Value) -> Self {
        self.extensions.declared.push((identifier.into(), settings));
        self
    }

    /// Adds skills, which are served as resources and through the methods of the extension
    /// `io.modelcontextprotocol/skills`. [`Server::build`] reads and validates them. Multiple calls add up.
    #[cfg(feature = "skills")]
    pub fn skills(mut self, skills: Skills) -> Self {
        self.extensions.skills.get_or_insert_default().extend(skills);
        self
    }
}

/// Tasks (SEP-2663).
#[cfg(feature = "tasks")]
impl<S: Send + Sync + 'static> Server<S> {
    /// Configures how tasks are stored. By default, a server with a tool that is marked `#[mcp(task)]` stores them in
    /// memory, as [`Tasks::default`] does. Required if only providers add such tools later.
    pub fn tasks(mut self, tasks: Tasks) -> Self {
        self.extensions.tasks = Some(tasks);
        self
    }
}
