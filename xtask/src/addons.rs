//! Builds the two native addons with cargo, and copies them to the directories in which their packages expect them.

use std::path::PathBuf;

use anyhow::{Context, bail};

use crate::repository::Repository;
use crate::{release, run};

/// A crate and the file that its package loads.
pub(crate) struct Addon {
    library: &'static str,
    package: &'static str,
    file: &'static str,
}

const ADDONS: [Addon; 2] = [
    Addon {
        library: "kit_node_compiler",
        package: "transform-native",
        file: "kit-compiler",
    },
    Addon {
        library: "kit_node_server",
        package: "server-native",
        file: "kit-server",
    },
];

/// Builds both addons in release mode and copies changed files.
pub(crate) fn build(repository: &Repository) -> anyhow::Result<()> {
    let mut cargo = release::build(repository)?;
    cargo.args(["-p", "kit-node-compiler", "-p", "kit-node-server"]);
    run::step(
        "building the addons (minutes the first time, seconds after)",
        cargo,
    )?;
    for addon in &ADDONS {
        let built = repository
            .target()
            .join("release")
            .join(library_file(addon.library));
        let named = release::named(repository, &built)?;
        if !named.is_empty() {
            bail!(
                "{} names directories of this machine, {}: nobody is to read them in an addon. Something compiles with a path in it that no remapping reaches; `strings` shows where it stands",
                built.display(),
                named.join(" and ")
            );
        }
        copy_if_changed(&built, &addon.placed(repository))?;
    }
    Ok(())
}

/// Returns the addon of a package under `packages/`; `None` if the package has none.
pub(crate) fn of(package: &str) -> Option<&'static Addon> {
    ADDONS.iter().find(|addon| addon.package == package)
}

impl Addon {
    /// Returns the path at which the package expects the addon.
    pub(crate) fn placed(&self, repository: &Repository) -> PathBuf {
        repository
            .path("packages")
            .join(self.package)
            .join("native")
            .join(format!("{}.{}.node", self.file, platform()))
    }
}

/// Copies to a new file and renames it, because a running process keeps the library that it has mapped.
fn copy_if_changed(from: &PathBuf, to: &PathBuf) -> anyhow::Result<()> {
    let bytes =
        std::fs::read(from).with_context(|| format!("cannot read the built addon {}", from.display()))?;
    if std::fs::read(to).is_ok_and(|present| present == bytes) {
        return Ok(());
    }
    let directory = to.parent().context("an addon has a directory")?;
    std::fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
    let fresh = to.with_extension("new");
    std::fs::write(&fresh, bytes).with_context(|| format!("cannot write {}", fresh.display()))?;
    std::fs::rename(&fresh, to).with_context(|| format!("cannot put the addon at {}", to.display()))
}

fn library_file(name: &str) -> String {
    format!(
        "{}{name}{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    )
}

/// Returns the fields of a `package.json` that prevent npm from installing this platform's addon on other platforms.
pub(crate) fn platform_fields() -> Vec<(&'static str, String)> {
    let platform = platform();
    let mut parts = platform.split('-');
    let mut fields = Vec::new();
    for field in ["os", "cpu", "libc"] {
        if let Some(part) = parts.next() {
            // npm calls the GNU C library `glibc`.
            let value = if part == "gnu" { "glibc" } else { part };
            fields.push((field, value.to_owned()));
        }
    }
    fields
}

/// Returns the platform as Node names it, with the C library on Linux: `linux-x64-gnu`.
pub(crate) fn platform() -> String {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    };
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    let libc = if cfg!(target_env = "musl") {
        "-musl"
    } else if cfg!(all(target_os = "linux", target_env = "gnu")) {
        "-gnu"
    } else {
        ""
    };
    format!("{system}-{architecture}{libc}")
}
