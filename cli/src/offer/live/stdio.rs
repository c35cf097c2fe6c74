//! A server over standard input and output.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio as Ends};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{MAX_MESSAGE, answers};

/// How long the server may take to end once its input has.
const FAREWELL: Duration = Duration::from_secs(2);

/// A running server; it ends with this.
pub(super) struct Stdio {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
}

impl Stdio {
    pub(super) fn start(words: &[OsString]) -> Result<Self, String> {
        let (program, arguments) = words.split_first().ok_or("there is no command after `--`")?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Ends::piped()).stdout(Ends::piped());
        let mut child = command.spawn().map_err(|error| format!("it cannot be started: {error}"))?;
        let (sender, messages) = mpsc::channel();
        let output = child.stdout.take().ok_or("it has no output")?;
        thread::spawn(move || read_messages(output, &sender));
        Ok(Self { input: child.stdin.take(), child, messages })
    }

    pub(super) fn send(&mut self, message: &Value) -> Result<(), String> {
        let input = self.input.as_mut().ok_or("its input is closed")?;
        let line = format!("{message}\n");
        let sent = input.write_all(line.as_bytes()).and_then(|()| input.flush());
        sent.map_err(|error| format!("it ended, or does not read: {error}"))
    }

    pub(super) fn request(&mut self, message: &Value, id: u64, patience: Duration) -> Result<Value, String> {
        self.send(message)?;
        let end = Instant::now() + patience;
        loop {
            match self.messages.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(message) if answers(&message, id) => return Ok(message),
                Ok(message) => self.decline(&message)?,
                Err(RecvTimeoutError::Timeout) => {
                    return Err(format!("it gave no answer within {} seconds", patience.as_secs()));
                }
                Err(RecvTimeoutError::Disconnected) => return Err("it ended without an answer".to_owned()),
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

/// Reads until the server or this process's interest in it ends.
fn read_messages(output: ChildStdout, sender: &Sender<Value>) {
    let mut reader = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        let read = reader.by_ref().take(MAX_MESSAGE as u64).read_until(b'\n', &mut line);
        if !read.is_ok_and(|length| length > 0) {
            return;
        }
        // A line that is no message is a stray print; the protocol allows none, but nothing depends on it.
        let Ok(message) = serde_json::from_slice(&line) else { continue };
        if sender.send(message).is_err() {
            return;
        }
    }
}

impl Drop for Stdio {
    fn drop(&mut self) {
        // The end of its input is how a server is told to end (2026-07-28, basic/transports/stdio "Shutdown").
        self.input = None;
        let end = Instant::now() + FAREWELL;
        while Instant::now() < end {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
        _ = self.child.kill();
        _ = self.child.wait();
    }
}
