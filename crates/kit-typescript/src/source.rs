//! Contents of source files, and lines and columns in them.

use std::collections::BTreeMap;
use std::path::{Component, Path};
use std::sync::Arc;

use kit_diagnostics::Sources;

/// Contents of source files, by path relative to the project's root. Code frames show excerpts of these
/// files. Copies share the texts.
#[derive(Debug, Clone, Default)]
pub struct SourceTexts {
    texts: BTreeMap<String, Arc<str>>,
}

impl SourceTexts {
    pub(crate) fn insert(&mut self, path: String, text: &str) {
        self.texts.insert(path, Arc::from(text));
    }

    /// Adds the content of a file that the compiler did not read. Does not replace the content of a file that
    /// it read.
    pub fn add(&mut self, path: String, text: String) {
        self.texts.entry(path).or_insert_with(|| Arc::from(text));
    }
}

impl Sources for SourceTexts {
    fn text(&self, path: &str) -> Option<&str> {
        self.texts.get(path).map(AsRef::as_ref)
    }
}

/// Offsets of the line starts in a file, which convert an offset to a line and a column.
#[derive(Debug, Clone)]
pub(crate) struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    pub(crate) fn new(text: &str) -> Self {
        let mut starts = vec![0];
        let bytes = text.as_bytes();
        for (index, byte) in bytes.iter().enumerate() {
            // A carriage return without a line feed ends a line too, as in TypeScript.
            if *byte == b'\n' || (*byte == b'\r' && bytes.get(index + 1) != Some(&b'\n')) {
                starts.push(u32::try_from(index + 1).unwrap_or(u32::MAX));
            }
        }
        Self { starts }
    }

    /// Returns the line and the column of a byte offset, both counted from 1. The column is in UTF-16 code
    /// units.
    pub(crate) fn position(&self, text: &str, offset: u32) -> (u32, u32) {
        let line = self.starts.partition_point(|start| *start <= offset).max(1) - 1;
        let start = self.starts[line] as usize;
        let end = text.floor_char_boundary((offset as usize).min(text.len()));
        let column = text
            .get(start..end)
            .map_or(0, |before| before.encode_utf16().count());
        let one_based = |count: usize| u32::try_from(count).unwrap_or(u32::MAX).saturating_add(1);
        (one_based(line), one_based(column))
    }
}

/// Returns a path relative to the root, with `/` on every platform: `src/a.ts`, or `../a.ts` for a file
/// outside of the root.
///
/// ```
/// use kit_typescript::display_path;
/// use std::path::Path;
///
/// assert_eq!(display_path(Path::new("/app"), Path::new("/app/src/a.ts")), "src/a.ts");
/// assert_eq!(display_path(Path::new("/app"), Path::new("/shared/a.ts")), "../shared/a.ts");
/// ```
pub fn display_path(root: &Path, path: &Path) -> String {
    let mut base: Vec<Component<'_>> = root.components().collect();
    let target: Vec<Component<'_>> = path.components().collect();
    let shared = base.iter().zip(&target).take_while(|(a, b)| a == b).count();
    let mut parts = vec!["..".to_owned(); base.split_off(shared).len()];
    parts.extend(
        target[shared..]
            .iter()
            .map(|part| part.as_os_str().to_string_lossy().into_owned()),
    );
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::{LineIndex, display_path};
    use std::path::Path;

    #[test]
    fn the_column_of_a_position_is_in_utf_16_code_units() {
        let text = "a\n\"😀\" x\r\ny";
        let lines = LineIndex::new(text);
        let position = |needle: char| {
            lines.position(
                text,
                u32::try_from(text.find(needle).expect("it is there")).expect("small"),
            )
        };
        assert_eq!(position('a'), (1, 1));
        assert_eq!(position('x'), (2, 6));
        assert_eq!(position('y'), (3, 1));
        assert_eq!(lines.position(text, 9_999), (3, 2));
    }

    #[test]
    fn shows_paths_relative_to_the_root_directory() {
        let show = |path: &str| display_path(Path::new("/home/ada/app"), Path::new(path));
        assert_eq!(show("/home/ada/app/src/a.ts"), "src/a.ts");
        assert_eq!(show("/home/ada/shared/a.ts"), "../shared/a.ts");
    }
}
