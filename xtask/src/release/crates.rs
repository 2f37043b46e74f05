//! The crates that are published: the libraries of generated Rust servers.

use std::path::Path;

use anyhow::{Context, bail};

use crate::repository::Repository;
use crate::run;

/// Published crates, each after those that it needs.
pub(crate) const NAMES: [&str; 6] = [
    "kit-guard",
    "kit-http2",
    "kit-static",
    "kit-tls",
    "kit-websocket",
    "kit-runtime",
];

/// Packs the crates into `out`, and compiles the packed sources. Returns the file names of the archives.
pub(super) fn pack(repository: &Repository, version: &str, out: &Path) -> anyhow::Result<Vec<String>> {
    let mut cargo = run::command(repository, "cargo")?;
    // The state of git was checked before, or the user accepted it.
    cargo.args(["package", "--locked", "--allow-dirty"]);
    for name in NAMES {
        cargo.args(["-p", name]);
    }
    run::step("packing the crates", cargo)?;
    let mut files = Vec::new();
    for name in NAMES {
        let file = format!("{name}-{version}.crate");
        let packed = repository.target().join("package").join(&file);
        if !packed.is_file() {
            bail!("cargo did not write {}", packed.display());
        }
        std::fs::copy(&packed, out.join(&file))
            .with_context(|| format!("cannot copy {}", packed.display()))?;
        files.push(file);
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::NAMES;
    use crate::repository::Repository;

    #[test]
    fn only_the_listed_crates_are_published() {
        let repository = Repository::find(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        let mut published = Vec::new();
        for entry in std::fs::read_dir(repository.path("crates")).unwrap() {
            let path = entry.unwrap().path();
            let Ok(manifest) = std::fs::read_to_string(path.join("Cargo.toml")) else {
                continue;
            };
            if manifest.contains("\npublish = true\n") {
                published.push(path.file_name().unwrap().to_string_lossy().into_owned());
                assert!(path.join("README.md").is_file() && path.join("LICENSE").is_file());
            }
        }
        published.sort();
        let mut names = NAMES.map(str::to_owned);
        names.sort();
        assert_eq!(published, names);
    }
}
