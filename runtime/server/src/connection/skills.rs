//! Dispatches the methods of skills, in both eras (SEP-2640).

use toolwright_core::protocol::ErrorObject;
use toolwright_core::protocol::method;
use toolwright_core::resource::CacheScope;

use super::calls::Answering;
use super::input_requests::Origin;
use super::{Connection, Dispatched, Request, optional_string, required_string};
use crate::auth::Offer;
use crate::context::Context;
use crate::error;
use crate::json_rpc::CacheHints;
use crate::pagination::List;
use crate::provider::{Directory, Outcome};
use crate::reply::Reply;
use crate::skills::Child;

impl Connection {
    /// Answers a method of skills. Clients need not declare the extension to call one.
    pub(super) fn skills(&self, request: &Request<'_>) -> Result<Dispatched, ErrorObject> {
        if request.method == method::RESOURCES_DIRECTORY_READ {
            return self.read_directory(request);
        }
        let own = self.service.extensions().skills();
        let merged = self.service.skills_for(own.as_deref(), self.access());
        let skills = merged.as_ref().or(own.as_ref().map(|own| &own.skills));
        if request.method == method::SKILLS_LIST {
            return match skills {
                Some(skills) => self.list_page(request, skills, self.view()),
                None => Err(error::method_not_found(request.method)),
            };
        }
        let uri = required_string(request.params.uri, "uri")?;
        let skill = skills.and_then(|skills| skills.get(&uri)).filter(|skill| self.view().sees(&***skill));
        let skill = skill.ok_or_else(|| error::unknown("skill", &uri))?;
        Ok(Reply::Skill(skill.json.clone(), self.skill_hints()).into())
    }

    fn skill_hints(&self) -> CacheHints {
        let is_private = self.view().is_private(&[]) || self.service.features().lists_by_caller();
        let cache_scope = if is_private { CacheScope::Private } else { CacheScope::Public };
        CacheHints { ttl_ms: self.service.list_settings().ttl_ms, cache_scope }
    }

    fn read_directory(&self, request: &Request<'_>) -> Result<Dispatched, ErrorObject> {
        let uri = required_string(request.params.uri, "uri")?;
        if let Some(own) = self.service.extensions().skills() {
            let shown = |list: &&List<Child>| list.entries().iter().any(|child| self.view().sees(&**child));
            if let Some(directory) = own.directory(&uri).filter(shown) {
                return self.list_page(request, directory, self.view());
            }
        }
        let cursor = optional_string(request.params.cursor, "cursor")?;
        self.admit(request.id)?;
        let cx = self.context_of(request, None)?;
        let read = self.service.read_provided_directory(&uri, cursor.as_deref(), &cx);
        let call = DirectoryCall(uri.into_owned());
        self.drive(request.id, read, cx, call, None)
    }
}

/// A request for a directory that only providers may have.
struct DirectoryCall(String);

impl Answering for DirectoryCall {
    type Done = Outcome<Directory>;

    const WHAT: &'static str = "the provider of the directory";

    fn name(&self) -> &str {
        &self.0
    }

    fn timed_out(&self, text: String) -> Outcome<Directory> {
        error::internal(&text).into()
    }

    fn reply(
        self,
        connection: &Connection,
        outcome: Outcome<Directory>,
        _cx: &Context,
        _origin: Option<&Origin<'_>>,
    ) -> Reply {
        let mut directory = match outcome {
            Outcome::Result(directory) => directory,
            Outcome::Error(error) => return error.into(),
            _ => return error::internal("the provider has not completed the request").into(),
        };
        let (view, had_entries) = (connection.view(), !directory.resources.is_empty());
        directory.resources.retain(|resource| view.admits(Offer::Resource(&resource.uri)));
        if had_entries && directory.resources.is_empty() && directory.next_cursor.is_none() {
            return error::unknown("directory", &self.0).into();
        }
        Reply::Directory(directory, connection.skill_hints())
    }
}
