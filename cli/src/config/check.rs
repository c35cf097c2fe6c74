//! `cargo mcp config check`.

use std::path::Path;

use toolwright_client::config::{Config, ConfigError, Problem, Severity, Source};

use super::args::{CheckArgs, Deny, ReportFormat};
use super::{new_reader, read_error, report};
use crate::error::Error;
use crate::exit::Exit;
use crate::shell::{self, Shell};

/// Reports the problems of all files.
///
/// # Errors
/// [`Error::Config`] for the first file that cannot be read.
pub(super) fn run(args: &CheckArgs, shell: Shell) -> Result<Exit, Error> {
    let mut is_denied = false;
    for file in &args.files {
        let (source, problems) = match new_reader().read(file) {
            Ok(config) => {
                summarize(&config, file, shell);
                (config.source().clone(), config.problems().to_vec())
            }
            Err(ConfigError::Invalid { file, problems }) => (*file, problems),
            Err(error) => return Err(read_error(error, file)),
        };
        is_denied |= problems.iter().any(|problem| denies(problem, args.deny));
        write(&source, &problems, args.format)?;
    }
    Ok(if is_denied { Exit::Usage } else { Exit::Ok })
}

fn denies(problem: &Problem, deny: Deny) -> bool {
    let least = match deny {
        Deny::Errors => Severity::Error,
        Deny::Warnings => Severity::Warning,
        Deny::Notes => Severity::Note,
    };
    problem.severity >= least
}

fn write(source: &Source, problems: &[Problem], format: ReportFormat) -> Result<(), Error> {
    match format {
        ReportFormat::Text => {
            for problem in problems {
                shell::print_styled(&report::text(source, problem))?;
            }
        }
        ReportFormat::Json => {
            for problem in problems {
                shell::print_json(&(report::json(source, problem).to_string() + "\n"))?;
            }
        }
    }
    Ok(())
}

/// Prints the number of servers by state.
fn summarize(config: &Config, file: &Path, shell: Shell) {
    let mut counts = vec![format!("{} can be used", config.servers().len())];
    for (names, what) in [(config.invalid_servers(), "cannot"), (config.disabled_servers(), "disabled")] {
        if !names.is_empty() {
            counts.push(format!("{} {what}", names.len()));
        }
    }
    shell.note(&format!("{}: servers: {}", file.display(), counts.join(", ")));
}
