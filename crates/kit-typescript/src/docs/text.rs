//! What a comment says to readers.

use kit_ir::Documentation;

use super::{Doc, TagName};

/// Description, deprecation and examples.
pub(crate) fn documentation(doc: &Doc) -> Documentation {
    let single_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    Documentation {
        description: doc.text.clone(),
        deprecated: doc
            .all(TagName::Deprecated)
            .next()
            .map(|tag| single_line(&tag.argument)),
        // Read when the type is known, which they must fit.
        examples: Vec::new(),
    }
}
