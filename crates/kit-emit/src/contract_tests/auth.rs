//! Authentication of a route in a table of contract tests.

use kit_ir::{Route, SecurityScheme};

use super::data::Data;

/// Returns the authentication that a route requires. Returns `None` if its tests need no authentication.
pub(super) fn of(route: &Route) -> Option<Data> {
    let unauthorized = route.throws.iter().filter(|error| error.status == 401);
    let unauthorized: Vec<&str> = unauthorized.map(|error| error.code.as_str()).collect();
    if route.scopes.is_empty() && (route.security.is_empty() || unauthorized.is_empty()) {
        return None;
    }
    let mut places: Vec<[String; 2]> = Vec::new();
    for security in route.security.iter().flatten() {
        let (place, name) = match &security.scheme {
            SecurityScheme::Bearer { .. } | SecurityScheme::Basic => ("header", "authorization".to_owned()),
            SecurityScheme::Header { name } => ("header", name.to_ascii_lowercase()),
            SecurityScheme::Cookie { name } => ("cookie", name.clone()),
            SecurityScheme::Query { name } => ("query", name.clone()),
        };
        let place = [place.to_owned(), name];
        if !places.contains(&place) {
            places.push(place);
        }
    }
    let has_places = !places.is_empty();
    let mut fields = vec![(
        "credentials",
        Data::List(places.into_iter().map(Data::texts).collect()),
    )];
    // Without the tag `@security`, the test does not know what to leave out.
    if has_places && !unauthorized.is_empty() {
        fields.push(("unauthorized", Data::texts(unauthorized)));
    }
    if !route.scopes.is_empty() {
        let scopes = route.scopes.iter().map(Data::texts);
        fields.push(("scopes", Data::List(scopes.collect())));
    }
    Some(Data::object(fields))
}
