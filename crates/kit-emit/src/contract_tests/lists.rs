//! Lists that are read with cursors, in the tables of contract tests.

use kit_ir::{Program, Route, TypeKind};

use crate::text::literal;

/// Returns the smallest `limit` that the query of a list accepts, and the names of its optional filters, as an object
/// literal. Returns `None` if the route has no list.
pub(super) fn literal_of(program: &Program, route: &Route) -> Option<String> {
    let query = route.slots.query.filter(|_| route.is_list)?;
    let TypeKind::Object(query) = &program.types[program.declarations[query].r#type].kind else {
        return None;
    };
    let limit = program
        .resolve(query.property("limit")?.r#type)
        .constraints
        .minimum?;
    let filters = query
        .properties
        .iter()
        .filter(|property| property.optional && !matches!(property.name.as_str(), "cursor" | "limit"));
    let filters = literal::strings(filters.map(|property| property.name.as_str()));
    Some(literal::object([
        ("limit".to_owned(), limit.to_string()),
        ("filters".to_owned(), filters),
    ]))
}
