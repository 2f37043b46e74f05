//! Builds the two native addons with cargo, and copies them into the packages that load them.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::clippy::Compiler;
use crate::repository::Repository;
use crate::{release, run};

/// A native addon: the crate that it is built from, and the file that a package loads.
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

/// Optimization of the built addons, which takes time to compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Build {
    /// As published: optimized across all crates, and without names of directories on this machine.
    Release,
    /// Without optimization, which compiles in much less time.
    Quick,
    /// Like `Quick`, and builds the tests of all crates at the same time, with the same compiled dependencies. Clippy is the
    /// compiler, except for the addon with unsafe code.
    WithTests,
}

/// Builds both addons, and copies those that have changed.
pub(crate) fn build(repository: &Repository, how: Build) -> anyhow::Result<()> {
    let addons = ["-p", "kit-node-compiler", "-p", "kit-node-server"];
    let (title, cargo) = match how {
        Build::Release => {
            let mut cargo = release::build(repository)?;
            cargo.args(addons);
            ("building the addons, optimized (minutes the first time)", cargo)
        }
        Build::Quick => {
            let mut cargo = run::command(repository, "cargo")?;
            cargo.args(["build", "--locked"]).args(addons);
            ("building the addons (minutes the first time)", cargo)
        }
        Build::WithTests => {
            let mut cargo = run::command(repository, "cargo")?;
            // The same targets as `cargo test`, so that dependencies are compiled with the same features.
            cargo.args(["build", "--locked", "--workspace"]);
            cargo.args(["--lib", "--bins", "--tests", "--examples"]);
            Compiler::Clippy.set(&mut cargo);
            (
                "building the crates, their tests and the addons (minutes the first time)",
                cargo,
            )
        }
    };
    run::step(title, cargo)?;
    if how == Build::WithTests {
        // Programs that Clippy compiles do not check for null pointers and misaligned pointers. This addon has the unsafe
        // code of the repository, so the addon that tests load comes from rustc.
        let mut cargo = run::command(repository, "cargo")?;
        cargo.args(["build", "--locked", "-p", "kit-node-server"]);
        run::step("building the server addon", cargo)?;
    }
    let directory = if how == Build::Release { "release" } else { "debug" };
    for addon in &ADDONS {
        let built = repository
            .target()
            .join(directory)
            .join(library_file(addon.library));
        if how == Build::Release {
            check_names_no_directory(repository, &built)?;
        }
        copy_if_changed(&built, &addon.placed(repository))?;
    }
    Ok(())
}

/// Fails if a library contains the name of a directory on this machine. A published library must not.
fn check_names_no_directory(repository: &Repository, library: &Path) -> anyhow::Result<()> {
    let named = release::named(repository, library)?;
    if !named.is_empty() {
        bail!(
            "{} names directories of this machine, {}: published addons must not contain them. Some code is compiled with a path that the remapping does not cover; find it with `strings`",
            library.display(),
            named.join(" and ")
        );
    }
    Ok(())
}

/// Returns the addon of the package in this directory of `packages/`. Returns `None` if it has none.
pub(crate) fn of(package: &str) -> Option<&'static Addon> {
    ADDONS.iter().find(|addon| addon.package == package)
}

impl Addon {
    /// Returns the path at which the package loads the addon.
    pub(crate) fn placed(&self, repository: &Repository) -> PathBuf {
        repository
            .path("packages")
            .join(self.package)
            .join("native")
            .join(format!("{}.{}.node", self.file, platform()))
    }
}

/// Copies a file if its content differs. The copy replaces the old file by renaming, because a running process may
/// have loaded that.
fn copy_if_changed(from: &PathBuf, to: &PathBuf) -> anyhow::Result<()> {
    let bytes =
        std::fs::read(from).with_context(|| format!("cannot read the built addon {}", from.display()))?;
    if std::fs::read(to).is_ok_and(|present| present == bytes) {
        return Ok(());
    }
    let directory = to.parent().context("the path of an addon has no directory")?;
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

/// Returns the fields of `package.json` by which npm installs the addon of this platform only on this platform.
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

/// Returns the platform in the notation of Node, on Linux with the C library: `linux-x64-gnu`.
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
