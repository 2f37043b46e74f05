//! Finds the files in `validators/` that modules of the project import. In a large project, kit writes only
//! these files. An import therefore stays valid when a project becomes large.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::disk;

/// Paths that each module imported when it was last read.
#[derive(Debug, Default)]
pub(crate) struct ImportedValidators(BTreeMap<PathBuf, (Option<u128>, Vec<String>)>);

impl ImportedValidators {
    /// Returns the imported files of a large program, relative to the output directory. `modules` are the modules of the
    /// project, of which only those are read that changed since the last call.
    pub(crate) fn find(&mut self, modules: &[PathBuf]) -> BTreeSet<String> {
        let mut known = std::mem::take(&mut self.0);
        for path in modules {
            let stamp = disk::settled_stamp(path);
            let entry = match known.remove(path) {
                Some(entry) if stamp.is_some() && entry.0 == stamp => entry,
                // A module that cannot be read, or is not UTF-8, imports nothing.
                _ => (
                    stamp,
                    disk::read_text(path).map_or_else(|_| Vec::new(), |text| imports(&text)),
                ),
            };
            self.0.insert(path.clone(), entry);
        }
        self.0.values().flat_map(|(_, paths)| paths).cloned().collect()
    }
}

/// Returns the paths of the files that a text names as `validators/<Type>.validator` or `validators/<entity>`, with any ending.
fn imports(text: &str) -> Vec<String> {
    const DIRECTORY: &str = "validators/";
    let places = text
        .match_indices(DIRECTORY)
        .map(|(at, _)| &text[at + DIRECTORY.len()..]);
    let names = places.filter_map(|rest| {
        let end = rest.find(|char: char| !char.is_alphanumeric() && char != '_' && char != '$')?;
        let role = if rest[end..].starts_with(".validator") {
            ".validator"
        } else {
            ""
        };
        (end > 0).then(|| format!("{DIRECTORY}{}{role}.ts", &rest[..end]))
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use super::imports;

    #[test]
    fn finds_imports_with_every_ending() {
        let text = "import { NoteValidator } from \"../.kit/validators/Note.validator.ts\";\n\
                    const { TagValidator } = await import('../../.kit/validators/Tag$2.validator.js');\n\
                    import { a } from \"../.kit/validators/note.ts\";\nimport \"validators/\";";
        assert_eq!(
            imports(text),
            [
                "validators/Note.validator.ts",
                "validators/Tag$2.validator.ts",
                "validators/note.ts",
            ]
        );
    }
}
