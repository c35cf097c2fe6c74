//! Flags shared by several commands.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, ColorChoice};

use crate::shell::Shell;

/// Selects tools and their source.
#[derive(Debug, Args)]
pub(crate) struct ToolsArgs {
    /// Only this server
    #[arg(long, value_name = "NAME")]
    pub(crate) server: Option<String>,
    /// Only tools that are available in this application context: its own, and those of its parents
    #[arg(long, value_name = "PATH")]
    pub(crate) context: Option<String>,
    /// Query this program instead of building one
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "workspace", "all", "exclude", "lib", "bin", "example", "features", "all_features", "no_default_features",
        "release", "profile", "target_dir", "manifest_path", "locked", "offline", "frozen",
    ])]
    pub(crate) artifact: Option<PathBuf>,
    /// Timeout in seconds for all responses of a server or program
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    #[command(flatten)]
    pub(crate) packages: PackageArgs,
}

impl ToolsArgs {
    /// Returns the timeout for all responses of a server or program.
    pub(crate) fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout)
    }

    /// Returns whether the user selected a package or set build flags.
    pub(crate) fn selects_a_package(&self) -> bool {
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

/// Selects packages and how to build them.
#[derive(Debug, Args)]
pub(crate) struct PackageArgs {
    #[command(flatten, next_help_heading = "Package selection")]
    pub(crate) packages: clap_cargo::Workspace,
    #[command(flatten)]
    pub(crate) build: BuildArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

impl PackageArgs {
    /// Returns whether flags select packages or programs, so that nobody has to be asked.
    pub(crate) fn select(&self) -> bool {
        let Self { packages, build, .. } = self;
        packages.workspace
            || packages.all
            || !packages.package.is_empty()
            || !build.bin.is_empty()
            || !build.example.is_empty()
    }
}

/// What to build and how: flags that are passed to cargo.
#[derive(Debug, Args)]
#[command(next_help_heading = "Build")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of cargo's own")]
pub(crate) struct BuildArgs {
    /// Only the library of the package
    #[arg(long, conflicts_with_all = ["bin", "example"])]
    pub(crate) lib: bool,
    /// This binary of the package
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
    /// Directory for all build output
    #[arg(long, value_name = "FOLDER")]
    pub(crate) target_dir: Option<PathBuf>,
    /// Path to Cargo.toml
    #[arg(long, value_name = "PATH")]
    pub(crate) manifest_path: Option<PathBuf>,
    /// Require that Cargo.lock is up to date
    #[arg(long)]
    pub(crate) locked: bool,
    /// Do not access the network
    #[arg(long)]
    pub(crate) offline: bool,
    /// Same as --locked and --offline
    #[arg(long)]
    pub(crate) frozen: bool,
}

impl BuildArgs {
    /// Returns whether the user selected a target.
    pub(crate) fn names_a_target(&self) -> bool {
        self.lib || !self.bin.is_empty() || !self.example.is_empty()
    }

    /// Splits `--features` into names; cargo separates them with spaces or commas.
    pub(crate) fn feature_names(&self) -> impl Iterator<Item = &str> {
        let names = self.features.features.iter().flat_map(|names| names.split([',', ' ']));
        names.filter(|name| !name.is_empty())
    }

    /// The profile as flags of cargo.
    pub(crate) fn profile_flags(&self) -> Vec<OsString> {
        match &self.profile {
            Some(profile) => vec!["--profile".into(), profile.into()],
            None if self.release => vec!["--release".into()],
            None => Vec::new(),
        }
    }
}

/// Messages on standard error.
#[derive(Debug, Args)]
#[command(next_help_heading = "Messages")]
pub(crate) struct OutputArgs {
    /// When to use colors [default: auto, or as for cargo]
    #[arg(long, value_name = "WHEN")]
    color: Option<ColorChoice>,
    /// Print warnings and errors only
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,
    /// Print the commands that are run; twice for those of cargo as well
    #[arg(short, long, action = ArgAction::Count)]
    verbose: u8,
}

impl OutputArgs {
    pub(crate) fn shell(&self) -> Shell {
        Shell::new(self.quiet, self.verbose > 0, self.color.unwrap_or_else(default_color))
    }

    /// Returns the same settings as flags for cargo.
    pub(crate) fn to_cargo_flags(&self) -> Vec<OsString> {
        // Without the flag, cargo follows the same variables.
        let color = self.color.map(|color| ["--color".into(), color.to_string().into()]);
        let mut flags: Vec<OsString> = color.into_iter().flatten().collect();
        if self.quiet {
            flags.push("--quiet".into());
        }
        // The first `-v` is for the commands that are run here.
        flags.extend((1..self.verbose).map(|_| "--verbose".into()));
        flags
    }
}

/// Returns the choice of `CARGO_TERM_COLOR`, as cargo reads it; without one, the terminal and `NO_COLOR` decide.
fn default_color() -> ColorChoice {
    env::var("CARGO_TERM_COLOR").ok().and_then(|choice| choice.parse().ok()).unwrap_or(ColorChoice::Auto)
}

/// Returns the choice for messages about a command line that may not be valid.
pub(crate) fn color_of(args: &[OsString]) -> ColorChoice {
    let args: Vec<_> = args.iter().take_while(|arg| *arg != "--").filter_map(|arg| arg.to_str()).collect();
    let separate = args.windows(2).filter(|pair| pair[0] == "--color").map(|pair| pair[1]);
    let joined = args.iter().filter_map(|arg| arg.strip_prefix("--color="));
    separate.chain(joined).find_map(|choice| choice.parse().ok()).unwrap_or_else(default_color)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_for_colors_is_read_before_the_others() {
        let of = |line: &str| color_of(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert_eq!(of("cargo-mcp lint --color always --wrong"), ColorChoice::Always);
        assert_eq!(of("cargo-mcp lint --color=never"), ColorChoice::Never);
        assert_eq!(of("cargo-mcp lint --color=blue"), default_color());
        assert_eq!(of("cargo-mcp list -- server --color always"), default_color());
    }
}
