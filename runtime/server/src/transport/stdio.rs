//! Standard input and output, with one message per line (2026-07-28, basic/transports/stdio).
//!
//! A dedicated thread reads, polls each handler once and writes, so that a call whose handler completes immediately
//! costs one read and one write. A pending handler continues as a task of the runtime. A handler that *blocks* occupies
//! its thread, and after a moment another thread takes over reading (`super::watch`).

mod terminal;

use std::fs::File;
use std::io::{self, IsTerminal as _, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::thread::{self, Thread};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{oneshot, watch};
use toolwright_wire::lines::{Line, LineReader};
use toolwright_wire::outbox::Outbox;

use super::Transport;
use super::watch::Watch;
use crate::auth::Access;
use crate::connection::Connection;
use crate::error::ServeError;
use crate::observed::observe;
use crate::service::Service;

/// How long writing the last responses may take at shutdown.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Standard input and output of this process.
///
/// Serving ends when the input ends (running calls get [`Limits::shutdown_grace`](crate::Limits::shutdown_grace) to
/// finish), when the peer no longer reads, or when the shutdown of
/// [`Service::serve_until`](crate::Service::serve_until) is requested. Abandoned calls are named on stderr; if one of
/// them blocks a thread of the runtime, the process exits after another grace period, since nothing else can end it.
///
/// If standard input is a terminal, lines on stderr say what the server waits for and how to connect a client.
///
/// While it serves, other output to stdout goes to stderr (on Unix), so a stray `println!` does not break the protocol,
/// and other reads of stdin see its end: a program that a handler starts inherits an empty standard input rather than
/// the requests. On other platforms, nothing else in the process, and no program that it starts, may use standard input
/// or output.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stdio;

impl From<Stdio> for Transport {
    fn from(stdio: Stdio) -> Self {
        Self::Stdio(stdio)
    }
}

impl Stdio {
    pub(crate) async fn serve(
        self,
        service: &Service,
        shutdown: impl Future<Output = ()> + Send,
    ) -> Result<(), ServeError> {
        let (input, output) = streams()?;
        if input.is_terminal() {
            let tools = service.shared().table_for(&Access::Trusted).definitions().count();
            terminal::explain(service.shared().info(), tools);
        }
        let _apart = StreamsApart::new(&input, &output)?;
        serve(service, input, output, Watch::default(), shutdown).await
    }
}

/// Serves the peer behind two streams until it disconnects.
async fn serve(
    service: &Service,
    input: File,
    output: File,
    watch: Watch,
    shutdown: impl Future<Output = ()> + Send,
) -> Result<(), ServeError> {
    let limits = service.limits();
    let outbox = Arc::new(Outbox::new(limits.max_unsent_bytes));
    let pump = Arc::new(Pump {
        connection: Connection::open(service.shared(), Arc::clone(&outbox), Access::Trusted),
        outbox,
        reader: Mutex::new(LineReader::new(input, limits.max_message_bytes)),
        writer: Mutex::new(Writer { output, lines: Vec::new() }),
        runtime: Handle::current(),
        watch,
        ended: watch::Sender::new(None),
        grace: limits.shutdown_grace,
    });
    let _session = pump.connection.observe(Some("pipe"), None);
    pump.start()?;
    let mut ended = pump.ended.subscribe();
    let result = {
        let mut shutdown = std::pin::pin!(shutdown);
        let mut end = std::pin::pin!(ended.wait_for(Option::is_some));
        std::future::poll_fn(|task| {
            if let Poll::Ready(end) = end.as_mut().poll(task) {
                return Poll::Ready(end.ok().and_then(|end| end.clone()));
            }
            shutdown.as_mut().poll(task).map(|()| None)
        })
        .await
    };
    pump.finish().await;
    match result {
        Some(End::Failed { stream, error }) => {
            Err(ServeError::Stream { stream, source: io::Error::from(error) })
        }
        _ => Ok(()),
    }
}

/// The process's own streams, without the buffers and locks of `std::io::stdin` and `stdout`.
fn streams() -> Result<(File, File), ServeError> {
    #[cfg(unix)]
    let owned = {
        use std::os::fd::AsFd;
        (io::stdin().as_fd().try_clone_to_owned(), io::stdout().as_fd().try_clone_to_owned())
    };
    #[cfg(windows)]
    let owned = {
        use std::os::windows::io::AsHandle;
        (io::stdin().as_handle().try_clone_to_owned(), io::stdout().as_handle().try_clone_to_owned())
    };
    let (input, output) = owned;
    let input = input.map_err(|source| ServeError::Stream { stream: "input", source })?;
    let output = output.map_err(|source| ServeError::Stream { stream: "output", source })?;
    Ok((input.into(), output.into()))
}

/// Reserves standard input and output for the protocol; until this is dropped, other code sees an empty stdin, and its
/// stdout leads to stderr.
struct StreamsApart {
    #[cfg(unix)]
    input: File,
    #[cfg(unix)]
    output: File,
}

impl StreamsApart {
    #[cfg(unix)]
    fn new(input: &File, output: &File) -> Result<Self, ServeError> {
        let failed = |stream| move |source| ServeError::Stream { stream, source };
        let apart = Self {
            input: input.try_clone().map_err(failed("input"))?,
            output: output.try_clone().map_err(failed("output"))?,
        };
        let nothing = File::open("/dev/null").map_err(failed("input"))?;
        rustix::stdio::dup2_stdin(nothing).map_err(|error| failed("input")(error.into()))?;
        rustix::stdio::dup2_stdout(io::stderr()).map_err(|error| failed("output")(error.into()))?;
        Ok(apart)
    }

    #[cfg(not(unix))]
    fn new(_input: &File, _output: &File) -> Result<Self, ServeError> {
        Ok(Self {})
    }
}

#[cfg(unix)]
impl Drop for StreamsApart {
    fn drop(&mut self) {
        // Buffered output belongs to stderr; what could not be restored stays redirected.
        let _ = io::stdout().flush();
        let _ = rustix::stdio::dup2_stdout(&self.output);
        let _ = rustix::stdio::dup2_stdin(&self.input);
    }
}

/// Why serving ended without a shutdown.
#[derive(Debug, Clone)]
enum End {
    /// The input has ended, or the peer does not read any longer.
    PeerLeft,
    Failed {
        stream: &'static str,
        error: io::ErrorKind,
    },
}

/// The streams, and the threads between them and the connection.
#[derive(Debug)]
struct Pump {
    connection: Arc<Connection>,
    outbox: Arc<Outbox>,
    reader: Mutex<LineReader<File>>,
    writer: Mutex<Writer>,
    runtime: Handle,
    watch: Watch,
    ended: watch::Sender<Option<End>>,
    grace: Duration,
}

#[derive(Debug)]
struct Writer {
    output: File,
    /// The lines being written; empty between writes.
    lines: Vec<u8>,
}

/// A buffer that one large response made larger than this is freed.
const KEPT: usize = 1 << 20;

impl Pump {
    fn start(self: &Arc<Self>) -> Result<(), ServeError> {
        let failed = |source| ServeError::Stream { stream: "input", source };
        self.start_reading(self.watch.turn()).map_err(failed)?;
        let pump = Arc::clone(self);
        spawn("mcp-write", move || pump.write_what_tasks_send()).map_err(failed)?;
        let pump = Arc::clone(self);
        let watcher = spawn("mcp-watch", move || pump.watch_for_blocked_handlers()).map_err(failed)?;
        self.watch.set_watcher(watcher);
        Ok(())
    }

    fn start_reading(self: &Arc<Self>, turn: u64) -> io::Result<()> {
        let pump = Arc::clone(self);
        spawn("mcp-read", move || {
            let end = pump.read(turn);
            // Another thread continues reading if the turn has ended.
            if let Some(end) = end {
                pump.end(end);
            }
        })
        .map(|_| ())
    }

    /// Reads and answers until the end of the input; `None` if another thread has taken over.
    fn read(&self, turn: u64) -> Option<End> {
        let _runtime = self.runtime.enter();
        let (mut line, mut out) = (Vec::new(), Vec::new());
        loop {
            let found = {
                let mut reader = self.reader();
                if self.watch.turn() != turn {
                    return None;
                }
                match reader.next(&mut line) {
                    Line::NeedsMore => {
                        if let Err(error) = self.write() {
                            return Some(write_end(&error));
                        }
                        if let Err(error) = reader.fill() {
                            return Some(End::Failed { stream: "input", error: error.kind() });
                        }
                        continue;
                    }
                    found => found,
                }
            };
            match found {
                Line::Whole => {
                    let message = self.watch.begin();
                    if let Some(later) = self.connection.receive(&line, &mut out) {
                        self.connection.answer_later(later);
                    }
                    self.watch.end(message);
                }
                Line::TooLong => {
                    self.connection.refuse("the line is too long", &mut out);
                }
                Line::End => {
                    return Some(self.write().err().map_or(End::PeerLeft, |error| write_end(&error)));
                }
                Line::NeedsMore => {}
            }
            self.outbox.append(&mut out);
            if self.watch.turn() != turn {
                // Another thread took over while the handler blocked; no other thread knows that there is something to
                // write.
                return self.write().err().map(|error| write_end(&error));
            }
        }
    }

    fn write_what_tasks_send(self: &Arc<Self>) {
        while self.outbox.wait() {
            if let Err(error) = self.write() {
                self.end(write_end(&error));
                return;
            }
        }
    }

    /// Writes everything that is queued. Taken lines are written before anyone else takes more, so the order is
    /// preserved.
    fn write(&self) -> io::Result<()> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let Writer { output, lines } = &mut *writer;
        self.outbox.take(lines);
        output.write_all(lines)?;
        self.outbox.mark_sent();
        if lines.capacity() > KEPT {
            *lines = Vec::new();
        }
        Ok(())
    }

    fn watch_for_blocked_handlers(self: &Arc<Self>) {
        while self.ended.borrow().is_none() && !self.watch.is_over() {
            let Some(turn) = self.watch.turn_after_blocked() else { continue };
            if self.start_reading(turn).is_err() {
                return;
            }
        }
    }

    fn end(self: &Arc<Self>, end: End) {
        if !self.ended.send_if_modified(|ended| ended.is_none().then(|| *ended = Some(end)).is_some()) {
            return;
        }
        // Usually `finish` completes much earlier. It cannot even start while a handler blocks the runtime's only
        // thread.
        let pump = Arc::clone(self);
        let _ = spawn("mcp-end", move || {
            thread::sleep(pump.grace.saturating_add(LAST_WORDS).saturating_mul(2));
            if !pump.watch.is_over() {
                report_abandoned(&pump.connection.end());
                exit();
            }
        });
    }

    /// Lets running calls finish, logs which ones were abandoned, and sends the last responses.
    async fn finish(&self) {
        let idle = async {
            self.connection.wait_until_answered().await;
            self.watch.idle().await;
        };
        let finished = within(self.grace, idle).await;
        self.watch.take_turn();
        let abandoned = self.connection.end();
        if !finished {
            report_abandoned(&abandoned);
        }
        within(LAST_WORDS, self.outbox.drained()).await;
        self.outbox.close();
        self.watch.stop();
        if !finished && !within(LAST_WORDS, self.connection.wait_until_answered()).await {
            // A handler blocks a thread of the runtime, which then cannot be shut down.
            let grace = self.grace;
            let _ = spawn("mcp-exit", move || {
                thread::sleep(grace);
                exit();
            });
        }
    }

    fn reader(&self) -> MutexGuard<'_, LineReader<File>> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether `future` completes within `time`. A thread measures the time: at shutdown, a handler may block the thread
/// that drives the runtime's timers.
async fn within(time: Duration, future: impl Future<Output = ()>) -> bool {
    let (sender, over) = oneshot::channel::<()>();
    if spawn("mcp-timer", move || {
        thread::sleep(time);
        drop(sender);
    })
    .is_err()
    {
        return false;
    }
    let (mut future, mut over) = (std::pin::pin!(future), std::pin::pin!(over));
    std::future::poll_fn(|task| {
        if future.as_mut().poll(task).is_ready() {
            return Poll::Ready(true);
        }
        over.as_mut().poll(task).map(|_| false)
    })
    .await
}

/// Exits the process if `main` cannot return, because the runtime waits for a handler that blocks one of its threads.
#[expect(clippy::disallowed_methods, reason = "there is no other way out")]
fn exit() -> ! {
    std::process::exit(0)
}

fn report_abandoned(tools: &[String]) {
    if tools.is_empty() {
        eprintln!("shutting down with a handler that blocks its thread; its call is abandoned");
        return;
    }
    eprintln!("shutting down; abandoned the calls still running: {}", tools.join(", "));
}

fn write_end(error: &io::Error) -> End {
    match error.kind() {
        io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => {
            observe!(
                DEBUG,
                error.r#type = ?error.kind(),
                network.transport = "pipe",
                "a peer disconnected before it was sent everything"
            );
            End::PeerLeft
        }
        kind => End::Failed { stream: "output", error: kind },
    }
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<Thread> {
    thread::Builder::new().name(name.to_owned()).spawn(run).map(|thread| thread.thread().clone())
}

#[cfg(all(test, unix))]
mod tests;
