//! `cargo xtask bench`: measures kit and its peers in one run and prints ratios.

use std::path::PathBuf;
use std::process::{ExitCode, Stdio};

use anyhow::Context;
use clap::ValueEnum;

use crate::repository::Repository;
use crate::{addons, interrupt, run, toolchain};

/// What to measure and how long.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The benchmark.
    name: Name,
    /// Less than a minute, for a look.
    #[arg(long)]
    quick: bool,
    /// Also write the rows to this file.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Only these subjects, with commas between them; `http` only.
    #[arg(long, value_name = "NAMES")]
    subjects: Option<String>,
    /// Only these scenarios, with commas between them; `http` only.
    #[arg(long, value_name = "NAMES")]
    scenarios: Option<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Name {
    /// Requests: server CPU per request, throughput and latency.
    Http,
    /// Builds of a large project, beside tsc and a generator of schemas: milliseconds.
    Compile,
    /// Validators, decoders and serializers of generated code beside typia, ajv and others: nanoseconds a value.
    Validate,
    /// Process start to first answer of an application of fifty routes, beside Fastify and Express: milliseconds.
    Start,
}

/// Builds the program that times builds without the start of a process.
fn build_measure(repository: &Repository) -> anyhow::Result<()> {
    let mut cargo = run::command(repository, "cargo")?;
    cargo.args([
        "build",
        "--release",
        "--locked",
        "-p",
        "kit-build",
        "--example",
        "measure",
    ]);
    run::step("building the program that times builds", cargo)?;
    Ok(())
}

/// Runs one benchmark with its output passed through.
pub(crate) fn run(repository: &Repository, options: &Options) -> anyhow::Result<ExitCode> {
    let filters = [
        ("--subjects", &options.subjects),
        ("--scenarios", &options.scenarios),
    ];
    if !matches!(options.name, Name::Http)
        && let Some((name, _)) = filters.iter().find(|(_, value)| value.is_some())
    {
        anyhow::bail!("{name} is for `cargo xtask bench http`; the other benchmarks have no such filter");
    }
    toolchain::install(repository)?;
    addons::build(repository)?;
    let script = match options.name {
        Name::Http => "bench/http/run.ts",
        Name::Compile => {
            build_measure(repository)?;
            "bench/compile/run.ts"
        }
        Name::Validate => "bench/validate/run.ts",
        Name::Start => "bench/start/run.ts",
    };
    let mut node = run::command(repository, "node")?;
    node.arg(script).stdout(Stdio::inherit()).stderr(Stdio::inherit());
    if options.quick {
        node.arg("--quick");
    }
    for (name, value) in filters {
        if let Some(value) = value {
            node.arg(format!("{name}={value}"));
        }
    }
    if let Some(file) = &options.json {
        let file = std::path::absolute(file).with_context(|| format!("{} is no path", file.display()))?;
        node.arg("--json").arg(file);
    }
    let mut child = node.spawn().context("Node could not be started")?;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(if status.success() {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            });
        }
        if interrupt::interrupted() {
            interrupt::stop(&mut child)?;
            return Ok(ExitCode::from(130));
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}
