//! `tokens`: which program or file a token comes from.

use super::entry::Entry;
use super::node::{Data, Member};
use super::problem::{Problem, ProblemKind, did_you_mean};
use super::provider::{CommandToken, FileToken};
use crate::config::Tokens;

/// The members of a token.
pub(super) const MEMBERS: [(&str, &str); 3] = [
    ("command", "The program that prints the token, without a shell."),
    ("args", "Its arguments. Every user of the machine can see them."),
    ("file", "The file that contains the token, instead of `command`."),
];

/// `tokens` with the one that the entry declares, unless something about it is wrong.
pub(super) fn declare(entry: &Entry<'_>, tokens: Tokens) -> Tokens {
    let Some(members) = entry.node.members() else {
        let message = format!("a token must be an object, not {}", entry.node.kind());
        entry.report(Problem::error(ProblemKind::WrongType, entry.node.span.clone(), message), None);
        return tokens;
    };
    for member in members {
        let known = MEMBERS.map(|(name, _)| name);
        if !known.contains(&member.name.as_str()) {
            let message = format!("unknown member `{}`{}", member.name, did_you_mean(&member.name, known));
            let problem = Problem::error(ProblemKind::UnknownMember, member.name_span.clone(), message);
            entry.report(problem.help("known are: command, args, file"), None);
        }
    }
    let find = |name: &str| members.iter().find(|member| member.name == name);
    match (find("command"), find("file")) {
        (Some(command), None) => match program(entry, command, find("args")) {
            Some(program) => tokens.with(entry.name, program),
            None => tokens,
        },
        (None, Some(file)) => {
            let path = entry.string(file).and_then(|known| entry.path(&known, &file.value.span, "file"));
            match path {
                Some(path) => tokens.with(entry.name, FileToken::at(&path)),
                None => tokens,
            }
        }
        (Some(_), Some(file)) => {
            let message = "it stands beside `command`".to_owned();
            entry.error(ProblemKind::Conflict, &file.name_span, "file", message, "keep one of the two");
            tokens
        }
        (None, None) => {
            let message = "nothing says where the token comes from";
            let problem = Problem::error(ProblemKind::Missing, entry.node.span.clone(), message);
            entry.report(problem.help("give it a `command` or a `file`"), None);
            tokens
        }
    }
}

fn program(entry: &Entry<'_>, command: &Member, args: Option<&Member>) -> Option<CommandToken> {
    let known = entry.string(command)?;
    let text = known.value.expose();
    if text.trim().is_empty() && !known.is_open {
        entry.error(
            ProblemKind::InvalidValue,
            &command.value.span,
            "command",
            "it is empty".to_owned(),
            "name a program",
        );
        return None;
    }
    let program =
        if text.contains('/') { entry.path(&known, &command.value.span, "command")? } else { known.value };
    let mut program = CommandToken::new(program);
    let Some(args) = args else { return Some(program) };
    let Data::List(items) = &args.value.data else {
        entry.wrong_type(&args.value, "args", "a list of strings");
        return None;
    };
    for item in items {
        let Some(text) = item.text() else {
            entry.wrong_type(item, "args", "a string");
            return None;
        };
        program = program.arg(entry.known(text, &item.span, "args")?.value);
    }
    Some(program)
}
