//! `cargo mcp config convert`.

use toolwright_client::config::convert;

use super::args::ConvertArgs;
use super::{read_error, report};
use crate::error::Error;
use crate::exit::Exit;
use crate::shell::{self, Shell};
use crate::text_file;

/// Prints or writes the file in the format of another client.
///
/// # Errors
/// [`Error::Read`], [`Error::Lossy`], [`Error::Write`].
pub(super) fn run(args: &ConvertArgs, shell: Shell) -> Result<Exit, Error> {
    let file = &args.file;
    let text = text_file::read(file).map_err(|source| Error::Read { file: file.clone(), source })?;
    let converted = match convert(file, &text, args.to.dialect()) {
        Ok(converted) => converted,
        Err(toolwright_client::config::ConfigError::Invalid { file, problems }) => {
            for problem in &problems {
                shell::styled_message(&report::text(&file, problem));
            }
            return Ok(Exit::Usage);
        }
        Err(error) => return Err(read_error(error, file)),
    };
    for loss in &converted.losses {
        shell::warning(loss);
    }
    if args.deny_lossy && !converted.losses.is_empty() {
        return Err(Error::LossyConfig { count: converted.losses.len() });
    }
    match &args.out {
        None => shell::print(&converted.text)?,
        Some(out) => {
            text_file::write(out, &converted.text)?;
            shell.note(&format!("wrote {}", out.display()));
        }
    }
    Ok(Exit::Ok)
}
