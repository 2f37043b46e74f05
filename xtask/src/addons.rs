//! Builds the two native addons with cargo, and copies them into the packages that load them.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};

use crate::clippy::Compiler;
use crate::platforms::{self, Platform};
use crate::repository::Repository;
use crate::{optimized, run};

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
            let mut cargo = optimized::build(repository)?;
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
    let named = optimized::named(repository, library)?;
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

/// Builds the optimized addons of other platforms, one after the other. Returns the platforms that this machine cannot
/// build, with the reasons.
pub(crate) fn build_platforms(
    repository: &Repository,
    wanted: &[&'static Platform],
) -> anyhow::Result<Vec<(&'static Platform, String)>> {
    let mut skipped = Vec::new();
    for platform in wanted {
        if let Some(reason) = platform.missing() {
            skipped.push((*platform, reason));
            continue;
        }
        let mut cargo = optimized::build_for(repository, platform)?;
        for addon in ADDONS.iter().filter(|addon| addon.exists_on(platform)) {
            cargo.args(["-p", &addon.crate_name()]);
        }
        run::step(&format!("building the addons for {}", platform.name), cargo)?;
        let directory = repository.target().join(platform.triple).join("release");
        for addon in ADDONS.iter().filter(|addon| addon.exists_on(platform)) {
            let built = directory.join(platform.library_file(addon.library));
            check_names_no_directory(repository, &built)?;
            copy_if_changed(&built, &addon.placed_for(repository, platform.name))?;
        }
    }
    Ok(skipped)
}

/// Returns true if all addons of a platform are in their packages.
pub(crate) fn are_placed(repository: &Repository, platform: &Platform) -> bool {
    ADDONS
        .iter()
        .filter(|addon| addon.exists_on(platform))
        .all(|addon| addon.placed_for(repository, platform.name).is_file())
}

impl Addon {
    /// Returns the path at which the package loads the addon on this machine.
    pub(crate) fn placed(&self, repository: &Repository) -> PathBuf {
        self.placed_for(repository, &platforms::host())
    }

    /// Returns the path at which the package loads the addon on a platform.
    pub(crate) fn placed_for(&self, repository: &Repository, platform: &str) -> PathBuf {
        repository
            .path("packages")
            .join(self.package)
            .join("native")
            .join(format!("{}.{platform}.node", self.file))
    }

    /// Returns the name of the crate.
    pub(crate) fn crate_name(&self) -> String {
        self.library.replace('_', "-")
    }

    /// Returns false if the addon cannot be built for a platform. Applications work without it there.
    pub(crate) fn exists_on(&self, platform: &Platform) -> bool {
        platform.has_engine || self.package != "server-native"
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

/// Options of `cargo xtask addons`.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Build for a published platform, such as linux-arm64-musl; may be repeated. Without this option, the addons are built for
    /// this machine only.
    #[arg(long = "platform", value_name = "PLATFORM")]
    platforms: Vec<String>,
}

/// Builds the optimized addons for the platforms of the options. Fails if this machine cannot build a platform.
pub(crate) fn run(repository: &Repository, options: &Options) -> anyhow::Result<ExitCode> {
    if options.platforms.is_empty() {
        build(repository, Build::Release)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut wanted = Vec::new();
    for name in &options.platforms {
        wanted.push(platforms::of(name)?);
    }
    let skipped = build_platforms(repository, &wanted)?;
    for (platform, reason) in &skipped {
        eprintln!("error: {} was not built: {reason}", platform.name);
    }
    Ok(if skipped.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn library_file(name: &str) -> String {
    format!(
        "{}{name}{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    )
}
