//! The text that a configuration was written in, to point into.

use kit_diagnostics::Sources;
use kit_typescript::OptionPlaces;

/// Where a configuration stands; empty where there is none.
#[derive(Debug, Clone, Default)]
pub struct ConfigSource {
    /// As messages name it.
    pub(super) name: String,
    /// The file, relative to the project's root.
    pub(super) path: String,
    text: String,
    pub(super) places: OptionPlaces,
}

impl ConfigSource {
    /// A configuration file.
    pub(super) fn module(path: &str, text: String) -> Self {
        Self {
            name: path.to_owned(),
            path: path.to_owned(),
            places: OptionPlaces::of_module(&text),
            text,
        }
    }

    /// The `kit` field of `package.json`.
    pub(super) fn package(text: &str) -> Self {
        let text = text.trim_start_matches('\u{feff}');
        Self {
            name: "the `kit` field of package.json".to_owned(),
            path: "package.json".to_owned(),
            places: OptionPlaces::of_member(text, "kit"),
            text: text.to_owned(),
        }
    }
}

impl Sources for ConfigSource {
    fn text(&self, path: &str) -> Option<&str> {
        (path == self.path && !self.text.is_empty()).then_some(self.text.as_str())
    }
}
