//! Checks that required programs are there, and installs missing programs.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use sha2::{Digest, Sha256};

use crate::progress::Step;
use crate::repository::Repository;
use crate::run;

/// Oldest version of Node that can install the npm packages, one of which is Node 24.
const OLDEST_NODE: u32 = 20;
/// Version of Node that everything else needs.
const NODE: u32 = 24;

/// Installs the npm packages of the lock file, one of which is Node 24. Does nothing if exactly these are installed.
pub(crate) fn install(repository: &Repository) -> anyhow::Result<()> {
    let stamp = repository.path("node_modules/.kit-installed");
    let wanted = lock_hash(repository)?;
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) && node_is(repository, NODE)
    {
        return Ok(());
    }
    if !node_is(repository, NODE) {
        check_node_and_npm()?;
    }
    let mut npm = run::command(repository, "npm")?;
    npm.args(["ci", "--no-audit", "--no-fund"]);
    run::step("installing npm packages and Node 24", npm)?;
    if !node_is(repository, NODE) {
        bail!(
            "npm installed the packages, but {} does not run as Node {NODE}. The package `node` fetches its binary in an install script: \
             are scripts switched off (`npm config get ignore-scripts`)? Allow them, or put Node {NODE} first on the PATH, and run the command again.",
            repository.bin().join("node").display()
        );
    }
    std::fs::write(&stamp, wanted).with_context(|| format!("cannot write {}", stamp.display()))
}

/// Installs npm packages below `target/tools`, unless exactly these are already there. Returns their `node_modules`.
pub(crate) fn npm_tools(repository: &Repository, name: &str, packages: &[&str]) -> anyhow::Result<PathBuf> {
    let directory = repository.path("target/tools").join(name);
    let modules = directory.join("node_modules");
    let stamp = directory.join("versions");
    let wanted = packages.join(" ");
    if modules.is_dir() && std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(modules);
    }
    std::fs::create_dir_all(&directory).with_context(|| format!("cannot create {}", directory.display()))?;
    let mut npm = run::command(repository, "npm")?;
    npm.args([
        "install",
        "--ignore-scripts",
        "--no-save",
        "--no-audit",
        "--no-fund",
        "--prefix",
    ])
    .arg(&directory)
    .args(packages);
    run::step(&format!("installing {wanted}"), npm)?;
    std::fs::write(&stamp, wanted).with_context(|| format!("cannot write {}", stamp.display()))?;
    Ok(modules)
}

/// Installs a program from crates.io below cargo's target directory, unless this version is already there. Returns
/// its path, or the reason why it cannot be installed.
pub(crate) fn cargo_program(
    repository: &Repository,
    name: &str,
    version: &str,
) -> anyhow::Result<Result<PathBuf, String>> {
    let root = tools(repository);
    let program = installed(repository, name);
    if version_is(&program, version) {
        return Ok(Ok(program));
    }
    let build = root.join("build");
    let mut cargo = run::command(repository, "cargo")?;
    cargo
        .args(["install", name, "--locked", "--force", "--version"])
        .arg(format!("={version}"))
        .arg("--root")
        .arg(&root)
        // The next attempt continues an interrupted build in this directory.
        .env("CARGO_TARGET_DIR", &build)
        // The program runs only for seconds. With its usual optimization, building it would take minutes more.
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16");
    let step = Step::start(format!(
        "installing {name} {version} into {} (minutes the first time)",
        root.display()
    ));
    let finished = run::finish(cargo, &step)?;
    if !finished.success {
        step.skipped("");
        return Ok(Err(format!(
            "{name} {version} cannot be installed: {}",
            error_of(&finished.output)
        )));
    }
    step.done("");
    if build.exists() {
        std::fs::remove_dir_all(&build).with_context(|| format!("cannot remove {}", build.display()))?;
    }
    Ok(Ok(program))
}

/// Returns the path of a program that [`cargo_program`] installs.
pub(crate) fn installed(repository: &Repository, name: &str) -> PathBuf {
    tools(repository)
        .join("bin")
        .join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

fn tools(repository: &Repository) -> PathBuf {
    repository.target().join("tools")
}

/// Returns the first error in the output of cargo, with its causes, on one line.
pub(crate) fn error_of(output: &str) -> String {
    let mut lines = output
        .lines()
        .map(str::trim)
        .skip_while(|line| !line.starts_with("error"))
        .filter(|line| !line.is_empty() && *line != "Caused by:");
    let mut error: Vec<&str> = lines.by_ref().take(4).collect();
    if error.is_empty() {
        error.extend(output.lines().map(str::trim).next_back());
    }
    error.join(": ")
}

/// Returns true if a program prints this version for `--version`.
fn version_is(program: &Path, version: &str) -> bool {
    let output = Command::new(program).arg("--version").output();
    output.is_ok_and(|output| {
        String::from_utf8_lossy(&output.stdout)
            .split_whitespace()
            .any(|word| word == version)
    })
}

fn lock_hash(repository: &Repository) -> anyhow::Result<String> {
    let lock = repository.path("package-lock.json");
    let text = std::fs::read(&lock).with_context(|| format!("cannot read {}", lock.display()))?;
    Ok(Sha256::digest(&text).iter().fold(String::new(), |mut hex, byte| {
        use std::fmt::Write;
        let _ = write!(hex, "{byte:02x}");
        hex
    }))
}

/// Returns true if the `node` that commands run has at least this major version.
fn node_is(repository: &Repository, major: u32) -> bool {
    run::command(repository, "node")
        .ok()
        .and_then(major_of)
        .is_some_and(|found| found >= major)
}

fn check_node_and_npm() -> anyhow::Result<()> {
    match major_of(Command::new("node")) {
        None => bail!(
            "Node was not found. Install Node {OLDEST_NODE} or newer with npm, then run the command again."
        ),
        Some(found) if found < OLDEST_NODE => bail!(
            "Node {found} was found, but the packages need Node {OLDEST_NODE} or newer to install. Install a newer Node, then run the command again."
        ),
        Some(_) => {}
    }
    if major_of(Command::new("npm")).is_none() {
        bail!(
            "npm was not found. npm comes with Node from nodejs.org; some distributions have a package `npm`. Install npm, then run the command again."
        );
    }
    Ok(())
}

fn major_of(mut program: Command) -> Option<u32> {
    let output = program.arg("--version").output().ok()?;
    String::from_utf8_lossy(&output.stdout)
        .trim()
        .trim_start_matches('v')
        .split('.')
        .next()?
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::error_of;

    #[test]
    fn formats_a_cargo_error_and_its_causes_in_one_line() {
        let output = "    Updating crates.io index\nwarning: spurious network error\nerror: failed to query\n\nCaused by:\n  could not resolve host\n";
        assert_eq!(error_of(output), "error: failed to query: could not resolve host");
        assert_eq!(error_of("killed\n"), "killed");
        assert_eq!(error_of(""), "");
    }
}
