//! `cargo xtask site`: builds the documentation site from `docs/`, with the reference of packages (`TypeDoc`) and crates
//! (rustdoc), and the playground. The result is a directory of static files.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};

use crate::pack::copy_tree;
use crate::repository::Repository;
use crate::{playground, release, run, toolchain};

/// Options of the command.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Directory of the site. The command deletes the old contents first.
    #[arg(long, value_name = "DIR", default_value = "target/site/dist")]
    out: PathBuf,
    /// Path below which the site is served, with a slash at both ends, such as /0.1/.
    #[arg(long, value_name = "PATH", default_value = "/")]
    base: String,
    /// Build only the pages, without the references and the playground, which take minutes.
    #[arg(long)]
    pages_only: bool,
}

pub(crate) fn run(repository: &Repository, options: &Options) -> anyhow::Result<ExitCode> {
    if !options.base.starts_with('/') || !options.base.ends_with('/') {
        bail!(
            "`{}` is no path with a slash at both ends; write `/0.1/`, for example",
            options.base
        );
    }
    toolchain::install(repository)?;
    let site = repository.path("target/site");
    install(repository, &site)?;
    let out = repository.path(&options.out);
    if out.exists() {
        std::fs::remove_dir_all(&out).with_context(|| format!("cannot empty {}", out.display()))?;
    }
    let missing_target = playground::missing_target(repository)?;
    let has_playground = !options.pages_only && missing_target.is_none();
    pages(repository, &site, &out, &options.base, has_playground)?;
    let mut missing = Vec::new();
    if options.pages_only {
        missing.extend(["packages", "crates"]);
    } else {
        packages(repository, &site, &out)?;
        crates(repository, &out)?;
    }
    if has_playground {
        print!("{}", playground::build(repository, &out.join("playground"))?);
    } else {
        missing.push("playground");
    }
    if let Some(reason) = missing_target {
        println!("skipped: playground: {reason}");
    }
    let mut check = run::command(repository, "node")?;
    check
        .arg(repository.path("site/check.ts"))
        .arg(&out)
        .arg(&options.base)
        .args(missing);
    let said = run::step("checking the links of the site", check)?;
    println!("{}", said.trim());
    println!("{}", out.display());
    Ok(ExitCode::SUCCESS)
}

/// Installs `VitePress` and `TypeDoc`, unless the versions of `site/package.json` are there.
fn install(repository: &Repository, site: &Path) -> anyhow::Result<()> {
    let wanted = repository.path("site/package.json");
    let stamp = site.join("package.json");
    let manifest = std::fs::read(&wanted).with_context(|| format!("cannot read {}", wanted.display()))?;
    let is_there = site.join("node_modules/vitepress/package.json").is_file();
    if is_there && std::fs::read(&stamp).is_ok_and(|installed| installed == manifest) {
        return Ok(());
    }
    std::fs::create_dir_all(site).with_context(|| format!("cannot create {}", site.display()))?;
    std::fs::write(&stamp, manifest).with_context(|| format!("cannot write {}", stamp.display()))?;
    let mut npm = run::command(repository, "npm")?;
    npm.args(["install", "--ignore-scripts", "--no-audit", "--no-fund"])
        .current_dir(site);
    run::step("installing the tools of the site", npm)?;
    Ok(())
}

/// Builds the pages of `docs/`.
fn pages(
    repository: &Repository,
    site: &Path,
    out: &Path,
    base: &str,
    has_playground: bool,
) -> anyhow::Result<()> {
    let content = site.join("content");
    let mut stage = run::command(repository, "node")?;
    stage.arg(repository.path("site/stage.ts")).arg(&content);
    run::step("reading the pages", stage)?;
    let mut vitepress = run::command(repository, "node")?;
    vitepress
        .arg(site.join("node_modules/vitepress/bin/vitepress.js"))
        .args(["build", "content"])
        .env("KIT_SITE_OUT", out)
        .env("KIT_SITE_BASE", base)
        .env("KIT_SITE_VERSION", env!("CARGO_PKG_VERSION"))
        .env("KIT_SITE_PLAYGROUND", if has_playground { "1" } else { "0" })
        .current_dir(site);
    run::step("building the pages", vitepress)?;
    Ok(())
}

/// Builds the reference of the packages.
fn packages(repository: &Repository, site: &Path, out: &Path) -> anyhow::Result<()> {
    let mut typedoc = run::command(repository, "node")?;
    typedoc
        .arg(site.join("node_modules/typedoc/bin/typedoc"))
        .args(["--options"])
        .arg(repository.path("site/typedoc.json"))
        .arg("--out")
        .arg(out.join("packages"));
    run::step("building the reference of the packages", typedoc)?;
    Ok(())
}

/// Builds the reference of the crates.
fn crates(repository: &Repository, out: &Path) -> anyhow::Result<()> {
    let documentation = repository.target().join("doc");
    if documentation.exists() {
        // The directory may have the documentation of other crates, which the site would show.
        std::fs::remove_dir_all(&documentation)
            .with_context(|| format!("cannot remove {}", documentation.display()))?;
    }
    let mut cargo = run::command(repository, "cargo")?;
    cargo.args(["doc", "--locked", "--no-deps", "--all-features"]);
    // Generated servers use these crates, so users read their documentation.
    for name in release::PUBLISHED_CRATES {
        cargo.args(["-p", name]);
    }
    run::step("building the reference of the crates", cargo)?;
    copy_tree(&documentation, &out.join("crates"))
}
