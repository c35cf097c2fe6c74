//! The methods of skills, in both eras (SEP-2640).

use serde::Serialize;
use serde_json::value::RawValue;
use toolwright_core::protocol::ErrorObject;
use toolwright_core::protocol::method;
use toolwright_core::resource::CacheScope;

use super::calls::CallMeta;
use super::{Connection, Later, required_string};
use crate::error;
use crate::message::{Params, RequestId};
use crate::pagination::List;
use crate::reply;
use crate::skills::{Catalog, Child};

impl Connection {
    /// Answers a method of skills. A client need not declare the extension to call one.
    pub(super) fn skills(
        &self,
        method: &str,
        id: &RequestId<'_>,
        params: &Params<'_>,
        meta: &CallMeta<'_>,
        skills: &Catalog,
        out: &mut Vec<u8>,
    ) -> Result<Option<Later>, ErrorObject> {
        if method == method::SKILLS_LIST {
            return self.list_page(id, params, &skills.skills, self.view(), meta.revision, out);
        }
        let uri = required_string(params.uri, "uri")?;
        if method == method::RESOURCES_DIRECTORY_READ {
            let shown = |list: &&List<Child>| list.entries().iter().any(|child| self.view().sees(&**child));
            let directory = skills.directory(&uri).filter(shown);
            let directory = directory.ok_or_else(|| error::unknown("directory", &uri))?;
            return self.list_page(id, params, directory, self.view(), meta.revision, out);
        }
        let skill = skills.skills.get(&uri).filter(|skill| self.view().sees(&***skill));
        let skill = skill.ok_or_else(|| error::unknown("skill", &uri))?;
        let settings = self.service.list_settings();
        let is_modern = meta.revision.is_modern();
        let cache_scope = if self.view().is_private(&[]) { CacheScope::Private } else { CacheScope::Public };
        let result = GetSkillResult {
            result_type: is_modern.then_some("complete"),
            skill: &skill.json,
            ttl_ms: is_modern.then_some(settings.ttl_ms),
            cache_scope: is_modern.then_some(cache_scope),
            meta: is_modern.then_some(settings.server_meta),
        };
        reply::result_of(out, id, &result);
        Ok(None)
    }
}

/// The result of `skills/get`. The text leaves open whether it says how long it may be kept; the conformance suite wants
/// it to, as it does of `resources/read`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GetSkillResult<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<&'static str>,
    skill: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_scope: Option<CacheScope>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<&'a RawValue>,
}
