//! Reads the artifacts of a project that was built.

use std::path::PathBuf;

use kit_build::{project_above, project_advice};
use serde::de::DeserializeOwned;

use crate::common_args::Common;
use crate::context::Context;
use crate::failure::{CommandError, Problem};
use crate::project::Project;

/// A project and its output directory.
pub(super) struct Built {
    pub(super) project: Project,
    directory: PathBuf,
}

impl Built {
    pub(super) async fn open(common: &Common, context: &Context<'_>) -> Result<Self, CommandError> {
        let project = Project::open(common, context).await?;
        let directory = project.root.join(&project.config.output_dir);
        Ok(Self { project, directory })
    }

    /// Returns true if the project was built.
    pub(super) fn exists(&self) -> bool {
        kit_build::read_text(&self.directory.join("routes.json")).is_ok_and(|text| text.is_some())
    }

    /// Reads a JSON artifact, such as `routes.json`.
    pub(super) fn read<T: DeserializeOwned>(&self, name: &str) -> Result<T, CommandError> {
        let path = format!("{}/{name}", self.project.config.output_dir);
        let text = kit_build::read_text(&self.directory.join(name))?;
        let Some(text) = text else {
            let elsewhere = project_above(&self.project.root).map(|_| project_advice(&self.project.root));
            return Err(
                Problem::inspection(format!("there is no {path}: the project is not built"))
                    .help(elsewhere.as_deref().unwrap_or("run `kit build` first"))
                    .into(),
            );
        };
        parse(&path, &text)
    }

    /// Reads a JSON artifact that some projects do not have. Returns `None` if there is no such file.
    pub(super) fn read_if_there<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, CommandError> {
        let path = format!("{}/{name}", self.project.config.output_dir);
        let text = kit_build::read_text(&self.directory.join(name))?;
        text.map(|text| parse(&path, &text)).transpose()
    }
}

fn parse<T: DeserializeOwned>(path: &str, text: &str) -> Result<T, CommandError> {
    serde_json::from_str(text).map_err(|error| {
        Problem::inspection(format!("{path} cannot be read: {error}"))
            .help("run `kit build`, which rewrites the file")
            .into()
    })
}
