//! Handlers and middleware that kit cannot generate. They respond with 501 until the user writes them, and the build names
//! them.

use kit_ir::{Program, Route};
use proc_macro2::TokenStream;
use quote::quote;

use crate::middleware::Middleware;
use crate::route_groups::Routes;
use crate::source::string_literal;
use crate::{HandlerText, Warning};

/// Maximum number of routes that a warning names.
const NAMED: usize = 5;

/// Returns the body of a function that kit cannot generate. It responds with 501 and names the file to edit.
pub(super) fn body(what: &str, file: &str) -> TokenStream {
    let (what, file) = (string_literal(what), string_literal(file));
    quote!(Err(Error::not_implemented(#what, #file)))
}

/// Returns the warning about a handler that kit cannot generate.
pub(super) fn handler(route: &Route, path: &str, reason: &str) -> Warning {
    let reference = route.reference();
    Warning {
        message: format!("`{reference}` answers 501, because kit cannot generate its handler: {reason}"),
        span: route.span,
        help: format!("write the handler in {path}"),
        handler: Some(text(&reference, path)),
    }
}

/// Returns the warning about middleware, which kit never generates. All its routes respond with 501.
pub(super) fn middleware(
    middleware: &Middleware,
    path: &str,
    routes: &Routes<'_>,
    program: &Program,
) -> Option<Warning> {
    let all = routes.groups.iter().flat_map(|group| &group.routes);
    let behind: Vec<&Route> = all
        .filter(|handled| {
            handled
                .middleware
                .iter()
                .any(|known| known.module == middleware.module)
        })
        .map(|handled| handled.route)
        .collect();
    let source = program.application.middleware.iter();
    let mut source = source.filter(|source| source.name == middleware.name);
    let span = source.next().map(|source| source.span);
    let mut names: Vec<_> = behind
        .iter()
        .take(NAMED)
        .map(|route| format!("`{}`", route.reference()))
        .collect();
    if behind.len() > NAMED {
        names.push(format!("{} more", behind.len() - NAMED));
    }
    Some(Warning {
        message: format!(
            "`{}` has no code in Rust, so its routes answer 501: {}",
            middleware.name,
            names.join(", ")
        ),
        span: span.or_else(|| Some(behind.first()?.span))?,
        help: format!("write the middleware in {path}"),
        handler: Some(text(&middleware.name, path)),
    })
}

/// Returns the code that shows that the user has not written a function.
fn text(what: &str, path: &str) -> HandlerText {
    HandlerText {
        path: path.to_owned(),
        code: format!("Error::not_implemented({},", string_literal(what)),
    }
}
