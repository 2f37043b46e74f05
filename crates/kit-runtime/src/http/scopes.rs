//! Scopes that a contract requires of the caller.

use axum::http::{HeaderValue, header};
use serde_json::json;

use super::{Error, Phase, Request};

/// Name of the step in phases and spans.
const STEP: &str = "scopes";

/// A caller whom a middleware has authenticated. The middleware that adds `ctx.auth` in TypeScript implements this trait.
///
/// ```
/// use kit_runtime::Caller;
///
/// struct RequireAuth {
///     user: String,
///     scopes: Vec<String>,
/// }
///
/// impl Caller for RequireAuth {
///     fn has(&self, scope: &str) -> bool {
///         self.scopes.iter().any(|known| known == scope)
///     }
/// }
///
/// let caller = RequireAuth { user: "ada".to_owned(), scopes: vec!["orders:read".to_owned()] };
/// assert!(caller.has("orders:read"));
/// assert!(!caller.has("orders:write"));
/// assert!(caller.is_authenticated());
/// ```
#[diagnostic::on_unimplemented(
    message = "a contract requires scopes, but `{Self}` does not tell the scopes of callers",
    label = "the trait `Caller` is missing for this middleware",
    note = "add `impl kit_runtime::Caller for {Self}` to the file of the middleware in `src/middleware/`"
)]
pub trait Caller {
    /// Returns true if the caller has a scope.
    fn has(&self, scope: &str) -> bool;

    /// Returns false if the middleware accepts requests without credentials, and this request has none.
    fn is_authenticated(&self) -> bool {
        true
    }
}

impl<C: Caller> Caller for Option<C> {
    fn has(&self, scope: &str) -> bool {
        self.as_ref().is_some_and(|caller| caller.has(scope))
    }

    fn is_authenticated(&self) -> bool {
        self.as_ref().is_some_and(Caller::is_authenticated)
    }
}

impl Request {
    /// Refuses callers without the scopes of the contract: all scopes of at least one of `alternatives`.
    ///
    /// # Errors
    ///
    /// 401 if nobody is authenticated, 403 if the caller does not have the scopes.
    #[doc(hidden)] // Called only by generated code.
    pub fn require_scopes(
        &self,
        caller: &impl Caller,
        alternatives: &[&[&str]],
        is_bearer: bool,
    ) -> Result<(), Error> {
        let context = self.context();
        context.enter(Phase::Middleware(STEP));
        let challenge = |value: HeaderValue| {
            if is_bearer {
                context.set_header(header::WWW_AUTHENTICATE, value);
            }
        };
        if !caller.is_authenticated() {
            challenge(HeaderValue::from_static("Bearer"));
            return Err(Error::unauthorized(
                "UNAUTHORIZED",
                "The caller is not authenticated",
            ));
        }
        let has_all = |scopes: &&[&str]| scopes.iter().all(|scope| caller.has(scope));
        if alternatives.iter().any(has_all) {
            return Ok(());
        }
        let first = alternatives.first().copied().unwrap_or_default().join(" ");
        let text = format!("Bearer error=\"insufficient_scope\", scope=\"{first}\"");
        // Scopes are visible ASCII, so their text is always a valid header.
        if let Ok(value) = HeaderValue::try_from(text) {
            challenge(value);
        }
        let missing = alternatives.iter().map(|scopes| {
            let missing = scopes.iter().filter(|scope| !caller.has(scope));
            missing.copied().collect::<Vec<_>>()
        });
        let details = json!({ "missingScopes": missing.collect::<Vec<_>>() });
        Err(Error::forbidden("INSUFFICIENT_SCOPE", message(alternatives)).with_details(details))
    }
}

/// Returns the message for callers without the scopes.
fn message(alternatives: &[&[&str]]) -> String {
    let texts = alternatives.iter().map(|scopes| match scopes {
        [scope] => format!("the scope {scope}"),
        _ => format!("the scopes {}", scopes.join(" and ")),
    });
    format!("The caller needs {}", texts.collect::<Vec<_>>().join(", or "))
}

#[cfg(test)]
mod tests {
    use super::message;

    #[test]
    fn names_all_alternatives_in_the_message() {
        assert_eq!(message(&[&["a"]]), "The caller needs the scope a");
        assert_eq!(
            message(&[&["a", "b"], &["admin"]]),
            "The caller needs the scopes a and b, or the scope admin"
        );
    }
}
