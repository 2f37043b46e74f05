//! `cargo xtask soak`: runs a complete application on the native server for minutes, with badly behaved clients.
//!
//! Each of the five parts passes or fails: memory of idle connections compared with node:http; memory of clients that
//! read a stream slowly, compared with node:http; growth of memory and descriptors under mixed load with clients that
//! disconnect early; the same with the sidecar and telemetry; and lost requests after a SIGTERM under load. This
//! process is the client. All connections use the loopback interface, and the command ends by itself.

mod client;
mod idle;
mod mixed;
mod readers;
mod stopping;
mod subject;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::bail;
use clap::ValueEnum;

use crate::repository::Repository;
use crate::{addons, interrupt, run, toolchain};

const APPLICATION: &str = "bench/soak/app";

/// Options of the command.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Part to run; all parts if none is named.
    part: Option<Part>,
    /// Duration of the mixed load in minutes.
    #[arg(long, value_name = "N", default_value_t = 5)]
    minutes: u32,
    /// Number of idle connections.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    connections: usize,
    /// Number of clients that stop reading a stream.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    readers: usize,
    /// Number of times that the application is stopped under load.
    #[arg(long, value_name = "N", default_value_t = 40)]
    stops: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Memory of idle connections.
    Idle,
    /// Memory of clients that read a stream slowly, and throughput for fast readers.
    Readers,
    /// Mixed load with clients that disconnect early.
    Mixed,
    /// Mixed load on an application with the debug sidecar, its store, and telemetry that is sent to a collector.
    Observed,
    /// SIGTERM under load.
    Stopping,
}

/// Runs the parts. The exit code is 0 if all parts pass.
pub(crate) fn run(repository: &Repository, options: &Options) -> anyhow::Result<ExitCode> {
    if !cfg!(target_os = "linux") {
        bail!(
            "`cargo xtask soak` runs only on Linux, because it reads the memory and the descriptors of a process from /proc"
        );
    }
    toolchain::install(repository)?;
    addons::build(repository, addons::Build::Release)?;
    let mut build = run::command(repository, repository.bin().join("kit"))?;
    build.current_dir(repository.path(APPLICATION)).arg("build");
    run::step("kit build", build)?;
    let wanted = |part: Part| options.part.is_none_or(|wanted| wanted == part);
    let mut holds = true;
    if wanted(Part::Idle) {
        holds &= idle::run(repository, options.connections)?;
    }
    if wanted(Part::Readers) && !interrupt::interrupted() {
        holds &= readers::run(repository, options.readers)?;
    }
    if wanted(Part::Mixed) && !interrupt::interrupted() {
        holds &= mixed::run(repository, Duration::from_mins(options.minutes.into()))?;
    }
    if wanted(Part::Observed) && !interrupt::interrupted() {
        holds &= mixed::run_observed(repository, Duration::from_mins(options.minutes.into()))?;
    }
    if wanted(Part::Stopping) && !interrupt::interrupted() {
        holds &= stopping::run(repository, options.stops)?;
    }
    if interrupt::interrupted() {
        return Ok(ExitCode::from(130));
    }
    Ok(if holds {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
