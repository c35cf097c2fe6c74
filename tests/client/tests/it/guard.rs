//! Servers of a program that is killed.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The processes with a word on their command line.
fn with_word(word: &str) -> Vec<u32> {
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

/// Starts a program with a server, kills the program, and waits for the server's processes to end; those that are left after
/// `time_limit`, which are ended then.
fn left_behind(mode: &str, fault: &str, time_limit: Duration) -> usize {
    static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let count = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    // A number of seconds to sleep that no other process has.
    let word = format!("90{}{count}", std::process::id());
    let mut program = Command::new(env!("CARGO_BIN_EXE_hold"))
        .args([mode, env!("CARGO_BIN_EXE_fx"), fault, &word])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(program.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    let is_server = |id: &u32| *id != program.id();
    assert!(with_word(&word).iter().any(is_server), "the server runs");
    // The guard starts beside the server.
    std::thread::sleep(Duration::from_millis(300));
    program.kill().unwrap();
    program.wait().unwrap();
    let end = Instant::now() + time_limit;
    while !with_word(&word).is_empty() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
    let left = with_word(&word);
    for id in &left {
        kill(*id);
    }
    left.len()
}

#[test]
fn no_server_outlives_a_program_that_is_killed() {
    for fault in ["stays", "launcher"] {
        assert_eq!(left_behind("guarded", fault, Duration::from_secs(2)), 0, "{fault}");
    }
}

#[test]
fn the_guard_can_be_disabled() {
    assert!(left_behind("unguarded", "stays", Duration::from_millis(1500)) > 0);
}
