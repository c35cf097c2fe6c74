//! A package of generated types, in the target folder, and the programs that it makes.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use test_agreement::judge::{Fault, FaultKind};
use test_agreement::run::{Order, Report, progress_of, report_of};
use test_agreement::types::{Model, render};

/// How many types one program has. Each is compiled by itself, so that all cores have work.
const TYPES_PER_PROGRAM: usize = 50;

/// What the values follow from.
const SEED: u64 = 20_260_728;

/// Where packages are written and built.
pub(crate) struct Workshop {
    workspace: PathBuf,
    folder: PathBuf,
    target: PathBuf,
}

/// What became of some types.
pub(crate) struct Outcome {
    pub(crate) reports: Vec<Report>,
    /// What rustc said.
    pub(crate) accidents: Vec<String>,
}

impl Workshop {
    pub(crate) fn open() -> Self {
        let workspace = test_programs::repository().canonicalize().expect("the repository");
        let target = std::env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| workspace.join("target"), |target| workspace.join(target));
        Self { folder: target.join("agreement"), workspace, target }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Builds the types and tries values on each.
    pub(crate) fn examine(&self, name: &str, models: &[Model], values: usize) -> Outcome {
        let parts: Vec<&[Model]> = models.chunks(TYPES_PER_PROGRAM).collect();
        self.write(name, &parts, values);
        let mut outcome = Outcome { reports: Vec::new(), accidents: Vec::new() };
        if let Err(said) = self.build() {
            outcome.accidents.push(said);
            return outcome;
        }
        let start = |part: usize| {
            let program = self.target.join("debug").join(program(name, part));
            Command::new(program).arg(self.order(name, part)).spawn().expect("a program starts")
        };
        let programs: Vec<_> = (0..parts.len()).map(start).collect();
        for (part, mut running) in programs.into_iter().enumerate() {
            let mut skip = 0;
            loop {
                let status = running.wait().expect("a program ends");
                let order = self.order(name, part);
                let report = std::fs::read(report_of(&order)).expect("a program reports");
                outcome.reports.push(serde_json::from_slice(&report).expect("a report"));
                if status.success() {
                    break;
                }
                // What overflows the stack ends the program; those after it are tried by themselves.
                let progress =
                    std::fs::read_to_string(progress_of(&order)).expect("a program says where it is");
                let last = progress.lines().last().expect("a program tries something");
                let text = format!("{status}: most likely the stack is too small for it");
                let fault = Fault { kind: FaultKind::Panic, text };
                let faults = [(last.to_owned(), vec![fault])].into();
                outcome.reports.push(Report { faults, ..Report::default() });
                skip += progress.lines().count();
                self.write_order(name, part, parts[part], values, skip);
                running = start(part);
            }
        }
        outcome
    }

    fn write_order(&self, name: &str, part: usize, models: &[Model], values: usize, skip: usize) {
        let order = Order { models: models.to_vec(), values, seed: SEED, skip };
        let text = serde_json::to_string(&order).expect("types can be written");
        std::fs::write(self.order(name, part), text).expect("the target folder takes files");
    }

    fn order(&self, name: &str, part: usize) -> PathBuf {
        self.folder.join(format!("{name}{part}.json"))
    }

    fn write(&self, name: &str, parts: &[&[Model]], values: usize) {
        let sources = self.folder.join("src/bin");
        let _ = std::fs::remove_dir_all(&self.folder);
        std::fs::create_dir_all(&sources).expect("the target folder takes a folder");
        let write =
            |path: PathBuf, text: String| std::fs::write(path, text).expect("the target folder takes files");
        let lock = self.workspace.join("Cargo.lock");
        std::fs::copy(lock, self.folder.join("Cargo.lock")).expect("the workspace has a lock file");
        write(self.folder.join("Cargo.toml"), Self::manifest());
        for (part, models) in parts.iter().enumerate() {
            let mut rust = String::new();
            let mut cases = String::new();
            for model in *models {
                let types = &model.name;
                let _ =
                    writeln!(rust, "mod {types} {{\nuse test_agreement::prelude::*;\n{}}}", render(model));
                let bound = model.credentials();
                let _ = writeln!(cases, "Case::of_tool::<{types}::Root>(\"{types}\").bound(&{bound:?}),");
            }
            let _ = writeln!(
                rust,
                "use test_agreement::case::Case;\nfn main() {{ test_agreement::run::main(&[{cases}]); }}"
            );
            write(sources.join(format!("{}.rs", program(name, part))), rust);
            self.write_order(name, part, models, values, 0);
        }
    }

    /// A workspace of its own, with the profile of ours but for the generated code.
    fn manifest() -> String {
        let package = env!("CARGO_MANIFEST_DIR");
        format!(
            r#"[package]
name = "generated"
version = "0.0.0"
edition = "2024"
publish = false

[dependencies]
serde = {{ version = "1", features = ["derive"] }}
schemars = "1"
test-agreement = {{ path = "{package}" }}

[lints.rust]
warnings = "allow"

[profile.dev]
debug = "line-tables-only"
incremental = false

[profile.dev.package.generated]
debug = false
opt-level = 0

[workspace]
"#
        )
    }

    /// The error is what rustc said.
    fn build(&self) -> Result<(), String> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            .args(["build", "--quiet", "--offline", "--bins", "--manifest-path"])
            .arg(self.folder.join("Cargo.toml"))
            .env("CARGO_TARGET_DIR", &self.target)
            .output()
            .expect("cargo starts");
        if output.status.success() {
            Ok(())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
    }
}

fn program(name: &str, part: usize) -> String {
    format!("generated_{name}{part}")
}
