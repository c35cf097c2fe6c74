//! Dispatches the methods of extensions, in both eras.

use toolwright_core::protocol::ErrorObject;
#[cfg(any(feature = "skills", feature = "tasks"))]
use toolwright_core::protocol::method;

use super::{Connection, Dispatched, Request};

impl Connection {
    /// Answers a method of an extension, or of prompts, resources and completion.
    pub(super) fn extension(&self, request: &Request<'_>) -> Result<Dispatched, ErrorObject> {
        #[cfg(feature = "skills")]
        if matches!(
            request.method,
            method::SKILLS_LIST | method::SKILLS_GET | method::RESOURCES_DIRECTORY_READ
        ) && self.service.has_skills()
        {
            return self.skills(request);
        }
        #[cfg(feature = "tasks")]
        if matches!(request.method, method::TASKS_GET | method::TASKS_UPDATE | method::TASKS_CANCEL)
            && request.revision.has_tasks()
        {
            return self.task_request(request);
        }
        self.feature(request)
    }
}
