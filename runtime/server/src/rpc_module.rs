//! The server's methods as a jsonrpsee method table, for services that already run a jsonrpsee server.

use std::sync::Arc;

use jsonrpsee_core::server::{ResponsePayload, RpcModule};
use serde_json::value::RawValue;
use toolwright_core::protocol::ErrorObject;
use toolwright_core::protocol::method;
use toolwright_wire::outbox::Outbox;

use crate::auth::Access;
use crate::connection::Connection;
use crate::error;
use crate::message::Envelope;
use crate::service::Service;

/// The requests of revision 2026-07-28 that have a single response, and `ping`, which older clients send to any
/// connection.
const METHODS: &[&str] = &[
    method::COMPLETION_COMPLETE,
    method::PING,
    method::PROMPTS_GET,
    method::PROMPTS_LIST,
    #[cfg(feature = "skills")]
    method::RESOURCES_DIRECTORY_READ,
    method::RESOURCES_LIST,
    method::RESOURCES_READ,
    method::RESOURCES_TEMPLATES_LIST,
    method::SERVER_DISCOVER,
    #[cfg(feature = "skills")]
    method::SKILLS_GET,
    #[cfg(feature = "skills")]
    method::SKILLS_LIST,
    #[cfg(feature = "tasks")]
    method::TASKS_CANCEL,
    #[cfg(feature = "tasks")]
    method::TASKS_GET,
    #[cfg(feature = "tasks")]
    method::TASKS_UPDATE,
    method::TOOLS_CALL,
    method::TOOLS_LIST,
];

impl Service {
    /// Returns the server's methods as a jsonrpsee method table, to be merged into that of a jsonrpsee server, or
    /// called in process with [`raw_json_request`](jsonrpsee_core::server::Methods::raw_json_request).
    ///
    /// Every request is separate, as over HTTP in revision 2026-07-28, and names its revision in `_meta`. Not supported
    /// are `initialize` and the sessions of older revisions, since a method does not know its connection;
    /// notifications, so progress and log messages are discarded; and `subscriptions/listen`. Ids are jsonrpsee's,
    /// which rejects negative integers, and so are message size limits. The caller is unknown, so tools that require
    /// scopes are hidden. A request is cancelled when its connection ends, if the jsonrpsee server drops it.
    ///
    /// ```
    /// # use toolwright_server::Server;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let module = Server::new(()).build()?.rpc_module();
    /// let (answer, _) = module.raw_json_request(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, 1).await?;
    /// assert_eq!(answer.get(), r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    /// Never: all method names are distinct.
    pub fn rpc_module(&self) -> RpcModule<Self> {
        self.shared().serve_for_good();
        let mut module = RpcModule::new(self.clone());
        for &method in METHODS {
            module
                .register_async_method(method, async move |params, service, _| {
                    payload(&service, method, params.as_str()).await
                })
                .expect("method names are unique");
        }
        module
    }
}

type Payload = ResponsePayload<'static, Box<RawValue>>;

/// Answers a request as a connection does; the table handles its id.
async fn payload(service: &Service, method: &str, params: Option<&str>) -> Payload {
    let params = params.map(|params| format!(r#","params":{params}"#)).unwrap_or_default();
    let request = format!(r#"{{"jsonrpc":"2.0","id":0,"method":"{method}"{params}}}"#);
    let outbox = Arc::new(Outbox::new(0));
    // Only the response can be returned.
    outbox.close();
    let exchange = Exchange(Connection::for_exchange(service.shared(), outbox, Access::Anonymous, None));
    let result = match Envelope::parse(request.as_bytes()) {
        Ok(envelope) => exchange.0.result_of(method, envelope).await,
        Err(malformed) => Err(error::malformed(malformed.fault, "line")),
    };
    match result {
        Ok(result) => ResponsePayload::success(result),
        Err(error) => ResponsePayload::error(object(error)),
    }
}

/// Converts the error; the codes of this server fit.
fn object(error: ErrorObject) -> jsonrpsee_types::ErrorObjectOwned {
    let code = i32::try_from(error.code).unwrap_or(jsonrpsee_types::error::INTERNAL_ERROR_CODE);
    jsonrpsee_types::ErrorObjectOwned::owned(code, error.message, error.data)
}

/// Cancels the request if its future is dropped.
struct Exchange(Arc<Connection>);

impl Drop for Exchange {
    fn drop(&mut self) {
        self.0.end();
    }
}
