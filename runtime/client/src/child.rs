//! Servers as child processes that exchange messages over standard input and output.

use std::fmt::Write as _;
use std::process::ExitStatus;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWriteExt as _};
use tokio::process::Child;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::config::{Encoding, StdioSpec, Tokens};
use crate::encoding::Decoder;
use crate::error::{ClientError, ErrorKind, quote};
use crate::event::Event;
use crate::lines::{self, CloseReason};
use crate::mux::Mux;
use crate::process::{DRAIN_TIMEOUT, EXIT_TIMEOUT, Process, Tail};

/// Starts a server. The returned task ends together with the channel and the process.
///
/// The process group is shut down with the process: its input is closed, then the group gets SIGTERM and SIGKILL, each after
/// [`EXIT_TIMEOUT`]. With `uses_guard`, the group is also ended when this process is killed.
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
    let process = Process::start(command, tokens, settings, &mux.host, uses_guard).await?;
    let Process { mut child, group, tail, stderr } = process;
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
    let lines = tail.lines();
    let lines: Vec<_> = lines.iter().map(|line| quote(line)).filter(|line| !line.is_empty()).collect();
    if !lines.is_empty() {
        _ = write!(problem, "; the last lines of its standard error: {}", lines.join(" | "));
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
