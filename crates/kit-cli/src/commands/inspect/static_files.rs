//! Static files in `kit inspect routes`.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::built_project::Built;
use crate::failure::CommandError;

/// Directory in `static-files.json`.
#[derive(Deserialize)]
struct Files {
    prefix: String,
    dir: String,
}

/// Static files as the command prints them.
#[derive(Serialize)]
pub(super) struct FilesRow {
    pub(super) method: &'static str,
    pub(super) path: String,
    params: IndexMap<String, String>,
    query: Option<String>,
    body: Option<String>,
    response: Option<String>,
    /// Directory of the files. `None` if it is known only when the application runs.
    files: Option<String>,
}

impl FilesRow {
    fn of(files: Option<Files>) -> Self {
        let (prefix, files) = match files {
            Some(Files { prefix, dir }) => (prefix, Some(dir)),
            None => ("/".to_owned(), None),
        };
        Self {
            method: "GET",
            path: format!("{}/*", prefix.trim_end_matches('/')),
            params: IndexMap::new(),
            query: None,
            body: None,
            response: None,
            files,
        }
    }

    /// Returns the directory, as the column of responses contains it.
    pub(super) fn text(&self) -> String {
        match &self.files {
            Some(dir) => format!("files of {dir}"),
            None => "files of directories known at run time".to_owned(),
        }
    }
}

/// Returns the static files that the application serves.
pub(super) fn static_files(built: &Built) -> Result<Vec<FilesRow>, CommandError> {
    Ok(
        match built.read_if_there::<Option<Vec<Files>>>("static-files.json")? {
            None => Vec::new(),
            Some(None) => vec![FilesRow::of(None)],
            Some(Some(sites)) => sites.into_iter().map(|site| FilesRow::of(Some(site))).collect(),
        },
    )
}
