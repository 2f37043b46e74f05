//! Opens the project on which a command works.

use std::path::{Path, PathBuf};

use kit_build::{
    BuildTime, CodeLocation, LoadedConfig, Resolution, ResolvedConfig, SourceTexts, find_config_file,
    project_above, project_advice, project_root, read_text, resolve, syntax_error,
};
use kit_diagnostics::{Diagnostic, Diagnostics, Sources, codes};

use crate::common_args::Common;
use crate::context::Context;
use crate::failure::{CommandError, Problem};
use crate::{Environment, HostError};

/// Plugin that generates a server in Rust.
const RUST_PLUGIN: &str = "@kit/plugin-rust-server";

/// Returns true if the project has a generated server in Rust.
pub(crate) fn has_rust_server(config: &ResolvedConfig) -> bool {
    config.plugins.iter().any(|plugin| plugin.name == RUST_PLUGIN)
}

/// A project whose configuration is valid.
pub(crate) struct Project {
    /// Absolute path of the root directory, without symbolic links.
    pub(crate) root: PathBuf,
    pub(crate) config: ResolvedConfig,
    /// Warnings about the configuration.
    pub(crate) warnings: Diagnostics,
}

impl Project {
    /// Finds the root and reads the configuration. Fails if the configuration has mistakes.
    pub(crate) async fn open(common: &Common, context: &Context<'_>) -> Result<Self, CommandError> {
        let root = root(common, context.environment)?;
        let loaded = match find_config_file(&root)? {
            None => None,
            Some(path) => {
                let name = path
                    .file_name()
                    .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
                let value = context.host.load_config(&path).await;
                let value = value.map_err(|error| unloadable(&root, &name, error))?;
                Some(LoadedConfig { path: name, value })
            }
        };
        let Resolution {
            config,
            diagnostics,
            source,
        } = resolve(&root, loaded.as_ref())?;
        if diagnostics.has_errors() {
            return Err(CommandError::Diagnostics(diagnostics, Box::new(source)));
        }
        Ok(Self {
            root,
            config,
            warnings: diagnostics,
        })
    }
}

/// Creates the error for a configuration file that could not be imported or has an invalid default export.
fn unloadable(root: &Path, name: &str, error: HostError) -> CommandError {
    // Node does not report the location of a syntax error in a JavaScript file, so kit parses the file to find it.
    let (line, column) = read_text(&root.join(name))
        .ok()
        .flatten()
        .and_then(|text| syntax_error(&text))
        .unwrap_or_default();
    let place = error.at.unwrap_or_else(|| CodeLocation {
        path: name.to_owned(),
        line,
        column,
    });
    let (label, text) = place.label(root);
    let mut sources = SourceTexts::default();
    // Without a line number, an excerpt would show the first line, which has nothing to do with the error.
    if let Some(text) = text.filter(|_| place.line > 0) {
        sources.add(label.path.clone(), text);
    }
    let mut diagnostics = Diagnostics::default();
    diagnostics.push(Diagnostic::new(codes::CONFIGURATION_UNLOADABLE, error.message).label(label));
    CommandError::Diagnostics(diagnostics, Box::new(sources))
}

/// Returns the project's root. Its path must be UTF-8, because the host gets it as a JavaScript string.
pub(crate) fn root(common: &Common, environment: &dyn Environment) -> Result<PathBuf, CommandError> {
    let here = environment.current_dir().map_err(|error| {
        Problem::build(
            "configuration",
            format!("the working directory cannot be used: {error}"),
        )
    })?;
    let root = project_root(&here.join(&common.root))?;
    if root.to_str().is_none() {
        let message = format!("the path of the project, {}, is not UTF-8", root.display());
        return Err(Problem::build("configuration", message)
            .help("move the project to a path that contains only UTF-8 characters")
            .into());
    }
    Ok(root)
}

/// Returns the message and help for a command that runs in a subdirectory of a project; `None` if no parent directory is
/// a project.
pub(crate) fn below_project_error(root: &Path) -> Option<(String, String)> {
    project_above(root)?;
    let here = root.display();
    Some((
        format!("{here} is not the root of a project, but a directory inside one"),
        project_advice(root),
    ))
}

/// Returns the time that a build writes into files.
pub(crate) fn build_time(environment: &dyn Environment) -> Result<BuildTime, CommandError> {
    let epoch = environment.var("SOURCE_DATE_EPOCH");
    Ok(BuildTime::new(epoch.as_deref(), environment.now())?)
}

/// Sources without text, for diagnostics without excerpts.
pub(crate) struct NoSources;

impl Sources for NoSources {
    fn text(&self, _path: &str) -> Option<&str> {
        None
    }
}
