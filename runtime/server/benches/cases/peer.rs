//! The client of the measured server.

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::Case;

/// A running server.
pub(crate) struct Peer {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    answer: Vec<u8>,
}

impl Peer {
    /// Starts the server of a case with `command`, adding the case's arguments, and sends the opening messages.
    pub(crate) fn start(mut command: Command, case: &Case) -> Result<Self, Box<dyn Error>> {
        let command = command.args([case.serve, &case.other_tools.to_string()]);
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = process.stdin.take().ok_or("no input")?;
        let output = BufReader::new(process.stdout.take().ok_or("no output")?);
        let mut peer = Self { process, input, output, answer: Vec::new() };
        peer.ask(case.opening, usize::from(!case.opening.is_empty()))?;
        Ok(peer)
    }

    /// Sends all messages and reads their responses, which must be successful.
    pub(crate) fn ask(&mut self, messages: &str, answers: usize) -> Result<(), Box<dyn Error>> {
        self.input.write_all(messages.as_bytes())?;
        for _ in 0..answers {
            self.answer.clear();
            self.output.read_until(b'\n', &mut self.answer)?;
            // Every message has a one-digit id. A failed call has a short response that says so.
            let answer = String::from_utf8_lossy(&self.answer[..self.answer.len().min(1_000)]);
            let is_result = answer.get(23..).is_some_and(|rest| rest.starts_with(r#","result":"#));
            if !is_result || answer.contains(r#""isError":true"#) {
                return Err(format!("unexpected response: {answer}").into());
            }
        }
        Ok(())
    }

    /// Closes the input and waits for the process.
    pub(crate) fn stop(self) -> Result<(), Box<dyn Error>> {
        let Self { mut process, input, .. } = self;
        drop(input);
        let status = process.wait()?;
        if status.success() { Ok(()) } else { Err(format!("the server exited with {status}").into()) }
    }
}
