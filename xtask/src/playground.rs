//! Builds the playground, a page of the documentation site that runs the compiler as WebAssembly.

use std::path::Path;

use anyhow::Context;

use crate::repository::Repository;
use crate::sbom::crates::Graph;
use crate::{notices, optimized, run};

/// Directory of the page's sources.
pub(crate) const SOURCES: &str = "site/playground";

/// Target of the compiler.
const TARGET: &str = "wasm32-wasip1";

/// Crate of the compiler.
const CRATE: &str = "kit-playground";

/// File with the licences of third parties, to which the page links. Vite writes those of the page.
const NOTICES: &str = "licenses.txt";

/// Cargo profile of the compiler.
const PROFILE: &str = "playground";

/// Returns the reason why the compiler cannot be built on this machine, or `None`.
pub(crate) fn missing_target(repository: &Repository) -> anyhow::Result<Option<String>> {
    let mut rustc = run::command(repository, "rustc")?;
    let output = rustc
        .args(["--print", "target-libdir", "--target", TARGET])
        .output()
        .context("cannot run rustc")?;
    let directory = String::from_utf8_lossy(&output.stdout);
    let is_there = output.status.success() && Path::new(directory.trim()).is_dir();
    Ok((!is_there)
        .then(|| format!("Rust's target {TARGET} is not installed; run `rustup target add {TARGET}`")))
}

/// Builds the compiler and the page into a directory. Returns the sizes of both.
pub(crate) fn build(repository: &Repository, out: &Path) -> anyhow::Result<String> {
    let mut cargo = optimized::build_with_profile(repository, TARGET, PROFILE)?;
    cargo.args(["-p", CRATE]);
    run::step("building the compiler as WebAssembly", cargo)?;
    let program = repository
        .target()
        .join(TARGET)
        .join(PROFILE)
        .join("kit-playground.wasm");
    let mut page = run::command(repository, "node")?;
    page.arg(repository.path(SOURCES).join("build.ts"))
        .arg(program)
        .arg(out)
        .arg("--brotli");
    let sizes = run::step("building the playground", page)?;
    let file = out.join(NOTICES);
    let of_page =
        std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    std::fs::write(&file, format!("{of_page}\n{}", notices(repository)?))
        .with_context(|| format!("cannot write {}", file.display()))?;
    Ok(sizes)
}

/// Returns the notices of the compiler. This needs no installed target.
pub(crate) fn notices(repository: &Repository) -> anyhow::Result<String> {
    let graph = Graph::read_for(repository, &[CRATE], TARGET)?;
    notices::of_wasi_program(repository, &graph, CRATE)
}
