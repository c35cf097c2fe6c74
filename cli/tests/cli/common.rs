//! Copies fixtures to a folder where they can be built, and runs `cargo-mcp` on them.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// The formats of `cargo mcp manifest --format` that are generated from the manifest.
pub(crate) const EXPORTS: [&str; 11] = [
    "jsonl",
    "openai",
    "openai-strict",
    "anthropic",
    "gemini",
    "openapi",
    "server-json",
    "mcpb",
    "markdown",
    "html",
    "typescript",
];

/// One run of `cargo-mcp`.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    fn of(command: &mut Command) -> Self {
        Self::from(command.output().unwrap())
    }

    fn from(output: Output) -> Self {
        let Output { status, stdout, stderr } = output;
        Self {
            code: status.code().unwrap_or(-1),
            stdout: String::from_utf8(stdout).unwrap(),
            stderr: String::from_utf8(stderr).unwrap(),
        }
    }

    /// Returns the run; panics if it failed.
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        self.ended(0)
    }

    /// Returns the run; panics if it has another exit code.
    #[track_caller]
    pub(crate) fn ended(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Returns the run; panics if standard error lacks one of these parts.
    #[track_caller]
    pub(crate) fn says(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.stderr.contains(part), "no {part:?} in:\n{}", self.stderr);
        }
        self
    }

    /// Returns the document on standard output.
    #[track_caller]
    pub(crate) fn document(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap()
    }

    /// Returns the server's name and the names of the tools in the document on standard output.
    #[track_caller]
    pub(crate) fn names(&self) -> (String, Vec<String>) {
        let document = self.document();
        let tools = document["tools"].as_array().unwrap();
        let names = tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect();
        (document["server"]["name"].as_str().unwrap().to_owned(), names)
    }
}

/// Runs `cargo mcp manifest` in a fixture's folder; `line` holds its flags, separated by spaces.
pub(crate) fn manifest(fixture: &str, line: &str) -> Run {
    manifest_with(&folder(fixture), line, |_| {})
}

/// The same in any folder of a fixture, with changes to the command.
pub(crate) fn manifest_with(folder: &Path, line: &str, change: impl FnOnce(&mut Command)) -> Run {
    let mut command = command(folder, &format!("manifest {line}"));
    change(&mut command);
    Run::of(&mut command)
}

/// Runs `cargo mcp docs` in a fixture's folder.
pub(crate) fn docs(fixture: &str, line: &str) -> Run {
    Run::of(&mut command(&folder(fixture), &format!("docs {line}")))
}

/// Runs `cargo mcp lint` in a fixture's folder.
pub(crate) fn lint(fixture: &str, line: &str) -> Run {
    lint_in(&folder(fixture), line)
}

/// The same in any folder.
pub(crate) fn lint_in(folder: &Path, line: &str) -> Run {
    Run::of(&mut command(folder, &format!("lint {line}")))
}

/// Runs any `cargo mcp` command in a folder.
pub(crate) fn mcp(folder: &Path, line: &str) -> Run {
    Run::of(&mut command(folder, line))
}

/// Runs cargo itself in any folder.
pub(crate) fn cargo_in(folder: &Path, line: &str) -> Run {
    let mut command = Command::new(env!("CARGO"));
    Run::of(prepared(&mut command, folder).args(line.split_whitespace()))
}

/// Starts `cargo mcp serve` in a folder, passes `input`, and waits until it ends. Also returns its process id.
pub(crate) fn serve(folder: &Path, line: &str, input: &str) -> (Run, u32) {
    feed(&mut command(folder, &format!("serve {line}")), input)
}

/// Runs a command of `cargo mcp` that reads its standard input.
pub(crate) fn with_input(folder: &Path, line: &str, input: &str) -> Run {
    feed(&mut command(folder, line), input).0
}

/// Runs a command of `cargo mcp` on a terminal without echo, where `typed` is entered. The output and the messages are both in
/// `stdout`.
#[cfg(unix)]
pub(crate) fn on_terminal(folder: &Path, line: &str, typed: &str) -> Run {
    const TERMINAL: &str = "import os, pty, sys
program = ['sh', '-c', 'stty -echo; exec \"$@\"', 'sh', *sys.argv[1:]]
sys.exit(os.waitstatus_to_exitcode(pty.spawn(program)))";
    let mut command = Command::new("python3");
    let command = prepared(&mut command, folder).args(["-c", TERMINAL, env!("CARGO_BIN_EXE_cargo-mcp")]);
    feed(command.arg("mcp").args(line.split_whitespace()), typed).0
}

/// Runs a command with this input. Also returns its process id.
fn feed(command: &mut Command, input: &str) -> (Run, u32) {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let id = child.id();
    // A program that fails does not read its input.
    _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    (Run::from(child.wait_with_output().unwrap()), id)
}

/// Runs any command of `cargo mcp` in a folder; `words` are its arguments.
pub(crate) fn run(folder: &Path, words: &[&str]) -> Run {
    let mut command = command(folder, "");
    Run::of(command.args(words))
}

/// The same, with changes to the command.
pub(crate) fn run_with(folder: &Path, words: &[&str], change: impl FnOnce(&mut Command)) -> Run {
    let mut command = command(folder, "");
    command.args(words);
    change(&mut command);
    Run::of(&mut command)
}

/// Runs cargo itself in a fixture's folder.
pub(crate) fn cargo(fixture: &str, line: &str) -> Run {
    cargo_in(&folder(fixture), line)
}

fn command(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-mcp"));
    prepared(&mut command, folder).arg("mcp").args(line.split_whitespace());
    command
}

fn prepared<'a>(command: &'a mut Command, folder: &Path) -> &'a mut Command {
    command
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target())
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env_remove("CARGO_TERM_COLOR")
}

/// Returns the target folder of all fixtures, which share built dependencies.
pub(crate) fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("fixtures-target")
}

/// Creates a folder for the files of one test.
pub(crate) fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// Copies a fixture to a folder outside of the repository's workspace, with the repository's lock file, so that no other
/// dependencies are downloaded. Unchanged files keep their time stamps, so that cargo does not rebuild them.
pub(crate) fn folder(fixture: &str) -> PathBuf {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let fixtures = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fixtures");
    fs::create_dir_all(&fixtures).unwrap();
    // Tests run concurrently, in one process or in several.
    let lock = File::create(fixtures.join("lock")).unwrap();
    lock.lock().unwrap();

    let to = fixtures.join(fixture);
    copy(&repository.join("tests/fixtures/cli").join(fixture), &to, repository);
    let ours = fs::read(repository.join("Cargo.lock")).unwrap();
    if write_if_new(&to.join("Cargo.lock.origin"), &ours) {
        fs::write(to.join("Cargo.lock"), &ours).unwrap();
    }
    to
}

fn copy(from: &Path, to: &Path, repository: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to, repository);
        } else if entry.file_name() != "Cargo.lock" {
            let text = fs::read_to_string(entry.path()).unwrap();
            let text = text.replace("../../../../", &format!("{}/", repository.display()));
            write_if_new(&to, text.as_bytes());
        }
    }
}

fn write_if_new(file: &Path, bytes: &[u8]) -> bool {
    let is_new = fs::read(file).is_ok_and(|old| old == bytes);
    if !is_new {
        fs::write(file, bytes).unwrap();
    }
    !is_new
}
