//! Dispatches the methods of prompts, resources and completion, in both eras.

use serde::Deserialize;
use toolwright_core::future::BoxFuture;
use toolwright_core::protocol::ErrorObject;
use toolwright_core::protocol::error as codes;
use toolwright_core::protocol::method;
use toolwright_core::request::RequestError;

use super::calls::Answering;
use super::input_requests::Origin;
use super::{Connection, Dispatched, Request, arguments_of, required_string};
use crate::context::Context;
use crate::error;
use crate::features::{CompleteParams, Failure, RequestResult, Resources};
use crate::reply::Reply;

impl Connection {
    /// Answers a method of prompts, resources or completion, if the server offers the feature.
    pub(super) fn feature(&self, request: &Request<'_>) -> Result<Dispatched, ErrorObject> {
        let features = self.service.features();
        let (prompts, resources) = (features.prompts(), features.resources());
        let Request { method, params, revision, .. } = *request;
        let can_watch = revision.has_resource_watching();
        match (method, prompts, resources) {
            (method::PROMPTS_LIST, Some(prompts), _) => {
                self.list_page(request, &prompts.list_for(self.access()), self.view())
            }
            (method::PROMPTS_GET, Some(prompts), _) => {
                let name = required_string(params.name, "name")?;
                let prompts = prompts.list_for(self.access());
                let entry = prompts.get(&name).filter(|entry| self.view().sees(&***entry)).cloned();
                let entry = entry.ok_or_else(|| error::unknown("prompt", &name))?;
                let arguments = arguments_of(params)?;
                let call = FeatureCall::new(format!("prompt {}", error::shorten(&name)));
                let origin =
                    Origin { method: method::PROMPTS_GET, target: &name, arguments: params.arguments };
                let code = |cx: Context| {
                    let middleware = self.service.middleware();
                    map(middleware.get_prompt(entry, &name, arguments, &cx), Reply::Prompt)
                };
                self.start(request, call, Some(origin), code)
            }
            (method::RESOURCES_LIST, _, Some(resources)) => {
                self.list_page(request, &resources.fixed.list_for(self.access()), self.view())
            }
            (method::RESOURCES_TEMPLATES_LIST, _, Some(resources)) => {
                self.list_page(request, &resources.templates.list_for(self.access()), self.view())
            }
            (method::RESOURCES_READ, _, Some(resources)) => self.read_resource(request, resources),
            // 2026-07-28 replaces it with `subscriptions/listen`.
            (method::RESOURCES_SUBSCRIBE, _, Some(_)) if can_watch => {
                self.watch(&required_string(params.uri, "uri")?)?;
                Ok(Reply::Done.into())
            }
            (method::RESOURCES_UNSUBSCRIBE, _, Some(_)) if can_watch => {
                self.peer.session.unwatch(&required_string(params.uri, "uri")?);
                Ok(Reply::Done.into())
            }
            (method::COMPLETION_COMPLETE, _, _) if features.completes() => {
                let asked = CompleteParams::read(params).map_err(error::invalid_params)?;
                let call = FeatureCall::new("completion".to_owned());
                let complete = |cx| map(features.complete(asked, cx, self.view()), Reply::Completion);
                self.start(request, call, None, complete)
            }
            _ => Err(error::method_not_found(method)),
        }
    }

    fn read_resource(&self, request: &Request<'_>, resources: &Resources) -> Result<Dispatched, ErrorObject> {
        let uri = required_string(request.params.uri, "uri")?;
        let found = resources.find_in(&uri, self.view());
        let found = found.ok_or_else(|| error::unknown_resource(&uri, request.revision))?;
        let is_private =
            self.view().is_private(found.scopes()) || self.service.features().is_read_by_caller(&found);
        let call = FeatureCall {
            uri: Some(uri.clone().into()),
            is_private,
            ..FeatureCall::new(format!("resource {}", error::shorten(&uri)))
        };
        let origin = Origin { method: method::RESOURCES_READ, target: &uri, arguments: None };
        let code = |cx: Context| {
            let read = self.service.middleware().read_resource(found, &uri, &cx);
            map(read, move |contents| Reply::Resource(contents, is_private))
        };
        self.start(request, call, Some(origin), code)
    }

    /// Starts the code behind a request, under the same rules as calls.
    fn start(
        &self,
        request: &Request<'_>,
        call: FeatureCall,
        origin: Option<Origin<'_>>,
        code: impl FnOnce(Context) -> BoxFuture<'static, RequestResult<Reply>>,
    ) -> Result<Dispatched, ErrorObject> {
        self.admit(request.id)?;
        let cx = self.context_of(request, origin.as_ref())?;
        let running = code(cx.clone());
        self.drive(request.id, running, cx, call, origin)
    }
}

fn map<T: Send + 'static>(
    running: BoxFuture<'static, RequestResult<T>>,
    reply: impl FnOnce(T) -> Reply + Send + 'static,
) -> BoxFuture<'static, RequestResult<Reply>> {
    Box::pin(async move { running.await.map(reply) })
}

/// A request that the code of a prompt, a resource or a completer answers.
struct FeatureCall {
    /// A description of the target.
    name: String,
    /// The URI, when reading a resource.
    uri: Option<String>,
    /// Whether the result is private to the caller.
    is_private: bool,
}

impl FeatureCall {
    fn new(name: String) -> Self {
        Self { name, uri: None, is_private: false }
    }
}

impl Answering for FeatureCall {
    type Done = RequestResult<Reply>;

    const WHAT: &'static str = "the request's handler";

    fn name(&self) -> &str {
        &self.name
    }

    fn timed_out(&self, text: String) -> RequestResult<Reply> {
        Err(RequestError::failed(text).into())
    }

    fn reply(
        self,
        connection: &Connection,
        done: RequestResult<Reply>,
        cx: &Context,
        origin: Option<&Origin<'_>>,
    ) -> Reply {
        let revision = cx.revision();
        match done {
            Ok(reply) => reply,
            Err(Failure::Request(failure)) => {
                error::of_request(&failure, self.uri.as_deref(), revision).into()
            }
            Err(Failure::Error(mut error)) => {
                if self.uri.as_deref().is_some_and(|uri| is_about_unknown(&error, uri)) {
                    error.code = revision.resource_not_found_code();
                }
                error.into()
            }
            Err(Failure::Input(input)) => match origin {
                Some(origin) => connection.pause_for(cx, origin, &input),
                None => error::internal("there is no client to ask").into(),
            },
            Err(Failure::Raw(raw)) => Reply::Raw(raw, self.uri.is_some().then_some(self.is_private)),
        }
    }
}

/// Whether another server's error says that there is no resource at `uri`: with the code of the legacy era, or with
/// that of 2026-07-28 (which other parameter errors share) and the URI (server/resources "Error Handling").
fn is_about_unknown(error: &ErrorObject, uri: &str) -> bool {
    #[derive(Deserialize)]
    struct About {
        uri: String,
    }
    let names_it = || {
        let about = error.data.as_ref().and_then(|data| serde_json::from_str::<About>(data.get()).ok());
        about.is_some_and(|about| about.uri == uri)
    };
    error.code == codes::RESOURCE_NOT_FOUND || (error.code == codes::INVALID_PARAMS && names_it())
}
