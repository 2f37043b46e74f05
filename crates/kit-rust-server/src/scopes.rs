//! Scopes of contracts: the code that checks them, and routes whose scopes cannot be checked.

use kit_ir::{MiddlewareKind, Program, Route, Security};
use proc_macro2::TokenStream;
use quote::quote;

use crate::Problem;
use crate::route_names::RouteNames;
use crate::source::{ident, string_literal};

/// Returns an error for each route whose scopes no known middleware can check. A server that does not check them would let
/// every caller through.
pub(crate) fn problems(program: &Program) -> Vec<Problem> {
    let routes = program
        .routes
        .iter()
        .filter(|route| !route.scopes.is_empty() && !has_authenticator(program, route));
    routes
        .map(|route| {
            let scopes: Vec<_> = route.scopes.iter().flatten().map(|scope| format!("{scope:?}")).collect();
            Problem {
                message: format!(
                    "`{}` requires scopes, but kit does not know which middleware of the route adds `ctx.auth`",
                    route.reference()
                ),
                span: route.span,
                help: format!(
                    "declare the type of this middleware: `Middleware<{{ auth: Auth<{}> }}>`",
                    scopes.join(" | ")
                ),
            }
        })
        .collect()
}

/// Returns true if the middleware that tells the scopes of callers is part of the generated code of a route.
fn has_authenticator(program: &Program, route: &Route) -> bool {
    let mut built_in = program.application.middleware.iter();
    route.authenticator.as_ref().is_some_and(|name| {
        route.middleware.contains(name)
            && !built_in.any(|known| known.kind == MiddlewareKind::BuiltIn && known.name == *name)
    })
}

/// Returns the statement that refuses callers without the scopes of a route. Returns `None` if the route requires none.
pub(crate) fn check(handled: &RouteNames<'_>) -> Option<TokenStream> {
    let route = handled.route;
    let name = route.authenticator.as_ref()?;
    let middleware = handled.middleware.iter().find(|known| known.name == *name)?;
    let caller = ident(&middleware.module);
    let alternatives = route.scopes.iter().map(|scopes| {
        let names = scopes.iter().map(|scope| string_literal(scope));
        quote!(&[#(#names),*])
    });
    let is_bearer = Security::asks_bearer(&route.security);
    Some(quote!(request.require_scopes(&#caller, &[#(#alternatives),*], #is_bearer)?;))
}

/// Returns true if a middleware tells the scopes of callers.
pub(crate) fn is_authenticator(program: &Program, middleware: &str) -> bool {
    let mut routes = program.routes.iter();
    routes.any(|route| route.authenticator.as_deref() == Some(middleware))
}

#[cfg(test)]
mod tests {
    use kit_ir::{MiddlewareKind, RouteId};
    use kit_test_programs::notes;

    use super::problems;

    #[test]
    fn names_a_route_whose_scopes_no_middleware_can_check() {
        let mut program = notes::program();
        assert_eq!(problems(&program), []);
        program.routes[RouteId(0)].scopes = vec![vec!["notes:read".to_owned(), "notes:write".to_owned()]];
        let [problem] = &problems(&program)[..] else {
            panic!("one route requires scopes");
        };
        let route = program.routes[RouteId(0)].reference();
        let expected = format!(
            "`{route}` requires scopes, but kit does not know which middleware of the route adds `ctx.auth`"
        );
        assert_eq!(problem.message, expected);
        let help = "declare the type of this middleware: `Middleware<{ auth: Auth<\"notes:read\" | \"notes:write\"> }>`";
        assert_eq!(problem.help, help);
        program.routes[RouteId(0)].authenticator = Some("requireAuth".to_owned());
        assert_eq!(problems(&program), []);
        program.application.middleware[0].kind = MiddlewareKind::BuiltIn;
        assert_eq!(
            problems(&program).len(),
            1,
            "the server has no code of built-in middleware"
        );
        program.application.middleware[0].kind = MiddlewareKind::Route;
        program.routes[RouteId(0)].middleware.clear();
        assert_eq!(
            problems(&program).len(),
            1,
            "the route does not have the middleware"
        );
    }
}
