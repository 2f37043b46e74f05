//! Builds of one project in one process, one after the other, as `kit dev` runs them.

use std::path::Path;
use std::sync::Arc;

use kit_typescript::{FileSystem, TypeName};

use crate::analyze::{Analysis, Compiler, Rerun, analyze_in};
use crate::build::{BuildCache, write};
use crate::inferred::{TypeRun, TypeRunState};
use crate::output::OutputCache;
use crate::plugins::{Mode, NoPlugins, TapHost, Taps, run_without_host};
use crate::{BuildError, BuildReport, BuildRequest, Progress};

/// Builds a project repeatedly. Each build only does the work that the last edit requires: it parses changed files, generates
/// the artifacts of changed types, and writes artifacts whose content changed.
///
/// The output equals the output of [`build`](crate::build), byte for byte. The session finds the changed files itself. The
/// output directory may change between builds, for example by another build: if files were created, removed or replaced
/// there, the session compares all files again. The session does not notice a generated file that was overwritten in place,
/// until the text of the file or its directory changes, or a [`build`](crate::build) compares every byte.
///
/// ```no_run
/// use std::sync::Arc;
/// use std::time::SystemTime;
/// use kit_build::{BuildRequest, BuildTime, Disk, Session, project_root, resolve};
///
/// # fn wait_for_an_edit() {}
/// # fn main() -> Result<(), kit_build::BuildError> {
/// let root = project_root("examples/notes".as_ref())?;
/// let mut session = Session::default();
/// loop {
///     let config = resolve(&root, None)?.config;
///     let time = BuildTime::new(None, SystemTime::now())?;
///     let request = BuildRequest { root: &root, config: &config, files: Arc::new(Disk), time: &time };
///     println!("{} files written", session.build(&request, &())?.files.written.len());
///     wait_for_an_edit();
/// }
/// # }
/// ```
#[derive(Debug, Default)]
pub struct Session {
    compiler: Compiler,
    cache: BuildCache,
    output_cache: OutputCache,
}

impl Session {
    /// Builds the project. If the build fails, the next build continues with the state of the last successful
    /// build.
    ///
    /// # Errors
    /// Returns an error if the environment fails, for example if a file cannot be written.
    pub fn build(
        &mut self,
        request: &BuildRequest<'_>,
        progress: &dyn Progress,
    ) -> Result<BuildReport, BuildError> {
        run_without_host(self.build_with(request, &NoPlugins, Mode::Watch, progress))
    }

    /// Builds the project like [`Session::build`], and runs its plugins between the phases. Plugins run in every build, because
    /// kit does not know on which files their results depend.
    ///
    /// # Errors
    /// Returns an error if the environment fails, for example if a file cannot be written.
    pub async fn build_with(
        &mut self,
        request: &BuildRequest<'_>,
        host: &dyn TapHost,
        mode: Mode,
        progress: &dyn Progress,
    ) -> Result<BuildReport, BuildError> {
        let taps = Taps { request, host, mode };
        let analysis = analyze_in(&mut self.compiler, &taps, Rerun::Everything, progress).await?;
        write(
            &taps,
            analysis,
            &mut self.cache,
            Some(&mut self.output_cache),
            progress,
        )
        .await
    }

    /// Analyzes the project and runs the plugins that change sources and types. Writes no artifacts. The session reuses
    /// results of earlier calls, and the texts of `request.files` may differ from the files on the disk.
    ///
    /// ```no_run
    /// use std::sync::Arc;
    /// use std::time::SystemTime;
    /// use kit_build::{BuildRequest, BuildTime, Disk, NoPlugins, Rerun, Session, project_root, resolve};
    ///
    /// # async fn diagnostics() -> Result<usize, kit_build::BuildError> {
    /// let root = project_root("examples/notes".as_ref())?;
    /// let config = resolve(&root, None)?.config;
    /// let time = BuildTime::new(None, SystemTime::now())?;
    /// let request = BuildRequest { root: &root, config: &config, files: Arc::new(Disk), time: &time };
    /// let analysis = Session::default().analyze_with(&request, &NoPlugins, Rerun::Nothing, &()).await?;
    /// # Ok(analysis.diagnostics.len())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns an error if the environment fails, for example if a file cannot be read.
    pub async fn analyze_with(
        &mut self,
        request: &BuildRequest<'_>,
        host: &dyn TapHost,
        rerun: Rerun,
        progress: &dyn Progress,
    ) -> Result<Analysis, BuildError> {
        let mode = Mode::Check;
        let taps = Taps { request, host, mode };
        analyze_in(&mut self.compiler, &taps, rerun, progress).await
    }

    /// Starts TypeScript in its own process if the last analysis needed types that only TypeScript can infer, and that are
    /// missing or out of date. Call [`Session::take_types`] until TypeScript has ended, and analyze the project again. The
    /// analysis reports the reason if TypeScript failed.
    ///
    /// ```no_run
    /// use std::time::Duration;
    /// use kit_build::{Session, TypeRunState};
    ///
    /// # fn types(session: &mut Session, root: &std::path::Path) {
    /// if let Some(mut run) = session.start_typescript(root) {
    ///     while session.take_types(root, &mut run) == TypeRunState::Running {
    ///         std::thread::sleep(Duration::from_millis(20));
    ///     }
    /// }
    /// # }
    /// ```
    pub fn start_typescript(&mut self, root: &Path) -> Option<TypeRun> {
        self.compiler.inferred.start(root)
    }

    /// Takes over the types of a run of TypeScript, or the reason why the run failed.
    pub fn take_types(&mut self, root: &Path, run: &mut TypeRun) -> TypeRunState {
        self.compiler.inferred.take(root, run)
    }

    /// Returns the type to which the name at an offset of a file refers. Returns `None` if there is no name, or the name is
    /// not the name of a type that a file declares. `offset` is in bytes.
    pub fn type_name(
        &self,
        root: &Path,
        files: Arc<dyn FileSystem>,
        path: &Path,
        offset: usize,
    ) -> Option<TypeName> {
        self.compiler.session.type_name(root, files, path, offset)
    }
}
