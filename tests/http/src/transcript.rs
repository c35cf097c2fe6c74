//! Documents that show shell sessions, and the check of their output.
//!
//! The blocks of the language `console` are one session of `sh`. A line that begins with `$ ` is a command, and goes on in
//! the next line if it ends with `\` or `|`, within single quotes, and in a here-document up to `END`. What follows is its
//! output, in which `…` matches anything, and white space is ignored, so that long lines can be wrapped. A command that ends
//! with `&` runs until the end of the session; what it prints is not compared.

use std::fmt::Write as _;
use std::io::Read;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The address in documents.
pub const SHOWN: &str = "127.0.0.1:8080";

/// The time limit for all commands of a document.
const LIMIT: Duration = Duration::from_mins(1);
/// How long programs in the background may take to end.
const END_LIMIT: Duration = Duration::from_secs(15);

/// Ends the output of one command; no server sends it.
const END: char = '\u{1e}';

/// Runs all blocks of a document against a server and compares.
///
/// # Panics
/// If an output is another, or the document shows nothing.
pub fn check(document: &str, server: SocketAddr) {
    let folder = tempfile::tempdir().expect("a folder");
    Session::new(folder.path()).replace(SHOWN, &server.to_string()).check(document);
}

/// A session of a shell in a folder.
#[derive(Debug)]
pub struct Session<'a> {
    folder: &'a Path,
    replaced: Vec<(String, String)>,
    variables: Vec<(String, String)>,
}

/// A command and its expected output.
#[derive(Debug, Default)]
pub struct Step {
    command: String,
    expected: String,
}

/// What a command did.
struct Outcome {
    status: String,
    stdout: String,
    stderr: String,
}

impl<'a> Session<'a> {
    /// Creates a session in a folder.
    pub fn new(folder: &'a Path) -> Self {
        Self { folder, replaced: Vec::new(), variables: Vec::new() }
    }

    /// Begins in another folder.
    #[must_use]
    pub fn in_folder(mut self, folder: &'a Path) -> Self {
        self.folder = folder;
        self
    }

    /// Replaces a text in the commands, such as an address, and restores it in their output.
    #[must_use]
    pub fn replace(mut self, shown: &str, real: &str) -> Self {
        self.replaced.push((shown.to_owned(), real.to_owned()));
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Runs all blocks of a document and compares. A command that shows no output must succeed.
    ///
    /// # Panics
    /// If an output is another, or the document shows nothing.
    pub fn check(&self, document: &str) {
        let steps: Vec<Step> = document.split("```console\n").skip(1).flat_map(steps).collect();
        assert!(!steps.is_empty(), "the document shows no command");
        let outcomes = self.run(&steps);
        for (step, outcome) in steps.iter().zip(&outcomes) {
            let Step { command, expected } = step;
            let Outcome { status, stdout, stderr } = outcome;
            let is_expected = if step.is_in_background() {
                true
            } else if expected.is_empty() {
                stdout.trim().is_empty() && status == "0"
            } else {
                matches(expected, stdout) || matches(expected, &format!("{stdout}{stderr}"))
            };
            assert!(
                is_expected,
                "{command}\nshould print:{expected}\nand prints (status {status}):\n{stdout}\nand on standard error:\n{stderr}"
            );
        }
        assert_eq!(outcomes.len(), steps.len(), "the shell ended early");
    }

    /// What each of the commands does.
    fn run(&self, steps: &[Step]) -> Vec<Outcome> {
        let errors = TempDir::new().expect("a folder");
        let mut script = String::new();
        for (number, step) in steps.iter().enumerate() {
            let command = self
                .replaced
                .iter()
                .fold(step.command.clone(), |command, (shown, real)| command.replace(shown, real));
            let file = errors.path().join(number.to_string());
            writeln!(script, "exec 2>'{}'\n{command}\nprintf '{END}%s{END}' $?", file.display())
                .expect("text");
        }
        let mut command = Command::new("sh");
        command.arg("-c").arg(&script).current_dir(self.folder);
        command.envs(self.variables.iter().cloned()).stdin(Stdio::null()).stdout(Stdio::piped());
        // One group, so that programs in the background end with the session.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut group = Group(command.spawn().expect("sh starts"));
        let printed = read_steps(group.0.stdout.take().expect("a pipe"), steps.len());
        drop(group);
        let restore = |text: &str| {
            self.replaced.iter().fold(text.to_owned(), |text, (shown, real)| text.replace(real, shown))
        };
        let mut parts = printed.split(END);
        let mut outcomes = Vec::new();
        while let (Some(stdout), Some(status)) = (parts.next(), parts.next()) {
            let stderr = std::fs::read(errors.path().join(outcomes.len().to_string())).unwrap_or_default();
            let stderr = restore(&String::from_utf8_lossy(&stderr));
            outcomes.push(Outcome { status: status.to_owned(), stdout: restore(stdout), stderr });
        }
        outcomes
    }
}

/// Reads what all steps print, or what is there when the time is over.
fn read_steps(mut stdout: impl Read + Send + 'static, steps: usize) -> String {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(length @ 1..) = stdout.read(&mut buffer) {
            if send.send(buffer[..length].to_vec()).is_err() {
                return;
            }
        }
    });
    let start = Instant::now();
    let mut printed = Vec::new();
    let mut ends = 0;
    while ends < steps * 2 {
        let Ok(more) = receive.recv_timeout(LIMIT.saturating_sub(start.elapsed())) else { break };
        ends += String::from_utf8_lossy(&more).matches(END).count();
        printed.extend(more);
    }
    String::from_utf8_lossy(&printed).into_owned()
}

/// A shell and the programs that it runs in the background, which end with this.
struct Group(Child);

impl Group {
    fn signal(&self, name: &str) -> bool {
        let group = format!("-{}", self.0.id());
        let sent = Command::new("kill").args(["-s", name, "--", &group]).stderr(Stdio::null()).status();
        sent.is_ok_and(|status| status.success())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let start = Instant::now();
        self.signal("TERM");
        // The group is there as long as one of its processes is.
        while self.signal("CONT") && start.elapsed() < END_LIMIT {
            // The shell itself would remain as a zombie.
            _ = self.0.try_wait();
            thread::sleep(Duration::from_millis(10));
        }
        self.signal("KILL");
        _ = self.0.wait();
    }
}

impl Step {
    fn is_in_background(&self) -> bool {
        self.command.trim_end().ends_with('&')
    }
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
    if command.contains("<<'END'") {
        return !command.ends_with("\nEND");
    }
    command.ends_with(['\\', '|']) || command.matches('\'').count() % 2 == 1
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
    use super::{Session, matches, steps};

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
        let steps = super::steps("$ cat > f <<'END'\n{it's}\nEND\nx\n$ d &\n```\n");
        assert_eq!(
            (steps[0].command.as_str(), steps[0].expected.as_str()),
            ("cat > f <<'END'\n{it's}\nEND", "\nx")
        );
        assert!(steps[1].is_in_background() && !steps[0].is_in_background());
    }

    #[test]
    fn a_session_has_variables_files_and_programs_in_the_background() {
        let folder = tempfile::tempdir().unwrap();
        let session = Session::new(folder.path()).replace("10 s", "1000 s").variable("NAME", "Ada");
        session.check("```console\n$ sleep 1000 &\n$ echo \"$NAME $!\" | tee file\nAda …\n$ cat none\n…none…\n$ echo 10 s\n10 s\n```\n");
        let text = std::fs::read_to_string(folder.path().join("file")).unwrap();
        let id = text.trim().strip_prefix("Ada ").unwrap();
        assert!(!std::path::Path::new(&format!("/proc/{id}")).exists(), "{id} goes on");
    }

    #[test]
    #[should_panic(expected = "status 1")]
    fn a_command_that_shows_nothing_must_succeed() {
        let folder = tempfile::tempdir().unwrap();
        Session::new(folder.path()).check("```console\n$ false\n```\n");
    }
}
