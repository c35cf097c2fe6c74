//! Processes that are killed and started again.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::Failure;

/// How long a process may take to start.
const START: Duration = Duration::from_secs(20);

/// A process, which is killed when this is dropped.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
}

impl Process {
    /// Starts a program, whose standard error is not read.
    pub(crate) fn start(command: &mut Command) -> Result<Self, Failure> {
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        Ok(Self { child: child.map_err(|error| format!("{command:?} does not start: {error}"))? })
    }

    /// Starts a program, and waits until it has written a line with this on standard error.
    pub(crate) fn start_until(command: &mut Command, sign: &'static str) -> Result<Self, Failure> {
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| format!("{command:?} does not start: {error}"))?;
        let stderr = child.stderr.take();
        let process = Self { child };
        let (tell, told) = mpsc::channel();
        std::thread::spawn(move || watch(stderr, sign, &tell));
        match told.recv_timeout(START) {
            Ok(Ok(())) => Ok(process),
            Ok(Err(lines)) => Err(format!("a gateway has ended: {lines}").into()),
            Err(_) => Err(format!("{command:?} did not say `{sign}`").into()),
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn kill(&mut self) {
        // It may have ended by itself.
        _ = self.child.kill();
        _ = self.child.wait();
    }

    /// Sends SIGTERM, and waits for the end.
    pub(crate) fn terminate(&mut self) {
        signal(self.id(), "TERM");
        let ends = Instant::now() + START;
        while Instant::now() < ends {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        self.kill();
    }

    /// Whether it has ended, though nobody has killed it.
    pub(crate) fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Reads the standard error of a process to its end, so that the pipe is never full.
fn watch(stderr: Option<ChildStderr>, sign: &str, tell: &mpsc::Sender<Result<(), String>>) {
    let mut lines = Vec::new();
    let mut is_up = false;
    for line in stderr.into_iter().flat_map(|stderr| BufReader::new(stderr).lines()).map_while(Result::ok) {
        if !is_up && line.contains(sign) {
            is_up = true;
            _ = tell.send(Ok(()));
        }
        if !is_up {
            lines.push(line);
        }
    }
    if !is_up {
        _ = tell.send(Err(lines.join("\n")));
    }
}

/// Sends a signal to a process that this program has started.
pub(crate) fn signal(process: u32, name: &str) {
    // It may have ended.
    _ = Command::new("kill").args(["-s", name, &process.to_string()]).stderr(Stdio::null()).status();
}

/// The resident memory of a process in KiB (proc(5), `VmRSS`).
pub(crate) fn resident_kib(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

pub(crate) fn free_port() -> Result<u16, Failure> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}
