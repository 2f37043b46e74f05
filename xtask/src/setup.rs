//! Installs and builds what kit needs to run from this repository: npm packages with Node 24, the viewer of the API reference, the
//! dashboard and the addons.

use std::thread;

use crate::repository::Repository;
use crate::{addons, dashboard, interrupt, toolchain, viewer};

/// Installs and builds everything that is missing or out of date. Cargo compiles while npm installs. Without a network, the
/// viewer is left out with a warning.
pub(crate) fn run(repository: &Repository, build: addons::Build) -> anyhow::Result<()> {
    thread::scope(|scope| {
        let cargo = scope.spawn(|| addons::build(repository, build));
        let installed = toolchain::install(repository).and_then(|()| {
            viewer::install_or_warn(repository);
            dashboard::build(repository)
        });
        if installed.is_err() {
            // The command fails, so that the build has no use.
            interrupt::interrupt();
        }
        let built = cargo
            .join()
            .unwrap_or_else(|_| Err(anyhow::anyhow!("the build of the addons panicked")));
        installed.and(built)
    })
}
