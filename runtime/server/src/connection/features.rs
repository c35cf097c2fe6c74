//! Prompts, resources and completion: their methods, in both eras.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;
use toolwright_core::content::{ContentBlock, Role};
use toolwright_core::prompt::PromptResult;
use toolwright_core::protocol::ErrorObject;
use toolwright_core::protocol::error as codes;
use toolwright_core::protocol::method;
use toolwright_core::request::RequestError;
use toolwright_core::resource::{CacheScope, ResourceContents, ResourceResult};
use toolwright_core::revision::Revision;

use super::calls::{Answering, CallMeta};
use super::input_requests::Origin;
use super::{Connection, Later, arguments_of, required_string};
use crate::completion::Completion;
use crate::context::Context;
use crate::error;
use crate::features::{CompleteParams, Failure, Features, RequestResult, Resources};
use crate::future::BoxFuture;
use crate::message::{Params, RequestId};
use crate::reply;

impl Connection {
    /// Answers a method of prompts, resources or completion, if the server has what it is about.
    pub(super) fn feature(
        &self,
        method: &str,
        id: &RequestId<'_>,
        params: &Params<'_>,
        meta: &CallMeta<'_>,
        out: &mut Vec<u8>,
    ) -> Result<Option<Later>, ErrorObject> {
        let features = self.service.features();
        let Features { prompts, resources, .. } = features;
        let is_legacy = !meta.revision.is_modern();
        match (method, prompts, resources) {
            (method::PROMPTS_LIST, Some(prompts), _) => {
                self.list_page(id, params, &prompts.list(), self.view(), meta.revision, out)
            }
            (method::PROMPTS_GET, Some(prompts), _) => {
                let name = required_string(params.name, "name")?;
                let entry = prompts.list().get(&name).filter(|entry| self.view().sees(&***entry)).cloned();
                let entry = entry.ok_or_else(|| error::unknown("prompt", &name))?;
                let arguments = arguments_of(params)?.map(ToOwned::to_owned);
                let call = FeatureCall::new(format!("prompt {}", error::shortened(&name)));
                let origin =
                    Origin { method: method::PROMPTS_GET, target: &name, arguments: params.arguments };
                let code = |cx| map(entry.get(arguments, cx), Filled);
                self.start(id, params, meta, (call, Some(origin)), code, out)
            }
            (method::RESOURCES_LIST, _, Some(resources)) => {
                self.list_page(id, params, &resources.fixed.list(), self.view(), meta.revision, out)
            }
            (method::RESOURCES_TEMPLATES_LIST, _, Some(resources)) => {
                self.list_page(id, params, &resources.templates.list(), self.view(), meta.revision, out)
            }
            (method::RESOURCES_READ, _, Some(resources)) => {
                self.read_resource(id, params, meta, resources, out)
            }
            // 2026-07-28 has `subscriptions/listen` in their place.
            (method::RESOURCES_SUBSCRIBE, _, Some(_)) if is_legacy => {
                self.watch(&required_string(params.uri, "uri")?)?;
                reply::result(out, id, b"{}");
                Ok(None)
            }
            (method::RESOURCES_UNSUBSCRIBE, _, Some(_)) if is_legacy => {
                self.peer.session.unwatch(&required_string(params.uri, "uri")?);
                reply::result(out, id, b"{}");
                Ok(None)
            }
            (method::COMPLETION_COMPLETE, _, _) if features.completes() => {
                let asked = CompleteParams::read(params).map_err(error::invalid_params)?;
                let call = FeatureCall::new("completion".to_owned());
                let complete = |cx| map(self.service.features().complete(asked, cx, self.view()), Completed);
                self.start(id, params, meta, (call, None), complete, out)
            }
            _ => Err(error::method_not_found(method)),
        }
    }

    fn read_resource(
        &self,
        id: &RequestId<'_>,
        params: &Params<'_>,
        meta: &CallMeta<'_>,
        resources: &Resources,
        out: &mut Vec<u8>,
    ) -> Result<Option<Later>, ErrorObject> {
        let uri = required_string(params.uri, "uri")?;
        let found = resources.find_in(&uri, self.view());
        let found = found.ok_or_else(|| error::unknown_resource(&uri, meta.revision))?;
        let is_private = self.view().is_private(found.scopes());
        let read = found.read(&uri);
        let call = FeatureCall {
            uri: Some(uri.clone().into()),
            is_private,
            ..FeatureCall::new(format!("resource {}", error::shortened(&uri)))
        };
        let origin = Origin { method: method::RESOURCES_READ, target: &uri, arguments: None };
        self.start(id, params, meta, (call, Some(origin)), |cx| map(read(cx), Contents), out)
    }

    /// Starts the code behind a request, under the rules of calls.
    fn start(
        &self,
        id: &RequestId<'_>,
        params: &Params<'_>,
        meta: &CallMeta<'_>,
        (call, origin): (FeatureCall, Option<Origin<'_>>),
        code: impl FnOnce(Context) -> BoxFuture<'static, Answered>,
        out: &mut Vec<u8>,
    ) -> Result<Option<Later>, ErrorObject> {
        self.admit(id)?;
        let cx = self.context_of(id, params, meta, origin.as_ref())?;
        let running = code(cx.clone());
        self.drive(id, running, cx, call, origin, out)
    }
}

/// What the code behind a request has answered.
enum Answer {
    Filled(PromptResult),
    Contents(ResourceResult),
    Completed(Completion),
}

use Answer::{Completed, Contents, Filled};

type Answered = RequestResult<Answer>;

fn map<T: Send + 'static>(
    running: BoxFuture<'static, RequestResult<T>>,
    kind: fn(T) -> Answer,
) -> BoxFuture<'static, Answered> {
    Box::pin(async move { running.await.map(kind) })
}

/// A request that the code of a prompt, a resource or a completer answers.
struct FeatureCall {
    /// What is asked for, in words.
    name: String,
    /// The address, where a resource is read.
    uri: Option<String>,
    /// Whether other callers may not read it.
    is_private: bool,
}

impl FeatureCall {
    fn new(name: String) -> Self {
        Self { name, uri: None, is_private: false }
    }
}

impl Answering for FeatureCall {
    type Done = Answered;

    const WHAT: &'static str = "the request's handler";

    fn name(&self) -> &str {
        &self.name
    }

    fn timed_out(&self, text: String) -> Answered {
        Err(RequestError::failed(text).into())
    }

    fn write(
        &self,
        connection: &Connection,
        out: &mut Vec<u8>,
        id: &RequestId<'_>,
        answered: &Answered,
        cx: &Context,
        origin: Option<&Origin<'_>>,
    ) {
        let revision = cx.revision();
        match answered {
            Ok(answer) => {
                let is_modern = revision.is_modern();
                let result = FeatureResult {
                    result_type: is_modern.then_some("complete"),
                    body: Body::of(answer, revision, self.is_private),
                    meta: is_modern.then_some(connection.service.server_meta()),
                };
                reply::result_of(out, id, &result);
            }
            Err(Failure::Request(failure)) => {
                let error = error::of_request(failure, self.uri.as_deref(), revision);
                reply::error(out, Some(id), &error, revision);
            }
            Err(Failure::Error(error)) => {
                let mut error = error.clone();
                if error.code == codes::RESOURCE_NOT_FOUND && self.uri.is_some() {
                    error.code = revision.resource_not_found_code();
                }
                reply::error(out, Some(id), &error, revision);
            }
            Err(Failure::Input(input)) => match origin {
                Some(origin) => connection.pause_for(out, id, cx, origin, input),
                None => reply::error(out, Some(id), &error::internal("nobody can be asked here"), revision),
            },
            Err(Failure::Raw(raw)) => {
                reply::raw_result(out, id, &raw.json, revision, connection.service.server_meta());
            }
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FeatureResult<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<&'static str>,
    #[serde(flatten)]
    body: Body<'a>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<&'a RawValue>,
}

/// The members of a result, in the form of one revision.
#[derive(Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
enum Body<'a> {
    Prompt {
        #[serde(skip_serializing_if = "Option::is_none")]
        description: Option<&'a str>,
        messages: Vec<Message<'a>>,
    },
    Resource {
        contents: Vec<Cow<'a, ResourceContents>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        ttl_ms: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_scope: Option<CacheScope>,
    },
    Completion {
        completion: &'a Completion,
    },
}

#[derive(Serialize)]
struct Message<'a> {
    role: Role,
    content: Cow<'a, ContentBlock>,
}

impl<'a> Body<'a> {
    fn of(answer: &'a Answer, revision: Revision, is_private: bool) -> Self {
        match answer {
            Filled(prompt) => Self::Prompt {
                description: prompt.description.as_deref(),
                messages: prompt
                    .messages
                    .iter()
                    .map(|message| Message {
                        role: message.role,
                        content: message.content.for_revision(revision),
                    })
                    .collect(),
            },
            Contents(resource) => Self::Resource {
                contents: resource.contents.iter().map(|contents| contents.for_revision(revision)).collect(),
                ttl_ms: revision.has_cache_hints().then(|| resource.ttl_ms.unwrap_or_default()),
                // What not everybody may read, nobody may keep for everybody.
                cache_scope: revision.has_cache_hints().then_some(if is_private {
                    CacheScope::Private
                } else {
                    resource.cache_scope.unwrap_or_default()
                }),
            },
            Completed(completion) => Self::Completion { completion },
        }
    }
}
