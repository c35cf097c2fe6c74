//! The methods of extensions, in both eras.

use toolwright_core::protocol::ErrorObject;
#[cfg(any(feature = "skills", feature = "tasks"))]
use toolwright_core::protocol::method;

use super::calls::CallMeta;
use super::{Connection, Later};
use crate::message::{Params, RequestId};

impl Connection {
    /// Answers a method of an extension, or of prompts, resources and completion.
    pub(super) fn extension(
        &self,
        method: &str,
        id: &RequestId<'_>,
        params: &Params<'_>,
        meta: &CallMeta<'_>,
        out: &mut Vec<u8>,
    ) -> Result<Option<Later>, ErrorObject> {
        #[cfg(feature = "skills")]
        if matches!(method, method::SKILLS_LIST | method::SKILLS_GET | method::RESOURCES_DIRECTORY_READ)
            && let Some(skills) = self.service.extensions().skills()
        {
            return self.skills(method, id, params, meta, &skills, out);
        }
        #[cfg(feature = "tasks")]
        if matches!(method, method::TASKS_GET | method::TASKS_UPDATE | method::TASKS_CANCEL)
            && meta.revision.is_modern()
        {
            return self.task_request(method, id, params, meta, out);
        }
        self.feature(method, id, params, meta, out)
    }
}
