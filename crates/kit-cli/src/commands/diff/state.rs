//! A state of an application: the compiled types of a directory, a commit or a file.

use std::path::Path;

use kit_build::{analyze_with, read_text, write_text};
use kit_database::Schema;
use kit_diagnostics::Sources;
use kit_ir::Program;
use serde::{Deserialize, Serialize};

use super::checkout::Checkout;
use crate::commands::build_steps::request;
use crate::common_args::Common;
use crate::context::Context;
use crate::failure::{CommandError, Problem};
use crate::plugins::Plugins;
use crate::project::{NoSources, Project, build_time, root};

/// A state of an application.
pub(super) struct State {
    pub(super) program: Program,
    pub(super) schema: Schema,
    /// Texts of the source files, for excerpts.
    pub(super) sources: Box<dyn Sources>,
}

/// File that `kit diff --save` writes.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    version: u32,
    program: Program,
    schema: Schema,
}

/// Version of a [`Document`], which is read before the rest of the file.
#[derive(Deserialize)]
struct Version {
    version: u32,
}

impl State {
    /// Compiles the project in a directory.
    pub(super) async fn of_directory(root: &Path, context: &Context<'_>) -> Result<Self, CommandError> {
        let common = Common {
            root: root.to_owned(),
            json: context.console.is_json(),
        };
        let project = Project::open(&common, context).await?;
        let time = build_time(context.environment)?;
        let analysis = analyze_with(&request(&project, &time), &Plugins(context.host), &()).await?;
        if analysis.diagnostics.has_errors() {
            return Err(CommandError::Diagnostics(
                analysis.diagnostics,
                Box::new(analysis.sources),
            ));
        }
        Ok(Self {
            program: analysis.program,
            schema: analysis.schema,
            sources: Box::new(analysis.sources),
        })
    }

    /// Returns the state that a name stands for: a file of `kit diff --save`, or a commit of git.
    pub(super) async fn named(
        name: &str,
        common: &Common,
        context: &Context<'_>,
    ) -> Result<Self, CommandError> {
        let root = root(common, context.environment)?;
        let path = root.join(name);
        if path.is_file() {
            return Self::read(name, &path);
        }
        // A signal would leave the temporary files behind.
        context.host.hold_signals(true).await?;
        let found = Self::of_commit(&root, name, context).await;
        context.host.hold_signals(false).await?;
        found
    }

    /// Compiles the project in a commit of git.
    async fn of_commit(root: &Path, name: &str, context: &Context<'_>) -> Result<Self, CommandError> {
        let checkout = Checkout::create(root, name, context)?;
        let found = Self::of_directory(&checkout.root, context).await;
        found.map_err(|error| {
            context.console.note(&format!(
                "The types of the commit `{name}` do not build. Installed packages are those of the working tree, and files that a \
                 build makes, such as `dist/` of a workspace package, are not in the commit. If the commit needs other packages or \
                 such files, compare with a file that `kit diff --save <file>` wrote at that commit."
            ));
            let copy = checkout.root.to_string_lossy();
            let copy = copy.trim_end_matches('/');
            error
                .with_path(copy, &root.to_string_lossy())
                .incomparable(Some(name))
        })
    }

    fn read(name: &str, path: &Path) -> Result<Self, CommandError> {
        let refused = |message: String| -> CommandError {
            Problem::comparison(format!("{name} is not a state of an application: {message}"))
                .help("write the file with `kit diff --save <file>`, or name a commit of git")
                .into()
        };
        let text = read_text(path)?.unwrap_or_default();
        let Version { version } = serde_json::from_str(&text).map_err(|error| refused(error.to_string()))?;
        if version != Program::VERSION {
            return Err(refused(format!(
                "it has the version {version}, and this kit reads {}",
                Program::VERSION
            )));
        }
        let document: Document = serde_json::from_str(&text).map_err(|error| refused(error.to_string()))?;
        if let Some(problem) = document.program.problems().first() {
            return Err(refused(problem.clone()));
        }
        Ok(Self {
            program: document.program,
            schema: document.schema,
            sources: Box::new(NoSources),
        })
    }

    /// Writes the state into a file.
    pub(super) fn save(self, path: &Path) -> Result<(), CommandError> {
        let document = Document {
            version: Program::VERSION,
            program: self.program,
            schema: self.schema,
        };
        let text = serde_json::to_string(&document).expect("a program always has a JSON form");
        write_text(path, &format!("{text}\n"))?;
        Ok(())
    }
}
