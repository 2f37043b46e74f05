//! Authentication of a route in a table of contract tests.

use kit_ir::{Route, SecurityScheme};

use crate::text::literal;

/// Returns the authentication that a route requires, as a literal. Returns `None` if its tests need no authentication.
pub(super) fn literal_of(route: &Route) -> Option<String> {
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
    let mut fields = vec![(
        "credentials".to_owned(),
        literal::list("[", places.iter().map(literal::strings), "]"),
    )];
    // Without the tag `@security`, the test does not know what to leave out.
    if !places.is_empty() && !unauthorized.is_empty() {
        fields.push(("unauthorized".to_owned(), literal::strings(unauthorized)));
    }
    if !route.scopes.is_empty() {
        fields.push((
            "scopes".to_owned(),
            literal::list("[", route.scopes.iter().map(literal::strings), "]"),
        ));
    }
    Some(literal::object(fields))
}
