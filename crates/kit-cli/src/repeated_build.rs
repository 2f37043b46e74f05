//! Builds of one project in a row, and the list of files whose changes trigger the next build.

use std::path::{Component, Path, PathBuf};

use kit_build::{BuildReport, Mode, ResolvedConfig, Session};

use crate::failure::CommandError;
use crate::project::has_rust_server;
use crate::{Host, Watch, compiler};

/// A project that is built again after each edit.
pub(crate) struct RepeatedBuild<'a> {
    host: &'a dyn Host,
    root: PathBuf,
    /// Purpose of the builds: `kit build --watch` or `kit dev`.
    pub(crate) mode: Mode,
    /// State of the last build, which the next build reuses.
    pub(crate) session: Session,
    watch: Watch,
}

impl<'a> RepeatedBuild<'a> {
    /// Asks the host to watch the project's files before the first build, so that edits during that build trigger
    /// another build. In `kit dev`, test files are not watched, because they do not affect the running
    /// application.
    pub(crate) async fn start(root: PathBuf, mode: Mode, host: &'a dyn Host) -> Result<Self, CommandError> {
        let watch = Watch {
            root: root.to_string_lossy().into_owned(),
            ignored: ignored(&ResolvedConfig::default()),
            tests: mode != Mode::Dev,
            files: Vec::new(),
            written: Vec::new(),
        };
        host.watch(&watch).await?;
        Ok(Self {
            host,
            root,
            mode,
            session: Session::default(),
            watch,
        })
    }

    /// Stops watching the output directories that the configuration names.
    pub(crate) async fn apply_config(&mut self, config: &ResolvedConfig) -> Result<(), CommandError> {
        let watch = Watch {
            ignored: ignored(config),
            ..self.watch.clone()
        };
        self.watch(watch).await
    }

    /// Watches all files that a build has read, even outside of the project. Changes by the build itself do not
    /// trigger another build.
    pub(crate) async fn watch_dependencies(&mut self, report: &BuildReport) -> Result<(), CommandError> {
        let mut files: Vec<String> = report
            .dependencies
            .iter()
            .filter(|path| !is_installed(path))
            .map(|path| path.to_string_lossy().into_owned())
            .collect();
        files.sort();
        files.dedup();
        let written = report.files.project.iter();
        let watch = Watch {
            files,
            written: written
                .map(|path| self.root.join(path).to_string_lossy().into_owned())
                .collect(),
            ..self.watch.clone()
        };
        self.watch(watch).await
    }

    async fn watch(&mut self, watch: Watch) -> Result<(), CommandError> {
        if watch != self.watch || !watch.written.is_empty() {
            self.host.watch(&watch).await?;
            self.watch = watch;
        }
        Ok(())
    }
}

fn ignored(config: &ResolvedConfig) -> Vec<String> {
    let mut directories = vec![config.output_dir.clone(), config.dist_dir.clone()];
    directories.extend(compiler::directories(config));
    if has_rust_server(config) {
        // Default output directory of cargo.
        directories.push("target".to_owned());
    }
    directories
}

/// Returns true if the file is in an installed package, which people do not edit. The path of a package that is a
/// symbolic link is its real path, outside of `node_modules`.
fn is_installed(path: &Path) -> bool {
    path.components()
        .any(|part| matches!(part, Component::Normal(name) if name == "node_modules"))
}
