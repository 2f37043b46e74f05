//! `cargo xtask vsix`: packs the extension for Visual Studio Code as a `.vsix` file.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;

use crate::repository::Repository;
use crate::{run, toolchain};

/// Directory of the extension.
const EXTENSION: &str = "packages/vscode";

/// The official program that packs extensions. As a dependency of the repository, it would add two hundred packages to the lock
/// file, of which one has no free licence: the program that signs extensions. Packing does not run it.
const VSCE: &str = "@vscode/vsce@3.6.2";

/// Options of the command.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Directory of the file; created if it is missing.
    #[arg(long, value_name = "DIR", default_value = "target/vsix")]
    out: PathBuf,
}

pub(crate) fn run(repository: &Repository, options: &Options) -> anyhow::Result<ExitCode> {
    toolchain::install(repository)?;
    bundle(repository)?;
    let vsce = toolchain::npm_tools(repository, "vsce", &[VSCE])?.join("@vscode/vsce/vsce");
    let out = repository.path(".").join(&options.out);
    std::fs::create_dir_all(&out).with_context(|| format!("cannot create {}", out.display()))?;
    let file = out.canonicalize()?.join("kit.vsix");
    let mut pack = run::command(repository, "node")?;
    pack.arg(vsce)
        .args(["package", "--no-dependencies", "--out"])
        .arg(&file)
        .current_dir(repository.path(EXTENSION));
    run::step("packing the extension", pack)?;
    println!("{}", file.display());
    Ok(ExitCode::SUCCESS)
}

/// Writes the extension and the packages that it uses into one file, because VS Code installs no packages.
fn bundle(repository: &Repository) -> anyhow::Result<()> {
    let mut esbuild = run::command(repository, "esbuild")?;
    esbuild
        .args([
            "src/extension.ts",
            "--bundle",
            "--platform=node",
            "--format=cjs",
            "--target=node20",
            "--external:vscode",
            "--legal-comments=inline",
            "--outfile=dist/extension.cjs",
        ])
        .current_dir(repository.path(EXTENSION));
    run::step("bundling the extension", esbuild)?;
    Ok(())
}
