//! The entry of one server: its members found, and read into simple values.

use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use toolwright_core::suggest::nearest;

use super::expand::{Expansion, Scope};
use super::grammar::{OTHERS, RULES, Transport, UNSUPPORTED, named, rule_of};
use super::node::{Data, Member, Node};
use super::place::place_in;
use super::problem::{Problem, ProblemKind, Severity};
use crate::config::{Expanded, Template};

/// The longest time that can be set, in seconds: a day.
const MAX_SECONDS: f64 = 86_400.0;

/// From how many seconds on a number is probably meant in milliseconds.
const SUSPICIOUS_SECONDS: f64 = 1_000.0;

/// An entry and what is wrong with it so far.
pub(super) struct Entry<'a> {
    /// What it is called: a server, unless `group` says otherwise.
    pub(super) name: &'a str,
    /// The member of the file that it stands in, for entries that are no servers.
    pub(super) group: Option<&'static str>,
    pub(super) node: &'a Node,
    pub(super) scope: &'a Scope<'a>,
    /// The text of the file.
    pub(super) text: &'a str,
    /// Whether unknown members are errors: in forms of ours.
    pub(super) is_strict: bool,
    /// What relative paths are taken from.
    pub(super) folder: &'a Path,
    pub(super) problems: RefCell<Vec<Problem>>,
}

impl Entry<'_> {
    /// The member of the rule of this name, under any of its spellings.
    pub(super) fn find(&self, name: &str) -> Option<&Member> {
        let rule = named(name)?;
        self.node.members()?.iter().find(|member| rule_of(&member.name) == Some(rule))
    }

    /// Reports members that nobody knows, and those that stand there under two names.
    pub(super) fn check_names(&self) {
        let mut seen: Vec<(&'static str, &str)> = Vec::new();
        for member in self.node.members().unwrap_or_default() {
            let name = member.name.as_str();
            let Some(rule) = rule_of(name) else {
                if !OTHERS.contains(&name) && !name.starts_with("x-") {
                    self.report_unknown(member);
                }
                continue;
            };
            match seen.iter().find(|(known, _)| *known == rule.name) {
                Some((_, before)) if *before != name => self.report(
                    Problem::error(
                        ProblemKind::Duplicate,
                        member.name_span.clone(),
                        format!("it means the same as `{before}`"),
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
        let near = suggestion(name).map(|near| format!(", did you mean `{near}`?"));
        let message = format!("unknown member `{name}`{}", near.as_deref().unwrap_or_default());
        let mut problem = Problem::new(severity, ProblemKind::UnknownMember, span, message);
        if near.is_none() {
            let known = RULES.iter().map(|rule| rule.name).collect::<Vec<_>>().join(", ");
            problem = problem.help(format!("known are: {known}"));
        }
        self.report(problem, None);
    }

    /// Reports members that do not go with the transport.
    pub(super) fn check_transport(&self, transport: Transport, ignored: &[&str]) {
        let severity = if self.is_strict { Severity::Error } else { Severity::Warning };
        for member in self.node.members().unwrap_or_default() {
            let Some(rule) = rule_of(&member.name) else { continue };
            if transport.takes(rule.on) || ignored.contains(&rule.name) {
                continue;
            }
            // Whoever writes both may mean either.
            let severity =
                if matches!(rule.name, "command" | "server" | "url") { Severity::Error } else { severity };
            let message = format!("it does not go with the transport {}", transport.name());
            let help = match rule.name {
                "timeout" => "for a program it is `request_timeout` or `start_timeout`".to_owned(),
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
        let message = format!("expected {expected}, found {}", node.kind());
        let help = match (&node.data, expected) {
            (Data::Number(_) | Data::Bool(_), "a string") => "put it in quotes",
            (Data::Text(_), "a list of strings") => "write a list with one string for each argument",
            (Data::List(_), "a string") if member == "command" => {
                "put the program into `command`, the rest into `args`"
            }
            _ => "",
        };
        self.error(ProblemKind::WrongType, &node.span, member, message, help);
    }

    /// A string with its variables replaced; problems are reported under `member`.
    pub(super) fn expand(&self, text: &str, span: &Range<usize>, member: &str) -> Option<Expansion> {
        let (expansion, faults) = self.scope.expand(text);
        let is_good = faults.iter().all(|fault| fault.severity < Severity::Error);
        for fault in faults {
            let place = place_in(self.text, span, text, &fault.range);
            let mut problem = Problem::new(fault.severity, fault.kind, place, fault.message);
            problem.help = fault.help;
            self.report(problem, Some(member));
        }
        is_good.then_some(expansion)
    }

    /// A string for a place where no token can be fetched.
    pub(super) fn string(&self, found: &Member) -> Option<Known> {
        let (name, node) = (found.name.as_str(), &found.value);
        let Some(text) = node.text() else {
            self.wrong_type(node, name, "a string");
            return None;
        };
        self.known(text, &node.span, name)
    }

    /// The same for a string at any place.
    pub(super) fn known(&self, text: &str, span: &Range<usize>, member: &str) -> Option<Known> {
        let expansion = self.expand(text, span, member)?;
        let Some(value) = expansion.shown_as(text) else {
            let message = "a token that is fetched at run time cannot stand here".to_owned();
            let help = "it can stand in `headers`, `auth_token` and `env`, which are secret";
            self.error(ProblemKind::Exposed, span, member, message, help);
            return None;
        };
        if value.expose().contains('\0') {
            self.error(ProblemKind::InvalidValue, span, member, "it has a NUL character".to_owned(), "");
            return None;
        }
        Some(Known { value, has_secret: expansion.has_secret, is_open: expansion.is_open })
    }

    /// A string in which tokens may stand.
    pub(super) fn template(&self, text: &str, span: &Range<usize>, member: &str) -> Option<Opaque> {
        let expansion = self.expand(text, span, member)?;
        Some(Opaque { is_open: expansion.is_open, template: Template::new(expansion.parts) })
    }

    pub(super) fn bool(&self, name: &str) -> Option<bool> {
        let found = self.find(name)?;
        match &found.value.data {
            Data::Bool(value) => Some(*value),
            Data::Text(_) => {
                let known = self.string(found)?;
                let value = known.value.expose().parse().ok();
                if value.is_none() && !known.is_open {
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

    pub(super) fn count(&self, name: &str) -> Option<NonZeroUsize> {
        let found = self.find(name)?;
        let number = match &found.value.data {
            Data::Number(number) => number.as_u64(),
            Data::Text(_) => self.string(found)?.value.expose().parse().ok(),
            _ => None,
        };
        let count = number.and_then(|number| usize::try_from(number).ok()).and_then(NonZeroUsize::new);
        if count.is_none() {
            self.wrong_type(&found.value, &found.name, "a whole number from 1");
        }
        count
    }

    /// Seconds as a number, or a string such as `500ms`, `30s` or `2m`.
    pub(super) fn duration(&self, name: &str) -> Option<Duration> {
        let found = self.find(name)?;
        let (node, member) = (&found.value, found.name.as_str());
        let (seconds, has_unit) = match &node.data {
            Data::Number(number) => (number.as_f64(), false),
            Data::Text(_) => {
                let known = self.string(found)?;
                if known.is_open {
                    return None;
                }
                seconds(known.value.expose())
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
            let message = format!("{seconds} seconds: it must be more than 0 and at most {MAX_SECONDS}");
            let help = if seconds > MAX_SECONDS {
                "it is in seconds; write \"5000ms\" for milliseconds"
            } else {
                ""
            };
            self.error(ProblemKind::InvalidValue, &node.span, member, message, help);
            return None;
        }
        if seconds >= SUSPICIOUS_SECONDS && !has_unit {
            let message = format!("{seconds} seconds are {:.0} minutes", seconds / 60.0);
            let help = format!("write \"{seconds}s\" if that is meant, or \"{seconds}ms\" for milliseconds");
            let problem =
                Problem::new(Severity::Warning, ProblemKind::InvalidValue, node.span.clone(), message)
                    .help(help);
            self.report(problem, Some(member));
        }
        Some(Duration::from_secs_f64(seconds))
    }

    /// A path, displayed as it was written if variables are in it: `~/` at its start is the user's folder, and a relative one is
    /// taken from the file's folder.
    pub(super) fn path(&self, value: &Known, span: &Range<usize>, member: &str) -> Option<Expanded> {
        let path = self.absolute(value, span, member)?;
        let path = path.to_string_lossy();
        let written = value.value.to_string();
        Some(if written == value.value.expose() { path.into() } else { Expanded::new(path, written) })
    }

    fn absolute(&self, value: &Known, span: &Range<usize>, member: &str) -> Option<PathBuf> {
        let text = value.value.expose();
        if text.is_empty() && !value.is_open {
            self.error(
                ProblemKind::InvalidValue,
                span,
                member,
                "it is empty".to_owned(),
                "write a path, or leave it out",
            );
            return None;
        }
        let rest = if text == "~" { Some("") } else { text.strip_prefix("~/") };
        let Some(rest) = rest else { return Some(self.folder.join(text)) };
        let home = self.scope.home();
        if home.is_none() && self.scope.leaves_variables {
            return Some(self.folder.join(text));
        }
        if home.is_none() {
            let message = "`~` cannot be replaced: HOME is not set".to_owned();
            self.error(ProblemKind::Unresolved, span, member, message, "set HOME, or write the path out");
        }
        home.map(|home| home.join(rest))
    }
}

/// A value that is known, unless it waits for an answer.
pub(super) struct Known {
    pub(super) value: Expanded,
    pub(super) has_secret: bool,
    /// Whether a part of it waits for an answer, so that it cannot be checked.
    pub(super) is_open: bool,
}

/// A value with tokens.
pub(super) struct Opaque {
    pub(super) template: Template,
    pub(super) is_open: bool,
}

/// The seconds of a string, and whether it has a unit.
fn seconds(text: &str) -> (Option<f64>, bool) {
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

/// The member that is probably meant by an unknown one.
pub(super) fn suggestion(name: &str) -> Option<&'static str> {
    // What other clients call it.
    const HABITS: [(&str, &str); 9] = [
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
    let habit = HABITS.iter().find(|(habit, _)| habit.eq_ignore_ascii_case(name)).map(|(_, meant)| *meant);
    habit.or_else(|| {
        let known =
            RULES.iter().flat_map(|rule| std::iter::once(rule.name).chain(rule.aliases.iter().copied()));
        let near = nearest(name, known)?;
        rule_of(near).map(|rule| rule.name)
    })
}
