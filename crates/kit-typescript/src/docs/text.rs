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
        examples: doc
            .all(TagName::Example)
            .map(|tag| &tag.argument)
            .filter(|text| !text.is_empty())
            .map(|text| match serde_json::from_str::<serde_json::Value>(text) {
                Ok(value) => value.to_string(),
                Err(_) => serde_json::Value::from(text.as_str()).to_string(),
            })
            .collect(),
    }
}
