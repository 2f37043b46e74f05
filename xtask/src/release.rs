//! Builds in release mode whose results name no directory of the machine that made them. Panics and backtraces say where code is,
//! and what users get is to say so as `/cargo/registry/…`, not as somebody's home.
//!
//! The remapping stands in the configuration of one target, on cargo's command line: `trim-paths` of profiles is not stable yet, and
//! `RUSTFLAGS` would take the place of what `.cargo/config.toml` says. Every build in release mode goes through here, since one with other
//! flags would compile all crates anew.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use crate::repository::Repository;
use crate::run;

/// `cargo build --release`, without saying of what.
pub(crate) fn build(repository: &Repository) -> anyhow::Result<Command> {
    let mut flags = Vec::new();
    for (from, to) in remapped(repository)? {
        flags.push(format!("--remap-path-prefix={}={to}", from.display()));
    }
    let mut cargo = run::command(repository, "cargo")?;
    cargo.args(["build", "--release", "--locked"]);
    // Flags of the environment win over those of any configuration.
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
        cargo.arg(format!("target.{}.rustflags={list}", host()?));
    }
    Ok(cargo)
}

/// Directories of this machine, and what compiled code calls them. The last one that fits counts.
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

/// The directories that a library names, of those that no user's copy is to name.
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

/// The platform that is compiled for, as rustc calls it.
pub(crate) fn host() -> anyhow::Result<String> {
    let version = rustc(&["-vV"])?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("`rustc -vV` names no host")?.to_owned())
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
    fn directories_are_found_among_bytes_that_are_no_text() {
        let separator = std::path::MAIN_SEPARATOR;
        let mut bytes = vec![0, 0xff, 0xfe];
        bytes.extend(format!("{separator}home{separator}ada{separator}.cargo").as_bytes());
        bytes.push(0xc3);
        let directory = |path: &str| PathBuf::from(path.replace('/', &separator.to_string()));
        let found = names(&bytes, ["/home/ada", "/home/a", "/"].map(directory).into_iter());
        assert_eq!(found, [directory("/home/ada").to_str().unwrap()]);
    }
}
