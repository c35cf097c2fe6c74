//! The server's methods as a table of jsonrpsee, for a service that runs a jsonrpsee server already.

use std::sync::Arc;

use jsonrpsee_core::server::{ResponsePayload, RpcModule};
use jsonrpsee_types::ErrorObjectOwned;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::auth::Access;
use crate::connection::Connection;
use crate::error;
use crate::outbox::Outbox;
use crate::service::Service;

/// The requests of revision 2026-07-28 that have one answer and nothing else, and `ping`, which older clients send to any
/// connection.
const METHODS: &[&str] = &[
    "completion/complete",
    "ping",
    "prompts/get",
    "prompts/list",
    #[cfg(feature = "skills")]
    "resources/directory/read",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "server/discover",
    #[cfg(feature = "skills")]
    "skills/get",
    #[cfg(feature = "skills")]
    "skills/list",
    #[cfg(feature = "tasks")]
    "tasks/cancel",
    #[cfg(feature = "tasks")]
    "tasks/get",
    #[cfg(feature = "tasks")]
    "tasks/update",
    "tools/call",
    "tools/list",
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
    let mut answer = Vec::new();
    if let Some(later) = exchange.0.receive(request.as_bytes(), &mut answer) {
        answer = later.await.unwrap_or_default();
    }
    match serde_json::from_slice(&answer) {
        Ok(Answer { result: Some(result), .. }) => ResponsePayload::success(result),
        Ok(Answer { error: Some(error), .. }) => ResponsePayload::error(error),
        _ => ResponsePayload::error(error::internal("the request was taken back")),
    }
}

#[derive(Deserialize)]
struct Answer {
    result: Option<Box<RawValue>>,
    error: Option<ErrorObjectOwned>,
}

/// Cancels the request if its future is dropped.
struct Exchange(Arc<Connection>);

impl Drop for Exchange {
    fn drop(&mut self) {
        self.0.end();
    }
}
