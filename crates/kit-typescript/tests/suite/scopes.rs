//! Scopes of contracts, and the middleware that adds the caller.

// A helper of a test may panic, which fails the test.
#![allow(clippy::unwrap_used)]

use kit_ir::Route;

use crate::support::{mistakes, output};

const ROUTES: &str = "
import type { Route, Scopes } from \"@kit/types\";
export interface OrderRoutes { \"GET /orders\": Route<{ response: string; auth: Scopes<\"orders:read\"> }> }";

/// Returns the route if its middleware is defined like this and registered as `list`.
fn route(defined: &str, list: &str) -> Route {
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
    routes.next().unwrap().clone()
}

/// Returns the authenticator of such a route.
fn authenticator(defined: &str, list: &str) -> Option<String> {
    route(defined, list).authenticator
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

const SILENT: &str = "export const silent = defineMiddleware(({ ctx }) => {
  if (ctx.ip === undefined) return ctx.fail(400, \"BAD_REQUEST\", \"a\");
  ctx.header(\"x-a\", \"b\");
});";
const OBJECT: &str =
    "export const object = defineMiddleware(async () => (external() ? { a: 1 } : undefined));";
const REPLACES: &str = "export const replaces = defineMiddleware(() => ({ auth: external() }));";
const SPREAD: &str = "export const spread = defineMiddleware(() => ({ ...external() }));";
const ONCE: &str = "export const once = defineWrapper((_i, next) => next());";
const TRACED: &str =
    "export const traced = defineWrapper<{ adds: { span: string } }>((_i, next) => next({ span: \"a\" }));";

#[test]
fn scopes_are_checked_before_the_first_wrapper_after_the_authentication() {
    let defined = [PLAIN, FIRST, LAST, UNKNOWN, ONCE, TRACED].concat();
    let of = |list| route(&defined, list).scopes_before;
    assert_eq!(of("first, once").as_deref(), Some("once"));
    assert_eq!(of("traced, first, plain, once, plain").as_deref(), Some("once"));
    assert_eq!(of("first, traced, once").as_deref(), Some("traced"));
    assert_eq!(of("unknown, once").as_deref(), Some("once"));
}

#[test]
fn scopes_are_checked_after_all_middleware_that_may_add_the_caller() {
    let defined = [PLAIN, FIRST, LAST, UNKNOWN, ONCE].concat();
    let of = |list| route(&defined, list).scopes_before;
    assert_eq!(of("first, plain"), None);
    assert_eq!(of("once, first"), None);
    assert_eq!(of("first, last"), None, "a wrapper adds the caller");
    assert_eq!(of("first, once, unknown"), None);
    assert_eq!(of("first, once, last, plain"), None);
}

#[test]
fn scopes_are_not_checked_before_a_wrapper_that_also_runs_before_the_authentication() {
    let defined = [FIRST, ONCE, TRACED].concat();
    let of = |list: &str| route(&defined, list).scopes_before;
    let early = "{ name: \"once\", middleware: once, priority: -10 }";
    assert_eq!(of(&format!("first, once, {early}")), None);
    for list in ["first, once, traced", "first, traced, once"] {
        assert_eq!(
            of(&format!("{list}, {early}")).as_deref(),
            Some("traced"),
            "{list}"
        );
    }
    assert_eq!(of("first, once, once").as_deref(), Some("once"));
}

#[test]
fn the_code_of_middleware_without_a_type_can_show_that_it_does_not_add_the_caller() {
    let defined = [FIRST, SILENT, OBJECT, REPLACES, SPREAD, ONCE].concat();
    let of = |list| route(&defined, list).scopes_before;
    for list in [
        "first, once, silent",
        "first, once, object",
        "first, once, { name: \"silent\", middleware: silent, priority: 0 }",
        "first, once, function plain() {}",
        "silent, once",
    ] {
        assert_eq!(of(list).as_deref(), Some("once"), "{list}");
    }
    for list in ["first, once, replaces", "first, once, spread"] {
        assert_eq!(of(list), None, "{list}");
    }
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
