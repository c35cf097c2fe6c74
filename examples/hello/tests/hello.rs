//! The smallest server stays small, and it works.

use std::io::{Read, Write};
use std::process::{Command, Stdio};

/// What a user has to write for a first server.
#[test]
fn the_source_has_twelve_lines_at_most() {
    let lines = include_str!("../src/main.rs").lines().filter(|line| !line.trim().is_empty());
    assert!(lines.count() <= 12);
}

/// The transcript of the README, line by line.
#[test]
fn the_readme_shows_what_happens() {
    let transcript = include_str!("../README.md").split("```").nth(1).expect("a transcript");
    let lines = transcript.lines().skip(1);
    let (typed, expected): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.starts_with("> "));

    let mut program = Command::new(env!("CARGO_BIN_EXE_hello"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = program.stdin.take().expect("a pipe");
    for message in typed {
        writeln!(input, "{}", &message[2..]).expect("the program reads");
    }
    drop(input);
    let mut output = String::new();
    program.stdout.take().expect("a pipe").read_to_string(&mut output).expect("text");
    assert!(program.wait().expect("the program ends").success());

    assert_eq!(output.lines().collect::<Vec<_>>(), expected);
}
