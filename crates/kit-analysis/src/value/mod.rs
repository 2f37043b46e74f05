//! JSON values and types: whether a value fits, what is read of it, and values that fit.

mod example;
mod fit;
mod read;
mod scalar;
mod template;

pub use example::example;
pub use fit::{Fit, fit};
pub use read::{Read, read};

pub(crate) use scalar::literal_value;
pub(crate) use template::{is_numeric_key, matches as template_matches};

use kit_ir::{IndexKey, IndexSignature, ObjectType, Program, TypeId};

/// The value types of the index signatures that take a key, by precedence.
pub(crate) fn index_types(program: &Program, object: &ObjectType, key: &str) -> Vec<TypeId> {
    let signatures = signatures_of(program, object, key).into_iter();
    signatures.map(|signature| signature.value).collect()
}

/// The index signatures that take a key, by precedence.
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
