//! The file of accepted changes.

use std::path::Path;

use kit_build::read_text;
use serde::Deserialize;

use crate::failure::{CommandError, Problem};

/// Name of the file in the root of the project.
pub(super) const DEFAULT: &str = "api-changes.json";

/// Changes that the team has accepted, each with its reason.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Accepted {
    pub(super) accepted: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    /// Text by which the report names the change.
    pub(super) change: String,
    /// Message of the change. If it is given, the entry does not accept another change of the same place.
    #[serde(default)]
    message: Option<String>,
    pub(super) reason: String,
}

impl Entry {
    /// Returns true if the entry accepts a change with this id and message.
    pub(super) fn is_about(&self, change: &str, message: &str) -> bool {
        self.change == change && self.message.as_deref().is_none_or(|expected| expected == message)
    }
}

impl Accepted {
    /// Reads the file. If no file is given, reads [`DEFAULT`] if it exists.
    pub(super) fn read(root: &Path, given: Option<&Path>) -> Result<Self, CommandError> {
        let path = root.join(given.unwrap_or(Path::new(DEFAULT)));
        let name = given.unwrap_or(Path::new(DEFAULT)).display();
        let Some(text) = read_text(&path)? else {
            return match given {
                None => Ok(Self::default()),
                Some(_) => Err(Problem::comparison(format!("there is no file {name}")).into()),
            };
        };
        let refused = |message: String| {
            Problem::comparison(format!("{name} cannot be read: {message}"))
                .help("write `{ \"accepted\": [{ \"change\": \"POST /notes body.title: type\", \"reason\": \"…\" }] }`")
        };
        let found: Self = serde_json::from_str(&text).map_err(|error| refused(error.to_string()))?;
        if let Some(entry) = found.accepted.iter().find(|entry| entry.reason.trim().is_empty()) {
            return Err(refused(format!("the change `{}` has no reason", entry.change)).into());
        }
        Ok(found)
    }

    pub(super) fn reason(&self, change: &str, message: &str) -> Option<&str> {
        let entry = self.accepted.iter().find(|entry| entry.is_about(change, message));
        entry.map(|entry| entry.reason.as_str())
    }
}
