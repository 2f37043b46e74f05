//! Arguments that several commands share.

use std::path::PathBuf;

use clap::Args;

/// Arguments of all commands that work on a project.
#[derive(Debug, Args)]
pub(crate) struct Common {
    /// Root of the project.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) root: PathBuf,
    /// Print JSON on standard output, and nothing else there.
    #[arg(long)]
    pub(crate) json: bool,
}
