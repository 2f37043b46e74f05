//! Documentation for readers, from a comment.

use kit_ir::Documentation;

use super::{Doc, TagName};

/// Returns the description and the deprecation.
pub(crate) fn documentation(doc: &Doc) -> Documentation {
    let single_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    Documentation {
        description: doc.text.clone(),
        deprecated: doc
            .all(TagName::Deprecated)
            .next()
            .map(|tag| single_line(&tag.argument)),
        // Examples must fit the type, so they are added when the type is lowered.
        examples: Vec::new(),
    }
}
