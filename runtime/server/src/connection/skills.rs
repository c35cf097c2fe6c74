//! Dispatches the methods of skills, in both eras (SEP-2640).

use toolwright_core::protocol::ErrorObject;
use toolwright_core::protocol::method;
use toolwright_core::resource::CacheScope;

use super::{Connection, Dispatched, Request, required_string};
use crate::error;
use crate::json_rpc::CacheHints;
use crate::pagination::List;
use crate::reply::Reply;
use crate::skills::{Catalog, Child};

impl Connection {
    /// Answers a method of skills. Clients need not declare the extension to call one.
    pub(super) fn skills(&self, request: &Request<'_>, skills: &Catalog) -> Result<Dispatched, ErrorObject> {
        if request.method == method::SKILLS_LIST {
            return self.list_page(request, &skills.skills, self.view());
        }
        let uri = required_string(request.params.uri, "uri")?;
        if request.method == method::RESOURCES_DIRECTORY_READ {
            let shown = |list: &&List<Child>| list.entries().iter().any(|child| self.view().sees(&**child));
            let directory = skills.directory(&uri).filter(shown);
            let directory = directory.ok_or_else(|| error::unknown("directory", &uri))?;
            return self.list_page(request, directory, self.view());
        }
        let skill = skills.skills.get(&uri).filter(|skill| self.view().sees(&***skill));
        let skill = skill.ok_or_else(|| error::unknown("skill", &uri))?;
        let cache_scope = if self.view().is_private(&[]) { CacheScope::Private } else { CacheScope::Public };
        let hints = CacheHints { ttl_ms: self.service.list_settings().ttl_ms, cache_scope };
        Ok(Reply::Skill(skill.json.clone(), hints).into())
    }
}
