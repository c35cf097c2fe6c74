//! Names of servers.

use toolwright_core::names::check_server;

/// The longest name that a server should have, in characters: with 64 for the name of a tool, half is left for the tool.
pub const MAX_SERVER_NAME: usize = 32;

/// What is wrong with a name.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NameFault {
    /// Its tools could be taken for those of another server.
    Ambiguous(String),
    /// Its tools are listed under other names than `{server}__{tool}`.
    Changed(String),
}

/// Checks a name: 1 to 32 letters, digits and `-`, with single `_` inside.
pub(super) fn check(name: &str) -> Result<(), NameFault> {
    if let Err(error) = check_server(name) {
        return Err(NameFault::Ambiguous(error.to_string()));
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if let Some(bad) = name.chars().find(|c| !is_part(*c)) {
        return Err(NameFault::Changed(format!("the name has {bad:?}, which names of tools cannot have")));
    }
    if name.len() > MAX_SERVER_NAME {
        return Err(NameFault::Changed(format!(
            "the name has {} characters, and {MAX_SERVER_NAME} are for it",
            name.len()
        )));
    }
    Ok(())
}

/// A name like `name` that fits, to be proposed.
pub(super) fn proposal(name: &str) -> String {
    let mut fit = String::new();
    for character in name.chars() {
        let part = if character.is_ascii_alphanumeric() {
            character
        } else if character == '_' {
            '_'
        } else {
            '-'
        };
        if !(matches!(part, '_' | '-') && fit.ends_with(['_', '-'])) {
            fit.push(part);
        }
    }
    fit.truncate(MAX_SERVER_NAME);
    let fit = fit.trim_matches(['_', '-']);
    if fit.is_empty() { "server".to_owned() } else { fit.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// oops-rs/mentra#29, everruns/everruns#3399.
    #[test]
    fn names_keep_servers_apart() {
        for good in ["a", "files", "my-server", "a_b", "A1", &"x".repeat(32)] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in ["", "_a", "a_", "a__b"] {
            assert!(matches!(check(bad), Err(NameFault::Ambiguous(_))), "{bad}");
        }
        for changed in ["a b", "io.github.user/x", "é", &"x".repeat(33)] {
            assert!(matches!(check(changed), Err(NameFault::Changed(_))), "{changed}");
        }
    }

    #[test]
    fn a_proposal_is_a_name_that_fits() {
        for (name, fit) in
            [("io.github/x", "io-github-x"), ("a__b", "a_b"), ("_x_", "x"), ("é", "server"), ("", "server")]
        {
            assert_eq!(proposal(name), fit);
            assert_eq!(check(fit), Ok(()));
        }
        assert_eq!(check(&proposal(&"x ".repeat(40))), Ok(()));
    }
}
