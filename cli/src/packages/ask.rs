//! Asks a program for its tools, without running its `main`.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Stdio;

use toolwright_core::link;
use toolwright_core::manifest::answer::Answer;

use super::build::Program;
use crate::error::Error;
use crate::shell::{self, Shell};

/// What a program answered.
#[derive(Debug)]
pub(super) struct Answered {
    /// The name of the program's target.
    pub(super) program: String,
    /// The answer.
    pub(super) answer: Answer,
}

impl Answered {
    /// Whether the program links a tool that this package derives, or something that it declares.
    pub(super) fn has_tools_of(&self, package: &str) -> bool {
        let Answer { toolsets, tools, features, .. } = &self.answer;
        let mut origins = toolsets
            .iter()
            .map(|set| &set.origin)
            .chain(tools.iter().map(|tool| &tool.origin))
            .chain(features.iter().map(|features| &features.origin));
        origins.any(|origin| origin.package == package)
    }

    /// Shortens the source paths below `root`: the compiler has whole ones for packages outside of the workspace that
    /// it builds, as libraries are outside of their harness's.
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

/// Asks a program; `None` if Toolwright is not in it, so that only its `main` would run.
pub(super) fn program(program: &Program, shell: Shell) -> Result<Option<Answered>, Error> {
    if !answers(&program.file)? {
        return Ok(None);
    }
    let folder = tempfile::tempdir().map_err(|source| Error::Write { file: env::temp_dir(), source })?;
    let file = folder.path().join("answer.json");
    shell.running(&format_args!("{}={} {}", link::VARIABLE, file.display(), program.file.display()));

    let mut command = program.command();
    command.env(link::VARIABLE, &file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let output =
        command.output().map_err(|source| Error::NotRunnable { file: program.file.clone(), source })?;
    let said = String::from_utf8_lossy(&output.stderr);
    let text = match fs::read_to_string(&file) {
        Ok(text) if output.status.success() => text,
        _ => {
            let (file, status, text) = (program.file.clone(), output.status, said.into_owned());
            return Err(Error::Silent { file, status, text });
        }
    };
    if !said.is_empty() {
        // From a constructor of the user's own, or from code that makes a default value.
        shell::text(&said.trim_end());
    }
    let answer =
        Answer::from_json(&text).map_err(|source| Error::Answer { file: program.file.clone(), source })?;
    Ok(Some(Answered { program: program.name.clone(), answer }))
}

/// Whether Toolwright is in the program: its constructor answers before `main`.
pub(super) fn answers(file: &Path) -> Result<bool, Error> {
    let bytes = fs::read(file).map_err(|source| Error::Read { file: file.to_owned(), source })?;
    Ok(memchr::memmem::find(&bytes, &link::MARKER).is_some())
}
