//! `cargo xtask fuzz`: libFuzzer on the compiler and on the HTTP engine. What it finds interesting stays below `fuzz/target`; an input that fails
//! is kept in `fuzz/artifacts`, and belongs into `fuzz/corpus` once it is mended.

use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, bail};
use clap::ValueEnum;

use crate::repository::Repository;
use crate::{interrupt, run};

/// What to try and how long.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The target, or `http` for all of the engine's; all of them, one after the other, where none is named.
    target: Option<Choice>,
    /// How long each target runs.
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u32,
}

#[derive(Clone, Copy, ValueEnum)]
enum Choice {
    /// Any bytes as one or several files.
    Text,
    /// Random declarations that are well formed.
    Types,
    /// The three of the HTTP engine.
    Http,
    /// Several clients of one engine.
    HttpTraffic,
    /// One stream, cut in different ways.
    HttpPieces,
    /// Any bytes before the guard.
    HttpGuard,
}

impl Choice {
    fn targets(choice: Option<Self>) -> &'static [&'static str] {
        const ALL: &[&str] = &["text", "types", "http-traffic", "http-pieces", "http-guard"];
        match choice {
            None => ALL,
            Some(Self::Text) => &ALL[..1],
            Some(Self::Types) => &ALL[1..2],
            Some(Self::Http) => &ALL[2..],
            Some(Self::HttpTraffic) => &ALL[2..3],
            Some(Self::HttpPieces) => &ALL[3..4],
            Some(Self::HttpGuard) => &ALL[4..],
        }
    }
}

/// Runs the targets with their output passed through; the first that fails ends it.
pub(crate) fn run(repository: &Repository, options: &Options) -> anyhow::Result<ExitCode> {
    for (tool, install) in [
        (["+nightly", "--version"], "rustup toolchain install nightly"),
        (["fuzz", "--version"], "cargo install cargo-fuzz"),
    ] {
        let found = run::command(repository, "cargo")?.args(tool).output();
        if !found.is_ok_and(|output| output.status.success()) {
            bail!(
                "fuzzing needs `cargo {}`, which is not there; install it with `{install}`",
                tool[0]
            );
        }
    }
    for name in Choice::targets(options.target) {
        println!("fuzzing {name} for {} s", options.seconds);
        if !fuzz(repository, name, options.seconds)? {
            eprintln!(
                "error: {name} failed; the input is in fuzz/artifacts/{name}. Mend it, and keep the input in fuzz/corpus/{name}"
            );
            return Ok(ExitCode::FAILURE);
        }
        if interrupt::interrupted() {
            return Ok(ExitCode::from(130));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn fuzz(repository: &Repository, name: &str, seconds: u32) -> anyhow::Result<bool> {
    let found = repository.path(format!("fuzz/target/corpus/{name}"));
    std::fs::create_dir_all(&found).with_context(|| format!("cannot make {}", found.display()))?;
    let mut cargo: Command = run::command(repository, "cargo")?;
    // What is tried has no unsafe code, so no sanitizer is needed: without one it tries ten times as much.
    cargo
        .args([
            "+nightly",
            "fuzz",
            "run",
            "--fuzz-dir",
            "fuzz",
            "--sanitizer",
            "none",
            name,
        ])
        .arg(found)
        .arg(repository.path(format!("fuzz/corpus/{name}")))
        .arg("--")
        .arg(format!("-max_total_time={seconds}"))
        .args([
            "-timeout=20",
            "-rss_limit_mb=4096",
            "-max_len=4096",
            // Long inputs at once: a short one makes one declaration, and nothing meets.
            "-len_control=0",
            "-print_final_stats=1",
        ])
        .stdout(Stdio::inherit())
        .stderr(Stdio::inherit());
    let mut child = cargo.spawn().context("cargo could not be started")?;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        if interrupt::interrupted() {
            interrupt::stop(&mut child)?;
            return Ok(true);
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}
