//! The plan of a publication: checksums, the commands in their order, and their execution for a registry.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, bail};
use sha2::{Digest, Sha256};

use crate::pack::Packed;
use crate::repository::Repository;
use crate::{optimized, run};

/// Writes `SHA256SUMS` and `PUBLISH.md`. `crates` are the file names of the packed crates.
pub(super) fn write(
    packed: &[Packed],
    crates: &[String],
    version: &str,
    missing: &[&str],
    out: &Path,
) -> anyhow::Result<()> {
    let compiler = optimized::compiler()?;
    let mut sums = String::new();
    for file in packed.iter().map(|one| &one.file).chain(crates) {
        let bytes = std::fs::read(out.join(file)).with_context(|| format!("cannot read {file}"))?;
        // Writing to a string cannot fail.
        let _ = writeln!(sums, "{}  {file}", hexadecimal(&bytes));
    }
    std::fs::write(out.join("SHA256SUMS"), sums)?;
    std::fs::write(out.join("PUBLISH.md"), text(packed, version, missing, &compiler))?;
    println!("{:>9}  PUBLISH.md, SHA256SUMS, RELEASE_NOTES.md, sbom/", "");
    Ok(())
}

/// Returns the text of the plan.
fn text(packed: &[Packed], version: &str, missing: &[&str], compiler: &str) -> String {
    let mut out = format!(
        "# Publication of {version}\n\nBuilt with {compiler}. Another version of Rust makes other addons from the same commit.\n\n"
    );
    if !missing.is_empty() {
        let _ = write!(
            out,
            "These platforms have no addons in this release: {}. Do not publish it before they are built.\n\n",
            missing.join(", ")
        );
    }
    out.push_str(
        "Run in this directory, in this order: each package comes after those that it needs, and addons come first.\n\n```sh\nsha256sum --check SHA256SUMS\n",
    );
    let tag = tag(version);
    for one in packed {
        let _ = writeln!(out, "npm publish ./{} --tag {tag} --provenance", one.file);
    }
    out.push_str("```\n\nRun in the repository, at the commit of the release:\n\n```sh\n");
    for name in super::crates::NAMES {
        let _ = writeln!(out, "cargo publish -p {name}");
    }
    let _ = write!(
        out,
        "git tag v{version}\ngit push origin v{version}\n```\n\n`--provenance` works only in a workflow of a public forge; leave the option out elsewhere.\n"
    );
    out
}

/// Returns the tag of npm under which users find a version. `npm install` without a version installs `latest`.
fn tag(version: &str) -> &'static str {
    if version.contains('-') { "next" } else { "latest" }
}

/// A packed package that can be published.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Archive {
    /// Name of the package.
    name: String,
    /// File name of the archive.
    file: String,
}

/// Returns the archives of packages that `SHA256SUMS` lists, in the order of their publication. Fails if a file differs from
/// its checksum.
pub(super) fn archives(version: &str, out: &Path) -> anyhow::Result<Vec<Archive>> {
    let list = out.join("SHA256SUMS");
    let sums = std::fs::read_to_string(&list).with_context(|| {
        format!(
            "cannot read {}; run the command without --publish-only first",
            list.display()
        )
    })?;
    for (sum, file) in entries(&sums) {
        let bytes = std::fs::read(out.join(file)).with_context(|| format!("cannot read {file}"))?;
        if hexadecimal(&bytes) != sum {
            bail!("{file} is not the file that was checked: its checksum is not that of SHA256SUMS");
        }
    }
    let found: Vec<Archive> = entries(&sums)
        .filter_map(|(_, file)| archive(file, version))
        .collect();
    if found.is_empty() {
        bail!("{} lists no package of the version {version}", list.display());
    }
    Ok(found)
}

/// Returns the checksums and file names of a list.
fn entries(sums: &str) -> impl Iterator<Item = (&str, &str)> {
    sums.lines().filter_map(|line| line.split_once("  "))
}

/// Returns the archive of a package with this file name: `kit-core-0.1.0.tgz` contains `@kit/core`.
fn archive(file: &str, version: &str) -> Option<Archive> {
    let name = file
        .strip_prefix("kit-")?
        .strip_suffix(&format!("-{version}.tgz"))?;
    Some(Archive {
        name: format!("@kit/{name}"),
        file: file.to_owned(),
    })
}

/// Publishes archives. Archives that the registry has already are left out, so that the command can be repeated.
pub(super) fn publish(
    repository: &Repository,
    archives: &[Archive],
    version: &str,
    out: &Path,
    registry: &str,
) -> anyhow::Result<()> {
    for one in archives {
        let mut view = run::command(repository, "npm")?;
        view.args(["view", &format!("{}@{version}", one.name), "version", "--json"]);
        view.args(["--registry", registry]).current_dir(out);
        let seen = view.output().context("npm could not be started")?;
        if seen.status.success() && String::from_utf8_lossy(&seen.stdout).contains(version) {
            println!("{} {version} is in the registry already", one.name);
            continue;
        }
        let mut npm = run::command(repository, "npm")?;
        // Without `./`, npm would take the name for a repository on GitHub.
        npm.arg("publish").arg(format!("./{}", one.file));
        npm.args(["--ignore-scripts", "--registry", registry, "--tag", tag(version)]);
        if std::env::var_os("GITHUB_ACTIONS").is_some() {
            npm.arg("--provenance");
        }
        npm.current_dir(out);
        run::step(&format!("publishing {}", one.name), npm)?;
    }
    Ok(())
}

fn hexadecimal(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests {
    use super::{Archive, archives, hexadecimal, text};
    use crate::pack::Packed;

    fn packed(name: &str) -> Packed {
        Packed {
            name: format!("@kit/{name}"),
            file: format!("kit-{name}-0.2.0.tgz"),
            bytes: 1,
            has_types: true,
        }
    }

    #[test]
    fn names_all_packages_in_their_order_and_the_platforms_that_are_missing() {
        let plan = text(
            &[packed("types"), packed("core")],
            "0.2.0",
            &["darwin-x64"],
            "rustc 1.95.0",
        );
        let types = plan
            .find("npm publish ./kit-types-0.2.0.tgz --tag latest --provenance")
            .unwrap();
        let core = plan.find("npm publish ./kit-core-0.2.0.tgz").unwrap();
        assert!(types < core, "{plan}");
        assert!(plan.contains("no addons in this release: darwin-x64."), "{plan}");
        let guard = plan.find("cargo publish -p kit-guard\n").unwrap();
        assert!(
            guard < plan.find("cargo publish -p kit-runtime\n").unwrap(),
            "{plan}"
        );
        assert!(!text(&[], "0.2.0", &[], "").contains("no addons"));
    }

    #[test]
    fn versions_before_a_release_get_another_tag() {
        assert!(text(&[packed("core")], "1.0.0-beta.1", &[], "").contains("--tag next"));
    }

    #[test]
    fn only_archives_with_the_listed_checksums_are_published() {
        let out = std::env::temp_dir().join(format!("kit-xtask-plan-{}", std::process::id()));
        std::fs::create_dir_all(&out).unwrap();
        let file = "kit-core-0.2.0.tgz";
        std::fs::write(out.join(file), "kit").unwrap();
        std::fs::write(out.join("kit-guard-0.2.0.crate"), "kit").unwrap();
        let sum = hexadecimal(b"kit");
        std::fs::write(
            out.join("SHA256SUMS"),
            format!("{sum}  {file}\n{sum}  kit-guard-0.2.0.crate\n"),
        )
        .unwrap();
        let expected = Archive {
            name: "@kit/core".to_owned(),
            file: file.to_owned(),
        };
        assert_eq!(archives("0.2.0", &out).unwrap(), [expected]);
        std::fs::write(out.join(file), "changed").unwrap();
        let error = archives("0.2.0", &out).unwrap_err().to_string();
        std::fs::remove_dir_all(&out).unwrap();
        assert!(error.contains("is not the file that was checked"), "{error}");
    }

    #[test]
    fn formats_checksums_as_sha256sum_does() {
        assert_eq!(
            hexadecimal(b"kit"),
            "cbc8a597a67c465497550c4a4a7eebdb138442c06be06a78cc1ee8715658ff44"
        );
    }
}
