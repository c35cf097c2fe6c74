//! A program that serves HTTP and writes its address to standard error, such as an example.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::lab::Lab;

/// The time limit of everything that a test waits for.
const LIMIT: Duration = Duration::from_secs(20);

/// A running program; dropping it kills it.
#[derive(Debug)]
pub struct Program {
    child: Child,
    address: SocketAddr,
    /// Kept open, so that the program can still write.
    _stderr: BufReader<ChildStderr>,
}

impl Program {
    /// Starts the program and waits until it has written `http://ADDRESS/…`.
    ///
    /// # Panics
    /// If it does not.
    pub fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
        let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
        let (found, address) = mpsc::channel();
        thread::spawn(move || {
            let mut written = String::new();
            while stderr.read_line(&mut written).is_ok_and(|length| length > 0) {
                if let Some(address) = address_in(&written) {
                    let _ = found.send(Ok((address, stderr)));
                    return;
                }
            }
            let _ = found.send(Err(written));
        });
        match address.recv_timeout(LIMIT) {
            Ok(Ok((address, stderr))) => Self { child, address, _stderr: stderr },
            written => {
                end(&mut child);
                panic!("{command:?} did not say where it listens, but {written:?}");
            }
        }
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The number of its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// A client of the program.
    pub fn lab(&self) -> Lab {
        Lab::at(self.address)
    }

    /// Sends a signal, `INT` or `TERM`, and waits for the end.
    ///
    /// # Panics
    /// If the program does not end.
    pub fn end_by(mut self, signal: &str) -> ExitStatus {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", signal, &pid]).status().expect("kill starts");
        assert!(sent.success(), "no signal was sent to {pid}");
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child can be waited for") {
                return status;
            }
            assert!(start.elapsed() < LIMIT, "the program goes on after {signal}");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

/// Both fail for a program that has ended already, which is as good.
fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

fn address_in(text: &str) -> Option<SocketAddr> {
    let (_, rest) = text.split_once("http://")?;
    rest.split(['/', '\n']).next()?.parse().ok()
}
