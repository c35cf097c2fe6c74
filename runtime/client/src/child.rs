//! Servers as child processes: started in a process group of their own, monitored, and shut down gracefully.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStderr, Command as Process};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use crate::config::{Encoding, Expanded, Settings, StdioSpec, TokenError, Tokens};
use crate::encoding::Decoder;
use crate::error::{ClientError, ErrorKind, quote};
use crate::event::Event;
use crate::host::Host;
use crate::lines::{self, CloseReason};
use crate::mux::Mux;

/// The environment variables that every server inherits: what programs need to find their files and their language, and no
/// secrets. [`StdioSpec::env`] sets others, and [`StdioSpec::inherit_env`] passes all of them.
#[cfg(unix)]
pub const INHERITED_ENV: &[&str] =
    &["HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];
/// The environment variables that every server inherits: what programs need to find their files and their language, and no
/// secrets. [`StdioSpec::env`] sets others, and [`StdioSpec::inherit_env`] passes all of them.
#[cfg(not(unix))]
pub const INHERITED_ENV: &[&str] = &[
    "APPDATA",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATH",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
];
/// How long a server may take to exit after its input is closed, and again after SIGTERM.
pub const EXIT_TIMEOUT: Duration = Duration::from_secs(2);
/// How many lines of standard error an error includes.
const MAX_TAIL_LINES: usize = 20;
/// The maximum length of a line of standard error, in bytes; longer ones are cut.
const MAX_LINE_BYTES: usize = 4096;
/// How long to wait for the exit status and the last lines of standard error before pending requests fail.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(500);

/// The last lines of standard error.
#[derive(Debug, Default)]
struct Tail(Mutex<VecDeque<String>>);

/// Starts a server. The returned task ends together with the channel and the process.
///
/// The process leads its own process group, which is shut down with it: its input is closed, then the group gets
/// SIGTERM and SIGKILL, each after [`EXIT_TIMEOUT`]. With `uses_guard`, the group is also ended when this process is
/// killed.
///
/// # Errors
/// If the command cannot be started, or a token in its environment is unavailable.
pub(crate) async fn start(
    command: &StdioSpec,
    tokens: &Tokens,
    settings: Option<&str>,
    mux: &Arc<Mux>,
    max_message_bytes: usize,
    uses_guard: bool,
) -> Result<JoinHandle<()>, ClientError> {
    let mut process = Process::new(executable(command));
    process.args(command.args.iter().map(Expanded::expose));
    if !command.inherit_env {
        process.env_clear();
        process.envs(INHERITED_ENV.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
    }
    process.envs(settings.map(|settings| (Settings::VARIABLE, settings)));
    for (name, value) in &command.env {
        match value {
            None => drop(process.env_remove(name)),
            Some(value) => {
                let value = value.resolve(tokens).await;
                let value = value.map_err(|error| token_error(name, &error, &mux.host))?;
                process.env(name, value.expose());
            }
        }
    }
    if let Some(folder) = &command.cwd {
        process.current_dir(folder.expose());
    }
    process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    #[cfg(unix)]
    process.process_group(0);
    let mut child = process.spawn().map_err(|error| spawn_error(command, &error, &mux.host))?;
    let group = Group::new(&child, uses_guard);
    let tail = Arc::new(Tail::default());
    let stderr = child
        .stderr
        .take()
        .map(|pipe| tokio::spawn(read_stderr(pipe, Arc::clone(&tail), Arc::clone(&mux.host))));
    let (mux, encoding) = (Arc::clone(mux), command.encoding);
    Ok(tokio::spawn(async move {
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else { return };
        let mut stdin = stdin;
        let stdout: Box<dyn AsyncRead + Send + Unpin> = match encoding {
            Encoding::Utf8 => Box::new(stdout),
            encoding => Box::new(Decoder::new(stdout, encoding)),
        };
        let reason = tokio::select! {
            reason = lines::drive(&mux, stdout, &mut stdin, encoding, max_message_bytes) => reason,
            // A descendant may hold the output open.
            () = wait_for_exit(&mut child) => CloseReason::Closed,
        };
        let was_requested = matches!(reason, CloseReason::Requested);
        if was_requested {
            _ = stdin.shutdown().await;
        }
        drop(stdin);
        let mut status = None;
        if !was_requested {
            status = timeout(DRAIN_TIMEOUT, child.wait()).await.ok().and_then(Result::ok);
            if let Some(stderr) = stderr {
                _ = timeout(DRAIN_TIMEOUT, stderr).await;
            }
        }
        let error = loss_error(&mux, reason, status, &tail);
        mux.close(&error);
        if !was_requested {
            mux.host.emit(Event::Disconnected(error.problem().to_owned()));
        }
        group.shut_down(&mut child, EXIT_TIMEOUT).await;
    }))
}

/// Returns the command, which the system looks up.
#[cfg(not(windows))]
fn executable(command: &StdioSpec) -> &str {
    command.command.expose()
}

/// Returns the file of the command, or the command itself if no file is found, for the error message.
#[cfg(windows)]
fn executable(command: &StdioSpec) -> String {
    let name = command.command.expose();
    let extensions = std::env::var("PATHEXT").ok();
    let is_file = |file: &str| std::path::Path::new(file).is_file();
    crate::program::find(name, &search_path(command), extensions.as_deref(), is_file)
        .unwrap_or_else(|| name.to_owned())
}

/// Returns the `PATH` in which the command is looked up.
fn search_path(command: &StdioSpec) -> String {
    let declared = command.env.get("PATH").cloned().flatten().and_then(|path| path.literal());
    let declared = declared.map(|path| path.expose().to_owned());
    declared.or_else(|| std::env::var("PATH").ok()).unwrap_or_default()
}

/// Waits for the exit, and briefly for the remaining output.
async fn wait_for_exit(child: &mut Child) {
    _ = child.wait().await;
    sleep(DRAIN_TIMEOUT / 2).await;
}

fn loss_error(mux: &Mux, reason: CloseReason, status: Option<ExitStatus>, tail: &Tail) -> ClientError {
    let mut problem = match (reason, status) {
        (CloseReason::Invalid(error), _) => return error,
        (CloseReason::Requested, _) => {
            return mux.host.closed_locally();
        }
        (_, Some(status)) if mux.has_sent_message() => {
            format!("it is no longer available: it exited with {status}")
        }
        (_, Some(status)) => format!("it exited with {status} before it responded"),
        (CloseReason::ReadFailed(error), None) => {
            format!("it is no longer available: its output cannot be decoded: {error} (see `encoding`)")
        }
        (CloseReason::Closed, None) => "it is no longer available: it closed its output".to_owned(),
    };
    if let Some(stray) = mux.stray() {
        _ = write!(problem, "; it wrote `{stray}` to its standard output, which is reserved for messages");
    }
    let last = tail.lines();
    if !last.is_empty() {
        _ = write!(problem, "; the last lines of its standard error: {last}");
    }
    let (kind, advice) = if mux.has_sent_message() {
        (
            ErrorKind::Lost,
            "check whether the request was executed before you repeat it; the next request restarts the server",
        )
    } else {
        (ErrorKind::Connect, "run the command in a terminal to see why it exits")
    };
    mux.host.error(kind, problem, advice)
}

fn token_error(name: &str, error: &TokenError, host: &Host) -> ClientError {
    let problem = format!("its environment variable `{name}` has no value: {error}");
    host.error(ErrorKind::Connect, problem, "make sure that the token can be fetched")
}

fn spawn_error(command: &StdioSpec, error: &io::Error, host: &Host) -> ClientError {
    // Unexpanded, since the values of variables may be secret.
    let program = quote(&command.command.to_string());
    let (problem, advice) = match (error.kind(), &command.cwd) {
        (io::ErrorKind::NotFound, Some(folder)) if !Path::new(folder.expose()).is_dir() => (
            format!("the folder {} does not exist", quote(&folder.to_string())),
            "create it, or use another one",
        ),
        (io::ErrorKind::NotFound, _) if program.contains(['/', '\\']) => {
            (format!("the program {program} does not exist"), "check the path")
        }
        (io::ErrorKind::NotFound, _) => (
            format!("the command `{program}` is not found in {}", quote(&search_path(command))),
            "install it, or use its full path",
        ),
        (io::ErrorKind::PermissionDenied, _) => {
            (format!("{program} is not executable"), "make the file executable, or use another one")
        }
        _ => (format!("{program} cannot be started: {error}"), "check the command"),
    };
    host.error(ErrorKind::Connect, problem, advice)
}

async fn read_stderr(mut pipe: ChildStderr, tail: Arc<Tail>, host: Arc<Host>) {
    let (mut line, mut chunk) = (Vec::new(), [0; 1024]);
    while let Ok(read) = pipe.read(&mut chunk).await {
        for &byte in &chunk[..read] {
            if byte != b'\n' && line.len() < MAX_LINE_BYTES {
                line.push(byte);
            } else if byte == b'\n' {
                tail.push(&mut line, &host);
            }
        }
        if read == 0 {
            break;
        }
    }
    if !line.is_empty() {
        tail.push(&mut line, &host);
    }
}

impl Tail {
    fn push(&self, line: &mut Vec<u8>, host: &Host) {
        let text = String::from_utf8_lossy(line).trim_end().to_owned();
        line.clear();
        host.emit(Event::Stderr(text.clone()));
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == MAX_TAIL_LINES {
            lines.pop_front();
        }
        lines.push_back(text);
    }

    fn lines(&self) -> String {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let quoted_lines: Vec<_> =
            lines.iter().map(|line| quote(line)).filter(|line| !line.is_empty()).collect();
        quoted_lines.join(" | ")
    }
}

/// The process group of a server, which is killed on drop.
struct Group {
    #[cfg(unix)]
    leader: Option<rustix::process::Pid>,
    #[cfg(unix)]
    guarded: Option<crate::process_guard::GuardedGroup>,
}

impl Group {
    #[cfg(unix)]
    fn new(child: &Child, uses_guard: bool) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        let guarded = id.filter(|_| uses_guard).map(crate::process_guard::guard);
        Self { leader: id.and_then(rustix::process::Pid::from_raw), guarded }
    }

    #[cfg(not(unix))]
    fn new(_: &Child, _uses_guard: bool) -> Self {
        Self {}
    }

    /// Waits for the exit, then terminates the group, then kills it.
    async fn shut_down(mut self, child: &mut Child, time_limit: Duration) {
        if !self.exits_within(child, time_limit).await {
            self.signal(false);
            if !self.exits_within(child, time_limit).await {
                self.signal(true);
                _ = child.start_kill();
                _ = timeout(time_limit, child.wait()).await;
            }
        }
        self.release();
    }

    /// Waits up to `time_limit` until the process and its group have exited; returns whether they have.
    async fn exits_within(&self, child: &mut Child, time_limit: Duration) -> bool {
        let end = Instant::now() + time_limit;
        if timeout(time_limit, child.wait()).await.is_err() {
            return false;
        }
        while self.has_members() {
            if Instant::now() >= end {
                return false;
            }
            sleep(Duration::from_millis(10)).await;
        }
        true
    }

    #[cfg(unix)]
    fn has_members(&self) -> bool {
        self.leader.is_some_and(|leader| rustix::process::test_kill_process_group(leader).is_ok())
    }

    #[cfg(unix)]
    fn signal(&self, force: bool) {
        use rustix::process::Signal;
        let signal = if force { Signal::KILL } else { Signal::TERM };
        if let Some(leader) = self.leader {
            // It fails if the group has no members.
            _ = rustix::process::kill_process_group(leader, signal);
        }
    }

    #[cfg(unix)]
    fn release(&mut self) {
        (self.leader, self.guarded) = (None, None);
    }

    #[cfg(not(unix))]
    fn has_members(&self) -> bool {
        false
    }

    #[cfg(not(unix))]
    fn signal(&self, _force: bool) {}

    #[cfg(not(unix))]
    fn release(&mut self) {}
}

/// If the runtime shuts down first, there is no time for a graceful shutdown.
impl Drop for Group {
    fn drop(&mut self) {
        self.signal(true);
    }
}
