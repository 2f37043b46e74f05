//! Determines the table of a route, and the key of a row in the request.

use kit_ir::{Method, Segment};

use super::Known;
use crate::database::Stored;
use crate::router::Handled;
use crate::types::Form;

/// Key of a row, in a handler.
pub(super) struct Key {
    /// Statements that read the key from the request.
    pub(super) lets: String,
    /// Values of the key as arguments.
    pub(super) arguments: Vec<String>,
}

impl<'k> Known<'k, '_> {
    /// Returns the table of which a route reads or writes one row.
    pub(super) fn resource(self, handled: &Handled<'_>) -> Option<&'k Stored<'k>> {
        if handled.route.slots.response.is_some() {
            return self.answered(handled);
        }
        // A `DELETE` route deletes what another method of the same path returns.
        let siblings = self.all().filter(|other| other.route.path == handled.route.path);
        siblings
            .into_iter()
            .find_map(|other| self.answered(other))
            .or_else(|| self.collection(handled))
    }

    /// Returns the table of which a route lists rows, if the response type does not show it.
    pub(super) fn listed(self, handled: &Handled<'_>) -> Option<&'k Stored<'k>> {
        let path = &handled.route.path;
        let of_one = |other: &&Handled<'_>| match other.route.path.after(path) {
            Some([]) => other.route.method == Method::Post,
            Some([Segment::Parameter(_)]) => true,
            Some(_) | None => false,
        };
        let mut others = self.all().filter(of_one);
        others
            .find_map(|other| self.answered(other))
            .or_else(|| self.collection(handled))
    }

    fn all(self) -> impl Iterator<Item = &'k Handled<'k>> {
        self.routes.groups.iter().flat_map(|group| &group.routes)
    }

    /// Returns the table of the entity that a route returns.
    fn answered(self, handled: &Handled<'_>) -> Option<&'k Stored<'k>> {
        let name = self.types.name(handled.route.slots.response?);
        self.database.of_entity(name)
    }

    /// Returns the table whose name is the last static segment of the path.
    fn collection(self, handled: &Handled<'_>) -> Option<&'k Stored<'k>> {
        let last = handled.route.path.static_segments().next_back()?;
        self.database.table(&last.replace('-', "_"))
    }

    /// Returns the key of a row in the path. Every path parameter must be part of the key.
    pub(super) fn key(self, handled: &Handled<'_>, stored: &Stored<'_>) -> Option<Key> {
        let params = self
            .types
            .structs
            .get(self.types.name_in(handled.route.slots.params?, Form::Request))?;
        let names = stored.key_parameters();
        if names.is_empty() || params.len() != names.len() {
            return None;
        }
        let mut key = Key {
            lets: String::new(),
            arguments: Vec::new(),
        };
        for ((name, r#type), column) in names.into_iter().zip(stored.key()) {
            let by_name = params
                .iter()
                .find(|param| param.property == column.field.property);
            let param = by_name.or_else(|| params.first().filter(|_| params.len() == 1))?;
            let borrowed = match (param.r#type.as_str(), r#type) {
                ("String", "&str")
                | ("BigInt", "&BigInt")
                | ("kit_runtime::BigInt", "&kit_runtime::BigInt") => "&",
                (given, wanted) if given == wanted => "",
                _ => return None,
            };
            key.lets.push_str(&format!(
                "        let {name} = {borrowed}input.params.{};\n",
                param.name
            ));
            key.arguments.push(name);
        }
        Some(key)
    }
}
