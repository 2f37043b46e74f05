//! Installs the viewer of the API reference. It is one file of a public npm package, and is copied to the directory
//! from which `@kit/api-docs` serves it.
//!
//! As a dependency, that package would install more than a hundred others, whose code the file already contains. So
//! only the package itself is downloaded, its hash is compared with the hash in
//! `packages/api-docs/viewer/source.json`, and the file is extracted.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::Value;
use sha2::{Digest, Sha512};

use crate::repository::Repository;
use crate::run;

/// Directory of the viewer and of `source.json`, which names its package.
pub(crate) const DIRECTORY: &str = "packages/api-docs/viewer";
const FILE: &str = "standalone.js.gz";

/// Content of `source.json`: the npm package that the viewer comes from, and its file in there.
struct Source {
    package: String,
    version: String,
    sha512: String,
    file: String,
}

/// Installs the viewer, unless the required version is there.
pub(crate) fn install(repository: &Repository) -> anyhow::Result<()> {
    let source = Source::read(repository)?;
    let target = repository.path(DIRECTORY).join(FILE);
    let stamp = repository.path("target/viewer.stamp");
    // The text contains the path of the checkout, so that a target directory that was copied to another checkout is
    // not up to date.
    let wanted = format!("{} {}", source.sha512, target.display());
    if target.is_file() && std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    let archive = source.fetch(repository)?;
    let script = source.extract(&archive)?;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&script)?;
    let temporary = target.with_extension("new");
    std::fs::write(&temporary, encoder.finish()?)
        .with_context(|| format!("cannot write {}", temporary.display()))?;
    std::fs::rename(&temporary, &target).with_context(|| format!("cannot write {}", target.display()))?;
    std::fs::create_dir_all(repository.path("target"))?;
    std::fs::write(&stamp, wanted).with_context(|| format!("cannot write {}", stamp.display()))
}

/// Installs the viewer in the same way as [`install`], for commands that work without it. If it cannot be fetched,
/// prints a warning and continues.
pub(crate) fn install_or_warn(repository: &Repository) {
    if let Err(error) = install(repository) {
        eprintln!("warning: the API reference at /docs will be missing: {error:#}");
    }
}

impl Source {
    fn read(repository: &Repository) -> anyhow::Result<Self> {
        let path = repository.path(DIRECTORY).join("source.json");
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let json: Value =
            serde_json::from_str(&text).with_context(|| format!("{} is not JSON", path.display()))?;
        let field = |name: &str| {
            json[name]
                .as_str()
                .map(str::to_owned)
                .with_context(|| format!("{} has no `{name}`", path.display()))
        };
        Ok(Self {
            package: field("package")?,
            version: field("version")?,
            sha512: field("sha512")?,
            file: field("file")?,
        })
    }

    /// Downloads the package as an archive and checks its hash.
    fn fetch(&self, repository: &Repository) -> anyhow::Result<Vec<u8>> {
        let directory = repository.path("target/viewer");
        std::fs::create_dir_all(&directory)
            .with_context(|| format!("cannot create {}", directory.display()))?;
        let mut npm = run::command(repository, "npm")?;
        npm.args([
            "pack",
            "--ignore-scripts",
            "--prefer-offline",
            "--pack-destination",
        ])
        .arg(&directory)
        .arg(format!("{}@{}", self.package, self.version));
        run::step("fetching the viewer of the API reference", npm)?;
        let path = self.archive(&directory);
        let archive =
            std::fs::read(&path).with_context(|| format!("npm did not write {}", path.display()))?;
        std::fs::remove_dir_all(&directory)?;
        self.check(&archive)?;
        Ok(archive)
    }

    /// Returns the path at which npm stores the archive.
    fn archive(&self, directory: &Path) -> PathBuf {
        let name = self.package.replace('@', "").replace('/', "-");
        directory.join(format!("{name}-{}.tgz", self.version))
    }

    fn check(&self, archive: &[u8]) -> anyhow::Result<()> {
        let found = Sha512::digest(archive)
            .iter()
            .fold(String::new(), |mut hex, byte| {
                use std::fmt::Write;
                let _ = write!(hex, "{byte:02x}");
                hex
            });
        if found != self.sha512 {
            bail!(
                "{}@{} is not the package that {DIRECTORY}/source.json names: its SHA-512 is {found}. Where the version was changed on purpose, look at what changed and write the new hash",
                self.package,
                self.version
            );
        }
        Ok(())
    }

    fn extract(&self, archive: &[u8]) -> anyhow::Result<Vec<u8>> {
        let mut archive = tar::Archive::new(GzDecoder::new(archive));
        for entry in archive.entries()? {
            let mut entry = entry?;
            if entry.path()? == Path::new(&self.file) {
                let mut script = Vec::new();
                entry.read_to_end(&mut script)?;
                return Ok(script);
            }
        }
        bail!("{}@{} has no {}", self.package, self.version, self.file)
    }
}

#[cfg(test)]
mod tests {
    use super::{GzEncoder, Source};
    use flate2::Compression;

    fn source() -> Source {
        Source {
            package: "@a/b".to_owned(),
            version: "1.0.0".to_owned(),
            sha512: "0d2a1b".to_owned(),
            file: "package/dist/one.js".to_owned(),
        }
    }

    fn archive(name: &str) -> Vec<u8> {
        let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (path, text) in [("package/package.json", "{}"), (name, "viewer()")] {
            let mut header = tar::Header::new_gnu();
            header.set_size(text.len() as u64);
            header.set_mode(0o644);
            header.set_cksum();
            builder.append_data(&mut header, path, text.as_bytes()).unwrap();
        }
        builder.into_inner().unwrap().finish().unwrap()
    }

    #[test]
    fn extracts_the_viewer_from_the_archive_of_its_package() {
        let script = source().extract(&archive("package/dist/one.js")).unwrap();
        assert_eq!(script, b"viewer()");
    }

    #[test]
    fn reports_an_archive_without_the_viewer() {
        let error = source().extract(&archive("package/dist/two.js")).unwrap_err();
        assert_eq!(error.to_string(), "@a/b@1.0.0 has no package/dist/one.js");
    }

    #[test]
    fn refuses_an_archive_with_another_hash() {
        let error = source().check(&archive("package/dist/one.js")).unwrap_err();
        assert!(error.to_string().contains("is not the package that"), "{error}");
    }
}
