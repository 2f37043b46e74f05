//! Builds optimized code that contains no directory names of the build machine. Panics and backtraces contain source
//! locations. Users should see `/cargo/registry/…` there, not somebody's home directory.
//!
//! The flags for it are set on cargo's command line: `trim-paths` of profiles is not stable yet, and `RUSTFLAGS`
//! would replace the flags of `.cargo/config.toml`. Every release build must use this module, because a build with
//! other flags would compile all crates again.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use crate::platforms::Target;
use crate::repository::Repository;
use crate::run;

/// Returns the command `cargo build --release` with the flags for directory names. The caller adds the packages.
pub(crate) fn build(repository: &Repository) -> anyhow::Result<Command> {
    command(repository, "build", &host()?, "release")
}

/// Returns a command like [`build`] that builds for the target of a platform.
pub(crate) fn build_for(repository: &Repository, target: Target) -> anyhow::Result<Command> {
    let mut cargo = command(repository, target.tool.subcommand(), target.triple, "release")?;
    cargo.args(["--target", &target.name()]);
    target.prepare(repository, &mut cargo)?;
    Ok(cargo)
}

/// Returns a command like [`build`] for a target that no package is published for, and for a profile of its own.
pub(crate) fn build_with_profile(
    repository: &Repository,
    target: &str,
    profile: &str,
) -> anyhow::Result<Command> {
    let mut cargo = command(repository, "build", target, profile)?;
    cargo.args(["--target", target]);
    Ok(cargo)
}

/// Returns the command for a target, such as `x86_64-unknown-linux-gnu`.
fn command(repository: &Repository, program: &str, target: &str, profile: &str) -> anyhow::Result<Command> {
    let mut flags = Vec::new();
    for (from, to) in remapped(repository)? {
        flags.push(format!("--remap-path-prefix={}={to}", from.display()));
    }
    let mut cargo = run::command(repository, "cargo")?;
    cargo.args([program, "--profile", profile, "--locked"]);
    // If `RUSTFLAGS` is set, cargo ignores flags from all other places.
    if let Some(given) = std::env::var_os("RUSTFLAGS") {
        let mut all = given;
        for flag in flags {
            all.push(" ");
            all.push(flag);
        }
        cargo.env("RUSTFLAGS", all);
    } else {
        let list = serde_json::to_string(&flags)?;
        cargo.arg("--config");
        cargo.arg(format!("target.{target}.rustflags={list}"));
    }
    Ok(cargo)
}

/// Returns directories of this machine, each with the name that replaces it in compiled code. If several match, the
/// last match is used.
fn remapped(repository: &Repository) -> anyhow::Result<Vec<(PathBuf, &'static str)>> {
    let mut found = Vec::new();
    found.extend(home().map(|path| (path, "/home")));
    found.push((PathBuf::from(rustc(&["--print", "sysroot"])?), "/rust"));
    let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    found.extend(
        cargo
            .or_else(|| home().map(|home| home.join(".cargo")))
            .map(|path| (path, "/cargo")),
    );
    found.push((repository.root().to_path_buf(), "/kit"));
    Ok(found)
}

/// Returns the directories of this machine whose names a library contains. A published library must contain none.
pub(crate) fn named(repository: &Repository, library: &Path) -> anyhow::Result<Vec<String>> {
    let bytes = std::fs::read(library).with_context(|| format!("cannot read {}", library.display()))?;
    let directories = remapped(repository)?.into_iter().map(|(path, _)| path);
    Ok(names(&bytes, directories))
}

fn names(bytes: &[u8], directories: impl Iterator<Item = PathBuf>) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    directories
        .filter_map(|path| path.to_str().map(str::to_owned))
        .filter(|path| path.len() > 1 && text.contains(&format!("{path}{}", std::path::MAIN_SEPARATOR)))
        .collect()
}

fn home() -> Option<PathBuf> {
    std::env::home_dir().filter(|home| home.parent().is_some())
}

/// Returns the platform of this machine as rustc names it: `x86_64-unknown-linux-gnu`.
pub(crate) fn host() -> anyhow::Result<String> {
    let version = rustc(&["-vV"])?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host
        .context("the output of `rustc -vV` does not contain the host")?
        .to_owned())
}

/// Returns the name and version of the compiler: `rustc 1.95.0 (…)`.
pub(crate) fn compiler() -> anyhow::Result<String> {
    rustc(&["--version"])
}

fn rustc(args: &[&str]) -> anyhow::Result<String> {
    let output = Command::new("rustc")
        .args(args)
        .output()
        .context("`rustc` could not be started")?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::names;

    #[test]
    fn finds_directory_names_in_binary_data() {
        let separator = std::path::MAIN_SEPARATOR;
        let mut bytes = vec![0, 0xff, 0xfe];
        bytes.extend(format!("{separator}home{separator}ada{separator}.cargo").as_bytes());
        bytes.push(0xc3);
        let directory = |path: &str| PathBuf::from(path.replace('/', &separator.to_string()));
        let found = names(&bytes, ["/home/ada", "/home/a", "/"].map(directory).into_iter());
        assert_eq!(found, [directory("/home/ada").to_str().unwrap()]);
    }
}
