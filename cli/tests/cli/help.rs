//! `--help`, and the documents that are generated from it.

use crate::common::{mcp, scratch};

const COMMANDS: [&str; 11] = [
    "config",
    "manifest",
    "docs",
    "lint",
    "expand",
    "new",
    "install",
    "uninstall",
    "serve",
    "completions",
    "man",
];

#[test]
fn every_page_fits_80_columns() {
    let scratch = scratch();
    for command in [
        "",
        "config",
        "config check",
        "config show",
        "config convert",
        "config schema",
        "manifest",
        "docs",
        "lint",
        "expand",
        "new",
        "install",
        "uninstall",
        "serve",
        "completions",
        "man",
    ] {
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
    for command in ["config", "lint", "expand", "new", "install", "uninstall", "completions", "man"] {
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

#[test]
fn there_is_a_manual_page_for_every_command() {
    let scratch = scratch();
    let page = mcp(scratch.path(), "man").ok().stdout;
    assert!(page.contains(".TH cargo\\-mcp 1") || page.contains(".TH cargo-mcp 1"), "{page}");
    mcp(scratch.path(), "man --out .").ok();
    for command in COMMANDS {
        assert!(scratch.path().join(format!("cargo-mcp-{command}.1")).is_file(), "{command}");
    }
    mcp(scratch.path(), "man --out missing").ended(6);
}
