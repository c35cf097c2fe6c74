//! The exit codes: one table for scripts, `--help` and `docs/cli.md`.

use std::process::ExitCode;

/// The exit code of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Success; nothing differs.
    Ok = 0,
    /// `manifest --check`, `pin`, `verify` or `tool roundtrip` found a difference.
    Drift = 1,
    /// Invalid or ambiguous arguments, an invalid configuration file, record of a tool or workflow. clap exits with this
    /// code too.
    Usage = 2,
    /// Cargo could not read the workspace or build the package.
    Cargo = 3,
    /// A program or server could not be run or queried.
    Artifact = 4,
    /// There are no tools, or none in the selected context.
    NoTools = 5,
    /// A file could not be read or written.
    File = 6,
    /// There are findings that are denied.
    Findings = 100,
}

impl Exit {
    /// What `--help` says about exit codes; `docs/cli.md` says the same.
    pub(crate) const HELP: &str = "\
Exit codes:
  0    success; nothing differs
  1    manifest --check, pin, verify or tool roundtrip found a difference
  2    invalid arguments, configuration file, record of a tool or workflow
  3    cargo could not read the workspace or build the package
  4    a program or server could not be run or queried
  5    there are no tools, or none in the context
  6    a file could not be read or written
  100  there are findings that are denied

Once its program runs, `cargo mcp serve` exits with the code of the program.";
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_and_the_documentation_list_every_code() {
        let documentation = include_str!("../../docs/cli.md");
        for exit in [
            Exit::Ok,
            Exit::Drift,
            Exit::Usage,
            Exit::Cargo,
            Exit::Artifact,
            Exit::NoTools,
            Exit::File,
            Exit::Findings,
        ] {
            let code = exit as u8;
            let line =
                Exit::HELP.lines().find_map(|line| line.strip_prefix(&format!("  {code:<3}  "))).unwrap();
            assert!(
                documentation.contains(&format!("| {code} | {line} |")),
                "docs/cli.md lacks: {code}  {line}"
            );
        }
        let (codes, serve) = Exit::HELP.split_once("\n\n").unwrap();
        assert_eq!(codes.lines().count(), 9, "a code in the help that is not in the table");
        assert!(documentation.contains(serve), "docs/cli.md lacks: {serve}");
    }
}
