//! `cargo xtask fuzz`: runs libFuzzer on each target of `fuzz/fuzz_targets`. Inputs that reach new code are stored
//! below `fuzz/target`. A failing input is stored in `fuzz/artifacts`, and should move to `fuzz/corpus` when the bug is
//! fixed.

use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, bail};

use crate::repository::Repository;
use crate::{interrupt, run};

mod address;

/// Target and duration of the command.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Target to run: the name of a file in `fuzz/fuzz_targets`, or the beginning of several names (`http`). By default,
    /// all targets run one after another.
    target: Option<String>,
    /// Duration of each target in seconds.
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u32,
    /// Instead of fuzzing, build the server addon with `AddressSanitizer` and run the conformance tests of raw HTTP
    /// with it. Linux with gcc only.
    #[arg(long, conflicts_with_all = ["target", "seconds"])]
    address: bool,
}

/// Returns the target with the name `wanted`, or all targets whose name begins with it, sorted by name. Each file of
/// `fuzz/fuzz_targets` is a target.
fn targets(repository: &Repository, wanted: Option<&str>) -> anyhow::Result<Vec<String>> {
    let directory = repository.path("fuzz/fuzz_targets");
    let entries =
        std::fs::read_dir(&directory).with_context(|| format!("cannot read {}", directory.display()))?;
    let mut all: Vec<String> = entries
        .filter_map(|entry| {
            entry
                .ok()?
                .file_name()
                .to_str()?
                .strip_suffix(".rs")
                .map(str::to_owned)
        })
        .collect();
    all.sort();
    let Some(wanted) = wanted else { return Ok(all) };
    let chosen: Vec<String> = match all.iter().find(|name| *name == wanted) {
        Some(name) => vec![name.clone()],
        None => all
            .iter()
            .filter(|name| name.starts_with(wanted))
            .cloned()
            .collect(),
    };
    if chosen.is_empty() {
        bail!(
            "there is no fuzz target `{wanted}`; the targets are {}",
            all.join(", ")
        );
    }
    Ok(chosen)
}

/// Runs the targets one after another and shows their output. Stops at the first failure.
pub(crate) fn run(repository: &Repository, options: &Options) -> anyhow::Result<ExitCode> {
    if options.address {
        return address::run(repository);
    }
    for (tool, install) in [
        (["+nightly", "--version"], "rustup toolchain install nightly"),
        (["fuzz", "--version"], "cargo install cargo-fuzz"),
    ] {
        let found = run::command(repository, "cargo")?.args(tool).output();
        if !found.is_ok_and(|output| output.status.success()) {
            bail!(
                "fuzzing needs `cargo {}`, which is not installed; install it with `{install}`",
                tool[0]
            );
        }
    }
    for name in &targets(repository, options.target.as_deref())? {
        println!("fuzzing the target {name} for {} s", options.seconds);
        if !fuzz(repository, name, options.seconds)? {
            eprintln!(
                "error: the target {name} failed; its input is in fuzz/artifacts/{name}. Fix the bug, and move the input to fuzz/corpus/{name}"
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
    std::fs::create_dir_all(&found).with_context(|| format!("cannot create {}", found.display()))?;
    let mut cargo: Command = run::command(repository, "cargo")?;
    // The targets have no unsafe code, so no sanitizer is needed. Without one, libFuzzer runs ten times as many inputs.
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
            // Begin with long inputs. A short one has a single declaration, so nothing in it depends on anything
            // else.
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
