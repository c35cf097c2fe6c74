//! The help of the program itself, which lists its commands by purpose.

use std::fmt::Write as _;

use clap::{Command, CommandFactory as _};
use clap_cargo::style;

use crate::args::Cli;

/// The commands by purpose; each is in one group.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Definitions", &["manifest", "docs", "expand", "bindings", "new"]),
    ("Contract", &["lint", "diff", "pin", "verify"]),
    ("Client", &["list", "call", "get", "read", "ping", "import", "login"]),
    ("Gateway and agents", &["gateway", "graph", "agent", "tool", "parts"]),
    ("Setup", &["serve", "dev", "install", "uninstall", "bundle", "config", "completions", "man", "help"]),
];
/// The width of lines, and of the column of names.
const WIDTH: usize = 80;
const NAMES: usize = 15;

/// Returns the command line with the help of the program.
pub(crate) fn command() -> Command {
    let command = Cli::command();
    let template = format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n{groups}\n{0}Options:{0:#}\n{{options}}{{after-help}}",
        style::HEADER,
        groups = groups(&command)
    );
    command.help_template(template)
}

// Writing to a string cannot fail.

fn groups(command: &Command) -> String {
    let mut text = String::new();
    for (heading, names) in GROUPS {
        _ = writeln!(text, "\n{0}{heading}:{0:#}", style::HEADER);
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string);
            let about = about.unwrap_or_else(|| "Print this message or the help of a command".to_owned());
            let lines = wrapped(&about, WIDTH - NAMES);
            _ = writeln!(
                text,
                "  {0}{name}{0:#}{1:2$}{3}",
                style::LITERAL,
                "",
                NAMES - 2 - name.len(),
                lines[0]
            );
            for line in &lines[1..] {
                _ = writeln!(text, "{:NAMES$}{line}", "");
            }
        }
    }
    text
}

/// Breaks text into lines of at most `width` characters; there is at least one.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let mut grouped: Vec<_> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let mut command = command();
        command.build();
        let mut known: Vec<_> = command.get_subcommands().map(Command::get_name).collect();
        grouped.sort_unstable();
        known.sort_unstable();
        assert_eq!(grouped, known);
    }

    #[test]
    fn help_lists_commands_by_purpose() {
        let page = command().render_long_help().to_string();
        let mut rest = page.as_str();
        for (heading, names) in GROUPS {
            for part in std::iter::once(format!("\n\n{heading}:\n"))
                .chain(names.iter().map(|name| format!("  {name} ")))
            {
                let at = rest.find(&part).unwrap_or_else(|| panic!("no {part:?} in its place in {page}"));
                rest = &rest[at..];
            }
        }
        assert!(rest.contains("\nOptions:\n") && rest.contains("\nExit codes:\n"), "{page}");
        assert_eq!(page.matches("Write the tools of running servers").count(), 1, "{page}");
        assert!(page.lines().all(|line| line.chars().count() <= WIDTH), "{page}");
    }
}
