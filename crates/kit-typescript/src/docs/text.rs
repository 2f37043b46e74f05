//! Text of a doc comment, as the IR stores it for readers.

use kit_ir::Documentation;

use super::{Doc, TagName};

/// Returns the description of a comment and its `@deprecated` tag. The examples are not included.
pub(crate) fn documentation(doc: &Doc) -> Documentation {
    let single_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    Documentation {
        description: doc.text.clone(),
        deprecated: doc
            .all(TagName::Deprecated)
            .next()
            .map(|tag| single_line(&tag.argument)),
        // An example must fit the type, so the examples are added when the type is lowered.
        examples: Vec::new(),
    }
}
