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

use kit_ir::{IndexKey, ObjectType, Program, TypeId};

/// The value types of the index signatures that take a key, by precedence.
pub(crate) fn index_types(program: &Program, object: &ObjectType, key: &str) -> Vec<TypeId> {
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
        .map(|signature| signature.value)
        .collect()
}
