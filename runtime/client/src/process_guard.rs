//! Ends the servers of a process that was killed.
//!
//! A process that is killed (SIGKILL) cannot clean up, and Linux's parent-death signal can only be requested by the
//! child between fork and exec, which needs unsafe code. Instead, one small shell per client process runs next to it:
//! it reads the ids of process groups, and when its input ends, because this process has ended in any way, it ends the
//! remaining groups. It leads its own process group, and has no other file descriptors of this process.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

/// The shell of POSIX systems; without it, nothing is guarded.
const SHELL: &str = "/bin/sh";
/// How often a guard is started; one that was killed is replaced.
const MAX_STARTS: u32 = 8;
/// Reads `+GROUP` and `-GROUP`, one per line. At the end of its input, the inputs of the servers have ended too, so
/// they get a moment before SIGTERM, and another one before SIGKILL. Not every `sleep` supports fractions.
const SCRIPT: &str = r#"trap '' HUP INT QUIT TERM
groups=' '
while read -r line; do
  id=${line#?}
  case $line in
  +*) groups="$groups$id " ;;
  *) case $groups in *" $id "*) groups="${groups%%" $id "*} ${groups#*" $id "}" ;; esac ;;
  esac
done
for signal in 0 TERM KILL; do
  left=' '
  for id in $groups; do
    kill -$signal "-$id" && left="$left$id "
  done 2>/dev/null
  groups=$left
  [ "$groups" = ' ' ] && exit
  [ $signal = KILL ] || sleep 0.4 2>/dev/null || sleep 1
done
"#;

static GUARD: Mutex<Guard> = Mutex::new(Guard { groups: BTreeSet::new(), shell: None, starts: 0 });

struct Guard {
    groups: BTreeSet<i32>,
    shell: Option<(Child, UnixStream)>,
    starts: u32,
}

/// A process group that is ended with this process. Dropping this removes it from the guard.
#[derive(Debug)]
pub(crate) struct GuardedGroup(i32);

/// Guards a process group, if the system supports it.
pub(crate) fn guard(group: i32) -> GuardedGroup {
    let mut guard = lock();
    guard.groups.insert(group);
    let is_running = guard.shell.is_some();
    guard.send(&format!("+{group}\n"));
    drop(guard);
    // Starting a program takes a millisecond or two, so it happens while the server starts.
    let start = || lock().start_if_needed();
    if !is_running && thread::Builder::new().name("toolwright-guard".to_owned()).spawn(start).is_err() {
        start();
    }
    GuardedGroup(group)
}

impl Drop for GuardedGroup {
    fn drop(&mut self) {
        let mut guard = lock();
        guard.groups.remove(&self.0);
        guard.send(&format!("-{}\n", self.0));
    }
}

fn lock() -> MutexGuard<'static, Guard> {
    GUARD.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Guard {
    fn start_if_needed(&mut self) {
        if self.shell.is_none() && !self.groups.is_empty() {
            self.start();
        }
    }

    fn start(&mut self) {
        if self.starts == MAX_STARTS {
            return;
        }
        self.starts += 1;
        self.shell = spawn().ok();
        let mut lines = String::new();
        for group in &self.groups {
            // Writing to a string cannot fail.
            _ = writeln!(lines, "+{group}");
        }
        self.send(&lines);
    }

    fn send(&mut self, lines: &str) {
        let Some((_, stream)) = &mut self.shell else { return };
        match stream.write_all(lines.as_bytes()) {
            // The guard is suspended: the lines are lost, as this process must not wait for it.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Ok(()) => {}
            Err(_) => {
                // It has exited, so this does not wait.
                if let Some((mut shell, _)) = self.shell.take() {
                    _ = shell.wait();
                }
                self.start_if_needed();
            }
        }
    }
}

fn spawn() -> io::Result<(Child, UnixStream)> {
    // A socket, as writing to a closed one raises no signal.
    let (ours, guards) = UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    let mut command = Command::new(SHELL);
    command.args(["-c", SCRIPT, "toolwright-guard"]).current_dir("/").env_clear();
    command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command.stdin(OwnedFd::from(guards)).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    Ok((command.spawn()?, ours))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    /// Starts a program that leads its own process group.
    fn start_leader(script: &str) -> (Child, i32) {
        let mut command = Command::new(SHELL);
        let child = command.args(["-c", script]).stdin(Stdio::null()).process_group(0).spawn().unwrap();
        let id = i32::try_from(child.id()).unwrap();
        (child, id)
    }

    fn ends_within(child: &mut Child, time_limit: Duration) -> bool {
        let end = Instant::now() + time_limit;
        while Instant::now() < end {
            if child.try_wait().unwrap().is_some() {
                return true;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        false
    }

    #[test]
    fn remaining_groups_are_ended() {
        let (mut gentle, first) = start_leader("exec sleep 60");
        let (mut stubborn, second) = start_leader("trap '' TERM; sleep 60 & wait; sleep 60");
        let (mut forgotten, third) = start_leader("exec sleep 60");
        let (mut shell, mut stream) = spawn().unwrap();
        let lines = format!("+{first}\n+{third}\n+{second}\n-{third}\n-4000000\n");
        stream.write_all(lines.as_bytes()).unwrap();
        assert!(!ends_within(&mut gentle, Duration::from_millis(100)));
        drop(stream);
        assert!(ends_within(&mut shell, Duration::from_secs(10)));
        assert!(ends_within(&mut gentle, Duration::from_secs(1)));
        assert!(ends_within(&mut stubborn, Duration::from_secs(1)));
        assert!(forgotten.try_wait().unwrap().is_none());
        forgotten.kill().unwrap();
        forgotten.wait().unwrap();
    }

    #[test]
    fn a_guard_that_was_killed_is_replaced() {
        let mut guard = Guard { groups: BTreeSet::from([4_000_001]), shell: None, starts: 0 };
        for start in 1..=MAX_STARTS {
            guard.start();
            let (shell, _) = guard.shell.as_mut().unwrap();
            shell.kill().unwrap();
            shell.wait().unwrap();
            assert_eq!(guard.starts, start);
            guard.shell = None;
        }
        guard.start();
        assert!(guard.shell.is_none(), "not forever");

        let mut guard = Guard { groups: BTreeSet::from([4_000_001]), shell: None, starts: 0 };
        guard.start();
        guard.shell.as_mut().unwrap().0.kill().unwrap();
        guard.shell.as_mut().unwrap().0.wait().unwrap();
        guard.send("+4000002\n");
        assert_eq!(guard.starts, 2);
        assert!(guard.shell.as_mut().unwrap().0.try_wait().unwrap().is_none());
    }
}
