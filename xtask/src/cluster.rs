//! `cargo xtask cluster`: rehearses an application on many machines, on this machine: replicas on Node and in Rust behind a load
//! balancer, PostgreSQL with a standby behind `PgBouncer`, Valkey, telemetry and workers, all of which are killed and paused under
//! load.

use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use anyhow::{Context, bail};

use crate::repository::Repository;
use crate::{addons, check, interrupt, run, toolchain};

/// Options of the command.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Duration of the load in minutes.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1440))]
    minutes: u32,
    /// Number of requests per second.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    rate: u32,
    /// Run only the disturbances whose names contain this text, such as `kill` or `postgres`.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

/// Builds the programs and runs the rehearsal. The exit code is 0 if no request and no job was lost or doubled, and if all bounds
/// hold.
pub(crate) fn run(repository: &Repository, options: &Options) -> anyhow::Result<ExitCode> {
    if !cfg!(unix) {
        bail!("`cargo xtask cluster` pauses processes with signals, which this platform does not have");
    }
    toolchain::install(repository)?;
    addons::build(repository, addons::Build::Quick)?;
    check::build_rust_payments(repository)?;
    let mut node = run::command(repository, "node")?;
    node.arg("tests/cluster/main.ts")
        .args(["--minutes", &options.minutes.to_string()])
        .args(["--rate", &options.rate.to_string()]);
    if let Some(only) = &options.only {
        node.args(["--only", only]);
    }
    let mut child = node.spawn().context("Node could not be started")?;
    let mut is_stopping = false;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        // A terminal sends the signal to both programs, but other senders only to this one. The program stops all parts.
        if interrupt::interrupted() && !is_stopping {
            is_stopping = true;
            interrupt::terminate(&child);
        }
        thread::sleep(Duration::from_millis(50));
    };
    Ok(status
        .code()
        .and_then(|code| u8::try_from(code).ok())
        .map_or(ExitCode::FAILURE, ExitCode::from))
}
