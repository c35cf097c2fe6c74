//! A client of the server process: sends bytes, reads lines, and validates each message.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::validation;

/// The time after which the server counts as hanging.
const TIMEOUT: Duration = Duration::from_secs(20);

/// A server process and the test's end of its streams. Dropping it ends the process.
#[derive(Debug)]
pub struct Peer {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: Receiver<String>,
    revision: &'static str,
    capabilities: Value,
    /// The methods of requests, by the JSON text of their id.
    methods: HashMap<String, String>,
}

impl Peer {
    /// Starts the server at `program` with these variables, and uses the modern revision.
    ///
    /// # Panics
    /// If the process cannot be started.
    pub fn start(program: &str, environment: &[(&str, &str)]) -> Self {
        let mut child = Command::new(program)
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let lines = lines_of(child.stdout.take().expect("piped"));
        let stderr = lines_of(child.stderr.take().expect("piped"));
        let stdin = child.stdin.take();
        Self {
            child,
            stdin,
            lines,
            stderr,
            revision: "2026-07-28",
            capabilities: json!({}),
            methods: HashMap::new(),
        }
    }

    /// Like [`Peer::start`], followed by the handshake of `revision`, unless it is a modern one.
    ///
    /// # Panics
    /// If the server does not agree on `revision`.
    pub fn start_at(program: &str, revision: &'static str) -> Self {
        let mut peer = Self::start(program, &[]);
        peer.speak(revision);
        peer
    }

    /// Performs the handshake of `revision`, unless it is a modern one.
    ///
    /// # Panics
    /// If the server does not agree on `revision`.
    pub fn speak(&mut self, revision: &'static str) {
        self.revision = revision;
        if revision < "2026-07-28" {
            let result = self.result(
                "initialize",
                json!({
                    "protocolVersion": revision, "capabilities": self.capabilities,
                    "clientInfo": {"name": "test", "version": "1"},
                }),
            );
            assert_eq!(result["protocolVersion"], revision);
            self.send_value(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        }
    }

    /// Declares these capabilities: from now on, or by the handshake that follows.
    pub fn declare(&mut self, capabilities: Value) {
        self.capabilities = capabilities;
    }

    /// Validates messages of this revision without a handshake, for tests that perform the handshake themselves.
    pub fn validate_as(&mut self, revision: &'static str) {
        self.revision = revision;
    }

    /// Sends raw bytes.
    ///
    /// # Panics
    /// If the server has closed its input.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("the input is open");
        stdin.write_all(bytes).expect("the server reads");
        stdin.flush().expect("the server reads");
    }

    /// Sends one line.
    pub fn send(&mut self, line: &str) {
        if let Ok(message) = serde_json::from_str::<Value>(line.trim_start_matches('\u{feff}')) {
            self.note_method(&message);
        }
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    /// Sends one message.
    pub fn send_value(&mut self, message: &Value) {
        self.send(&message.to_string());
    }

    fn note_method(&mut self, message: &Value) {
        for message in message.as_array().map_or(std::slice::from_ref(message), Vec::as_slice) {
            if let (Some(id), Some(method)) = (message.get("id"), message["method"].as_str()) {
                self.methods.insert(id.to_string(), method.to_owned());
            }
        }
    }

    /// Sends a request, with the metadata that a modern one needs.
    pub fn request(&mut self, id: &Value, method: &str, params: Value) {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": self.with_meta(params)});
        self.send_value(&message);
    }

    /// Sends a call.
    pub fn call(&mut self, id: &Value, tool: &str, arguments: &Value) {
        self.request(id, "tools/call", json!({"name": tool, "arguments": arguments}));
    }

    /// The parameters with the metadata that a modern request needs.
    ///
    /// # Panics
    /// If the parameters, or their `_meta`, are not an object.
    pub fn with_meta(&self, mut params: Value) -> Value {
        if self.revision >= "2026-07-28" {
            let meta = params.as_object_mut().expect("an object").entry("_meta").or_insert_with(|| json!({}));
            let meta = meta.as_object_mut().expect("an object");
            meta.insert("io.modelcontextprotocol/protocolVersion".to_owned(), self.revision.into());
            meta.insert("io.modelcontextprotocol/clientCapabilities".to_owned(), self.capabilities.clone());
        }
        params
    }

    /// Returns the next message, validated against its schema.
    ///
    /// # Panics
    /// If none comes in time.
    pub fn message(&mut self) -> Value {
        match self.lines.recv_timeout(TIMEOUT) {
            Ok(line) => self.validated(&line),
            Err(RecvTimeoutError::Timeout) => panic!("the server hangs"),
            Err(RecvTimeoutError::Disconnected) => panic!("the server has closed its output"),
        }
    }

    fn validated(&self, line: &str) -> Value {
        let message: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        for message in message.as_array().map_or(std::slice::from_ref(&message), Vec::as_slice) {
            let method =
                message.get("id").and_then(|id| self.methods.get(&id.to_string())).map(String::as_str);
            // A legacy method that is answered before any handshake is answered in legacy form.
            let legacy = matches!(method, Some("initialize" | "ping")) && message.get("result").is_some();
            let revision = if legacy { self.revision.min("2025-11-25") } else { self.revision };
            validation::validate(revision, method, message);
        }
        message
    }

    /// The messages that come within `time`.
    pub fn within(&mut self, time: Duration) -> Vec<Value> {
        let end = Instant::now() + time;
        let mut messages = Vec::new();
        while let Ok(line) = self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            messages.push(self.validated(&line));
        }
        messages
    }

    /// Sends a request with a new id and returns its response; other messages in between are dropped.
    pub fn answer(&mut self, method: &str, params: Value) -> Value {
        let id = json!(format!("own-{}", self.methods.len()));
        self.request(&id, method, params);
        loop {
            let message = self.message();
            if message["id"] == id {
                return message;
            }
        }
    }

    /// As [`Peer::answer`], and returns its result.
    ///
    /// # Panics
    /// If the answer is an error.
    pub fn result(&mut self, method: &str, params: Value) -> Value {
        let answer = self.answer(method, params);
        answer.get("result").unwrap_or_else(|| panic!("an error: {answer}")).clone()
    }

    /// The result of a call.
    pub fn call_result(&mut self, tool: &str, arguments: &Value) -> Value {
        self.result("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// Asserts that the server still answers calls.
    ///
    /// # Panics
    /// If it does not.
    pub fn assert_alive(&mut self) {
        assert_eq!(self.call_result("add", &json!({"a": 1, "b": 2}))["content"][0]["text"], "{\"sum\":3}");
    }

    /// Closes the server's input.
    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// Waits for the process to exit, and returns its status and stderr.
    ///
    /// # Panics
    /// If it does not end within `time`.
    pub fn wait(&mut self, time: Duration) -> (ExitStatus, String) {
        let end = Instant::now() + time;
        loop {
            if let Some(status) = self.child.try_wait().expect("the child is ours") {
                let stderr: Vec<String> = self.stderr.iter().collect();
                return (status, stderr.join("\n"));
            }
            assert!(Instant::now() < end, "the server does not end");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Sends the process the signal to shut down.
    ///
    /// # Panics
    /// If the signal cannot be sent.
    pub fn terminate(&self) {
        let status = Command::new("kill").arg("-TERM").arg(self.child.id().to_string()).status();
        assert!(status.expect("kill runs").success());
    }

    /// The process's resident memory in KiB.
    ///
    /// # Panics
    /// Where the system does not show it.
    pub fn peak_memory_kib(&self) -> u64 {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("Linux shows it");
        let line = status.lines().find(|line| line.starts_with("VmHWM")).expect("Linux shows it");
        line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("a number")
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // Already gone in most tests.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lines_of(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}
