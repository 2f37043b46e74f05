//! Text of a configuration file, for the locations in diagnostics.

use kit_diagnostics::Sources;
use kit_typescript::OptionLocations;

/// Text of a configuration file; empty if the project has none.
#[derive(Debug, Clone, Default)]
pub struct ConfigSource {
    /// Name of the source in messages, such as `kit.config.ts`.
    pub(super) name: String,
    /// Path of the file, relative to the project's root.
    pub(super) path: String,
    text: String,
    pub(super) locations: OptionLocations,
}

impl ConfigSource {
    /// Creates the source of a configuration file.
    pub(super) fn module(path: &str, text: String) -> Self {
        Self {
            name: path.to_owned(),
            path: path.to_owned(),
            locations: OptionLocations::of_module(&text),
            text,
        }
    }

    /// Creates the source for the `kit` field of `package.json`.
    pub(super) fn package(text: &str) -> Self {
        let text = text.trim_start_matches('\u{feff}');
        Self {
            name: "the `kit` field of package.json".to_owned(),
            path: "package.json".to_owned(),
            locations: OptionLocations::of_member(text, "kit"),
            text: text.to_owned(),
        }
    }
}

impl Sources for ConfigSource {
    fn text(&self, path: &str) -> Option<&str> {
        (path == self.path && !self.text.is_empty()).then_some(self.text.as_str())
    }
}
