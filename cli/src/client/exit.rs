//! How a request to a running server ended: exit codes for scripts.

use std::process::ExitCode;

use toolwright_client::ErrorKind;

/// The outcome of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum RequestExit {
    /// Success.
    Ok = 0,
    /// The tool failed, or the server exited before it responded.
    Tool = 1,
    /// Invalid flags. clap exits with this code too.
    Usage = 2,
    /// The server cannot be reached or started.
    Connect = 3,
    /// The server responded with an error, or violated the protocol.
    Protocol = 4,
    /// Timeout.
    Timeout = 5,
    /// A file could not be read or written.
    File = 6,
}

impl RequestExit {
    /// The exit codes for `--help`; a test compares `docs/cli.md`.
    pub(crate) const HELP: &str = "\
Exit codes:
  0  success
  1  the tool failed, or the server exited before it responded
  2  invalid flags
  3  the server cannot be reached or started
  4  the server responded with an error, or violated the protocol
  5  timeout
  6  a file could not be read or written";
}

impl From<ErrorKind> for RequestExit {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Connect => Self::Connect,
            ErrorKind::Protocol => Self::Protocol,
            ErrorKind::Timeout => Self::Timeout,
            // `Tool` and `Lost`: the request was sent, and has no result.
            _ => Self::Tool,
        }
    }
}

impl From<RequestExit> for ExitCode {
    fn from(exit: RequestExit) -> Self {
        Self::from(exit as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_lists_every_code_of_a_request() {
        let documentation = include_str!("../../../docs/cli.md");
        let codes = RequestExit::HELP.lines().skip(1).filter_map(|line| line.trim().split_once("  "));
        assert_eq!(codes.clone().count(), 7);
        for (code, meaning) in codes {
            let row = format!("| {code} | {meaning} |");
            assert!(documentation.contains(&row), "docs/cli.md lacks: {row}");
        }
    }
}
