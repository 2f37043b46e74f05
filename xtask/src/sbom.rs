//! `cargo xtask sbom`: writes a software bill of materials for each addon and each published npm package, as
//! `CycloneDX` 1.5 JSON.
//!
//! `npm sbom --omit dev` is not used: it omits a dependency that another workspace lists in `devDependencies`, so
//! `@opentelemetry/api` would be missing from `@kit/otel`. cargo-cyclonedx takes minutes to build, and lists crates
//! that only other members of the workspace enable. So this command reads `package-lock.json` and the output of cargo
//! itself.

pub(crate) mod crates;
mod cyclonedx;
mod npm;

use std::process::ExitCode;

use anyhow::{Context, bail};

use crate::repository::Repository;
use crate::{platforms, run};

/// Directory of the bills of materials, below cargo's target directory.
pub(crate) const DIRECTORY: &str = "sbom";

/// Crates of the two addons.
pub(crate) const ADDON_CRATES: [&str; 2] = ["kit-node-compiler", "kit-node-server"];

/// Writes all bills of materials, and removes the bills of an earlier run.
pub(crate) fn run(repository: &Repository) -> anyhow::Result<ExitCode> {
    let time = time_of_commit(repository)?;
    let graph = crates::Graph::read(repository, &ADDON_CRATES)?;
    let mut documents = Vec::new();
    for name in ADDON_CRATES {
        documents.push((format!("{name}.{}", platforms::host()), graph.bill(name)?));
    }
    for bill in npm::bills(repository)? {
        let name = bill.subject.name.trim_start_matches('@').replace('/', "-");
        documents.push((name, bill));
    }
    let directory = repository.target().join(DIRECTORY);
    if directory.exists() {
        std::fs::remove_dir_all(&directory)
            .with_context(|| format!("cannot empty {}", directory.display()))?;
    }
    std::fs::create_dir_all(&directory).with_context(|| format!("cannot create {}", directory.display()))?;
    for (name, bill) in &documents {
        let path = directory.join(format!("{name}.cdx.json"));
        let mut text = serde_json::to_string_pretty(&bill.json(&time))?;
        text.push('\n');
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        println!("{:>5} components  {}", bill.components.len(), path.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the time of the current commit in RFC 3339. With it in place of the current time, two runs on the same
/// commit write the same bytes.
fn time_of_commit(repository: &Repository) -> anyhow::Result<String> {
    let mut git = run::command(repository, "git")?;
    git.args(["log", "-1", "--format=%cI"]);
    let output = git
        .output()
        .context("`git` could not be started; the time of the commit is needed for the documents")?;
    let time = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if !output.status.success() || time.is_empty() {
        bail!(
            "`git log` does not print the time of the current commit, which is needed for the documents: {}. Run the command in a clone of the repository.",
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    Ok(time)
}
