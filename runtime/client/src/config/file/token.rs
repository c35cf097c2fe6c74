//! `tokens`: the programs and files that tokens come from.

use super::entry::Entry;
use super::node::{Data, Member};
use super::problem::{Problem, ProblemKind, did_you_mean};
use super::provider::{CommandToken, FileToken};
use crate::config::Tokens;

/// The members of a token.
pub(super) const MEMBERS: [(&str, &str); 3] = [
    ("command", "The program that prints the token, started without a shell."),
    ("args", "Its arguments, which are visible to every user of the machine."),
    ("file", "The file that contains the token, instead of `command`."),
];

/// Adds the token of an entry to `tokens`, if the entry is valid.
pub(super) fn add_token(entry: &Entry<'_>, tokens: Tokens) -> Tokens {
    let Some(members) = entry.node.members() else {
        let message = format!("a token must be an object, not {}", entry.node.type_name());
        entry.report(Problem::error(ProblemKind::WrongType, entry.node.span.clone(), message), None);
        return tokens;
    };
    for member in members {
        let known = MEMBERS.map(|(name, _)| name);
        if !known.contains(&member.name.as_str()) {
            let message = format!("unknown member `{}`{}", member.name, did_you_mean(&member.name, known));
            let problem = Problem::error(ProblemKind::UnknownMember, member.name_span.clone(), message);
            entry.report(problem.help("known members: command, args, file"), None);
        }
    }
    let find = |name: &str| members.iter().find(|member| member.name == name);
    match (find("command"), find("file")) {
        (Some(command), None) => match read_program(entry, command, find("args")) {
            Some(program) => tokens.with(entry.name, program),
            None => tokens,
        },
        (None, Some(file)) => {
            let path = entry
                .read_string(file)
                .and_then(|known| entry.resolve_path(&known, &file.value.span, "file"));
            match path {
                Some(path) => tokens.with(entry.name, FileToken::from_expanded(&path)),
                None => tokens,
            }
        }
        (Some(_), Some(file)) => {
            let message = "it conflicts with `command`".to_owned();
            entry.error(ProblemKind::Conflict, &file.name_span, "file", message, "keep one of the two");
            tokens
        }
        (None, None) => {
            let message = "the token has neither a `command` nor a `file`";
            let problem = Problem::error(ProblemKind::Missing, entry.node.span.clone(), message);
            entry.report(problem.help("add a `command` or a `file`"), None);
            tokens
        }
    }
}

fn read_program(entry: &Entry<'_>, command: &Member, args: Option<&Member>) -> Option<CommandToken> {
    let known = entry.read_string(command)?;
    let text = known.value.expose();
    if text.trim().is_empty() && !known.is_incomplete {
        entry.error(
            ProblemKind::InvalidValue,
            &command.value.span,
            "command",
            "it is empty".to_owned(),
            "write the name of a program",
        );
        return None;
    }
    let program = if text.contains('/') {
        entry.resolve_path(&known, &command.value.span, "command")?
    } else {
        known.value
    };
    let mut program = CommandToken::new(program);
    let Some(args) = args else { return Some(program) };
    let Data::Array(items) = &args.value.data else {
        entry.wrong_type(&args.value, "args", "a list of strings");
        return None;
    };
    for item in items {
        let Some(text) = item.as_str() else {
            entry.wrong_type(item, "args", "a string");
            return None;
        };
        program = program.arg(entry.expand_string(text, &item.span, "args")?.value);
    }
    Some(program)
}
