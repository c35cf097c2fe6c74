//! Files in Git revisions.

use std::path::Path;
use std::process::Command;

use super::load::SourceError;
use crate::command_line::display;

/// Reads `path` in `revision`: relative to the root of the repository or, if it starts with `./`, to `folder`.
pub(super) fn read(folder: &Path, revision: &str, path: &str) -> Result<String, SourceError> {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(["cat-file", "blob", &format!("{revision}:{path}")]);
    let failed = |text: String| SourceError::Git { command: display(&command), text };
    if revision.starts_with('-') {
        return Err(failed("a revision does not begin with `-`".to_owned()));
    }
    let output = Command::new(command.get_program())
        .args(command.get_args())
        .output()
        .map_err(|error| failed(format!("git cannot be started: {error}")))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).trim_end().to_owned()));
    }
    crate::text_file::decode(output.stdout).map_err(|error| failed(error.to_string()))
}
