//! `cargo mcp completions`: the completion script of a shell.

use clap::{Args, Command};
use clap_complete::Shell;

use crate::error::Error;
use crate::exit::Exit;
use crate::flags::OutputArgs;
use crate::shell;

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

impl CompletionsArgs {
    /// What `--help` shows below the flags.
    pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo mcp completions zsh > ~/.zfunc/_cargo-mcp
  cargo mcp completions fish > ~/.config/fish/conf.d/cargo-mcp.fish
  echo 'source <(cargo mcp completions bash)' >> ~/.bashrc

They complete `cargo mcp …` and `cargo-mcp …`. In zsh, cargo's own completions
use them if ~/.zfunc is in fpath.";
}

/// Prints the completion script of `command`, which is this program.
///
/// # Errors
/// [`Error::Write`].
pub(crate) fn run(args: &CompletionsArgs, command: Command) -> Result<Exit, Error> {
    // Subcommands are named after it.
    let mut command = command.bin_name("cargo-mcp");
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "cargo-mcp", &mut text);
    let text = String::from_utf8_lossy(&text);
    let text = match args.shell {
        // The generator takes the `-` in the name of the program for the start of a subcommand.
        Shell::Bash => {
            text.replace("cargo__subcmd__mcp", "cargo__mcp") + include_str!("completions/cargo.bash")
        }
        Shell::Fish => text.into_owned() + include_str!("completions/cargo.fish"),
        // The completions of cargo in zsh call `_cargo-mcp` for `cargo mcp`; other shells have no completions of cargo.
        _ => text.into_owned(),
    };
    shell::print(&text)?;
    Ok(Exit::Ok)
}
