//! Names of tools (2026-07-28, server/tools "Tool Names"), and of prompts, which many clients show as commands.

use syn::LitStr;
use syn::ext::IdentExt;

use super::text;
use crate::errors::Errors;
use crate::model::{Item, Kind};

const MAX_LENGTH: usize = 128;

pub(super) fn check(item: &Item<'_>, errors: &Errors) {
    let name = item.name();
    let kind = item.kind;
    match &item.attributes.name {
        Some(given) => {
            if let Some(problem) = find_problem(kind, &name) {
                errors.on(&given.value, problem);
            }
        }
        None => {
            if let Some(problem) = find_problem(kind, &name) {
                let ident = item.input.ident.unraw();
                errors.on(
                    &item.input.ident,
                    format!(
                        "{problem}; it is derived from `{ident}`, so set a name with `#[mcp(name = \"…\")]`"
                    ),
                );
            }
        }
    }
    if let Some(was) = &item.attributes.was {
        text::check_unique("the former name", &was.value, errors);
        was.value.iter().for_each(|former| check_former(former, &name, errors));
    }
}

fn check_former(former: &LitStr, name: &str, errors: &Errors) {
    if let Some(problem) = find_problem(Kind::Tool, &former.value()) {
        errors.on(former, problem);
    } else if former.value() == name {
        errors.on(former, format!("`{name}` is the current name of the tool; `was` lists its former names"));
    }
}

fn find_problem(kind: Kind, name: &str) -> Option<String> {
    if name.is_empty() {
        return Some(format!("an empty {} name; write 1 to 128 characters", kind.word()));
    }
    let allowed = |letter: &char| letter.is_ascii_alphanumeric() || "_-.".contains(*letter);
    if let Some(letter) = name.chars().find(|letter| !allowed(letter)) {
        let shown = letter.escape_debug();
        return Some(format!(
            "`{shown}` in a {} name; write only letters of ASCII, digits, `_`, `-` and `.`",
            kind.word()
        ));
    }
    let length = name.len();
    (length > MAX_LENGTH)
        .then(|| format!("a {} name of {length} characters; clients take at most {MAX_LENGTH}", kind.word()))
}

#[cfg(test)]
mod tests {
    use super::find_problem;
    use crate::model::Kind;

    #[test]
    fn names_have_1_to_128_characters_of_a_small_set() {
        for name in ["getUser", "DATA_EXPORT_v2", "admin.tools.list", "a-b", &"x".repeat(128)] {
            assert_eq!(find_problem(Kind::Tool, name), None, "{name}");
        }
        for name in ["", "get user", "a/b", "größe", "a\nb", &"x".repeat(129)] {
            assert!(find_problem(Kind::Prompt, name).is_some(), "{name}");
        }
    }
}
