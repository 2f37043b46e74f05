//! Runs tests on the server addon with `AddressSanitizer`. Node is not built with the sanitizer. So the sanitizer's
//! runtime library is loaded before Node (`LD_PRELOAD`), and the addon is built without it (`-Zexternal-clangrt`).
//! The runtime library of gcc fits the code that Rust compiles.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};

use crate::repository::Repository;
use crate::run;

const TARGET: &str = "x86_64-unknown-linux-gnu";

/// Builds the addon with the sanitizer, puts it in place of the usual addon, runs the tests, and restores the usual
/// addon.
pub(super) fn run(repository: &Repository) -> anyhow::Result<ExitCode> {
    let runtime = runtime(repository)?;
    let mut cargo = run::command(repository, "cargo")?;
    cargo
        .args(["+nightly", "build", "-p", "kit-node-server", "--target", TARGET])
        .env("RUSTFLAGS", "-Zsanitizer=address -Zexternal-clangrt")
        .env("CARGO_TARGET_DIR", repository.path("target/asan"));
    let status = cargo.status().context("cargo could not be started")?;
    if !status.success() {
        bail!("the addon cannot be built with AddressSanitizer; it needs `rustup toolchain install nightly`");
    }
    let addon = repository.path("packages/server-native/native/kit-server.linux-x64-gnu.node");
    let kept = repository.path("target/asan/ordinary.node");
    std::fs::copy(&addon, &kept).context("the addon is not built yet; run `cargo xtask addons`")?;
    let built = repository.path(format!("target/asan/{TARGET}/debug/libkit_node_server.so"));
    replace(&addon, &built)?;
    let mut node = run::command(repository, "node")?;
    let status = node
        .args(["--test", "tests/conformance/raw.test.ts"])
        .env("LD_PRELOAD", runtime)
        // Node itself does not free all memory at its exit.
        .env("ASAN_OPTIONS", "detect_leaks=0:abort_on_error=1")
        .status();
    replace(&addon, &kept)?;
    Ok(if status.context("Node could not be started")?.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Returns the path of gcc's runtime library for `AddressSanitizer`.
fn runtime(repository: &Repository) -> anyhow::Result<PathBuf> {
    let output = run::command(repository, "gcc")?
        .arg("-print-file-name=libasan.so")
        .output();
    let path = output
        .ok()
        .map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
        .filter(|path| path.is_absolute() && path.exists());
    path.context("AddressSanitizer needs gcc and its library libasan, which are not installed")
}

/// Replaces a file by renaming a copy, because a process may have the old file open.
fn replace(place: &Path, by: &Path) -> anyhow::Result<()> {
    let new = place.with_extension("new");
    std::fs::copy(by, &new).with_context(|| format!("cannot copy {}", by.display()))?;
    std::fs::rename(&new, place).with_context(|| format!("cannot write {}", place.display()))
}
