//! Queries a program for its tools, without running its `main`.

use std::env;
use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use object::{Object as _, ObjectSection as _};
use toolwright_core::link;
use toolwright_core::manifest::answer::Answer;

use super::build::Program;
use crate::error::Error;
use crate::shell::{self, Shell};

/// Maximum number of bytes of a program's standard error to show.
const MAX_STDERR: usize = 64 << 10;

/// Timeout for the rest of its standard error after a program has ended.
const STDERR_GRACE: Duration = Duration::from_millis(200);

/// The answer of a program.
#[derive(Debug)]
pub(super) struct ProgramAnswer {
    /// The name of the program's target.
    pub(super) program: String,
    /// The answer.
    pub(super) answer: Answer,
}

impl ProgramAnswer {
    /// Returns whether the program links a tool that this package derives, or one of its declarations.
    pub(super) fn has_tools_of(&self, package: &str) -> bool {
        let Answer { toolsets, tools, features, .. } = &self.answer;
        let mut origins = toolsets
            .iter()
            .map(|set| &set.origin)
            .chain(tools.iter().map(|tool| &tool.origin))
            .chain(features.iter().map(|features| &features.origin));
        origins.any(|origin| origin.package == package)
    }

    /// Makes the source paths below `root` relative: the compiler receives absolute ones for packages outside of
    /// its workspace, such as the libraries of harnesses.
    pub(super) fn relative_to(mut self, root: &Path) -> Self {
        let Answer { toolsets, tools, features, .. } = &mut self.answer;
        let origins = toolsets
            .iter_mut()
            .map(|set| &mut set.origin)
            .chain(tools.iter_mut().map(|tool| &mut tool.origin))
            .chain(features.iter_mut().map(|features| &mut features.origin));
        for origin in origins {
            if let Ok(shorter) = Path::new(&origin.file).strip_prefix(root) {
                origin.file = shorter.to_string_lossy().into_owned();
            }
        }
        self
    }
}

/// Queries a program within `timeout`; `None` if it does not contain Toolwright, so that its `main` would run.
pub(super) fn query(
    program: &Program,
    timeout: Duration,
    shell: Shell,
) -> Result<Option<ProgramAnswer>, Error> {
    if !contains_toolwright(&program.file)? {
        return Ok(None);
    }
    let folder = tempfile::tempdir().map_err(|source| Error::Write { file: env::temp_dir(), source })?;
    let file = folder.path().join("answer.json");
    shell.running(&format_args!("{}={} {}", link::VARIABLE, file.display(), program.file.display()));

    let mut command = program.command();
    command.env(link::VARIABLE, &file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let result = wait_with_stderr(command, timeout);
    let (status, stderr) =
        result.map_err(|source| Error::NotRunnable { file: program.file.clone(), source })?;
    let Some(status) = status else {
        let seconds = timeout.as_secs();
        return Err(Error::Stuck { file: program.file.clone(), seconds, text: stderr });
    };
    let text = match fs::read_to_string(&file) {
        Ok(text) if status.success() => text,
        _ => return Err(Error::Silent { file: program.file.clone(), status, text: stderr }),
    };
    if !stderr.is_empty() {
        // From a constructor of the user, or from code that computes a default value.
        shell::text(&stderr);
    }
    let answer =
        Answer::from_json(&text).map_err(|source| Error::Answer { file: program.file.clone(), source })?;
    Ok(Some(ProgramAnswer { program: program.name.clone(), answer }))
}

/// Returns the exit status of a program, and the start of its standard error. No status if it was killed.
fn wait_with_stderr(mut command: Command, timeout: Duration) -> io::Result<(Option<ExitStatus>, String)> {
    let mut child = command.spawn()?;
    let (sender, stderr) = mpsc::channel();
    if let Some(pipe) = child.stderr.take() {
        thread::spawn(move || read_start(pipe, &sender));
    }
    let end = Instant::now() + timeout;
    let status = loop {
        match child.try_wait()? {
            Some(status) => break Some(status),
            None if Instant::now() < end => thread::sleep(Duration::from_millis(5)),
            None => {
                child.kill()?;
                child.wait()?;
                break None;
            }
        }
    };
    // A process that the program started may keep the pipe open.
    let mut bytes = Vec::new();
    while let Ok(part) = stderr.recv_timeout(STDERR_GRACE) {
        bytes.extend(part);
    }
    Ok((status, String::from_utf8_lossy(&bytes).trim_end().to_owned()))
}

/// Sends the first [`MAX_STDERR`] bytes, and reads the rest, so that the program does not block.
fn read_start(mut pipe: impl Read, sender: &mpsc::Sender<Vec<u8>>) {
    let (mut buffer, mut left) = ([0; 4096], MAX_STDERR);
    while let Ok(length @ 1..) = pipe.read(&mut buffer) {
        let part = &buffer[..length.min(left)];
        left -= part.len();
        if !part.is_empty() && sender.send(part.to_owned()).is_err() {
            return;
        }
    }
}

/// Returns whether the program contains Toolwright, so that its constructor answers before `main`: it has a
/// marker in a separate section. The same bytes elsewhere in a program do not count.
pub(super) fn contains_toolwright(file: &Path) -> Result<bool, Error> {
    let bytes = fs::read(file).map_err(|source| Error::Read { file: file.to_owned(), source })?;
    // A file that cannot be parsed is not such a program.
    let Ok(program) = object::File::parse(&*bytes) else { return Ok(false) };
    let marked = program.section_by_name(link::SECTION).and_then(|section| section.data().ok());
    Ok(marked.is_some_and(|data| data.starts_with(&link::MARKER)))
}
