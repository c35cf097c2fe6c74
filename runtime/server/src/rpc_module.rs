//! The server's methods as a table of jsonrpsee, for a service that runs a jsonrpsee server already.

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

/// The requests of revision 2026-07-28 that have one answer and nothing else, and `ping`, which older clients send to any
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
    /// The server's methods as a jsonrpsee table, to be merged into that of a jsonrpsee server, or called in the same
    /// process with [`raw_json_request`](jsonrpsee_core::server::Methods::raw_json_request).
    ///
    /// Every request is on its own, as over HTTP in revision 2026-07-28: it names its revision in `_meta`. What the table
    /// cannot carry is left out: `initialize` and the sessions of older revisions, since a method does not see which
    /// connection it is on; notifications, so that progress and log messages of a call go nowhere; and
    /// `subscriptions/listen`. Ids are jsonrpsee's: a negative integer is refused by it. Limits of messages are those of
    /// the jsonrpsee server. Who calls is not known, so tools that need scopes do not exist. A request whose connection ends is cancelled, as far as that server drops it.
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
    /// Never: no two of the methods have one name.
    pub fn rpc_module(&self) -> RpcModule<Self> {
        self.shared().serve_for_good();
        let mut module = RpcModule::new(self.clone());
        for &method in METHODS {
            module
                .register_async_method(method, async move |params, service, _| {
                    payload(&service, method, params.as_str()).await
                })
                .expect("each name stands in the list once");
        }
        module
    }
}

type Payload = ResponsePayload<'static, Box<RawValue>>;

/// Answers a request as a connection does; its id is the table's matter.
async fn payload(service: &Service, method: &str, params: Option<&str>) -> Payload {
    let params = params.map(|params| format!(r#","params":{params}"#)).unwrap_or_default();
    let request = format!(r#"{{"jsonrpc":"2.0","id":0,"method":"{method}"{params}}}"#);
    let outbox = Arc::new(Outbox::new(0));
    // Nothing but the answer finds its way back.
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

/// The error as jsonrpsee has it; the codes of this server fit.
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
