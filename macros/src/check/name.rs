//! Tool names (2026-07-28, server/tools "Tool Names").

use syn::LitStr;
use syn::ext::IdentExt;

use super::text;
use crate::errors::Errors;
use crate::model::Tool;

const MAX_LENGTH: usize = 128;

pub(super) fn check(tool: &Tool<'_>, errors: &Errors) {
    let name = tool.name();
    match &tool.attributes.name {
        Some(given) => {
            if let Some(problem) = find_problem(&name) {
                errors.on(&given.value, problem);
            }
        }
        None => {
            if let Some(problem) = find_problem(&name) {
                let ident = tool.input.ident.unraw();
                errors.on(
                    &tool.input.ident,
                    format!(
                        "{problem}; it is derived from `{ident}`, so set a name with `#[mcp(name = \"…\")]`"
                    ),
                );
            }
        }
    }
    if let Some(was) = &tool.attributes.was {
        text::check_unique("the former name", &was.value, errors);
        was.value.iter().for_each(|former| check_former(former, &name, errors));
    }
}

fn check_former(former: &LitStr, name: &str, errors: &Errors) {
    if let Some(problem) = find_problem(&former.value()) {
        errors.on(former, problem);
    } else if former.value() == name {
        errors.on(former, format!("`{name}` is the current name of the tool; `was` lists its former names"));
    }
}

fn find_problem(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("an empty tool name; write 1 to 128 characters".to_owned());
    }
    let allowed = |letter: &char| letter.is_ascii_alphanumeric() || "_-.".contains(*letter);
    if let Some(letter) = name.chars().find(|letter| !allowed(letter)) {
        let shown = letter.escape_debug();
        return Some(format!(
            "`{shown}` in a tool name; write only letters of ASCII, digits, `_`, `-` and `.`"
        ));
    }
    let length = name.len();
    (length > MAX_LENGTH)
        .then(|| format!("a tool name of {length} characters; clients take at most {MAX_LENGTH}"))
}

#[cfg(test)]
mod tests {
    use super::find_problem;

    #[test]
    fn names_have_1_to_128_characters_of_a_small_set() {
        for name in ["getUser", "DATA_EXPORT_v2", "admin.tools.list", "a-b", &"x".repeat(128)] {
            assert_eq!(find_problem(name), None, "{name}");
        }
        for name in ["", "get user", "a/b", "größe", "a\nb", &"x".repeat(129)] {
            assert!(find_problem(name).is_some(), "{name}");
        }
    }
}
