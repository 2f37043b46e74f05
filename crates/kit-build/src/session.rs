//! Builds of one project, one after the other, in one process: what `kit dev` does.

use crate::build::{Kept, analyze_in, at_once, write};
use crate::output::Known;
use crate::plugins::{Mode, NoPlugins, TapHost, Taps};
use crate::{BuildError, BuildReport, BuildRequest, Progress};

/// Builds a project again and again and does only what an edit made necessary: it parses files whose text changed, makes
/// artifacts of types that changed, and writes those whose bytes differ.
///
/// What it makes is what [`build`](crate::build) makes, byte for byte. Nobody has to say which files changed. The output
/// directory may be changed in between, by another build too: where files came, went or were replaced, all of them are
/// compared again. Only a generated file that was overwritten in place is not noticed, until its own text changes, its
/// directory does, or a [`build`](crate::build) of its own looks at every byte.
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
    compiler: kit_typescript::Session,
    kept: Kept,
    known: Known,
}

impl Session {
    /// Builds the project as it is now. After an error, of the project or of the environment, the next build still knows
    /// what the last successful one did.
    pub fn build(
        &mut self,
        request: &BuildRequest<'_>,
        progress: &dyn Progress,
    ) -> Result<BuildReport, BuildError> {
        at_once(self.build_with(request, &NoPlugins, Mode::Watch, progress))
    }

    /// The same, with what plugins do between the phases. They run in every build: nobody but they knows what they look at.
    pub async fn build_with(
        &mut self,
        request: &BuildRequest<'_>,
        host: &dyn TapHost,
        mode: Mode,
        progress: &dyn Progress,
    ) -> Result<BuildReport, BuildError> {
        let taps = Taps { request, host, mode };
        let analysis = analyze_in(&mut self.compiler, &taps, progress).await?;
        write(&taps, analysis, &mut self.kept, Some(&mut self.known), progress).await
    }
}
