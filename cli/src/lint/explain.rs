//! Descriptions of rules: `--list`, `--explain` and `docs/lints.md`.

use std::fmt::Write as _;

#[cfg(test)]
use super::rule::Level;
use super::rule::{Client, LintRule, RULES};

/// One line per rule.
pub(super) fn list(clients: &[Client]) -> String {
    let rules = RULES.iter().filter(|rule| rule.is_for(clients));
    rules.fold(String::new(), |mut text, rule| {
        // Writing to a string cannot fail.
        _ = writeln!(text, "{:<9}{:<26} {}", rule.level, rule.id(), rule.info.summary);
        text
    })
}

/// Formats all information about a rule.
pub(super) fn rule(rule: &LintRule) -> String {
    let mut text = format!("{}: {}\n\n", rule.id(), rule.info.summary);
    _ = writeln!(text, "level   {}\nfor     {}\n", rule.level, rule.clients_in_words());
    for line in wrap(&rule.info.why) {
        _ = writeln!(text, "{line}");
    }
    _ = writeln!(
        text,
        "\nWhat to do: {}.\n\nInstead of\n\n{}\n\nwrite\n\n{}\n",
        rule.info.advice,
        indent(&rule.example),
        indent(&rule.fix)
    );
    text.push_str("Sources:\n");
    for source in &rule.info.sources {
        _ = writeln!(text, "  {source}");
    }
    text
}

/// `docs/lints.md`.
#[cfg(test)]
pub(super) fn document() -> String {
    let mut text = String::from(HEADER);
    for level in [Level::Error, Level::Warning, Level::Note] {
        _ = write!(text, "\n## {}\n\n| rule | for | problem |\n|---|---|---|\n", heading(level));
        for rule in RULES.iter().filter(|rule| rule.level == level) {
            _ = writeln!(
                text,
                "| [`{0}`](#{0}) | {1} | {2} |",
                rule.id(),
                rule.clients_in_words(),
                rule.info.summary
            );
        }
    }
    text.push_str("\n## The rules\n");
    for rule in RULES.iter() {
        section(&mut text, rule);
    }
    text
}

#[cfg(test)]
fn section(text: &mut String, rule: &LintRule) {
    _ = write!(text, "\n### {}\n\n", rule.id());
    _ = writeln!(text, "**{}**, for {}: {}.\n", rule.level, rule.clients_in_words(), rule.info.summary);
    _ = writeln!(text, "{}\n", rule.info.why.trim());
    _ = writeln!(text, "What to do: {}.\n", rule.info.advice);
    _ = writeln!(
        text,
        "Instead of\n\n```json\n{}\n```\n\nwrite\n\n```json\n{}\n```\n",
        rule.example.trim(),
        rule.fix.trim()
    );
    let sources: Vec<_> = rule.info.sources.iter().map(|source| format!("<{source}>")).collect();
    _ = writeln!(text, "Sources: {}", sources.join(", "));
}

#[cfg(test)]
const HEADER: &str = "\
# The rules of `cargo mcp lint`

Generated from the files in [`cli/src/lint/rules`](../cli/src/lint/rules); a test keeps it up to date. See
[cli.md](cli.md#cargo-mcp-lint) for how to choose rules and change levels. In the examples, `\"300 × word\"` means 300 copies.
";

#[cfg(test)]
fn heading(level: Level) -> &'static str {
    match level {
        Level::Error => "Errors: a client rejects the tool, or all tools of the server",
        Level::Warning => "Warnings: some callers are worse off",
        Level::Note | Level::Allow => "Notes: it may be intended; shown with `--notes`",
    }
}

/// Wraps a paragraph to lines of at most 78 characters.
fn wrap(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().filter(|line| line.chars().count() + 1 + word.chars().count() <= 78);
        match last {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

fn indent(text: &str) -> String {
    text.trim().lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}
