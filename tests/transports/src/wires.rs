//! The sending half of a client, for each transport.

use std::collections::HashMap;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use test_protocol::raw::{RawClient, RawError};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::process::Command;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::AbortHandle;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use toolwright::Service;

use crate::link::{Event, RUNTIME, Wire};
use crate::scenarios::reply;

/// A wire, and the events that it delivers.
pub type Wired = (Box<dyn Wire>, Receiver<Event>);

/// A lasting connection: sends messages in order, and delivers whatever arrives.
struct Lasting(UnboundedSender<String>);

impl Wire for Lasting {
    fn send(&mut self, message: &str) {
        // A connection that has ended says so on its way back.
        let _ = self.0.send(message.to_owned());
    }
}

/// One message per line, over any pair of streams.
pub fn lines(
    reader: impl AsyncRead + Send + Unpin + 'static,
    mut writer: impl AsyncWrite + Send + Unpin + 'static,
) -> Wired {
    let (sender, mut messages) = unbounded_channel::<String>();
    let (events, received) = channel();
    RUNTIME.spawn(async move {
        while let Some(message) = messages.recv().await {
            if writer.write_all(format!("{message}\n").as_bytes()).await.is_err() {
                return;
            }
        }
    });
    RUNTIME.spawn(async move {
        let mut lines = BufReader::new(reader).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            send_message(&events, &line);
        }
        let _ = events.send(Event::Closed(None));
    });
    (Box::new(Lasting(sender)), received)
}

/// Starts a program with an argument and connects to its standard streams. Returns its process id as well.
///
/// # Panics
/// If it cannot be started.
pub fn process(program: &str, argument: &str) -> (Wired, u32) {
    let _runtime = RUNTIME.enter();
    let mut child = Command::new(program)
        .arg(argument)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the server starts");
    let id = child.id().expect("it runs");
    let wired = lines(child.stdout.take().expect("piped"), child.stdin.take().expect("piped"));
    // It exits when its input ends, and has to be reaped.
    RUNTIME.spawn(async move { child.wait().await });
    (wired, id)
}

/// A socket at this `ws:` address.
///
/// # Panics
/// If none can be opened.
pub fn websocket(url: &str) -> Wired {
    let mut request = url.into_client_request().expect("a request");
    request.headers_mut().insert("Sec-WebSocket-Protocol", "mcp".parse().expect("a value"));
    let socket = RUNTIME.block_on(async {
        let stream = TcpStream::connect(request.uri().authority().expect("a host").as_str()).await;
        let (socket, response) =
            tokio_tungstenite::client_async(request, stream.expect("the server listens"))
                .await
                .expect("a handshake");
        assert_eq!(response.headers()["sec-websocket-protocol"], "mcp");
        socket
    });
    let (mut sink, mut stream) = socket.split();
    let (sender, mut messages) = unbounded_channel::<String>();
    let (events, received) = channel();
    RUNTIME.spawn(async move {
        while let Some(message) = messages.recv().await {
            if sink.send(Message::text(message)).await.is_err() {
                return;
            }
        }
        let _ = sink.close().await;
    });
    RUNTIME.spawn(async move {
        let mut code = None;
        while let Some(Ok(message)) = stream.next().await {
            match message {
                Message::Text(text) => send_message(&events, &text),
                Message::Close(frame) => code = frame.map(|frame| frame.code.into()),
                _ => {}
            }
        }
        let _ = events.send(Event::Closed(code));
    });
    (Box::new(Lasting(sender)), received)
}

/// Requests that run as separate tasks, and are cancelled by aborting them.
struct Tasks<F> {
    start: F,
    running: HashMap<String, AbortHandle>,
}

impl<F: FnMut(String) -> AbortHandle + Send> Wire for Tasks<F> {
    fn send(&mut self, message: &str) {
        let id = serde_json::from_str::<Value>(message).expect("JSON")["id"].to_string();
        let task = (self.start)(message.to_owned());
        self.running.insert(id, task);
    }

    fn cancel(&mut self, id: &Value) {
        self.running.remove(&id.to_string()).expect("it was sent").abort();
    }
}

impl<F> Drop for Tasks<F> {
    fn drop(&mut self) {
        self.running.values().for_each(AbortHandle::abort);
    }
}

/// The table that a jsonrpsee server would merge, called in this process.
///
/// # Panics
/// If the table does not recognize a request.
pub fn table(service: &Service) -> Wired {
    let module = service.rpc_module();
    let (events, received) = channel();
    let start = move |message: String| {
        let (module, events) = (module.clone(), events.clone());
        let task = RUNTIME.spawn(async move {
            let (answer, _) = module.raw_json_request(&message, 1).await.expect("a request");
            send_message(&events, answer.get());
        });
        task.abort_handle()
    };
    (Box::new(Tasks { start, running: HashMap::new() }), received)
}

/// The client in the same process.
///
/// # Panics
/// If the handshake fails.
pub fn in_process(service: &Service, revision: &str) -> Wired {
    let revision = toolwright::Revision::from_name(revision).expect("a revision");
    // It answers questions by itself, so that a test sees the last answer only.
    let client =
        RawClient::builder(service).revision(revision).answering(|question| Ok(reply(&question.params)));
    let client = RUNTIME.block_on(client.connect()).expect("a handshake");
    let client = Arc::new(client);
    let (events, received) = channel();
    // What was sent before a response arrives before it.
    let (answers, mut answered) = unbounded_channel();
    let heard = Arc::clone(&client);
    let listening = RUNTIME.spawn(async move {
        loop {
            let message = tokio::select! {
                biased;
                Some(message) = heard.next_notification() => message,
                Some(message) = answered.recv() => message,
                else => return,
            };
            let _ = events.send(Event::Message(message));
        }
    });
    let start = move |message: String| {
        let message: Value = serde_json::from_str(&message).expect("JSON");
        let (client, answers) = (Arc::clone(&client), answers.clone());
        let task = RUNTIME.spawn(async move {
            let method = message["method"].as_str().expect("a method");
            let mut answer = json!({"jsonrpc": "2.0", "id": message["id"]});
            match client.request(method, message["params"].clone()).await {
                Ok(result) => answer["result"] = result,
                Err(RawError::Rpc(error)) => {
                    answer["error"] = json!({"code": error.code, "message": error.message});
                }
                Err(error) => panic!("{error}"),
            }
            let _ = answers.send(answer);
        });
        task.abort_handle()
    };
    let running = HashMap::from([("listening".to_owned(), listening.abort_handle())]);
    (Box::new(Tasks { start, running }), received)
}

pub(crate) fn send_message(events: &Sender<Event>, text: &str) {
    let message = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    // A test that has seen enough listens no more.
    let _ = events.send(Event::Message(message));
}
