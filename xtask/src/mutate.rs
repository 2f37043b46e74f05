//! `cargo xtask mutate contracts`: breaks the contracts of the examples on purpose, and checks that their generated
//! contract tests fail.

use std::process::ExitCode;

use anyhow::Context;

use crate::repository::Repository;
use crate::{addons, run, toolchain};

/// Options of the command.
#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    tests: MutatedTests,
}

#[derive(clap::Subcommand)]
enum MutatedTests {
    /// Break each rule of the examples' contracts, one at a time, in the validators of the running application. For
    /// each rule, at least one generated contract test must fail. The last line is `N of N mutants caught`.
    Contracts {
        /// Examples to run; all if none is named.
        examples: Vec<String>,
    },
}

/// Runs the command and shows its output.
pub(crate) fn run(repository: &Repository, options: &Options) -> anyhow::Result<ExitCode> {
    let MutatedTests::Contracts { examples } = &options.tests;
    toolchain::install(repository)?;
    addons::build(repository, addons::Build::Quick)?;
    let mut node = run::command(repository, "node")?;
    node.arg("tests/mutation/contracts.ts").args(examples);
    let status = node.status().context("Node could not be started")?;
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
