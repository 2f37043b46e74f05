//! `cargo xtask release`: makes all files of a release, checks them, and writes the plan of their publication.
//!
//! A release has two steps. `--prepare` writes the version into all manifests and gives the changelog a section; its
//! changes are reviewed and committed like all others. The second run builds, packs and checks that commit. Nothing is
//! published without `--registry`.

mod changelog;
mod checks;
mod crates;
mod plan;
mod versions;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};

pub(crate) use crates::NAMES as PUBLISHED_CRATES;

use crate::platforms::{self, Platform};
use crate::repository::Repository;
use crate::{addons, pack, run, sbom, toolchain, viewer};

/// Options of the command.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Version of the release, such as 0.2.0.
    #[arg(long, value_name = "VERSION")]
    version: String,
    /// Write the version into all manifests and the changelog, and stop. Review and commit the changes, then run the command
    /// without this option.
    #[arg(long)]
    prepare: bool,
    /// Directory of the archives and reports. The command deletes the old contents first.
    #[arg(long, value_name = "DIR", default_value = "target/published")]
    out: PathBuf,
    /// Publish to this npm registry after all checks. Packages that the registry has already are left out.
    #[arg(long, value_name = "URL")]
    registry: Option<String>,
    /// Publish the archives in DIR that an earlier run has checked, without building or checking them again. Their checksums must be
    /// those of `SHA256SUMS`. So the checks, which run programs of other projects, can run on a machine without the right to publish.
    #[arg(long, requires = "registry")]
    publish_only: bool,
    /// Do not build addons, and use those in packages/*/native, for example from other machines.
    #[arg(long)]
    no_build: bool,
    /// Fail if a platform has no addons.
    #[arg(long)]
    all_platforms: bool,
    /// Also run with changes that are not committed, to try the command.
    #[arg(long, conflicts_with = "registry")]
    allow_dirty: bool,
}

pub(crate) fn run(repository: &Repository, options: &Options) -> anyhow::Result<ExitCode> {
    versions::check_format(&options.version)?;
    if options.prepare {
        let date = date_of_today(repository)?;
        let mut changed = versions::write(repository, &options.version)?;
        changed.extend(changelog::prepare(repository, &options.version, &date)?);
        for path in &changed {
            println!("changed {path}");
        }
        println!(
            "next: review and commit the changes, then run `cargo xtask release --version {}`",
            options.version
        );
        return Ok(ExitCode::SUCCESS);
    }
    versions::check(repository, &options.version)?;
    if let (true, Some(registry)) = (options.publish_only, &options.registry) {
        let out = repository.path(&options.out);
        let archives = plan::archives(&options.version, &out)?;
        plan::publish(repository, &archives, &options.version, &out, registry)?;
        return Ok(ExitCode::SUCCESS);
    }
    let notes = changelog::section(repository, &options.version)?;
    if !options.allow_dirty {
        check_committed(repository)?;
    }
    toolchain::install(repository)?;
    viewer::install(repository)?;
    if !options.no_build {
        build_all(repository)?;
    }
    let missing = without_addons(repository);
    for (platform, reason) in &missing {
        println!("SKIPPED {}: {reason}", platform.name);
    }
    if options.all_platforms && !missing.is_empty() {
        bail!(
            "{} of {} platforms have no addons; build them on other machines and copy the addons to packages/*/native",
            missing.len(),
            platforms::ALL.len()
        );
    }
    checks::licences(repository)?;
    let out = repository.path(&options.out);
    let packed = pack_twice(repository, &out)?;
    checks::packages(repository, &packed, &out)?;
    checks::sizes(&packed)?;
    sbom::run(repository)?;
    pack::copy_tree(&repository.target().join(sbom::DIRECTORY), &out.join("sbom"))?;
    std::fs::write(out.join("RELEASE_NOTES.md"), &notes)?;
    let crates = crates::pack(repository, &options.version, &out)?;
    let names: Vec<&str> = missing.iter().map(|(platform, _)| platform.name).collect();
    plan::write(&packed, &crates, &options.version, &names, &out)?;
    if let Some(registry) = &options.registry {
        let archives = plan::archives(&options.version, &out)?;
        plan::publish(repository, &archives, &options.version, &out, registry)?;
    } else {
        println!(
            "nothing is published: {} says what to run, or use `--registry URL`",
            options.out.join("PUBLISH.md").display()
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// Builds the addons of all platforms that this machine can build. The addons of this machine are always built: with
/// Zig if it is there, so that they also load with an old glibc.
fn build_all(repository: &Repository) -> anyhow::Result<()> {
    let wanted: Vec<&Platform> = platforms::ALL.iter().collect();
    let skipped = addons::build_platforms(repository, &wanted)?;
    if let Some((platform, reason)) = skipped
        .iter()
        .find(|(platform, _)| platform.name == platforms::host())
    {
        println!(
            "warning: {} is built with the C library of this machine, so it does not load with an older one: {reason}",
            platform.name
        );
        addons::build(repository, addons::Build::Release)?;
    }
    Ok(())
}

/// Returns the platforms whose addons are not in packages/*/native, with the reasons.
fn without_addons(repository: &Repository) -> Vec<(&'static Platform, String)> {
    let mut missing = Vec::new();
    for platform in &platforms::ALL {
        if addons::are_placed(repository, platform) {
            continue;
        }
        let reason = platform
            .missing()
            .unwrap_or_else(|| "its addons are not built".to_owned());
        missing.push((platform, reason));
    }
    missing
}

/// Packs all packages two times, and fails if an archive differs. The files of both runs are equal if the build depends
/// on nothing but the sources.
fn pack_twice(repository: &Repository, out: &Path) -> anyhow::Result<Vec<pack::Packed>> {
    let again = repository.target().join("published-again");
    for directory in [out, again.as_path()] {
        if directory.exists() {
            std::fs::remove_dir_all(directory)
                .with_context(|| format!("cannot empty {}", directory.display()))?;
        }
    }
    let packed = pack::make(repository, out)?;
    pack::make(repository, &again)?;
    for one in &packed {
        let (first, second) = (
            std::fs::read(out.join(&one.file))?,
            std::fs::read(again.join(&one.file))?,
        );
        if first != second {
            bail!(
                "two archives {} of the same commit differ; compare {} with {}",
                one.file,
                out.display(),
                again.display()
            );
        }
    }
    std::fs::remove_dir_all(&again).with_context(|| format!("cannot remove {}", again.display()))?;
    println!("{} archives are the same in two runs", packed.len());
    Ok(packed)
}

/// Fails if files are changed and not committed.
fn check_committed(repository: &Repository) -> anyhow::Result<()> {
    let mut git = run::command(repository, "git")?;
    git.args(["status", "--porcelain"]);
    let changed = run::stdout_of("reading the state of git", git)?;
    if let Some(first) = changed.lines().next() {
        bail!(
            "{} files are changed and not committed, such as `{}`; a release is made from a commit. `--allow-dirty` tries the command anyway",
            changed.lines().count(),
            first.trim()
        );
    }
    Ok(())
}

/// Returns the date of today in UTC: `2026-11-28`.
fn date_of_today(repository: &Repository) -> anyhow::Result<String> {
    let mut date = run::command(repository, "date")?;
    date.args(["-u", "+%Y-%m-%d"]);
    Ok(run::stdout_of("reading the date", date)?.trim().to_owned())
}
