//! Reads the artifacts of a project that was built.

use std::path::PathBuf;

use indexmap::IndexMap;
use kit_build::{project_above, project_advice};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::common_args::Common;
use crate::context::Context;
use crate::failure::{CommandError, Problem};
use crate::project::Project;

/// A project and its output directory.
pub(crate) struct Built {
    pub(crate) project: Project,
    directory: PathBuf,
}

impl Built {
    pub(crate) async fn open(common: &Common, context: &Context<'_>) -> Result<Self, CommandError> {
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

    /// Reads `schemas.json`: the entries of the types, by name. In a large project, entries refer to schemas of the OpenAPI
    /// document. The result contains the schemas themselves.
    pub(super) fn read_types<T: DeserializeOwned>(&self) -> Result<IndexMap<String, T>, CommandError> {
        const DOCUMENT: &str = "schemas/openapi.json";
        let mut entries: IndexMap<String, Value> = self.read("schemas.json")?;
        let mut document = None;
        for entry in entries.values_mut() {
            for key in ["schema", "inputSchema"] {
                let pointer = entry[key]["$ref"].as_str();
                let Some(pointer) = pointer.and_then(|to| to.strip_prefix(DOCUMENT)?.strip_prefix('#'))
                else {
                    continue;
                };
                let document = match &document {
                    Some(read) => read,
                    None => document.insert(self.read::<Value>(DOCUMENT)?),
                };
                if let Some(schema) = document.pointer(pointer) {
                    entry[key] = schema.clone();
                }
            }
        }
        let path = format!("{}/schemas.json", self.project.config.output_dir);
        let entries = entries.into_iter().map(|(name, entry)| {
            let entry = serde_json::from_value(entry).map_err(|error| unreadable(&path, &error))?;
            Ok((name, entry))
        });
        entries.collect()
    }

    /// Reads a JSON artifact that some projects do not have. Returns `None` if there is no such file.
    pub(super) fn read_if_there<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, CommandError> {
        let path = format!("{}/{name}", self.project.config.output_dir);
        let text = kit_build::read_text(&self.directory.join(name))?;
        text.map(|text| parse(&path, &text)).transpose()
    }
}

fn parse<T: DeserializeOwned>(path: &str, text: &str) -> Result<T, CommandError> {
    serde_json::from_str(text).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &str, error: &serde_json::Error) -> CommandError {
    Problem::inspection(format!("{path} cannot be read: {error}"))
        .help("run `kit build`, which rewrites the file")
        .into()
}
