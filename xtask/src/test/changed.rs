//! `cargo xtask test --changed`: runs only the tests that may fail because of a change.
//!
//! For a changed crate or package, these are its own tests and the tests of the crates or packages that depend on it.
//! For a changed directory, these are also the commands that the table of `CONTRIBUTING.md` lists for it: end-to-end
//! tests start programs, so imports do not show what they depend on.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context;
use serde_json::Value;

use super::contributing::{Row, TestCommand, rows};
use super::job::{Group, Job, Tests};
use super::{Outcome, checks, crates, jobs, node};
use crate::clippy::Compiler;
use crate::repository::Repository;
use crate::{addons, check, run, setup};

/// Files on which every test depends. If one of these files has changed, all tests run.
const REACH_ALL: [&str; 6] = [
    "Cargo.toml",
    "Cargo.lock",
    "package.json",
    "package-lock.json",
    "rust-toolchain.toml",
    "tsconfig.base.json",
];

/// Tests to run.
#[derive(Debug, Default, PartialEq, Eq)]
struct Selection {
    /// Crates whose test binaries all run.
    crates: BTreeSet<String>,
    /// Single test binaries, each with its crate and its name.
    binaries: BTreeSet<(String, String)>,
    /// Globs of test files, each with its value of `KIT_E2E_SERVER`.
    globs: BTreeSet<(String, Option<&'static str>)>,
}

/// Runs the checks, and the tests that may fail because of the changes since a commit. An empty `since` stands for
/// the default commit.
pub(crate) fn run(repository: &Repository, since: &str) -> anyhow::Result<Outcome> {
    let base = base_commit(repository, since)?;
    let files = changed_files(repository, &base)?;
    println!(
        "{} files changed since {}",
        files.len(),
        &base[..base.len().min(9)]
    );
    if files.is_empty() {
        println!("no file was changed, so no test runs");
        return Ok(Outcome {
            passed: 1,
            ..Outcome::default()
        });
    }
    if let Some(file) = files.iter().find(|file| REACH_ALL.contains(&file.as_str())) {
        println!("all tests run, because every test depends on {file}, which has changed");
        return super::run_parts(
            repository,
            &super::Options {
                only: Vec::new(),
                changed: None,
                long: false,
            },
        );
    }
    let table = std::fs::read_to_string(repository.path("CONTRIBUTING.md"))?;
    let selection = select(
        &files,
        &rows(&table),
        &crate_dependents(repository)?,
        &package_dependents(repository)?,
    );
    setup::run(repository, addons::Build::WithTests)?;
    let mut total = checks(repository, Compiler::Clippy)?;
    let mut groups = selection.groups(repository)?;
    node::use_built_examples(repository, &mut groups);
    if groups.is_empty() {
        println!("no test depends on the changed files");
    } else {
        total.add(jobs::run_all(repository, groups)?);
    }
    println!("the other tests were not run; `cargo xtask test` runs all tests");
    Ok(total)
}

/// Returns the commit with which the files are compared.
fn base_commit(repository: &Repository, since: &str) -> anyhow::Result<String> {
    let merge_base = |commit: &str| git(repository, &["merge-base", "HEAD", commit]);
    if !since.is_empty() {
        return merge_base(since)
            .with_context(|| format!("`{since}` is not a commit that shares history with HEAD"));
    }
    merge_base("@{upstream}")
        .or_else(|_| merge_base("origin/main"))
        .or_else(|_| git(repository, &["rev-parse", "HEAD"]))
}

/// Returns the files that are changed or not tracked, relative to the root of the repository.
fn changed_files(repository: &Repository, base: &str) -> anyhow::Result<BTreeSet<String>> {
    let tracked = git(repository, &["diff", "--name-only", "--no-renames", base])?;
    let untracked = git(repository, &["ls-files", "--others", "--exclude-standard"])?;
    Ok(tracked
        .lines()
        .chain(untracked.lines())
        .map(str::to_owned)
        .collect())
}

fn git(repository: &Repository, arguments: &[&str]) -> anyhow::Result<String> {
    let output = run::command(repository, "git")?
        .args(arguments)
        .output()
        .context("`git` could not be started; --changed needs it")?;
    if !output.status.success() {
        anyhow::bail!(
            "`git {}` failed: {}",
            arguments.join(" "),
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// Selects the tests that may fail because of changed files. The two maps contain, for each crate and package, the
/// crates and packages that depend on it directly.
fn select(
    files: &BTreeSet<String>,
    rows: &[Row],
    crate_dependents: &BTreeMap<String, BTreeSet<String>>,
    package_dependents: &BTreeMap<String, BTreeSet<String>>,
) -> Selection {
    let mut selection = Selection::default();
    let mut crates = BTreeSet::new();
    let mut packages = BTreeSet::new();
    for file in files {
        let mut parts = file.split('/');
        match (parts.next(), parts.next()) {
            (Some("crates"), Some(name)) => {
                crates.insert(name.to_owned());
            }
            (Some("xtask"), _) => {
                crates.insert("xtask".to_owned());
            }
            (Some("packages"), Some(name)) => {
                packages.insert(name.to_owned());
            }
            (Some("tests"), Some(_)) if file.ends_with(".test.ts") => {
                selection.globs.insert((file.clone(), None));
            }
            (Some("tests"), Some(directory)) => {
                selection
                    .globs
                    .insert((format!("tests/{directory}/**/*.test.ts"), None));
            }
            _ => {}
        }
        for row in rows {
            if row.places.iter().any(|place| is_below(file, place)) {
                selection.add_commands(&row.commands);
            }
        }
    }
    selection.crates.extend(closure(crates, crate_dependents));
    for package in closure(packages, package_dependents) {
        selection
            .globs
            .insert((format!("packages/{package}/test/**/*.test.ts"), None));
    }
    selection
}

/// Returns true if `file` is `place`, or is in the directory `place`.
fn is_below(file: &str, place: &str) -> bool {
    file.strip_prefix(place)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the names, and all crates or packages that depend on them directly or through others.
fn closure(mut names: BTreeSet<String>, dependents: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
    let mut waiting: Vec<String> = names.iter().cloned().collect();
    while let Some(name) = waiting.pop() {
        for dependent in dependents.get(&name).into_iter().flatten() {
            if names.insert(dependent.clone()) {
                waiting.push(dependent.clone());
            }
        }
    }
    names
}

impl Selection {
    fn add_commands(&mut self, commands: &[TestCommand]) {
        for command in commands {
            match command {
                TestCommand::Crates { names, binaries } if binaries.is_empty() => {
                    self.crates.extend(names.iter().cloned());
                }
                TestCommand::Crates { names, binaries } => {
                    for name in names {
                        self.binaries
                            .extend(binaries.iter().map(|binary| (name.clone(), binary.clone())));
                    }
                }
                TestCommand::Node { globs, server } => {
                    self.globs
                        .extend(globs.iter().map(|glob| (glob.clone(), *server)));
                }
            }
        }
    }

    fn groups(&self, repository: &Repository) -> anyhow::Result<Vec<Group>> {
        let mut groups = Vec::new();
        if !self.crates.is_empty() || !self.binaries.is_empty() {
            for group in crates::groups(repository, &[], Compiler::Clippy)? {
                let chosen: Group = group.into_iter().filter(|job| self.has(job)).collect();
                if !chosen.is_empty() {
                    groups.push(chosen);
                }
            }
        }
        let mut files: BTreeSet<(String, Option<&'static str>)> = BTreeSet::new();
        for (glob, server) in &self.globs {
            for file in node::files(repository, std::slice::from_ref(glob))? {
                files.insert((file, *server));
            }
        }
        if files
            .iter()
            .any(|(file, server)| *server == Some("rust") || needs_rust_servers(file))
        {
            check::build_rust_servers(repository)?;
        }
        for (file, server) in files {
            groups.push(vec![Tests::NodeFile { file, server }.into()]);
        }
        Ok(groups)
    }

    fn has(&self, job: &Job) -> bool {
        let Some((name, binary)) = job.binary() else {
            return false;
        };
        self.crates.contains(&name) || self.binaries.contains(&(name, binary))
    }
}

/// Returns true for tests that start the built Rust servers without `KIT_E2E_SERVER`.
fn needs_rust_servers(file: &str) -> bool {
    file.starts_with("tests/differential/") || file.starts_with("tests/garbage/")
}

/// Returns the direct dependents of each crate of the workspace, by the names of their directories.
fn crate_dependents(repository: &Repository) -> anyhow::Result<BTreeMap<String, BTreeSet<String>>> {
    let mut cargo = run::command(repository, "cargo")?;
    cargo.args(["metadata", "--format-version=1", "--no-deps", "--offline"]);
    let output = cargo.output().context("`cargo` could not be started")?;
    let metadata: Value =
        serde_json::from_slice(&output.stdout).context("`cargo metadata` did not print JSON")?;
    let mut dependents: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let Some(name) = package["name"].as_str() else {
            continue;
        };
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            // A dependency that is not in the workspace has no path.
            if let (Some(on), true) = (dependency["name"].as_str(), dependency["path"].is_string()) {
                dependents
                    .entry(on.to_owned())
                    .or_default()
                    .insert(name.to_owned());
            }
        }
    }
    Ok(dependents)
}

/// Returns the npm packages that depend on each package directly, by the names of their directories.
fn package_dependents(repository: &Repository) -> anyhow::Result<BTreeMap<String, BTreeSet<String>>> {
    let mut manifests = Vec::new();
    for entry in std::fs::read_dir(repository.path("packages"))? {
        let entry = entry?;
        if let Ok(text) = std::fs::read_to_string(entry.path().join("package.json")) {
            let manifest: Value = serde_json::from_str(&text)
                .with_context(|| format!("{} is not JSON", entry.path().display()))?;
            manifests.push((entry.file_name().to_string_lossy().into_owned(), manifest));
        }
    }
    let directories: BTreeMap<&str, &str> = manifests
        .iter()
        .filter_map(|(directory, manifest)| Some((manifest["name"].as_str()?, directory.as_str())))
        .collect();
    let mut dependents: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (directory, manifest) in &manifests {
        for kind in [
            "dependencies",
            "peerDependencies",
            "optionalDependencies",
            "devDependencies",
        ] {
            for name in manifest[kind]
                .as_object()
                .into_iter()
                .flat_map(|names| names.keys())
            {
                if let Some(on) = directories.get(name.as_str()) {
                    dependents
                        .entry((*on).to_owned())
                        .or_default()
                        .insert(directory.clone());
                }
            }
        }
    }
    Ok(dependents)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::{Row, Selection, rows, select};

    fn map(pairs: &[(&str, &[&str])]) -> BTreeMap<String, BTreeSet<String>> {
        pairs
            .iter()
            .map(|(name, dependents)| {
                let dependents = dependents.iter().map(ToString::to_string).collect();
                ((*name).to_owned(), dependents)
            })
            .collect()
    }

    fn selected(file: &str, rows: &[Row]) -> Selection {
        select(
            &BTreeSet::from([file.to_owned()]),
            rows,
            &map(&[("ir", &["emit"]), ("emit", &["build"])]),
            &map(&[("types", &["core"])]),
        )
    }

    #[test]
    fn selects_a_changed_crate_and_all_crates_that_depend_on_it() {
        let selection = selected("crates/ir/src/lib.rs", &[]);
        assert_eq!(
            selection.crates.into_iter().collect::<Vec<_>>(),
            ["build", "emit", "ir"]
        );
    }

    #[test]
    fn selects_the_tests_of_a_changed_package_and_of_packages_that_depend_on_it() {
        let globs: Vec<String> = selected("packages/types/src/a.ts", &[])
            .globs
            .into_iter()
            .map(|(glob, _)| glob)
            .collect();
        assert_eq!(
            globs,
            [
                "packages/core/test/**/*.test.ts",
                "packages/types/test/**/*.test.ts"
            ]
        );
    }

    #[test]
    fn a_changed_file_reaches_the_commands_of_its_row() {
        let table = "## If you change X, run Y\n\n| change | where | run | rewrite goldens with |\n|---|---|---|---|\n\
            | docs | `docs`, `README.md` | `node --test tests/docs.test.ts`; the tutorial: `cargo xtask demo` |\n\
            | emitter | `crates/emit` | `cargo test -p emit --test goldens` | `KIT_BLESS=1 cargo test -p emit` |\n";
        let rows = rows(table);
        let docs = selected("docs/guide/a.md", &rows);
        assert_eq!(
            docs.globs,
            BTreeSet::from([("tests/docs.test.ts".to_owned(), None)])
        );
        let emit = selected("crates/emit/src/lib.rs", &rows);
        assert_eq!(
            emit.binaries,
            BTreeSet::from([("emit".to_owned(), "goldens".to_owned())])
        );
        assert_eq!(selected("docsy.md", &rows), Selection::default());
    }
}
