//! Builds an example on a platform, and compares the generated files with those of this machine.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::cell::Cell;
use super::runner::{Runner, directory};
use super::{error_in, timed};
use crate::platforms::{self, Platform};
use crate::repository::Repository;
use crate::run;

/// Example that is built.
const EXAMPLE: &str = "examples/teams";

/// Directories of the example that are not sources.
const LEFT_OUT: [&str; 4] = [".kit", ".data", "dist", "node_modules"];

/// Builds the example on a platform.
pub(super) fn build(repository: &Repository, platform: &Platform, runner: &Runner) -> anyhow::Result<Cell> {
    let project = directory(repository, platform).join("project");
    fresh_copy(repository, &project)?;
    let mut node = runner.node(repository)?;
    // Without the option, the command also runs TypeScript, which npm installs for this machine only.
    node.arg(repository.path("packages/cli/bin/kit.js"))
        .args(["build", "--no-compile"])
        .current_dir(&project);
    let (_, seconds) = match timed(&format!("kit build on {}", platform.name), node)? {
        Ok(ended) => ended,
        Err(output) => return Ok(Cell::Bad(error_in(&output))),
    };
    let files = generated(&project.join(".kit"))?;
    let same = if platform.name == platforms::host() {
        String::new()
    } else {
        match here(repository)? {
            Ok(expected) => match first_difference(&expected, &files) {
                None => ", same files as here".to_owned(),
                Some(path) => {
                    return Ok(Cell::Bad(format!(
                        "{path} differs from the file that kit writes here"
                    )));
                }
            },
            Err(output) => {
                return Ok(Cell::Bad(format!(
                    "kit does not build here: {}",
                    error_in(&output)
                )));
            }
        }
    };
    Ok(Cell::Good(format!("{} files, {seconds:.1} s{same}", files.len())))
}

/// Builds the example with the addon and the Node of this machine.
fn here(repository: &Repository) -> anyhow::Result<Result<BTreeMap<String, String>, String>> {
    let project = repository.path("target/platforms/here/project");
    fresh_copy(repository, &project)?;
    let mut kit = run::command(repository, repository.bin().join("kit"))?;
    kit.args(["build", "--no-compile"]).current_dir(&project);
    match timed("kit build on this machine", kit)? {
        Ok(_) => Ok(Ok(generated(&project.join(".kit"))?)),
        Err(output) => Ok(Err(output)),
    }
}

/// Copies the sources of the example.
fn fresh_copy(repository: &Repository, project: &Path) -> anyhow::Result<()> {
    if project.exists() {
        std::fs::remove_dir_all(project).with_context(|| format!("cannot empty {}", project.display()))?;
    }
    copy(&repository.path(EXAMPLE), project)
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    for entry in std::fs::read_dir(from).with_context(|| format!("cannot list {}", from.display()))? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            if !LEFT_OUT.iter().any(|name| entry.file_name() == *name) {
                copy(&entry.path(), &target)?;
            }
        } else {
            std::fs::copy(entry.path(), &target)
                .with_context(|| format!("cannot copy {}", entry.path().display()))?;
        }
    }
    Ok(())
}

/// Returns the generated files by path, without the time of the build. The manifest is left out: it contains times and sizes of files.
fn generated(directory: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    let mut left: Vec<PathBuf> = vec![directory.to_owned()];
    while let Some(next) = left.pop() {
        for entry in std::fs::read_dir(&next).with_context(|| format!("cannot list {}", next.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                left.push(path);
                continue;
            }
            let name = path.strip_prefix(directory)?.to_string_lossy().replace('\\', "/");
            if name.contains("manifest") || name.starts_with("cache/") {
                continue;
            }
            let bytes = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let text = String::from_utf8_lossy(&bytes);
            let lines: Vec<&str> = text
                .lines()
                .filter(|line| !line.contains("generatedAt"))
                .collect();
            files.insert(name, lines.join("\n"));
        }
    }
    Ok(files)
}

/// Returns the first path whose file is missing in one of the maps, or differs.
fn first_difference<'a>(
    expected: &'a BTreeMap<String, String>,
    found: &'a BTreeMap<String, String>,
) -> Option<&'a str> {
    let paths = expected.keys().chain(found.keys());
    paths
        .filter(|path| expected.get(*path) != found.get(*path))
        .min()
        .map(String::as_str)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::first_difference;

    #[test]
    fn finds_a_file_that_differs_or_is_missing() {
        let files = |list: &[(&str, &str)]| -> BTreeMap<String, String> {
            list.iter()
                .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
                .collect()
        };
        let expected = files(&[("a", "1"), ("b", "2")]);
        assert_eq!(first_difference(&expected, &expected), None);
        assert_eq!(
            first_difference(&expected, &files(&[("a", "1"), ("b", "3")])),
            Some("b")
        );
        assert_eq!(
            first_difference(&expected, &files(&[("a", "1"), ("b", "2"), ("aa", "")])),
            Some("aa")
        );
    }
}
