//! `cargo xtask mutate contracts`: runs the generated contract tests of the examples against contracts that are broken
//! on purpose.

use std::process::ExitCode;

use anyhow::Context;

use crate::repository::Repository;
use crate::{addons, run, toolchain};

/// Options of the command.
#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Break each rule of the examples' contracts, one at a time, in the validators of the running application; the
    /// generated contract tests must notice each one. The last line is `N of N mutants caught`.
    Contracts {
        /// Examples to run; all if none is named.
        examples: Vec<String>,
    },
}

/// Runs the command and passes its output through.
pub(crate) fn run(repository: &Repository, options: &Options) -> anyhow::Result<ExitCode> {
    let What::Contracts { examples } = &options.what;
    toolchain::install(repository)?;
    addons::build(repository, addons::Build::Quick)?;
    let mut node = run::command(repository, "node")?;
    node.arg("tests/mutation/contracts.ts").args(examples);
    let status = node.status().context("node could not be started")?;
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
