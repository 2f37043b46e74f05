//! `cargo xtask vsix`: packs the extension for Visual Studio Code as a `.vsix` file.

use std::path::{Path, PathBuf};
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
    let vsce = install(repository)?;
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

/// Installs the program that packs extensions, unless the required version is there. Returns its path.
fn install(repository: &Repository) -> anyhow::Result<PathBuf> {
    let directory = repository.path("target/tools/vsce");
    let program = directory.join("node_modules/@vscode/vsce/vsce");
    let stamp = directory.join("version");
    if is_installed(&program, &stamp) {
        return Ok(program);
    }
    std::fs::create_dir_all(&directory).with_context(|| format!("cannot create {}", directory.display()))?;
    let mut npm = run::command(repository, "npm")?;
    npm.args([
        "install",
        "--ignore-scripts",
        "--no-save",
        "--no-audit",
        "--no-fund",
        "--prefix",
    ])
    .arg(&directory)
    .arg(VSCE);
    run::step("installing the packer of extensions", npm)?;
    std::fs::write(&stamp, VSCE).with_context(|| format!("cannot write {}", stamp.display()))?;
    Ok(program)
}

fn is_installed(program: &Path, stamp: &Path) -> bool {
    program.is_file() && std::fs::read_to_string(stamp).is_ok_and(|version| version == VSCE)
}
