//! A server over standard input and output.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio as Ends};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::answers;
use super::limits::{Budget, Deadline, STDERR};
use crate::shell;

/// How long the server may take to end once its input has.
const FAREWELL: Duration = Duration::from_secs(2);

/// How many messages may wait, in either direction: of the server's, the rest waits in the pipe.
const WAITING: usize = 64;

/// The longest line of standard error that is shown as one.
const MAX_LINE: u64 = 4 << 10;

/// A running server; it ends with this.
pub(super) struct Stdio {
    child: Child,
    /// What is to be written; a thread does it, since a server that does not read would keep this one.
    input: Option<SyncSender<String>>,
    messages: Receiver<Value>,
    budget: Arc<Budget>,
    stderr: Option<JoinHandle<()>>,
}

impl Stdio {
    pub(super) fn start(words: &[OsString], budget: &Arc<Budget>) -> Result<Self, String> {
        let (program, arguments) = words.split_first().ok_or("there is no command after `--`")?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Ends::piped()).stdout(Ends::piped()).stderr(Ends::piped());
        let mut child = command.spawn().map_err(|error| format!("it cannot be started: {error}"))?;
        let (sender, messages) = mpsc::sync_channel(WAITING);
        let (input, lines) = mpsc::sync_channel(WAITING);
        if let Some(pipe) = child.stdin.take() {
            thread::spawn(move || write_lines(pipe, &lines));
        }
        if let Some(output) = child.stdout.take() {
            let budget = Arc::clone(budget);
            thread::spawn(move || read_messages(output, &sender, &budget));
        }
        let budget = Arc::clone(budget);
        let stderr = child.stderr.take().map(|pipe| thread::spawn(move || show_lines(pipe)));
        Ok(Self { child, input: Some(input), messages, budget, stderr })
    }

    pub(super) fn send(&mut self, message: &Value) -> Result<(), String> {
        let input = self.input.as_ref().ok_or("its input is closed")?;
        input.try_send(format!("{message}\n")).map_err(|_| "it ended, or does not read".to_owned())
    }

    pub(super) fn request(&mut self, message: &Value, id: u64, deadline: Deadline) -> Result<Value, String> {
        self.send(message)?;
        loop {
            match self.messages.recv_timeout(deadline.left()?) {
                Ok(message) if answers(&message, id) => return Ok(message),
                Ok(message) => self.decline(&message)?,
                Err(RecvTimeoutError::Timeout) => return Err(deadline.passed()),
                Err(RecvTimeoutError::Disconnected) => {
                    let ended = || "it ended without an answer".to_owned();
                    return Err(self.budget.overdrawn().unwrap_or_else(ended));
                }
            }
        }
    }

    /// Answers a request of the server, so that it does not wait: nothing is offered to it.
    fn decline(&mut self, message: &Value) -> Result<(), String> {
        let (Some(id), Some(method)) = (message.get("id"), message.get("method")) else { return Ok(()) };
        let answer = if method == "ping" {
            json!({"jsonrpc": "2.0", "id": id, "result": {}})
        } else {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "this client only lists"}})
        };
        self.send(&answer)
    }
}

/// Writes until there is nothing more to write, or nobody to read it.
fn write_lines(mut pipe: ChildStdin, lines: &Receiver<String>) {
    for line in lines {
        if pipe.write_all(line.as_bytes()).and_then(|()| pipe.flush()).is_err() {
            return;
        }
    }
}

/// Reads until the server or this process's interest in it ends, or the budget does.
fn read_messages(output: ChildStdout, sender: &SyncSender<Value>, budget: &Budget) {
    let mut reader = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        // What the budget does not hold is not kept either.
        let read = reader.by_ref().take(super::limits::BYTES as u64).read_until(b'\n', &mut line);
        let Some(length) = read.ok().filter(|length| *length > 0) else { return };
        if budget.spend(length).is_err() {
            return;
        }
        // A line that is no message is a stray print; the protocol allows none, but nothing depends on it.
        let Ok(message) = serde_json::from_slice(&line) else { continue };
        if sender.send(message).is_err() {
            return;
        }
    }
}

/// Shows what the server says to people, as far as it is not too much.
fn show_lines(pipe: ChildStderr) {
    let mut reader = BufReader::new(pipe);
    let mut left = STDERR;
    loop {
        let mut line = Vec::new();
        let read = reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line);
        let Some(length) = read.ok().filter(|length| *length > 0) else { return };
        if left == 0 {
            // Read on, so that the server is not kept from its work.
            continue;
        }
        left = left.saturating_sub(length);
        shell::text(&String::from_utf8_lossy(&line));
        if left == 0 {
            shell::text("(the server says more, which is not shown)");
        }
    }
}

impl Drop for Stdio {
    fn drop(&mut self) {
        // The end of its input is how a server is told to end (2026-07-28, basic/transports/stdio "Shutdown").
        self.input = None;
        let end = Instant::now() + FAREWELL;
        let is_running = |child: &mut Child| matches!(child.try_wait(), Ok(None));
        while is_running(&mut self.child) && Instant::now() < end {
            thread::sleep(Duration::from_millis(5));
        }
        if is_running(&mut self.child) {
            _ = self.child.kill();
            _ = self.child.wait();
        }
        // Its last words, unless a process that it started holds the pipe open.
        let Some(stderr) = self.stderr.take() else { return };
        while !stderr.is_finished() && Instant::now() < end {
            thread::sleep(Duration::from_millis(5));
        }
    }
}
