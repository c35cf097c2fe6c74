//! `--help`, and the documents that are generated from it.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{mcp, run_with, scratch};

const COMMANDS: [&str; 13] = [
    "config",
    "manifest",
    "docs",
    "lint",
    "expand",
    "new",
    "install",
    "uninstall",
    "dev",
    "bundle",
    "serve",
    "completions",
    "man",
];

#[test]
fn every_page_fits_80_columns() {
    let scratch = scratch();
    let nested = ["", "config check", "config show", "config convert", "config schema"];
    for command in nested.into_iter().chain(COMMANDS) {
        for flag in ["-h", "--help"] {
            let page = mcp(scratch.path(), &format!("{command} {flag}")).ok().stdout;
            for line in page.lines() {
                assert!(line.chars().count() <= 80, "{command} {flag}: {line}");
            }
        }
    }
}

#[test]
fn new_commands_show_examples() {
    let scratch = scratch();
    for command in
        ["config", "lint", "expand", "new", "install", "uninstall", "dev", "bundle", "completions", "man"]
    {
        let page = mcp(scratch.path(), &format!("{command} --help")).ok().stdout;
        assert!(page.contains(&format!("Examples:\n  cargo mcp {command}")), "{page}");
    }
}

#[test]
fn completions_know_the_commands() {
    let scratch = scratch();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let text = mcp(scratch.path(), &format!("completions {shell}")).ok().stdout;
        for command in COMMANDS {
            assert!(text.contains(command), "{shell} does not know {command}");
        }
    }
    mcp(scratch.path(), "completions csh").ended(2);
}

/// What bash offers behind these words, of which the last one is not complete.
fn completed(folder: &Path, words: &str) -> Vec<String> {
    let script = format!(
        "source completions.bash\nCOMP_WORDS=({words})\nCOMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\ncomplete -p cargo \
         >&2\n_cargo__mcp_or_cargo cargo \"${{COMP_WORDS[-1]}}\" \"${{COMP_WORDS[-2]}}\"\nprintf '%s\\n' \
         \"${{COMPREPLY[@]}}\"\n"
    );
    let output = Command::new("bash")
        .args(["--norc", "--noprofile", "-c", &script])
        .current_dir(folder)
        .output()
        .expect("bash starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("-F _cargo__mcp_or_cargo cargo\n"), "{words}: {stderr}");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_cargo_mcp() {
    let scratch = scratch();
    let script = mcp(scratch.path(), "completions bash").ok().stdout;
    fs::write(scratch.path().join("completions.bash"), script).unwrap();
    for (words, expected) in [
        ("cargo mcp mani", vec!["manifest"]),
        ("cargo +nightly mcp veri", vec!["verify"]),
        ("cargo mcp manifest --form", vec!["--format"]),
        ("cargo mcp manifest --format ht", vec!["html"]),
        ("cargo mcp tool deco", vec!["decode"]),
        ("cargo mcp lint --color nev", vec!["never"]),
    ] {
        assert_eq!(completed(scratch.path(), words), expected, "{words}");
    }
    let all = completed(scratch.path(), "cargo mcp ''");
    for command in COMMANDS {
        assert!(all.iter().any(|word| word == command), "{command} is not in {all:?}");
    }
}

/// A completion of cargo that was there before is still used for everything else.
#[test]
fn bash_completes_cargo_as_before() {
    let scratch = scratch();
    let script = mcp(scratch.path(), "completions bash").ok().stdout;
    let before = "_theirs() { COMPREPLY=(\"$1 $2 $3\"); }\ncomplete -F _theirs cargo\n";
    fs::write(scratch.path().join("completions.bash"), format!("{before}{script}{script}")).unwrap();
    assert_eq!(completed(scratch.path(), "cargo bui"), ["cargo bui cargo"]);
    assert_eq!(completed(scratch.path(), "cargo build mcp"), ["cargo mcp build"]);
    assert_eq!(completed(scratch.path(), "cargo mcp mani"), ["manifest"]);
}

#[test]
fn there_is_a_manual_page_for_every_command() {
    let scratch = scratch();
    let page = mcp(scratch.path(), "man").ok().stdout;
    assert!(page.contains(".TH cargo\\-mcp 1") || page.contains(".TH cargo-mcp 1"), "{page}");
    mcp(scratch.path(), "man --out .").ok();
    for command in COMMANDS {
        assert!(scratch.path().join(format!("cargo-mcp-{command}.1")).is_file(), "{command}");
    }
    mcp(scratch.path(), "man --out a/b").ok();
    assert!(scratch.path().join("a/b/cargo-mcp.1").is_file(), "folders are created");
    mcp(scratch.path(), "man --out cargo-mcp.1/below").ended(6);
}

/// The flag decides, then `CARGO_TERM_COLOR` as in cargo, then `NO_COLOR` and whether it is a terminal.
#[test]
fn colors_follow_the_flag_and_the_variables_of_cargo() {
    let scratch = scratch();
    fs::write(
        scratch.path().join("a.json"),
        r#"{"manifestVersion":1,"server":{"name":"a","version":"1"},"tools":[]}"#,
    )
    .unwrap();
    fs::write(
        scratch.path().join("b.json"),
        r#"{"manifestVersion":1,"server":{"name":"a","version":"1"},"tools":[{"name":"t","inputSchema":{"type":"object"}}]}"#,
    )
    .unwrap();
    for words in [
        &["diff", "a.json", "b.json"][..],
        &["lint", "b.json"],
        &["lint", "--wrong"],
        &["--help"],
        &["lint", "no.json"],
    ] {
        let is_colored = |variables: &[(&str, &str)], flags: &[&str]| {
            let run = run_with(scratch.path(), &[words, flags].concat(), |command| {
                command.env_remove("NO_COLOR").envs(variables.iter().copied());
            });
            (run.stdout + &run.stderr).contains('\u{1b}')
        };
        assert!(!is_colored(&[], &[]), "{words:?}");
        assert!(is_colored(&[("CARGO_TERM_COLOR", "always")], &[]), "{words:?}");
        assert!(is_colored(&[("CARGO_TERM_COLOR", "always"), ("NO_COLOR", "1")], &[]), "{words:?}");
        assert!(!is_colored(&[("CARGO_TERM_COLOR", "blue")], &[]), "{words:?}");
        if words != ["--help"] {
            assert!(is_colored(&[], &["--color", "always"]), "{words:?}");
            assert!(!is_colored(&[("CARGO_TERM_COLOR", "always")], &["--color=never"]), "{words:?}");
        }
    }
}
