//! JSON values of types: checks, results of decoding, and examples.

mod check;
mod example;
mod fit;
mod read;
mod scalar;
mod template;

pub use check::{element_types, fit};
pub use example::example;
pub use fit::Fit;
pub use read::{DecodedValue, read};
pub use scalar::literal_value;
pub(crate) use template::{is_numeric_key, matches as template_matches};

use kit_ir::{IndexKey, IndexSignature, ObjectType, Program, TypeId};

/// Returns the types of a key's value according to the index signatures that accept the key. The signature
/// that a decoder uses is first.
pub(crate) fn index_types(program: &Program, object: &ObjectType, key: &str) -> Vec<TypeId> {
    let signatures = signatures_of(program, object, key).into_iter();
    signatures.map(|signature| signature.value).collect()
}

/// Returns the index signatures that accept a key. The signature that a decoder uses is first.
pub(crate) fn signatures_of<'a>(
    program: &Program,
    object: &'a ObjectType,
    key: &str,
) -> Vec<&'a IndexSignature> {
    if key == "__proto__" {
        return Vec::new();
    }
    object
        .signatures()
        .into_iter()
        .filter(|signature| match &signature.key {
            IndexKey::String => true,
            IndexKey::Number => is_numeric_key(key),
            IndexKey::Template { parts } => template_matches(program, parts, key),
        })
        .collect()
}
