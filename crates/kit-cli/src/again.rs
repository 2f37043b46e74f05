//! Builds of one project, one after the other, and the files whose changes ask for the next.

use std::path::{Component, Path, PathBuf};

use kit_build::{BuildReport, Mode, ResolvedConfig, Session};

use crate::failure::Stop;
use crate::{Host, Watch, compiler};

/// A project that is built again and again.
pub(crate) struct Again<'a> {
    host: &'a dyn Host,
    root: PathBuf,
    /// What the builds are for.
    pub(crate) mode: Mode,
    /// What earlier builds made.
    pub(crate) session: Session,
    watch: Watch,
}

impl<'a> Again<'a> {
    /// Has the host look at the project's files: what changes during the first build is an edit already. Files of
    /// tests count unless an app is served: they change nothing of how it runs.
    pub(crate) async fn begin(root: PathBuf, mode: Mode, host: &'a dyn Host) -> Result<Self, Stop> {
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

    /// Leaves out what this configuration has builds write.
    pub(crate) async fn configured(&mut self, config: &ResolvedConfig) -> Result<(), Stop> {
        let watch = Watch {
            ignored: ignored(config),
            ..self.watch.clone()
        };
        self.look(watch).await
    }

    /// Looks at all that a build has read, wherever it is, and not at what it wrote.
    pub(crate) async fn learn(&mut self, report: &BuildReport) -> Result<(), Stop> {
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
        self.look(watch).await
    }

    async fn look(&mut self, watch: Watch) -> Result<(), Stop> {
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
    directories
}

/// Nobody edits installed packages. One that is linked has its path elsewhere.
fn is_installed(path: &Path) -> bool {
    path.components()
        .any(|part| matches!(part, Component::Normal(name) if name == "node_modules"))
}
