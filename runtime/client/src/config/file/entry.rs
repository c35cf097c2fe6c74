//! One entry of a file: finds its members, and reads them as simple values.

use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use toolwright_core::suggest::nearest;

use super::expand::{Expansion, Scope};
use super::grammar::{IGNORED, RULES, Transport, UNSUPPORTED, find_rule, rule_named};
use super::node::{Data, Member, Node};
use super::problem::{Problem, ProblemKind, Severity};
use super::span::locate;
use crate::config::{Expanded, Template};

/// The maximum duration, in seconds: a day.
const MAX_SECONDS: f64 = 86_400.0;

/// From this number of seconds on, a number without a unit is probably in milliseconds.
const SUSPICIOUS_SECONDS: f64 = 1_000.0;

/// An entry, and its problems so far.
pub(super) struct Entry<'a> {
    /// The name of the server, or of the token if `group` is `tokens`.
    pub(super) name: &'a str,
    /// The member of the file that contains the entry, if the entry is not a server.
    pub(super) group: Option<&'static str>,
    pub(super) node: &'a Node,
    pub(super) scope: &'a Scope<'a>,
    /// The text of the file.
    pub(super) text: &'a str,
    /// Whether unknown members are errors, as in our own formats.
    pub(super) is_strict: bool,
    /// The folder that relative paths start at.
    pub(super) folder: &'a Path,
    pub(super) problems: RefCell<Vec<Problem>>,
}

impl Entry<'_> {
    /// Returns the member with the rule of this name, in any of its spellings.
    pub(super) fn find(&self, name: &str) -> Option<&Member> {
        let rule = rule_named(name)?;
        self.node.members()?.iter().find(|member| find_rule(&member.name) == Some(rule))
    }

    /// Reports unknown members, and members that appear under two names.
    pub(super) fn check_members(&self) {
        let mut seen: Vec<(&'static str, &str)> = Vec::new();
        for member in self.node.members().unwrap_or_default() {
            let name = member.name.as_str();
            let Some(rule) = find_rule(name) else {
                if !IGNORED.contains(&name) && !name.starts_with("x-") {
                    self.report_unknown(member);
                }
                continue;
            };
            match seen.iter().find(|(known, _)| *known == rule.name) {
                Some((_, before)) if *before != name => self.report(
                    Problem::error(
                        ProblemKind::Duplicate,
                        member.name_span.clone(),
                        format!("it has the same meaning as `{before}`"),
                    )
                    .help("remove one of the two"),
                    Some(name),
                ),
                Some(_) => {}
                None => seen.push((rule.name, name)),
            }
        }
    }

    fn report_unknown(&self, member: &Member) {
        let name = member.name.as_str();
        let severity = if self.is_strict { Severity::Error } else { Severity::Warning };
        let span = member.name_span.clone();
        if let Some((_, consequence)) = UNSUPPORTED.iter().find(|(known, _)| *known == name) {
            let message = format!("`{name}` is not supported: {consequence}");
            return self.report(Problem::new(severity, ProblemKind::Unsupported, span, message), None);
        }
        let suggestion = suggest_member(name).map(|similar| format!(", did you mean `{similar}`?"));
        let message = format!("unknown member `{name}`{}", suggestion.as_deref().unwrap_or_default());
        let mut problem = Problem::new(severity, ProblemKind::UnknownMember, span, message);
        if suggestion.is_none() {
            let known = RULES.iter().map(|rule| rule.name).collect::<Vec<_>>().join(", ");
            problem = problem.help(format!("known members: {known}"));
        }
        self.report(problem, None);
    }

    /// Reports members that the transport does not support.
    pub(super) fn check_transport(&self, transport: Transport, ignored: &[&str]) {
        let severity = if self.is_strict { Severity::Error } else { Severity::Warning };
        for member in self.node.members().unwrap_or_default() {
            let Some(rule) = find_rule(&member.name) else { continue };
            if transport.supports(rule.applies_to) || ignored.contains(&rule.name) {
                continue;
            }
            // It is unclear which of the two is intended.
            let severity =
                if matches!(rule.name, "command" | "server" | "url") { Severity::Error } else { severity };
            let message = format!("it is not supported by the transport {}", transport.name());
            let help = match rule.name {
                "timeout" => "for a program, use `request_timeout` or `start_timeout`".to_owned(),
                _ => "remove it, or change `type`".to_owned(),
            };
            let problem = Problem::new(severity, ProblemKind::Conflict, member.name_span.clone(), message);
            self.report(problem.help(help), Some(&member.name));
        }
    }

    pub(super) fn report(&self, problem: Problem, member: Option<&str>) {
        let problem = match self.group {
            None => problem.at(Some(self.name), member),
            Some(group) => {
                let inner = member.map(|member| format!(".{member}")).unwrap_or_default();
                problem.at(None, Some(&format!("{group}.{}{inner}", self.name)))
            }
        };
        self.problems.borrow_mut().push(problem);
    }

    pub(super) fn error(
        &self,
        kind: ProblemKind,
        span: &Range<usize>,
        member: &str,
        message: String,
        help: &str,
    ) {
        let mut problem = Problem::error(kind, span.clone(), message);
        if !help.is_empty() {
            problem = problem.help(help);
        }
        self.report(problem, Some(member));
    }

    pub(super) fn wrong_type(&self, node: &Node, member: &str, expected: &str) {
        let message = format!("expected {expected}, found {}", node.type_name());
        let help = match (&node.data, expected) {
            (Data::Number(_) | Data::Bool(_), "a string") => "put it in quotes",
            (Data::String(_), "a list of strings") => "write a list with one string per argument",
            (Data::Array(_), "a string") if member == "command" => {
                "put the program into `command`, and its arguments into `args`"
            }
            _ => "",
        };
        self.error(ProblemKind::WrongType, &node.span, member, message, help);
    }

    /// Expands a string; problems are reported for `member`.
    pub(super) fn expand(&self, text: &str, span: &Range<usize>, member: &str) -> Option<Expansion> {
        let (expansion, problems) = self.scope.expand(text);
        let is_valid = problems.iter().all(|problem| problem.severity < Severity::Error);
        for problem in problems {
            let located = locate(self.text, span, text, &problem.range);
            let mut reported = Problem::new(problem.severity, problem.kind, located, problem.message);
            reported.help = problem.help;
            self.report(reported, Some(member));
        }
        is_valid.then_some(expansion)
    }

    /// Reads a string that may contain variables, but no tokens.
    pub(super) fn read_string(&self, found: &Member) -> Option<ExpandedString> {
        let (name, node) = (found.name.as_str(), &found.value);
        let Some(text) = node.as_str() else {
            self.wrong_type(node, name, "a string");
            return None;
        };
        self.expand_string(text, &node.span, name)
    }

    /// Expands a string that may contain variables, but no tokens.
    pub(super) fn expand_string(
        &self,
        text: &str,
        span: &Range<usize>,
        member: &str,
    ) -> Option<ExpandedString> {
        let expansion = self.expand(text, span, member)?;
        let Some(value) = expansion.displayed_as(text) else {
            let message = "a token that is fetched at run time is not allowed here".to_owned();
            let help = "use it in `headers`, `auth_token` or `env`, whose values are secret";
            self.error(ProblemKind::Exposed, span, member, message, help);
            return None;
        };
        if value.expose().contains('\0') {
            self.error(ProblemKind::InvalidValue, span, member, "it contains a NUL character".to_owned(), "");
            return None;
        }
        Some(ExpandedString {
            value,
            has_secret: expansion.has_secret,
            is_incomplete: expansion.is_incomplete,
        })
    }

    /// Expands a string that may contain variables and tokens.
    pub(super) fn expand_template(
        &self,
        text: &str,
        span: &Range<usize>,
        member: &str,
    ) -> Option<ExpandedTemplate> {
        let expansion = self.expand(text, span, member)?;
        Some(ExpandedTemplate {
            is_incomplete: expansion.is_incomplete,
            template: Template::new(expansion.parts),
        })
    }

    pub(super) fn read_bool(&self, name: &str) -> Option<bool> {
        let found = self.find(name)?;
        match &found.value.data {
            Data::Bool(value) => Some(*value),
            Data::String(_) => {
                let text = self.read_string(found)?;
                let value = text.value.expose().parse().ok();
                if value.is_none() && !text.is_incomplete {
                    self.wrong_type(&found.value, &found.name, "true or false");
                }
                value
            }
            _ => {
                self.wrong_type(&found.value, &found.name, "true or false");
                None
            }
        }
    }

    pub(super) fn read_count(&self, name: &str) -> Option<NonZeroUsize> {
        let found = self.find(name)?;
        let number = match &found.value.data {
            Data::Number(number) => number.as_u64(),
            Data::String(_) => self.read_string(found)?.value.expose().parse().ok(),
            _ => None,
        };
        let count = number.and_then(|number| usize::try_from(number).ok()).and_then(NonZeroUsize::new);
        if count.is_none() {
            self.wrong_type(&found.value, &found.name, "a positive integer");
        }
        count
    }

    /// Reads a duration: seconds as a number, or a string such as `500ms`, `30s` or `2m`.
    pub(super) fn read_duration(&self, name: &str) -> Option<Duration> {
        let found = self.find(name)?;
        let (node, member) = (&found.value, found.name.as_str());
        let (seconds, has_unit) = match &node.data {
            Data::Number(number) => (number.as_f64(), false),
            Data::String(_) => {
                let text = self.read_string(found)?;
                if text.is_incomplete {
                    return None;
                }
                parse_seconds(text.value.expose())
            }
            _ => (None, false),
        };
        let Some(seconds) = seconds.filter(|seconds| seconds.is_finite()) else {
            self.wrong_type(
                node,
                member,
                "seconds as a number, or a string such as \"500ms\", \"30s\" or \"2m\"",
            );
            return None;
        };
        if seconds <= 0.0 || seconds > MAX_SECONDS {
            let message = format!(
                "{seconds} seconds is out of range: it must be more than 0 and at most {MAX_SECONDS}"
            );
            let help = if seconds > MAX_SECONDS {
                "the unit is seconds; write \"5000ms\" for milliseconds"
            } else {
                ""
            };
            self.error(ProblemKind::InvalidValue, &node.span, member, message, help);
            return None;
        }
        if seconds >= SUSPICIOUS_SECONDS && !has_unit {
            let message = format!("{seconds} seconds are {:.0} minutes", seconds / 60.0);
            let help =
                format!("write \"{seconds}s\" if that is intended, or \"{seconds}ms\" for milliseconds");
            let problem =
                Problem::new(Severity::Warning, ProblemKind::InvalidValue, node.span.clone(), message)
                    .help(help);
            self.report(problem, Some(member));
        }
        Some(Duration::from_secs_f64(seconds))
    }

    /// Resolves a path: `~/` at its start is the home directory, and a relative path starts at the folder of the file. A path with
    /// variables is displayed unexpanded.
    pub(super) fn resolve_path(
        &self,
        value: &ExpandedString,
        span: &Range<usize>,
        member: &str,
    ) -> Option<Expanded> {
        let path = self.absolute_path(value, span, member)?;
        let path = path.to_string_lossy();
        let unexpanded = value.value.to_string();
        let has_variables = unexpanded != value.value.expose();
        Some(if has_variables { Expanded::new(path, unexpanded) } else { path.into() })
    }

    fn absolute_path(&self, value: &ExpandedString, span: &Range<usize>, member: &str) -> Option<PathBuf> {
        let text = value.value.expose();
        if text.is_empty() && !value.is_incomplete {
            self.error(
                ProblemKind::InvalidValue,
                span,
                member,
                "it is empty".to_owned(),
                "write a path, or remove it",
            );
            return None;
        }
        let rest = if text == "~" { Some("") } else { text.strip_prefix("~/") };
        let Some(rest) = rest else { return Some(self.folder.join(text)) };
        let home = self.scope.home();
        if home.is_none() && self.scope.keeps_variables {
            return Some(self.folder.join(text));
        }
        if home.is_none() {
            let message = "`~` cannot be expanded: HOME is not set".to_owned();
            self.error(ProblemKind::Unresolved, span, member, message, "set HOME, or write the full path");
        }
        home.map(|home| home.join(rest))
    }
}

/// An expanded string without tokens.
pub(super) struct ExpandedString {
    pub(super) value: Expanded,
    pub(super) has_secret: bool,
    /// Whether the value of an input is missing, so that it cannot be checked.
    pub(super) is_incomplete: bool,
}

/// An expanded string that may contain tokens.
pub(super) struct ExpandedTemplate {
    pub(super) template: Template,
    pub(super) is_incomplete: bool,
}

/// Parses the seconds of a string; also returns whether it has a unit.
fn parse_seconds(text: &str) -> (Option<f64>, bool) {
    let text = text.trim();
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor = match unit {
        "" | "s" | "sec" => 1.0,
        "ms" => 0.001,
        "m" | "min" => 60.0,
        "h" => 3_600.0,
        _ => return (None, true),
    };
    let number = number.trim();
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let value = number.parse::<f64>().ok().filter(|_| is_number);
    (value.map(|value| value * factor), !unit.is_empty())
}

/// Suggests a known member for an unknown one.
pub(super) fn suggest_member(name: &str) -> Option<&'static str> {
    // Names in other programs.
    const SYNONYMS: [(&str, &str); 9] = [
        ("environment", "env"),
        ("environment_variables", "env"),
        ("uri", "url"),
        ("endpoint", "url"),
        ("cmd", "command"),
        ("program", "command"),
        ("executable", "command"),
        ("parameters", "args"),
        ("token", "auth_token"),
    ];
    let synonym = SYNONYMS.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
    synonym.map(|(_, member)| *member).or_else(|| {
        let known =
            RULES.iter().flat_map(|rule| std::iter::once(rule.name).chain(rule.aliases.iter().copied()));
        let similar = nearest(name, known)?;
        find_rule(similar).map(|rule| rule.name)
    })
}
