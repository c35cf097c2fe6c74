//! The transports: how a server is started on each, and how a client reaches it.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use toolwright::{
    Http, Service,
    transport::{Lines, UnixSocket, WebSocket},
};

use crate::front::Front;
use crate::link::{Link, MODERN, RUNTIME};
use crate::{http, wires};

/// A transport, in one revision.
#[derive(Debug, Clone, Copy)]
pub struct Transport {
    /// Its name.
    pub name: &'static str,
    /// The revision that the client speaks.
    pub revision: &'static str,
    /// The outcome of a message that is too long.
    pub too_long: TooLong,
    /// What the client connects to.
    pub front: Front,
    /// Whether its client answers input requests itself, so that a test does not see them.
    pub answers_by_itself: bool,
    /// The server on stdio.
    program: &'static str,
    start: Start,
}

type Start = fn(&Transport) -> Running;

/// The outcome of a message that exceeds the server's limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TooLong {
    /// An error answer without an id: the message is not read, so its id is unknown.
    Error,
    /// An HTTP status.
    Status(u16),
    /// The close code of a WebSocket.
    Close(u16),
    /// The bytes of messages are not this transport's.
    Read,
}

/// The legacy revisions that have a handshake, and the modern one.
const ALL_REVISIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN];

/// All of them, with this in front of the stage. `program` is the server on stdio.
pub fn all(program: &'static str, front: Front) -> Vec<Transport> {
    let mut all = Vec::new();
    let mut add = |name, revisions: &[&'static str], too_long, start: Start| {
        let answers_by_itself = name == "in process";
        all.extend(revisions.iter().map(|revision| Transport {
            name,
            revision,
            too_long,
            front,
            answers_by_itself,
            program,
            start,
        }));
    };
    add("stdio", &ALL_REVISIONS, TooLong::Error, stdio);
    add("unix", &ALL_REVISIONS, TooLong::Error, unix);
    add("lines", &ALL_REVISIONS, TooLong::Error, memory_lines);
    add("websocket", &ALL_REVISIONS, TooLong::Close(1009), websocket);
    add("http", &ALL_REVISIONS[1..], TooLong::Status(413), http_server);
    add("http+sse", &ALL_REVISIONS[..1], TooLong::Status(413), sse);
    add("in process", &ALL_REVISIONS, TooLong::Read, in_process);
    add("jsonrpsee", &[MODERN], TooLong::Read, table);
    all
}

impl Transport {
    /// The revision up to which non-object values pass: the older one of both sides.
    pub fn oldest_revision(&self) -> &'static str {
        match self.front {
            Front::Client(revision) => self.revision.min(revision.as_str()),
            Front::Stage | Front::Service => self.revision,
        }
    }

    /// Starts a separate server.
    pub fn start(&self) -> Running {
        (self.start)(self)
    }
}

/// A server that runs; dropping it requests shutdown.
pub struct Running {
    connect: Box<dyn Fn() -> Link + Send>,
    stop: Box<dyn Fn() + Send>,
    serving: Arc<Mutex<Vec<JoinHandle<()>>>>,
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Running")
    }
}

impl Running {
    /// Connects another client. Over stdio it has its own process.
    pub fn connect(&self) -> Link {
        (self.connect)()
    }

    /// Requests shutdown of the server, without waiting.
    pub fn stop(&self) {
        (self.stop)();
    }

    /// Waits until it has ended.
    ///
    /// # Panics
    /// If it does not within `time`, or not gracefully.
    pub fn assert_ended_within(&self, time: Duration) {
        let serving = std::mem::take(&mut *self.serving.lock().unwrap_or_else(PoisonError::into_inner));
        for task in serving {
            RUNTIME
                .block_on(async { tokio::time::timeout(time, task).await })
                .expect("the server ends in time")
                .expect("the server shuts down gracefully");
        }
    }

    /// A server of a transport that has a place where clients find it.
    fn of(
        serve: impl FnOnce(watch::Receiver<bool>) -> JoinHandle<()>,
        connect: impl Fn() -> Link + Send + 'static,
    ) -> Self {
        let (stop, stopped) = watch::channel(false);
        let serving = Arc::new(Mutex::new(vec![serve(stopped)]));
        let stop = move || {
            stop.send_replace(true);
        };
        Self { connect: Box::new(connect), stop: Box::new(stop), serving }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Completes when shutdown of the server is requested.
async fn asked(mut stopped: watch::Receiver<bool>) {
    // A sender that is gone asks as well.
    let _ = stopped.wait_for(|stop| *stop).await;
}

fn serve(
    service: Service,
    transport: impl Into<toolwright::transport::Transport>,
    stopped: watch::Receiver<bool>,
) -> JoinHandle<()> {
    let transport = transport.into();
    RUNTIME.spawn(async move {
        service.serve_until(transport, asked(stopped)).await.expect("served to its end");
    })
}

fn link((wire, events): wires::Wired, revision: &'static str) -> Link {
    Link::open(wire, events, revision, true)
}

fn stdio(&Transport { program, revision, front, .. }: &Transport) -> Running {
    let started = Arc::new(Mutex::new(Vec::<u32>::new()));
    let all = Arc::clone(&started);
    let connect = move || {
        let (wired, id) = wires::process(program, front.name());
        started.lock().unwrap_or_else(PoisonError::into_inner).push(id);
        link(wired, revision)
    };
    let stop = move || {
        for id in all.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            // It may have exited by itself.
            let _ = std::process::Command::new("kill")
                .arg("-TERM")
                .arg(id.to_string())
                .stderr(std::process::Stdio::null())
                .status();
        }
    };
    Running { connect: Box::new(connect), stop: Box::new(stop), serving: Arc::default() }
}

fn unix(&Transport { revision, front, .. }: &Transport) -> Running {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("stage.sock");
    let socket = UnixSocket::bind(&path).expect("a socket");
    let connect = move || {
        let _kept = &folder;
        let stream = RUNTIME.block_on(tokio::net::UnixStream::connect(&path)).expect("the server listens");
        let (reader, writer) = stream.into_split();
        link(wires::lines(reader, writer), revision)
    };
    Running::of(|stopped| serve(front.service(), socket, stopped), connect)
}

fn memory_lines(&Transport { revision, front, .. }: &Transport) -> Running {
    let service = front.service();
    let (stop, stopped) = watch::channel(false);
    let serving = Arc::<Mutex<Vec<JoinHandle<()>>>>::default();
    let tasks = Arc::clone(&serving);
    let connect = move || {
        let (client, server) = tokio::io::duplex(4096);
        let (reader, writer) = tokio::io::split(server);
        let task = serve(service.clone(), Lines::new(reader, writer), stopped.clone());
        tasks.lock().unwrap_or_else(PoisonError::into_inner).push(task);
        let (reader, writer) = tokio::io::split(client);
        link(wires::lines(reader, writer), revision)
    };
    let stop = move || {
        stop.send_replace(true);
    };
    Running { connect: Box::new(connect), stop: Box::new(stop), serving }
}

fn websocket(&Transport { revision, front, .. }: &Transport) -> Running {
    let socket = WebSocket::bind("127.0.0.1:0").expect("a free port");
    let url = format!("ws://{}/mcp", socket.local_addr().expect("an address"));
    let connect = move || link(wires::websocket(&url), revision);
    Running::of(|stopped| serve(front.service(), socket, stopped), connect)
}

fn http_server(&Transport { revision, front, .. }: &Transport) -> Running {
    let server = Http::bind("127.0.0.1:0").expect("a free port");
    let address: SocketAddr = server.local_addr().expect("an address");
    let connect = move || link(http::http(address, revision), revision);
    Running::of(|stopped| serve(front.service(), server, stopped), connect)
}

fn sse(&Transport { revision, front, .. }: &Transport) -> Running {
    let server = Http::bind("127.0.0.1:0").expect("a free port").with_sse();
    let address: SocketAddr = server.local_addr().expect("an address");
    let connect = move || link(http::sse(address), revision);
    Running::of(|stopped| serve(front.service(), server, stopped), connect)
}

fn in_process(&Transport { revision, front, .. }: &Transport) -> Running {
    let service = front.service();
    // The client performs the handshake by itself.
    let connect = move || {
        let (wire, events) = wires::in_process(&service, revision);
        Link::open(wire, events, revision, false)
    };
    Running { connect: Box::new(connect), stop: Box::new(|| ()), serving: Arc::default() }
}

fn table(&Transport { revision, front, .. }: &Transport) -> Running {
    let service = front.service();
    let connect = move || link(wires::table(&service), revision);
    Running { connect: Box::new(connect), stop: Box::new(|| ()), serving: Arc::default() }
}

/// A server of its own limits on some transport, for tests of what that transport alone has.
#[derive(Debug)]
pub struct Lab {
    stop: watch::Sender<bool>,
    serving: Option<JoinHandle<()>>,
}

impl Lab {
    /// Serves it.
    pub fn start(service: Service, transport: impl Into<toolwright::transport::Transport>) -> Self {
        let (stop, stopped) = watch::channel(false);
        Self { stop, serving: Some(serve(service, transport, stopped)) }
    }

    /// Requests shutdown, without waiting.
    pub fn stop(&self) {
        self.stop.send_replace(true);
    }

    /// Waits until it has ended.
    ///
    /// # Panics
    /// If it does not within `time`, or not gracefully.
    pub fn assert_ended_within(&mut self, time: Duration) {
        let serving = self.serving.take().expect("it is waited for once");
        RUNTIME
            .block_on(async { tokio::time::timeout(time, serving).await })
            .expect("the server ends in time")
            .expect("the server shuts down gracefully");
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        self.stop();
    }
}
