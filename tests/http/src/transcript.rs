//! Documents that show shell sessions, and the check of their output.
//!
//! The blocks of the language `console` are one session of `sh`. A line that begins with `$ ` is a command, and goes on in
//! the next line if it ends with `\` or `|` or within single quotes. What follows is its output, in which `…` matches
//! anything, and white space is ignored, so that long lines can be wrapped. The server is always at [`SHOWN`].

use std::fmt::Write as _;
use std::io::Read as _;
use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The address in documents.
pub const SHOWN: &str = "127.0.0.1:8080";

/// The time limit for all commands of a document.
const LIMIT: Duration = Duration::from_mins(1);

/// Ends the output of one command; no server sends it.
const END: char = '\u{1e}';

/// Runs all blocks of a document against a server and compares.
///
/// # Panics
/// If an output is another, or the document shows nothing.
pub fn check(document: &str, server: SocketAddr) {
    let steps: Vec<Step> = document.split("```console\n").skip(1).flat_map(steps).collect();
    assert!(!steps.is_empty(), "the document shows no command");
    let outputs = run(&steps, server);
    for (step, output) in steps.iter().zip(&outputs) {
        let Step { command, expected } = step;
        assert!(matches(expected, output), "{command}\nshould print:{expected}\nand prints:\n{output}");
    }
    assert_eq!(outputs.len(), steps.len(), "the shell ended early");
}

/// A command and its expected output.
#[derive(Debug, Default)]
struct Step {
    command: String,
    expected: String,
}

/// Reads the commands of a block, which ends with its fence.
fn steps(block: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in block.lines().take_while(|line| *line != "```") {
        if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step { command: command.to_owned(), expected: String::new() });
            continue;
        }
        let step = steps.last_mut().expect("a block begins with a command");
        let text = if goes_on(&step.command) { &mut step.command } else { &mut step.expected };
        text.push('\n');
        text.push_str(line);
    }
    steps
}

/// Whether the shell would expect another line.
fn goes_on(command: &str) -> bool {
    command.ends_with(['\\', '|']) || command.matches('\'').count() % 2 == 1
}

/// What each of the commands prints.
fn run(steps: &[Step], server: SocketAddr) -> Vec<String> {
    let mut script = String::new();
    for step in steps {
        let command = step.command.replace(SHOWN, &server.to_string());
        writeln!(script, "{command}\nprintf '{END}'").expect("text");
    }
    let mut shell =
        Command::new("sh").arg("-c").arg(&script).stdout(Stdio::piped()).spawn().expect("sh starts");
    let mut stdout = shell.stdout.take().expect("a pipe");
    let (done, printed) = mpsc::channel();
    thread::spawn(move || {
        let mut text = String::new();
        let _ = done.send(stdout.read_to_string(&mut text).map(|_| text));
    });
    let printed = printed.recv_timeout(LIMIT);
    let _ = shell.kill();
    let _ = shell.wait();
    let printed = printed.expect("all commands end in a minute").expect("text");
    printed.replace(&server.to_string(), SHOWN).split_terminator(END).map(str::to_owned).collect()
}

/// Whether the output matches the document.
fn matches(expected: &str, output: &str) -> bool {
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    let (expected, output) = (bare(expected), bare(output));
    let mut parts = expected.split('…');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = output.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::{matches, steps};

    #[test]
    fn an_ellipsis_matches_anything_and_white_space_is_ignored() {
        for (expected, output, is_match) in [
            ("a: 1\n  b", "a:1b\r\n", true),
            ("{…}", "{}", true),
            ("a…b…c", "a12b3c", true),
            ("a…b…c", "a12c3b", false),
            ("a…", "b", false),
            ("a…a", "a", false),
            ("a", "ab", false),
        ] {
            assert_eq!(matches(expected, output), is_match, "{expected:?} {output:?}");
        }
    }

    #[test]
    fn commands_may_take_several_lines() {
        let steps = steps("$ a \\\n  'b\nc'\nx\ny\n$ d\n```\n\nText\n");
        assert_eq!(steps.len(), 2);
        assert_eq!((steps[0].command.as_str(), steps[0].expected.as_str()), ("a \\\n  'b\nc'", "\nx\ny"));
        assert_eq!((steps[1].command.as_str(), steps[1].expected.as_str()), ("d", ""));
    }
}
