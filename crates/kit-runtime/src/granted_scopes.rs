//! Scopes of callers: the names, and those that an application knows.

/// Returns the problem of the option `scopes`, if one of its names is not a scope.
pub(crate) fn scope_problem<'n>(mut names: impl Iterator<Item = &'n str>) -> Option<String> {
    names.find(|name| !is_scope(name)).map(|wrong| {
        format!(
            "`scopes` must have names of 1 to 200 printable ASCII characters without blanks, quotes and backslashes, not \
             {wrong:?}"
        )
    })
}

/// Returns true for a scope (RFC 6749, section 3.3) with at most 200 characters.
fn is_scope(name: &str) -> bool {
    (1..=200).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\'))
}

/// Returns the scopes of a caller that the application knows, each once, in the order in which they were granted.
pub(crate) fn known_scopes(
    granted: impl IntoIterator<Item = String>,
    is_known: impl Fn(&str) -> bool,
) -> Vec<String> {
    let mut scopes = Vec::new();
    for scope in granted {
        if is_known(&scope) && !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    scopes
}
