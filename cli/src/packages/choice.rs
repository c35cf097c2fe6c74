//! The choice of a package at the root of a workspace: building all of them to show one server takes minutes.

use std::fmt::Write as _;
use std::io::{self, BufRead as _, IsTerminal as _, Read as _};

use super::build::Cargo;
use super::workspace::{Selection, Workspace};
use crate::error::Error;
use crate::flags::PackageArgs;
use crate::shell::{self, Shell};

/// Maximum length of an answer.
const MAX_ANSWER: u64 = 1 << 10;

/// What the user chose.
#[derive(Debug, PartialEq, Eq)]
enum Choice {
    Package(String),
    All,
}

/// Selects a package if flags and folder do not, and several packages use Toolwright: on a terminal the user is asked.
///
/// # Errors
/// [`Error::SeveralPackages`] without a terminal or a valid answer, and any [`Error`] of reading the workspace.
pub(crate) fn choose(args: &mut PackageArgs, shell: Shell) -> Result<(), Error> {
    // Without running cargo, which the build does anyway.
    if args.select() {
        return Ok(());
    }
    let workspace = Workspace::load(&Cargo::new(args, shell))?;
    let selection = Selection::new(&workspace, args)?;
    if !selection.is_unspecific() {
        return Ok(());
    }
    let packages = selection.with_toolwright();
    let choice = match packages.as_slice() {
        // The build says what is missing.
        [] => Choice::All,
        [package] => Choice::Package(package.clone()),
        _ => ask(&packages).ok_or(Error::SeveralPackages { packages })?,
    };
    match choice {
        Choice::Package(package) => args.packages.package.push(package),
        Choice::All => args.packages.workspace = true,
    }
    Ok(())
}

/// Asks on the terminal; `None` without one, and for an answer that names no package.
fn ask(packages: &[String]) -> Option<Choice> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return None;
    }
    let mut text = "several packages use Toolwright:\n".to_owned();
    for (number, package) in (1..).zip(packages) {
        // Writing to a string cannot fail.
        _ = writeln!(text, "  {number}  {package}");
    }
    shell::prompt(&(text + "which one? Its number or name, or `all`: "));
    let mut answer = String::new();
    io::stdin().lock().take(MAX_ANSWER).read_line(&mut answer).ok()?;
    parse(&answer, packages)
}

fn parse(answer: &str, packages: &[String]) -> Option<Choice> {
    let answer = answer.trim();
    let numbered = answer.parse().ok().and_then(|number: usize| packages.get(number.checked_sub(1)?));
    let package = numbered.or_else(|| packages.iter().find(|package| *package == answer));
    match package {
        Some(package) => Some(Choice::Package(package.clone())),
        None => (answer == "all").then_some(Choice::All),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_a_number_a_name_or_all() {
        let packages = ["shop".to_owned(), "desk".to_owned()];
        let package = |name: &str| Some(Choice::Package(name.to_owned()));
        assert_eq!(parse(" 2\n", &packages), package("desk"));
        assert_eq!(parse("shop", &packages), package("shop"));
        assert_eq!(parse("all\r\n", &packages), Some(Choice::All));
        for other in ["", "0", "3", "-1", "sho", "99999999999999999999999"] {
            assert_eq!(parse(other, &packages), None, "{other}");
        }
    }
}
