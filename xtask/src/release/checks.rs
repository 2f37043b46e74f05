//! Checks of the packed packages: licences, manifests, types and sizes.

use std::path::Path;

use anyhow::{Context, bail};

use crate::pack::Packed;
use crate::repository::Repository;
use crate::{deny, playground, run, toolchain};

/// Checkers of packages. As dependencies of the repository, they would add a hundred packages to the lock file.
const TOOLS: [&str; 2] = ["publint@0.3.25", "@arethetypeswrong/cli@0.18.5"];

/// Maximum sizes of archives in KiB, by the beginnings of their names. The first beginning that matches is used.
const SIZES: [(&str, u64); 5] = [
    ("kit-transform-native-", 16_384),
    ("kit-server-native-", 2_048),
    // The viewer of the API reference.
    ("kit-api-docs-", 2_048),
    ("kit-core-", 1_024),
    ("kit-", 512),
];

/// Checks the licences of all crates, and that the notices of the playground's compiler can be written. The packages contain the notices
/// of the addons.
pub(super) fn licences(repository: &Repository) -> anyhow::Result<()> {
    match deny::check(repository)? {
        deny::Check::Ready(command) => {
            run::step(deny::NAME, command)?;
            playground::notices(repository)?;
            Ok(())
        }
        deny::Check::Unavailable(reason) => bail!("the licences of crates cannot be checked: {reason}"),
    }
}

/// Checks manifests with publint, and types with `@arethetypeswrong/cli`.
pub(super) fn packages(repository: &Repository, packed: &[Packed], out: &Path) -> anyhow::Result<()> {
    let tools = toolchain::npm_tools(repository, "package-checkers", &TOOLS)?;
    for one in packed {
        let archive = out.join(&one.file);
        let mut publint = run::command(repository, "node")?;
        publint
            .arg(tools.join("publint/src/cli.js"))
            .arg(&archive)
            .arg("--strict");
        run::step(&format!("publint: {}", one.name), publint)?;
        if !one.has_types {
            continue;
        }
        let mut types = run::command(repository, "node")?;
        types
            .arg(tools.join("@arethetypeswrong/cli/dist/index.js"))
            .arg(&archive)
            // kit's packages are modules; `require` of them works, but has types only in newer versions of TypeScript.
            .args(["--profile", "esm-only", "--format", "ascii", "--no-emoji"]);
        run::step(&format!("types: {}", one.name), types)?;
    }
    Ok(())
}

/// Fails if an archive is larger than expected, for example because it contains files by mistake.
pub(super) fn sizes(packed: &[Packed]) -> anyhow::Result<()> {
    for one in packed {
        let (_, most) = SIZES
            .iter()
            .find(|(start, _)| one.file.starts_with(start))
            .with_context(|| format!("{} has no maximum size in xtask/src/release/checks.rs", one.file))?;
        let size = one.bytes.div_ceil(1024);
        if size > *most {
            bail!(
                "{} has {size} KiB, but at most {most} KiB are expected; look for files that do not belong there, or change `SIZES` in xtask/src/release/checks.rs",
                one.file
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::sizes;
    use crate::pack::Packed;

    fn packed(file: &str, kibibytes: u64) -> Packed {
        Packed {
            name: file.to_owned(),
            file: file.to_owned(),
            bytes: kibibytes * 1024,
            has_types: true,
        }
    }

    #[test]
    fn refuses_archives_that_are_larger_than_expected() {
        sizes(&[packed("kit-errors-0.1.0.tgz", 512)]).unwrap();
        let error = sizes(&[packed("kit-errors-0.1.0.tgz", 513)]).unwrap_err();
        assert!(error.to_string().contains("513 KiB"), "{error}");
        sizes(&[packed("kit-transform-native-linux-x64-gnu-0.1.0.tgz", 9_000)]).unwrap();
    }
}
