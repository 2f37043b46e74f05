//! Names of sensitive properties.

use std::collections::BTreeSet;

use kit_ir::{Program, TypeKind};

/// Returns the names of all `@sensitive` properties and of their columns: the log hides values with these names. Includes
/// types that no route uses, because an application can also log their values.
pub fn sensitive_names(program: &Program) -> BTreeSet<&str> {
    program
        .types
        .iter()
        .filter_map(|of| match &of.kind {
            TypeKind::Object(object) => Some(&object.properties),
            _ => None,
        })
        .flatten()
        .filter(|property| property.tags.sensitive)
        .flat_map(|property| [Some(property.name.as_str()), property.tags.column.as_deref()])
        .flatten()
        .collect()
}
