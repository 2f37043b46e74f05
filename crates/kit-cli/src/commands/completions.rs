//! The command `kit completions`.

use clap::{Args, Command};
use clap_complete::Shell;

use crate::Stream;
use crate::context::Context;

/// Print a shell script that completes the commands and options of kit.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit completions bash > ~/.local/share/bash-completion/completions/kit
  kit completions zsh > ~/.zfunc/_kit          with ~/.zfunc in fpath
  kit completions fish > ~/.config/fish/completions/kit.fish")]
pub(crate) struct Arguments {
    /// Name of the shell.
    shell: Shell,
}

/// Prints the script. `kit` is the grammar of the whole command line.
pub(crate) fn run(arguments: &Arguments, kit: &mut Command, context: &Context<'_>) {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, kit, "kit", &mut script);
    context
        .console
        .write(Stream::Out, &String::from_utf8_lossy(&script));
}
