//! The methods of extensions, in both eras.

use jsonrpsee_types::ErrorObjectOwned;

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
    ) -> Result<Option<Later>, ErrorObjectOwned> {
        #[cfg(feature = "skills")]
        if matches!(method, "skills/list" | "skills/get" | "resources/directory/read")
            && let Some(skills) = self.service.extensions().skills()
        {
            return self.skills(method, id, params, meta, &skills, out);
        }
        #[cfg(feature = "tasks")]
        if matches!(method, "tasks/get" | "tasks/update" | "tasks/cancel") && meta.revision.is_modern() {
            return self.task_request(method, id, params, meta, out);
        }
        self.feature(method, id, params, meta, out)
    }
}
