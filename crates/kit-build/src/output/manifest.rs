//! `.kit/.manifest.json`: the list of files that builds wrote.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Version of the format. A manifest with another version is an error.
const VERSION: u32 = 1;

/// Files that kit wrote into the output directory, and the times in them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Manifest {
    /// For each path, the time in the file; `None` if the file contains no time.
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
    /// Parses a manifest. The error describes the damage.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let document: Document = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if document.version != VERSION {
            return Err(format!(
                "version {} is not supported (expected {VERSION})",
                document.version
            ));
        }
        let mut files = BTreeMap::new();
        for file in document.files {
            // kit deletes files that the manifest lists, so a path outside of the output directory must be an
            // error.
            if super::paths::check_path(&file.path).is_err() {
                return Err(format!("`{}` is not a path in the directory", file.path));
            }
            files.insert(file.path, file.generated_at);
        }
        Ok(Self { files })
    }

    /// Prints the manifest. Equal files always give the same text.
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
    fn manifest_lists_the_same_files_after_it_is_printed_and_parsed() {
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
    fn refuses_a_manifest_with_a_path_outside_of_the_output_directory() {
        for path in ["../src/app.ts", "/etc/passwd", "a/../../b", "", "a//b"] {
            let text = format!(r#"{{"version":1,"files":[{{"path":"{path}"}}]}}"#);
            assert!(Manifest::parse(text.as_bytes()).is_err(), "{path}");
        }
        assert!(Manifest::parse(br#"{"version":2,"files":[]}"#).is_err());
        assert!(Manifest::parse(b"{").is_err());
    }
}
