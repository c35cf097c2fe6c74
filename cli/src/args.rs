//! The command line, as clap reads it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, ColorChoice, Parser, Subcommand, ValueEnum};

use crate::diff::DiffArgs;
use crate::exit::Exit;
use crate::offer::{FORMS, Source};
use crate::pins::{PinArgs, PinnedArgs, verify_help};
use crate::shell::Shell;

/// MCP tools of Rust crates, at build time.
#[derive(Debug, Parser)]
#[command(name = "cargo-mcp", bin_name = "cargo mcp", version, styles = clap_cargo::style::CLAP_STYLING)]
#[command(after_help = Exit::HELP, term_width = 80)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print or check what a package offers, without running its `main`, or what a server does
    #[command(after_help = help(&with_forms(ManifestArgs::EXAMPLES)))]
    Manifest(Box<ManifestArgs>),
    /// Print the documentation for agents, without running the package's `main`
    #[command(after_help = help(&with_forms(DocsArgs::EXAMPLES)))]
    Docs(Box<DocsArgs>),
    /// Find what clients refuse, misread or pay for
    #[command(after_help = help(&with_forms(crate::lint::EXAMPLES)))]
    Lint(Box<crate::lint::LintArgs>),
    /// Show one tool as clients see it, with its place in the source and a call that fits
    #[command(after_help = help(crate::expand::EXAMPLES))]
    Expand(Box<crate::expand::ExpandArgs>),
    /// Make a package with one tool and its tests
    #[command(after_help = crate::new::EXAMPLES)]
    New(crate::new::NewArgs),
    /// Print the completions of a shell
    #[command(after_help = crate::shells::COMPLETIONS_EXAMPLES)]
    Completions(crate::shells::CompletionsArgs),
    /// Print the manual page
    #[command(after_help = crate::shells::MAN_EXAMPLES)]
    Man(crate::shells::ManArgs),
    /// Build a server and run it on this process's standard input and output, as a client's command
    #[command(after_help = help(ServeArgs::EXAMPLES))]
    Serve(Box<ServeArgs>),
    /// Compare what is offered with what was, and say what breaks callers
    #[command(after_help = help(&DiffArgs::help()))]
    Diff(Box<DiffArgs>),
    /// Write what each definition hashes to into a lock file
    #[command(after_help = help(&PinArgs::help()))]
    Pin(Box<PinArgs>),
    /// Compare a package, a manifest or a running server with the lock file
    #[command(after_help = help(&verify_help()))]
    Verify(Box<PinnedArgs>),
}

impl Command {
    pub(crate) fn output(&self) -> &OutputArgs {
        match self {
            Self::Manifest(args) => &args.tools.packages.output,
            Self::Docs(args) => &args.tools.packages.output,
            Self::Lint(args) => &args.tools.packages.output,
            Self::Expand(args) => &args.tools.packages.output,
            Self::New(args) => &args.output,
            Self::Completions(args) => &args.output,
            Self::Man(args) => &args.output,
            Self::Serve(args) => &args.packages.output,
            Self::Diff(args) => &args.tools.packages.output,
            Self::Pin(args) => &args.pinned.tools.packages.output,
            Self::Verify(args) => &args.tools.packages.output,
        }
    }
}

/// What stands below the flags of a command: its examples, and the exit codes.
pub(crate) fn help(examples: &str) -> String {
    format!("{examples}\n\n{}", Exit::HELP)
}

/// The same for a command that takes a source.
pub(crate) fn with_forms(examples: &str) -> String {
    format!("SOURCE is one of:\n{FORMS}\n\n{examples}")
}

/// Takes out the `mcp` that cargo puts in front when it is called as `cargo mcp`.
pub(crate) fn without_cargo_s_own(
    args: impl IntoIterator<Item = OsString>,
) -> impl Iterator<Item = OsString> {
    args.into_iter().enumerate().filter(|(index, arg)| !(*index == 1 && arg == "mcp")).map(|(_, arg)| arg)
}

#[derive(Debug, Args)]
pub(crate) struct ManifestArgs {
    #[command(flatten)]
    pub(crate) from: SourceArgs,
    #[command(flatten)]
    pub(crate) result: ResultArgs,
    #[command(flatten)]
    pub(crate) tools: ToolsArgs,
}

/// What offers the definitions, for commands that look at one server or package.
#[derive(Debug, Args)]
pub(crate) struct SourceArgs {
    /// What offers the definitions [default: the package]
    #[arg(conflicts_with = "command")]
    source: Option<Source>,
    /// The command of a server, in the place of SOURCE
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

impl SourceArgs {
    pub(crate) fn source(&self) -> Source {
        Source::of(self.source.as_ref(), &self.command)
    }
}

impl ManifestArgs {
    const EXAMPLES: &str = "\
Examples:
  cargo mcp manifest                   print the tools of this package
  cargo mcp manifest --out mcp.json    keep them in a file
  cargo mcp manifest --check mcp.json  fail if the file is out of date
  cargo mcp manifest --workspace --out manifests/
  cargo mcp manifest --artifact target/release/shop --format jsonl
  cargo mcp manifest --out theirs.json -- npx shop-server
  cargo mcp manifest --format html --out tools.html
  cargo mcp manifest --format openai-strict --deny-lossy";
}

#[derive(Debug, Args)]
pub(crate) struct DocsArgs {
    #[command(flatten)]
    pub(crate) from: SourceArgs,
    /// Names and descriptions only, one line each
    #[arg(long)]
    pub(crate) simple: bool,
    #[command(flatten)]
    pub(crate) tools: ToolsArgs,
}

impl DocsArgs {
    const EXAMPLES: &str = "\
Examples:
  cargo mcp docs > TOOLS.md                whole pages
  cargo mcp docs -p shop --simple          one line each
  cargo mcp docs http://localhost:8080/mcp a running server
  cargo mcp docs --context orders/42       the tools of one place";
}

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// The package in this folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["manifest_path", "package", "workspace", "all", "exclude"])]
    pub(crate) workflow: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) packages: PackageArgs,
    /// Arguments of the program
    #[arg(last = true, value_name = "ARGS", help_heading = "Program")]
    pub(crate) arguments: Vec<OsString>,
}

impl ServeArgs {
    const EXAMPLES: &str = "\
Examples:
  cargo mcp serve -q                       the server of this package
  cargo mcp serve -q --workflow ../shop    the package in a folder
  cargo mcp serve -p shop --bin shop -- --port 8080";
}

/// Which tools are meant, and where they are.
#[derive(Debug, Args)]
pub(crate) struct ToolsArgs {
    /// Only the server of this name
    #[arg(long, value_name = "NAME")]
    pub(crate) server: Option<String>,
    /// Only the tools that can be used in this application context: its own, and those of the contexts above
    #[arg(long, value_name = "PATH")]
    pub(crate) context: Option<String>,
    /// Ask this program instead of building one
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "workspace", "all", "exclude", "lib", "bin", "example", "features", "all_features", "no_default_features",
        "release", "profile", "target_dir", "manifest_path", "locked", "offline", "frozen",
    ])]
    pub(crate) artifact: Option<PathBuf>,
    /// Seconds that a server or a program may take to answer everything that it is asked
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    #[command(flatten)]
    pub(crate) packages: PackageArgs,
}

impl ToolsArgs {
    /// How long a server or a program may take in all.
    pub(crate) fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout)
    }

    /// Whether the user said which package is meant, or how it is built.
    pub(crate) fn choose_a_package(&self) -> bool {
        let PackageArgs { packages, build, .. } = &self.packages;
        let is_chosen = packages.workspace
            || packages.all
            || !packages.package.is_empty()
            || !packages.exclude.is_empty();
        let features = &build.features;
        is_chosen
            || self.artifact.is_some()
            || build.names_a_target()
            || build.release
            || features.all_features
            || features.no_default_features
            || !features.features.is_empty()
            || build.profile.is_some()
            || build.target_dir.is_some()
            || build.manifest_path.is_some()
    }
}

/// Which packages are meant, and how they are built.
#[derive(Debug, Args)]
pub(crate) struct PackageArgs {
    #[command(flatten, next_help_heading = "Package selection")]
    pub(crate) packages: clap_cargo::Workspace,
    #[command(flatten)]
    pub(crate) build: BuildArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ResultArgs {
    /// Write to this file; with several servers to this folder, one file each
    #[arg(long, value_name = "PATH", conflicts_with = "check")]
    pub(crate) out: Option<PathBuf>,
    /// Compare with this file (or folder), print what differs, and exit with 1 if anything does
    #[arg(long, value_name = "PATH")]
    pub(crate) check: Option<PathBuf>,
    /// The form of the result
    #[arg(long, value_enum, default_value_t = Format::Mcp)]
    pub(crate) format: Format,
    /// Fail, and write nothing, if the form cannot hold everything
    #[arg(long)]
    pub(crate) deny_lossy: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// One JSON document a server
    Mcp,
    /// One tool definition a line
    Jsonl,
    /// Function tools for OpenAI's Responses API
    Openai,
    /// The same in strict mode
    OpenaiStrict,
    /// Tools for Anthropic's Messages API
    Anthropic,
    /// Function declarations for the Gemini API
    Gemini,
    /// An OpenAPI 3.1 document, one operation a tool
    Openapi,
    /// The MCP registry's server.json
    ServerJson,
    /// The manifest of a bundle for desktop clients
    Mcpb,
    /// A reference page
    Markdown,
    /// A reference page with a search, in one file
    Html,
    /// TypeScript types
    Typescript,
}

impl Format {
    /// The ending of a file of this form.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Markdown => "md",
            Self::Html => "html",
            Self::Typescript => "ts",
            Self::Mcp
            | Self::Openai
            | Self::OpenaiStrict
            | Self::Anthropic
            | Self::Gemini
            | Self::Openapi
            | Self::ServerJson
            | Self::Mcpb => "json",
        }
    }

    /// Whether the form is JSON, or JSON on each line.
    pub(crate) fn is_json(self) -> bool {
        matches!(self.extension(), "json" | "jsonl")
    }

    /// Whether a file of this form holds one server only.
    pub(crate) fn holds_one(self) -> bool {
        matches!(self, Self::Mcp | Self::Openapi | Self::ServerJson | Self::Mcpb)
    }
}

/// What is built and how: cargo's own flags, passed on.
#[derive(Debug, Args)]
#[command(next_help_heading = "Build")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of cargo's own")]
pub(crate) struct BuildArgs {
    /// The package's library
    #[arg(long, conflicts_with_all = ["bin", "example"])]
    pub(crate) lib: bool,
    /// This program of the package
    #[arg(long, value_name = "NAME")]
    pub(crate) bin: Vec<String>,
    /// This example of the package
    #[arg(long, value_name = "NAME")]
    pub(crate) example: Vec<String>,
    #[command(flatten)]
    pub(crate) features: clap_cargo::Features,
    /// Build in release mode
    #[arg(short, long, conflicts_with = "profile")]
    pub(crate) release: bool,
    /// Build with this profile
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// The folder for everything that is built
    #[arg(long, value_name = "FOLDER")]
    pub(crate) target_dir: Option<PathBuf>,
    /// Path to Cargo.toml
    #[arg(long, value_name = "PATH")]
    pub(crate) manifest_path: Option<PathBuf>,
    /// Refuse to change Cargo.lock
    #[arg(long)]
    pub(crate) locked: bool,
    /// Refuse to use the network
    #[arg(long)]
    pub(crate) offline: bool,
    /// Like --locked and --offline together
    #[arg(long)]
    pub(crate) frozen: bool,
}

/// What is said while working.
#[derive(Debug, Args)]
#[command(next_help_heading = "Messages")]
pub(crate) struct OutputArgs {
    /// Colours on standard error
    #[arg(long, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    color: ColorChoice,
    /// Only warnings and errors
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,
    /// Also the commands that are run; twice: cargo's too
    #[arg(short, long, action = ArgAction::Count)]
    verbose: u8,
}

impl OutputArgs {
    pub(crate) fn shell(&self) -> Shell {
        Shell::new(self.quiet, self.verbose > 0, self.color)
    }

    /// The same wishes in cargo's words.
    pub(crate) fn for_cargo(&self) -> Vec<OsString> {
        let mut flags: Vec<OsString> = vec!["--color".into(), self.color.to_string().into()];
        if self.quiet {
            flags.push("--quiet".into());
        }
        // The first `-v` is for the commands that are run here.
        flags.extend((1..self.verbose).map(|_| "--verbose".into()));
        flags
    }
}

impl BuildArgs {
    /// Whether the user named a target.
    pub(crate) fn names_a_target(&self) -> bool {
        self.lib || !self.bin.is_empty() || !self.example.is_empty()
    }

    /// `--features`, one name each: cargo separates them by spaces or commas.
    pub(crate) fn feature_names(&self) -> impl Iterator<Item = &str> {
        let names = self.features.features.iter().flat_map(|names| names.split([',', ' ']));
        names.filter(|name| !name.is_empty())
    }

    /// The profile, in cargo's words.
    pub(crate) fn profile_flags(&self) -> Vec<OsString> {
        match &self.profile {
            Some(profile) => vec!["--profile".into(), profile.into()],
            None if self.release => vec!["--release".into()],
            None => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_help_has_examples_and_fits_a_terminal_of_80_columns() {
        let mut command = Cli::command();
        command.build();
        for command in command.get_subcommands_mut().filter(|command| command.get_name() != "help") {
            let (name, page) = (command.get_name().to_owned(), command.render_long_help().to_string());
            assert!(page.contains("\nExamples:\n  cargo mcp "), "{name} has no examples:\n{page}");
            let wide = page.lines().find(|line| line.chars().count() > 80);
            assert!(wide.is_none(), "{name}: wider than 80 columns: {wide:?}");
        }
    }

    #[test]
    fn both_ways_to_call_are_the_same() {
        for line in ["cargo-mcp mcp manifest --out mcp", "cargo-mcp manifest --out mcp"] {
            let args = without_cargo_s_own(line.split(' ').map(OsString::from));
            let Command::Manifest(args) = Cli::try_parse_from(args).unwrap().command else {
                panic!("{line} is another command");
            };
            assert_eq!(args.result.out, Some("mcp".into()));
        }
    }
}
