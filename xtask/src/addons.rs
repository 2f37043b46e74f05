//! Builds the two native addons with cargo, and copies them into the packages that load them.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};

use crate::clippy::Compiler;
use crate::platforms::{self, Platform, Target};
use crate::repository::Repository;
use crate::{optimized, run};

/// A native addon: the crate that it is built from, and the file that a package loads.
pub(crate) struct Addon {
    library: &'static str,
    package: &'static str,
    file: &'static str,
}

pub(crate) const ADDONS: [Addon; 2] = [
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
    let built: Vec<&Addon> = ADDONS.iter().filter(|addon| addon.exists_here()).collect();
    let names: Vec<String> = built.iter().map(|addon| addon.crate_name()).collect();
    let addons: Vec<&str> = names.iter().flat_map(|name| ["-p", name.as_str()]).collect();
    let (title, cargo) = match how {
        Build::Release => {
            let mut cargo = optimized::build(repository)?;
            cargo.args(&addons);
            ("building the addons, optimized (minutes the first time)", cargo)
        }
        Build::Quick => {
            let mut cargo = run::command(repository, "cargo")?;
            cargo.args(["build", "--locked"]).args(&addons);
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
    for addon in built {
        let library = repository
            .target()
            .join(directory)
            .join(library_file(addon.library));
        if how == Build::Release {
            check_names_no_directory(repository, &library)?;
        }
        copy_if_changed(&library, &addon.placed(repository))?;
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
        for (addon, built) in build_target(repository, platform, platform.published())? {
            copy_if_changed(&built, &addon.placed_for(repository, platform.name))?;
        }
    }
    Ok(skipped)
}

/// Builds the optimized addons of a platform. Returns the built libraries.
fn build_target(
    repository: &Repository,
    platform: &Platform,
    target: Target,
) -> anyhow::Result<Vec<(&'static Addon, PathBuf)>> {
    let addons = || ADDONS.iter().filter(|addon| addon.exists_on(platform));
    let mut cargo = optimized::build_for(repository, target)?;
    for addon in addons() {
        cargo.args(["-p", &addon.crate_name()]);
    }
    run::step(&format!("building the addons for {}", platform.name), cargo)?;
    let mut found = Vec::new();
    for addon in addons() {
        let built = addon.built(repository, platform, target, "release");
        check_names_no_directory(repository, &built)?;
        found.push((addon, built));
    }
    Ok(found)
}

/// Builds the optimized addons of a platform to try them. They are not written to the packages, because they must not be published.
fn build_trial(repository: &Repository, platform: &Platform) -> anyhow::Result<()> {
    let directory = repository.path("target/trial");
    for (addon, built) in build_target(repository, platform, platform.tried())? {
        let path = directory.join(addon.file_for(platform.name));
        copy_if_changed(&built, &path)?;
        println!(
            "{} is built as {}, to try it; release.yml builds what is published",
            path.display(),
            platform.tried().triple
        );
    }
    Ok(())
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
            .join(self.file_for(platform))
    }

    /// Returns the name of the file on a platform.
    fn file_for(&self, platform: &str) -> String {
        format!("{}.{platform}.node", self.file)
    }

    /// Returns the path of the library that cargo builds for the target of a platform.
    pub(crate) fn built(
        &self,
        repository: &Repository,
        platform: &Platform,
        target: Target,
        profile: &str,
    ) -> PathBuf {
        let directory = repository.target().join(target.triple).join(profile);
        directory.join(platform.library_file(self.library))
    }

    /// Returns the name of the crate.
    pub(crate) fn crate_name(&self) -> String {
        self.library.replace('_', "-")
    }

    /// Returns false if the addon cannot be built for this machine.
    fn exists_here(&self) -> bool {
        // kit has no packages for other platforms, but a contributor may try to build both addons there.
        platforms::of(&platforms::host()).map_or(true, |platform| self.exists_on(platform))
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
    /// this machine only. If only a machine with the platform can build what is published, the addons are built for a trial and written
    /// to target/trial.
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
        let platform = platforms::of(name)?;
        let trial = platform.tried();
        if platform.missing().is_some() && platform.missing_for(trial).is_none() {
            build_trial(repository, platform)?;
        } else {
            wanted.push(platform);
        }
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
