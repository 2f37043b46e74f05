//! `cargo xtask soak`: the native server with a whole application on it, for minutes, with clients as bad as they come.
//!
//! Five parts, each with a verdict: what idle connections cost beside bare node:http; what slow readers of a stream cost beside it; whether memory and descriptors stay
//! what they are under mixed load with clients that break off; the same with everything on that observes; whether a SIGTERM
//! under load loses an accepted request.
//! This process is the clients; everything goes over loopback and ends by itself.

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

/// What to try and how long.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The part; all of them where none is named.
    part: Option<Part>,
    /// How long the mixed load lasts.
    #[arg(long, value_name = "N", default_value_t = 5)]
    minutes: u32,
    /// How many idle connections are opened.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    connections: usize,
    /// Number of clients that stop reading a stream.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    readers: usize,
    /// How often the application is stopped.
    #[arg(long, value_name = "N", default_value_t = 40)]
    stops: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Memory of idle connections.
    Idle,
    /// Memory of clients that read a stream slowly, and speed for those that read fast.
    Readers,
    /// Mixed load with clients that break off.
    Mixed,
    /// The same with the debug sidecar, its store, and telemetry for a collector.
    Observed,
    /// SIGTERM under load.
    Stopping,
}

/// Runs the parts; the exit code says whether all of them hold.
pub(crate) fn run(repository: &Repository, options: &Options) -> anyhow::Result<ExitCode> {
    if !cfg!(target_os = "linux") {
        bail!("the soak reads memory and descriptors of a process from /proc, which only Linux has");
    }
    toolchain::install(repository)?;
    addons::build(repository)?;
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
