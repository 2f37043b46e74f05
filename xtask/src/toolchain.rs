//! What must be on the machine, and what is installed when it is not.

use std::process::Command;

use anyhow::{Context, bail};
use sha2::{Digest, Sha256};

use crate::repository::Repository;
use crate::run;

/// The oldest Node that can install the packages; they bring Node 24 themselves.
const OLDEST_NODE: u32 = 20;
/// The Node that everything runs on.
const NODE: u32 = 24;

/// Installs the npm packages of the lock file, Node 24 among them, unless exactly those are there.
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

fn lock_hash(repository: &Repository) -> anyhow::Result<String> {
    let lock = repository.path("package-lock.json");
    let text = std::fs::read(&lock).with_context(|| format!("cannot read {}", lock.display()))?;
    Ok(Sha256::digest(&text).iter().fold(String::new(), |mut hex, byte| {
        use std::fmt::Write;
        let _ = write!(hex, "{byte:02x}");
        hex
    }))
}

/// Whether `node` on the commands' PATH is of that major version or newer.
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
            "npm was not found. It comes with Node from nodejs.org; some distributions have it as a package `npm`. Install it, then run the command again."
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
