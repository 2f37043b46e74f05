//! Documents that are open in the editor, with their unsaved texts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kit_build::{Disk, FileSystem as _};
use lsp_types::{TextDocumentContentChangeEvent, Uri};

use crate::lines::Lines;
use crate::overlay::Overlay;
use crate::uri;

/// A document that is open in the editor.
#[derive(Debug)]
pub(crate) struct Document {
    /// URI by which the editor knows the document. Its path may contain symbolic links.
    pub(crate) uri: Uri,
    pub(crate) version: i32,
    pub(crate) text: Arc<str>,
}

/// Open documents by their real paths.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    open: BTreeMap<PathBuf, Document>,
}

impl Documents {
    pub(crate) fn open(&mut self, path: PathBuf, document: Document) {
        self.open.insert(path, document);
    }

    pub(crate) fn close(&mut self, path: &Path) {
        self.open.remove(path);
    }

    pub(crate) fn get(&self, path: &Path) -> Option<&Document> {
        self.open.get(path)
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.open.keys()
    }

    /// Applies edits in their order. Returns false if the document is not open.
    pub(crate) fn change(
        &mut self,
        path: &Path,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
    ) -> bool {
        let Some(document) = self.open.get_mut(path) else {
            return false;
        };
        let mut lines = Lines::new(document.text.to_string());
        for change in changes {
            match change.range {
                Some(range) => lines.replace(lines.bytes(range), &change.text),
                None => lines = Lines::new(change.text),
            }
        }
        document.text = lines.into_text().into();
        document.version = version;
        true
    }

    /// Returns the files of the disk with the texts of the open documents.
    pub(crate) fn overlay(&self) -> Overlay {
        let texts = self.open.iter();
        Overlay::new(texts.map(|(path, document)| (path.clone(), Arc::clone(&document.text))))
    }

    /// Returns the URI of a file: the URI that the editor uses, if the file is open.
    pub(crate) fn uri(&self, path: &Path) -> Option<Uri> {
        match self.open.get(path) {
            Some(document) => Some(document.uri.clone()),
            None => uri::uri(path),
        }
    }
}

/// Returns the real path of a file. If the file does not exist yet, resolves only the symbolic links of its directory.
pub(crate) fn real_path(path: &Path) -> PathBuf {
    Disk.real_path(path).unwrap_or_else(|_| {
        let directory = path.parent().and_then(|directory| Disk.real_path(directory).ok());
        match (directory, path.file_name()) {
            (Some(directory), Some(name)) => directory.join(name),
            _ => path.to_path_buf(),
        }
    })
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};
    use std::str::FromStr as _;

    use lsp_types::{Position, Range, TextDocumentContentChangeEvent, Uri};

    use super::{Document, Documents};

    /// A text as the protocol sees it: lines of UTF-16 code units, each with its line break.
    fn units(text: &str) -> Vec<Vec<u16>> {
        text.split_inclusive('\n')
            .map(|line| line.encode_utf16().collect())
            .collect()
    }

    #[test]
    fn random_edits_give_the_text_of_an_editor_that_counts_code_units() {
        let pieces = ["a", "é", "😀", "\n", "", "b\nc😀"];
        let mut state = 1_u64;
        let mut roll = |sides: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap_or(0) % sides
        };
        let mut documents = Documents::default();
        let path = PathBuf::from("/app/a.ts");
        let uri = Uri::from_str("file:///app/a.ts").expect("the URI is valid");
        let text = "first\n😀 second é\nthird".into();
        documents.open(
            path.clone(),
            Document {
                uri,
                version: 0,
                text,
            },
        );
        for version in 1..2_000 {
            let before = documents
                .get(&path)
                .expect("the document is open")
                .text
                .to_string();
            // Boundaries of characters, as positions and as offsets in code units.
            let mut places = vec![(0, 0, 0)];
            let mut offset = 0;
            for (line, units) in units(&before).iter().enumerate() {
                let text = String::from_utf16(units).expect("a line is complete");
                let mut column = 0;
                for letter in text.chars() {
                    places.push((line, column, offset + column));
                    column += letter.len_utf16();
                }
                if !text.ends_with('\n') {
                    places.push((line, column, offset + column));
                }
                offset += column;
            }
            let (a, b) = (places[roll(places.len())], places[roll(places.len())]);
            let (from, to) = if a.2 <= b.2 { (a, b) } else { (b, a) };
            let piece = pieces[roll(pieces.len())];
            let mut expected: Vec<u16> = before.encode_utf16().collect();
            expected.splice(from.2..to.2, piece.encode_utf16());
            let position = |place: (usize, usize, usize)| {
                let number = |count: usize| u32::try_from(count).expect("the text is short");
                Position::new(number(place.0), number(place.1))
            };
            let edit = TextDocumentContentChangeEvent {
                range: Some(Range::new(position(from), position(to))),
                range_length: None,
                text: piece.to_owned(),
            };
            assert!(documents.change(&path, version, vec![edit]));
            let after = documents
                .get(&path)
                .expect("the document is open")
                .text
                .to_string();
            assert_eq!(after.encode_utf16().collect::<Vec<_>>(), expected, "{before:?}");
        }
    }

    #[test]
    fn edits_apply_to_the_result_of_the_edit_before() {
        let mut documents = Documents::default();
        let path = PathBuf::from("/app/a.ts");
        let document = Document {
            uri: Uri::from_str("file:///app/a.ts").expect("the URI is valid"),
            version: 1,
            text: "😀 ab\nc".into(),
        };
        documents.open(path.clone(), document);
        let edit = |from: (u32, u32), to: (u32, u32), text: &str| TextDocumentContentChangeEvent {
            range: Some(Range::new(
                Position::new(from.0, from.1),
                Position::new(to.0, to.1),
            )),
            range_length: None,
            text: text.to_owned(),
        };
        let edits = vec![
            edit((0, 3), (0, 4), "x\n"),
            edit((1, 1), (9, 9), "!"),
            // The end is before the start.
            edit((0, 0), (0, 0), ">"),
        ];
        assert!(documents.change(&path, 2, edits));
        let document = documents.get(&path).expect("the document is open");
        assert_eq!((&*document.text, document.version), (">😀 x\nb!", 2));
        assert!(!documents.change(Path::new("/app/b.ts"), 1, Vec::new()));
    }
}
