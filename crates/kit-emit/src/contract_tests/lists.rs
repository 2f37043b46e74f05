//! Lists that are read with cursors, in the tables of contract tests.

use kit_ir::{Program, Route, TypeKind};

use serde_json::Value;

use super::data::Data;

/// Returns the smallest `limit` that the query of a list accepts, and the names of its optional filters. Returns `None` if the
/// route has no list.
pub(super) fn of(program: &Program, route: &Route) -> Option<Data> {
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
    let limit = limit.to_string().parse().map_or(Value::Null, Value::Number);
    let filters = Data::texts(filters.map(|property| property.name.as_str()));
    Some(Data::object([
        ("limit", Data::Value(limit)),
        ("filters", filters),
    ]))
}
