//! Server names.

use toolwright_core::names::check_server;

/// The maximum length of a server name, in characters: half of the 64 characters of a tool name.
pub const MAX_SERVER_NAME: usize = 32;

/// A problem with a server name.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NameProblem {
    /// The names of its tools could be confused with those of another server.
    Ambiguous(String),
    /// Its tools get other names than `{server}__{tool}`.
    Changed(String),
}

/// Checks a name: 1 to 32 letters, digits and `-`, with single `_` inside.
pub(super) fn check_name(name: &str) -> Result<(), NameProblem> {
    if let Err(error) = check_server(name) {
        return Err(NameProblem::Ambiguous(error.to_string()));
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if let Some(bad) = name.chars().find(|c| !is_part(*c)) {
        return Err(NameProblem::Changed(format!(
            "the name contains {bad:?}, which is invalid in tool names"
        )));
    }
    if name.len() > MAX_SERVER_NAME {
        return Err(NameProblem::Changed(format!(
            "the name has {} characters; the limit is {MAX_SERVER_NAME}",
            name.len()
        )));
    }
    Ok(())
}

/// Suggests a valid name that is similar to `name`.
pub(super) fn suggest_name(name: &str) -> String {
    let mut valid = String::new();
    for character in name.chars() {
        let part = if character.is_ascii_alphanumeric() {
            character
        } else if character == '_' {
            '_'
        } else {
            '-'
        };
        if !(matches!(part, '_' | '-') && valid.ends_with(['_', '-'])) {
            valid.push(part);
        }
    }
    valid.truncate(MAX_SERVER_NAME);
    let valid = valid.trim_matches(['_', '-']);
    if valid.is_empty() { "server".to_owned() } else { valid.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// oops-rs/mentra#29, everruns/everruns#3399.
    #[test]
    fn ambiguous_and_invalid_names_are_rejected() {
        for good in ["a", "files", "my-server", "a_b", "A1", &"x".repeat(32)] {
            assert_eq!(check_name(good), Ok(()), "{good}");
        }
        for bad in ["", "_a", "a_", "a__b"] {
            assert!(matches!(check_name(bad), Err(NameProblem::Ambiguous(_))), "{bad}");
        }
        for changed in ["a b", "io.github.user/x", "é", &"x".repeat(33)] {
            assert!(matches!(check_name(changed), Err(NameProblem::Changed(_))), "{changed}");
        }
    }

    #[test]
    fn suggested_names_are_valid() {
        for (name, valid) in
            [("io.github/x", "io-github-x"), ("a__b", "a_b"), ("_x_", "x"), ("é", "server"), ("", "server")]
        {
            assert_eq!(suggest_name(name), valid);
            assert_eq!(check_name(valid), Ok(()));
        }
        assert_eq!(check_name(&suggest_name(&"x ".repeat(40))), Ok(()));
    }
}
