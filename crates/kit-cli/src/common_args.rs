//! Arguments that several commands share.

use std::path::PathBuf;

use clap::Args;

/// Arguments of all commands that work on a project.
#[derive(Debug, Args)]
pub(crate) struct Common {
    /// Root of the project.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) root: PathBuf,
    /// Print only JSON on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}
