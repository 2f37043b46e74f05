//! `.kit/.manifest.json`: the files that builds wrote.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The version of the form below. A manifest of another one is not guessed at.
const VERSION: u32 = 1;

/// Which files are kit's, and the times they carry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Manifest {
    /// Path to the time in the file, if there is one.
    pub(super) files: BTreeMap<String, Option<String>>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Document {
    version: u32,
    files: Vec<File>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct File {
    path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    generated_at: Option<String>,
}

impl Manifest {
    /// Reads the text of a manifest; an error says what is wrong with it.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let document: Document = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if document.version != VERSION {
            return Err(format!(
                "its version is {}, this kit knows {VERSION}",
                document.version
            ));
        }
        let mut files = BTreeMap::new();
        for file in document.files {
            // The manifest decides what is deleted: a path that leads out of the directory must never pass.
            if super::writer::check_path(&file.path).is_err() {
                return Err(format!("`{}` is no path in the directory", file.path));
            }
            files.insert(file.path, file.generated_at);
        }
        Ok(Self { files })
    }

    /// The text, the same for the same files.
    pub(super) fn print(&self) -> String {
        let document = Document {
            version: VERSION,
            files: self
                .files
                .iter()
                .map(|(path, generated_at)| File {
                    path: path.clone(),
                    generated_at: generated_at.clone(),
                })
                .collect(),
        };
        let mut text =
            serde_json::to_string_pretty(&document).expect("strings and numbers always have a JSON form");
        text.push('\n');
        text
    }
}

#[cfg(test)]
mod tests {
    use super::Manifest;

    #[test]
    fn what_is_printed_is_read_back() {
        let manifest = Manifest {
            files: [
                ("types.ts".to_owned(), None),
                (
                    "routes/compiled-router.ts".to_owned(),
                    Some("2026-01-01T00:00:00.000Z".to_owned()),
                ),
            ]
            .into(),
        };
        assert_eq!(Manifest::parse(manifest.print().as_bytes()), Ok(manifest));
    }

    #[test]
    fn a_manifest_that_names_other_peoples_files_is_refused() {
        for path in ["../src/app.ts", "/etc/passwd", "a/../../b", "", "a//b"] {
            let text = format!(r#"{{"version":1,"files":[{{"path":"{path}"}}]}}"#);
            assert!(Manifest::parse(text.as_bytes()).is_err(), "{path}");
        }
        assert!(Manifest::parse(br#"{"version":2,"files":[]}"#).is_err());
        assert!(Manifest::parse(b"{").is_err());
    }
}
