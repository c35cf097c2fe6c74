//! How a request to a running server ended: exit codes for scripts.

use std::process::ExitCode;

use toolwright_client::ErrorKind;

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum RequestExit {
    /// Done.
    Ok = 0,
    /// The tool failed, or the server ended before it answered.
    Tool = 1,
    /// The flags are wrong. clap ends with this code too.
    Usage = 2,
    /// The server cannot be reached or started.
    Connect = 3,
    /// The server answered with an error, or with something that the protocol does not allow.
    Protocol = 4,
    /// No answer came in time.
    Timeout = 5,
    /// A file could not be read or written.
    File = 6,
}

impl RequestExit {
    /// What `--help` says about exit codes; `docs/cli.md` says the same.
    pub(crate) const HELP: &str = "\
Exit codes:
  0  done
  1  the tool failed, or the server ended before it answered
  2  the flags are wrong
  3  the server cannot be reached or started
  4  the server answered with an error, or breaks the protocol
  5  no answer came in time
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
