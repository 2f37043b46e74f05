//! Properties whose values kit must not show.

use std::collections::BTreeSet;

use kit_ir::{DeclarationId, Program, Property, TypeKind};
use rustc_hash::FxHashSet;

/// Request headers that contain credentials (RFC 9110, sections 11.6.2 and 11.7.2).
const CREDENTIALS: [&str; 2] = ["authorization", "proxy-authorization"];

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

/// Declarations that routes use as cookies or headers, to find the properties whose values failures must not show.
#[derive(Debug, Default)]
pub struct SecretSlots {
    cookies: FxHashSet<DeclarationId>,
    headers: FxHashSet<DeclarationId>,
}

impl SecretSlots {
    /// Collects the cookies and headers of all routes.
    pub fn new(program: &Program) -> Self {
        let slots = || program.routes.iter().map(|route| &route.slots);
        Self {
            cookies: slots().filter_map(|slots| slots.cookies).collect(),
            headers: slots().filter_map(|slots| slots.headers).collect(),
        }
    }

    /// Returns true if failures must not show the value of a property of the declaration: if the property is
    /// `@sensitive`, a cookie, or a request header with credentials. A cookie is a secret more often than not, and its
    /// owner reads the failure in a browser, where other scripts can read it too.
    pub fn hides(&self, declaration: DeclarationId, property: &Property) -> bool {
        property.tags.sensitive
            || self.cookies.contains(&declaration)
            || (self.headers.contains(&declaration) && CREDENTIALS.contains(&property.name.as_str()))
    }

    /// Returns true if [`SecretSlots::hides`] can return true for properties that are not `@sensitive`.
    pub fn affects(&self, declaration: DeclarationId) -> bool {
        self.cookies.contains(&declaration) || self.headers.contains(&declaration)
    }
}
