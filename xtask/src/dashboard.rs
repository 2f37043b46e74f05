//! Builds the dashboard, which is the page of the debug sidecar, into the directory from which `@kit/plugin-debug`
//! serves it.
//!
//! The built files are not committed. This command builds them if they are missing, or if a source or the lock file
//! has changed.

use std::path::{Path, PathBuf};

use anyhow::Context;
use sha2::{Digest, Sha256};

use crate::repository::Repository;
use crate::run;

/// Directory of the dashboard's sources, and directory of its built files.
pub(crate) const SOURCES: &str = "packages/plugin-debug/dashboard";
const BUILT: &str = "packages/plugin-debug/dist-dashboard";

/// Builds the dashboard, unless it is up to date.
pub(crate) fn build(repository: &Repository) -> anyhow::Result<()> {
    let page = repository.path(BUILT).join("index.html");
    let stamp = repository.path("target/dashboard.stamp");
    // The text contains the path of the checkout, so that a target directory that was copied to another checkout is
    // not up to date.
    let wanted = format!("{} {}", hash_of_sources(repository)?, page.display());
    if page.is_file() && std::fs::read_to_string(&stamp).is_ok_and(|built| built == wanted) {
        return Ok(());
    }
    let mut node = run::command(repository, "node")?;
    node.arg(repository.path(SOURCES).join("build.ts"));
    run::step("building the dashboard", node)?;
    std::fs::create_dir_all(repository.path("target"))?;
    std::fs::write(&stamp, wanted).with_context(|| format!("cannot write {}", stamp.display()))
}

/// Returns a hash of all files that the build reads. The lock file is one of them, because it has the versions of the
/// packages.
fn hash_of_sources(repository: &Repository) -> anyhow::Result<String> {
    let mut files = vec![repository.path("package-lock.json")];
    collect(&repository.path(SOURCES), &mut files)?;
    files.sort();
    let mut hash = Sha256::new();
    for file in files {
        let bytes = std::fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
        hash.update(file.to_string_lossy().as_bytes());
        hash.update(bytes.len().to_le_bytes());
        hash.update(&bytes);
    }
    Ok(hash.finalize().iter().fold(String::new(), |mut hex, byte| {
        use std::fmt::Write;
        let _ = write!(hex, "{byte:02x}");
        hex
    }))
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for entry in
        std::fs::read_dir(directory).with_context(|| format!("cannot list {}", directory.display()))?
    {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), files)?;
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}
