//! Servers of a killed program.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Returns the processes with this argument.
fn processes_with(word: &str) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let ids = entries.filter_map(|entry| {
        let id = entry.file_name().to_str()?.parse().ok()?;
        let line = std::fs::read(entry.path().join("cmdline")).ok()?;
        line.split(|byte| *byte == 0).any(|found| found == word.as_bytes()).then_some(id)
    });
    ids.collect()
}

fn kill(id: u32) {
    let killed = Command::new("kill").args(["-9", &id.to_string()]).status().unwrap();
    assert!(killed.success(), "{id} cannot be killed");
}

/// Starts a program with a server, kills the program, and waits for the processes of the server to exit. Returns the number of those
/// that are left after `time_limit`, and kills them.
fn count_survivors(mode: &str, fault: &str, time_limit: Duration) -> usize {
    static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let count = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    // A unique number of seconds to sleep.
    let word = format!("90{}{count}", std::process::id());
    let mut program = Command::new(env!("CARGO_BIN_EXE_hold-connection"))
        .args([mode, env!("CARGO_BIN_EXE_faulty-server"), fault, &word])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(program.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    let is_server = |id: &u32| *id != program.id();
    assert!(processes_with(&word).iter().any(is_server), "the server runs");
    // Wait for the guard to start.
    std::thread::sleep(Duration::from_millis(300));
    program.kill().unwrap();
    program.wait().unwrap();
    let end = Instant::now() + time_limit;
    while !processes_with(&word).is_empty() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
    let left = processes_with(&word);
    for id in &left {
        kill(*id);
    }
    left.len()
}

#[test]
fn no_server_outlives_a_program_that_is_killed() {
    for fault in ["stays", "launcher"] {
        assert_eq!(count_survivors("guarded", fault, Duration::from_secs(2)), 0, "{fault}");
    }
}

#[test]
fn the_guard_can_be_disabled() {
    assert!(count_survivors("unguarded", "stays", Duration::from_millis(1500)) > 0);
}
