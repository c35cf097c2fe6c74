//! Runs a client to completion, for at most a minute.

use std::process::Stdio;
use std::time::Duration;

use tokio::process::{Child, Command};
use tokio::time::timeout;

/// No client needs more than a few seconds; one that waits for an answer would wait forever.
pub(crate) const LIMIT: Duration = Duration::from_mins(1);

/// The output of a client.
pub(crate) struct Finished {
    pub(crate) success: bool,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs a client. A client that takes too long is killed and fails the test, and its server ends with it,
/// because a server ends when its standard input does.
pub(crate) async fn run(command: &mut Command) -> Finished {
    wait(start(command)).await
}

/// Runs a client that must succeed, and returns its output.
pub(crate) async fn run_ok(command: &mut Command) -> String {
    let finished = run(command).await;
    assert!(finished.success, "{command:?} failed:\n{}\n{}", finished.stdout, finished.stderr);
    finished.stdout
}

/// Starts a client with captured output. It is killed on drop.
pub(crate) fn start(command: &mut Command) -> Child {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?} does not start: {error}"))
}

/// Waits for the end of a client that was started.
pub(crate) async fn wait(child: Child) -> Finished {
    let output = timeout(LIMIT, child.wait_with_output())
        .await
        .expect("the client ends within a minute")
        .expect("the client's output can be read");
    Finished {
        success: output.status.success(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
