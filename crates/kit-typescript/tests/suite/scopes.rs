//! Scopes of contracts, and the middleware that adds the caller.

// A helper of a test may panic, which fails the test.
#![allow(clippy::unwrap_used)]

use crate::support::{mistakes, output};

const ROUTES: &str = "
import type { Route, Scopes } from \"@kit/types\";
export interface OrderRoutes { \"GET /orders\": Route<{ response: string; auth: Scopes<\"orders:read\"> }> }";

/// Returns the authenticator of the route if its middleware is defined like this and registered as `list`.
fn authenticator(defined: &str, list: &str) -> Option<String> {
    let app = format!(
        "
import {{ createApp, defineHandlers, defineMiddleware, defineWrapper }} from \"@kit/core\";
import type {{ Auth }} from \"@kit/types\";
import type {{ OrderRoutes }} from \"./orders.routes.ts\";
declare function external(): never;
{defined}
export const handlers = defineHandlers<OrderRoutes>({{ \"GET /orders\": () => \"a\" }});
export const app = createApp({{ middleware: [{list}], routes: [{{ handlers }}] }});"
    );
    let output = output(&[("src/orders.routes.ts", ROUTES), ("src/app.ts", &app)]);
    assert_eq!(mistakes(&output), "");
    let mut routes = output.program.routes.iter();
    routes.next().unwrap().authenticator.clone()
}

const PLAIN: &str = "export const plain = defineMiddleware<{ startedAt: number }>(() => ({ startedAt: 1 }));";
const FIRST: &str = "export const first = defineMiddleware<{ auth: Auth<\"orders:read\"> }>(() => null!);";
const LAST: &str = "export const last = defineWrapper<{ adds: { auth: Auth<\"orders:read\"> | null } }>((_i, next) => next(null!));";
const UNKNOWN: &str = "export const unknown = defineMiddleware(() => external());";
const OTHER: &str = "export const other = defineMiddleware(() => external());";

#[test]
fn the_last_middleware_that_declares_auth_tells_the_scopes() {
    let defined = [PLAIN, FIRST, LAST, UNKNOWN].concat();
    let of = |list| authenticator(&defined, list);
    assert_eq!(of("first, plain").as_deref(), Some("first"));
    assert_eq!(of("first, last, plain").as_deref(), Some("last"));
    assert_eq!(of("last, first, unknown").as_deref(), Some("first"));
}

#[test]
fn a_middleware_of_unknown_type_tells_the_scopes_only_if_it_is_the_only_one() {
    let defined = [PLAIN, UNKNOWN, OTHER].concat();
    let of = |list| authenticator(&defined, list);
    assert_eq!(of("plain, unknown").as_deref(), Some("unknown"));
    assert_eq!(of("unknown, other"), None);
}

/// Returns the mistakes of a contract with scopes and these errors.
fn mistakes_with(errors: &str) -> String {
    let routes = format!(
        "import type {{ Failure, Route, Scopes }} from \"@kit/types\";
         export interface OrderRoutes {{
           \"GET /orders\": Route<{{ response: string; auth: Scopes<\"orders:read\">; errors: {errors} }}>;
         }}"
    );
    let app = format!(
        "import {{ createApp, defineHandlers, defineMiddleware }} from \"@kit/core\";
         import type {{ Auth }} from \"@kit/types\";
         import type {{ OrderRoutes }} from \"./orders.routes.ts\";
         {FIRST}
         export const handlers = defineHandlers<OrderRoutes>({{ \"GET /orders\": () => \"a\" }});
         export const app = createApp({{ middleware: [first], routes: [{{ handlers }}] }});"
    );
    mistakes(&output(&[
        ("src/orders.routes.ts", &routes),
        ("src/app.ts", &app),
    ]))
}

#[test]
fn a_contract_with_scopes_cannot_change_the_error_for_missing_scopes() {
    assert_eq!(mistakes_with("Failure<403, \"INSUFFICIENT_SCOPE\">"), "");
    let status = mistakes_with("Failure<404, \"INSUFFICIENT_SCOPE\">");
    assert!(
        status.contains("with the status 404, but kit sends it"),
        "{status}"
    );
    assert!(status.contains("declare the status 403"), "{status}");
    let details = mistakes_with("Failure<403, \"INSUFFICIENT_SCOPE\", { left: number }>");
    assert!(
        details.contains("with own details, but kit sends it"),
        "{details}"
    );
    assert!(details.contains("declare no details"), "{details}");
}
