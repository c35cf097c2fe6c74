//! Child processes: started in a process group of their own, monitored, and shut down gracefully.

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use crate::config::{Expanded, Settings, StdioSpec, TokenError, Tokens};
use crate::error::{ClientError, ErrorKind, quote};
use crate::event::Event;
use crate::host::Host;
use crate::input_requests::InputHandlers;

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
/// How many of the last lines that a program writes are kept for errors.
const MAX_TAIL_LINES: usize = 20;
/// The maximum length of a line that a program writes, in bytes; longer ones are cut.
const MAX_LINE_BYTES: usize = 4096;
/// How long to wait for the exit status and the last lines after the end of a program.
pub(crate) const DRAIN_TIMEOUT: Duration = Duration::from_millis(500);

/// A server over HTTP as a child process. [`Client::connect`](crate::Client::connect) starts servers over stdio by itself.
///
/// It is started like a server over stdio, but its standard input is empty, and both of its outputs are read line by line. Dropping
/// this kills its process group. If this program is killed, a guard process ends it
/// ([`ClientBuilder::without_guard`](crate::ClientBuilder::without_guard)).
///
/// ```no_run
/// use toolwright_client::config::StdioSpec;
/// use toolwright_client::{Client, ClientError, ServerProcess};
///
/// # async fn example() -> Result<(), ClientError> {
/// let command = StdioSpec::new("files-server").arg("--http").arg("127.0.0.1:8080");
/// let process = ServerProcess::start(&command, |line| eprintln!("{line}")).await?;
/// // … until it listens:
/// let client = Client::connect("http://127.0.0.1:8080/mcp").await?;
/// client.close().await;
/// process.shut_down().await;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ServerProcess {
    process: Process,
    stdout: Option<JoinHandle<()>>,
}

impl ServerProcess {
    /// Starts the program. `on_line` receives each line of its standard output and standard error, cut after 4096 bytes; it must not
    /// block.
    ///
    /// # Errors
    /// If the command cannot be started, or its environment refers to tokens.
    pub async fn start(
        command: &StdioSpec,
        on_line: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Self, ClientError> {
        let on_event = move |event| {
            if let Event::Stderr(line) = event {
                on_line(&line);
            }
        };
        let host =
            Host::new(&command.command.to_string(), InputHandlers::default(), Some(Box::new(on_event)));
        let host = Arc::new(host);
        let mut process = Process::start(command, &Tokens::new(), None, &host, true).await?;
        drop(process.child.stdin.take());
        let stdout = process.child.stdout.take();
        let stdout = stdout.map(|pipe| tokio::spawn(read_lines(pipe, Arc::clone(&process.tail), host)));
        Ok(Self { process, stdout })
    }

    /// Returns the exit status, or `None` while the program runs.
    pub fn exit_status(&mut self) -> Option<ExitStatus> {
        self.process.child.try_wait().ok().flatten()
    }

    /// Ends the program and everything in its process group: with SIGTERM, and with SIGKILL after [`EXIT_TIMEOUT`]. On systems
    /// without these signals, the program is killed after that time.
    ///
    /// Returns the last lines that it wrote, at most 20.
    pub async fn shut_down(self) -> Vec<String> {
        let Process { mut child, group, tail, stderr } = self.process;
        group.terminate(&mut child, EXIT_TIMEOUT).await;
        for reading in [self.stdout, stderr].into_iter().flatten() {
            _ = timeout(DRAIN_TIMEOUT, reading).await;
        }
        tail.lines()
    }
}

/// A running program, whose standard error is read.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) child: Child,
    pub(crate) group: Group,
    pub(crate) tail: Arc<Tail>,
    /// Reads standard error until it is closed.
    pub(crate) stderr: Option<JoinHandle<()>>,
}

impl Process {
    /// Starts a program with pipes, as the leader of a process group.
    ///
    /// # Errors
    /// If the command cannot be started, or a token in its environment is unavailable.
    pub(crate) async fn start(
        command: &StdioSpec,
        tokens: &Tokens,
        settings: Option<&str>,
        host: &Arc<Host>,
        uses_guard: bool,
    ) -> Result<Self, ClientError> {
        let mut process = Command::new(executable(command));
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
                    let value = value.map_err(|error| token_error(name, &error, host))?;
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
        let mut child = process.spawn().map_err(|error| spawn_error(command, &error, host))?;
        let group = Group::new(&child, uses_guard);
        let tail = Arc::new(Tail::default());
        let stderr = child.stderr.take();
        let stderr = stderr.map(|pipe| tokio::spawn(read_lines(pipe, Arc::clone(&tail), Arc::clone(host))));
        Ok(Self { child, group, tail, stderr })
    }
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

/// The last lines that a program wrote.
#[derive(Debug, Default)]
pub(crate) struct Tail(Mutex<VecDeque<String>>);

async fn read_lines(mut pipe: impl AsyncRead + Unpin, tail: Arc<Tail>, host: Arc<Host>) {
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

    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

/// The process group of a server, which is killed on drop.
#[derive(Debug)]
pub(crate) struct Group {
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
    pub(crate) async fn shut_down(mut self, child: &mut Child, time_limit: Duration) {
        if self.exits_within(child, time_limit).await {
            self.release();
        } else {
            self.terminate(child, time_limit).await;
        }
    }

    /// Terminates the group, then kills it.
    async fn terminate(mut self, child: &mut Child, time_limit: Duration) {
        self.signal(false);
        if !self.exits_within(child, time_limit).await {
            self.signal(true);
            _ = child.start_kill();
            _ = timeout(time_limit, child.wait()).await;
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

#[cfg(all(test, unix))]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Starts a script, and waits for its first line.
    async fn start(script: &str) -> ServerProcess {
        let (sender, lines) = mpsc::channel();
        let command = StdioSpec::new("/bin/sh").arg("-c").arg(script);
        // Later lines have no receiver.
        let started = ServerProcess::start(&command, move |line| drop(sender.send(line.to_owned()))).await;
        tokio::task::spawn_blocking(move || lines.recv_timeout(Duration::from_secs(10)).unwrap())
            .await
            .unwrap();
        started.unwrap()
    }

    #[tokio::test]
    async fn a_program_can_end_gracefully() {
        // Some shells report on standard error that `sleep` was terminated as well.
        let script =
            "exec 2>/dev/null; trap 'echo ended; exit' TERM; echo ready; while :; do sleep 0.01; done";
        assert_eq!(start(script).await.shut_down().await, ["ready", "ended"]);
    }

    #[tokio::test]
    async fn a_program_that_ignores_sigterm_is_killed() {
        let mut process = start("trap '' TERM; echo ready; while :; do sleep 0.1; done").await;
        assert_eq!(process.exit_status(), None);
        let before = Instant::now();
        assert_eq!(process.shut_down().await, ["ready"]);
        assert!(before.elapsed() >= EXIT_TIMEOUT);
    }

    #[tokio::test]
    async fn exit_status_and_both_outputs_are_known() {
        let mut process = start("echo out; read line; echo \"input: $?\" >&2; exit 3").await;
        let status = timeout(Duration::from_secs(10), async {
            loop {
                if let Some(status) = process.exit_status() {
                    break status;
                }
                sleep(Duration::from_millis(5)).await;
            }
        });
        assert_eq!(status.await.unwrap().code(), Some(3));
        let mut lines = process.shut_down().await;
        lines.sort();
        assert_eq!(lines, ["input: 1", "out"]);
    }
}
