//! The dashboard of the debug sidecar: its page is built from sources in the repository, and put where `@kit/plugin-debug` looks for it.
//!
//! The built files are in no commit. They are made when they are wanted, and again when a source or a version of the lock file has changed.

use std::path::{Path, PathBuf};

use anyhow::Context;
use sha2::{Digest, Sha256};

use crate::repository::Repository;
use crate::run;

/// Its sources, and where the built files are.
pub(crate) const SOURCES: &str = "packages/plugin-debug/dashboard";
const BUILT: &str = "packages/plugin-debug/dist-dashboard";

/// Builds the page, unless it is there as its sources have it.
pub(crate) fn build(repository: &Repository) -> anyhow::Result<()> {
    let page = repository.path(BUILT).join("index.html");
    let stamp = repository.path("target/dashboard.stamp");
    // Of the whole checkout, so that a target directory that was copied says nothing of another one.
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

/// Of every file that the build reads, and of what the lock file says of the packages it uses.
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
