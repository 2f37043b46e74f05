//! Tests of route groups in groups, and of the option `on` with options of single routes.

use crate::support::check;

const CONTRACTS: &str = "import type { RouteContract } from \"@kit/types\";
    export interface NoteRoutes {
      \"GET /notes\": RouteContract;
      \"POST /notes\": RouteContract;
    }
    export interface UserRoutes { \"GET /:id\": RouteContract<{ tenant: string; id: string }> }
";

const HANDLERS: &str = "import { defineHandlers } from \"@kit/core\";
    import type { NoteRoutes, UserRoutes } from \"./a.routes.ts\";
    export const notes = defineHandlers<NoteRoutes>({ \"GET /notes\": () => {}, \"POST /notes\": () => {} });
    export const users = defineHandlers<UserRoutes>({ \"GET /:id\": () => {} });
    export function auth() {}
    export function audit() {}
    export function trace() {}
    export function limit() {}
";

#[track_caller]
fn check_app(app: &str, expected: &str) {
    let app = format!(
        "import {{ createApp }} from \"@kit/core\";\nimport {{ audit, auth, limit, notes, trace, users }} from \"./handlers.ts\";\n{}",
        crate::support::dedent(app)
    );
    check(
        &[
            ("src/a.routes.ts", CONTRACTS),
            ("src/handlers.ts", HANDLERS),
            ("src/app.ts", &app),
        ],
        expected,
    );
}

#[test]
fn a_group_in_a_group_has_the_prefixes_and_the_middleware_of_both() {
    check_app(
        r#"
        const inner = { prefix: "/users", handlers: users, middleware: [{ name: "audit", middleware: audit, priority: -1 }] };
        export const app = createApp({
          middleware: [trace],
          routes: [
            {
              prefix: "/:tenant",
              middleware: [auth],
              routes: [inner],
            },
            { prefix: "/v1", handlers: notes, routes: [{ prefix: "/v2", middleware: [auth], routes: [{ prefix: "/notes", handlers: notes, middleware: [limit] }] }] },
          ],
        });
        "#,
        r"
        type GetByTenantUsersByIdParams = {
          tenant: string;
          id: string;
        }
        route GET /:tenant/users/:id 204 params: GetByTenantUsersByIdParams [audit, trace, auth] -> src/handlers.ts:4 users
        route GET /v1/notes 204 [trace] -> src/handlers.ts:3 notes
        route POST /v1/notes 204 [trace] -> src/handlers.ts:3 notes
        route GET /v1/v2/notes 204 [trace, auth, limit] -> src/handlers.ts:3 notes
        route POST /v1/v2/notes 204 [trace, auth, limit] -> src/handlers.ts:3 notes
        ",
    );
}

#[test]
fn options_of_a_route_change_only_this_route() {
    check_app(
        r#"
        const KIB = 1024;
        const upload = { limits: { bodyBytes: 10 * KIB * KIB }, middleware: [limit] };
        export const app = createApp({
          middleware: [trace],
          routes: [
            {
              handlers: notes,
              middleware: [auth],
              on: {
                "POST /notes": { ...upload, requestTimeoutMs: 5_000 },
                "GET /notes": { middleware: [{ name: "audit", middleware: audit, priority: -1 }] },
              },
            },
          ],
        });
        "#,
        r#"
        route GET /notes 204 [audit, trace, auth] -> src/handlers.ts:3 notes
        route POST /notes 204 body 10485760 bytes timeout 5000 ms [trace, auth, limit] -> src/handlers.ts:3 notes
        src/a.routes.ts:6:22 warning KIT1408 no route group of `createApp` registers `UserRoutes`
          help: add `{ prefix: "/…", handlers }` with handlers of `defineHandlers<UserRoutes>`
        "#,
    );
}

#[test]
fn refuses_options_of_a_route_that_does_not_exist_or_that_are_computed() {
    check_app(
        r#"
        const env = (name: string) => Number(process.env[name]);
        export const app = createApp({
          routes: [
            { prefix: "/t/:tenant", handlers: users, on: { "GET /id": {} } },
            { on: { "GET /notes": {} }, routes: [{ handlers: notes, on: { "POST /notes": { limits: { bodyBytes: env("A") }, requestTimeoutMs: -1 } } }] },
            { prefix: "/x" },
          ],
        });
        "#,
        r#"
        type GetTByTenantByIdParams = {
          tenant: string;
          id: string;
        }
        route GET /t/:tenant/:id 204 params: GetTByTenantByIdParams -> src/handlers.ts:4 users
        route GET /notes 204 -> src/handlers.ts:3 notes
        route POST /notes 204 -> src/handlers.ts:3 notes
        src/app.ts:6:52 KIT1406 `on` has options for `GET /id`, but `UserRoutes` has no such contract
          help: did you mean `"GET /:id"`?
        src/app.ts:7:13 KIT1406 `on` has options for `GET /notes`, but this route group has no handlers
          help: move `on` to the route group with the handlers of this route
        src/app.ts:7:105 KIT1405 this limit cannot be read without running the application
          help: write a whole number, such as `65_536`, or a constant with such a number
        src/app.ts:7:135 KIT1405 this limit cannot be read without running the application
          help: write a whole number, such as `65_536`, or a constant with such a number
        src/app.ts:8:5 warning KIT1405 the handlers of this route group cannot be read without running the application
          help: add `handlers: noteHandlers`, or `routes` with the groups in this group
        "#,
    );
}

#[test]
fn refuses_options_that_have_no_effect_on_their_route() {
    check_app(
        r#"
        export const app = createApp({
          routes: [
            { handlers: notes, on: { "POST /notes": { bodyMinBytesPerSecond: 0 }, "GET /notes": { sockets: { pingMs: 1 } } } },
          ],
        });
        "#,
        r#"
        route GET /notes 204 ping 1 ms -> src/handlers.ts:3 notes
        route POST /notes 204 at least 0 bytes/s -> src/handlers.ts:3 notes
        src/a.routes.ts:6:22 warning KIT1408 no route group of `createApp` registers `UserRoutes`
          help: add `{ prefix: "/…", handlers }` with handlers of `defineHandlers<UserRoutes>`
        src/app.ts:5:30 KIT1459 `bodyMinBytesPerSecond` has no effect on `POST /notes`, whose handler receives the whole body
          help: remove the option, or read the body while it arrives: `Chunks`, `Upload`, `Uploads` or `Lines`. For other bodies, the server has the limit `bodyTimeoutMs`
        src/app.ts:5:75 KIT1459 `sockets` has no effect on `GET /notes`, which accepts no WebSockets
          help: remove the option, or use it for a route with a key such as `WS /rooms`
        "#,
    );
}

#[test]
fn warns_about_a_group_that_contains_itself() {
    check_app(
        r#"
        const group: object = { prefix: "/a", routes: [group] };
        export const app = createApp({ routes: [group, { prefix: "/t/:tenant", handlers: users }, { handlers: notes }] });
        "#,
        r"
        type GetTByTenantByIdParams = {
          tenant: string;
          id: string;
        }
        route GET /t/:tenant/:id 204 params: GetTByTenantByIdParams -> src/handlers.ts:4 users
        route GET /notes 204 -> src/handlers.ts:3 notes
        route POST /notes 204 -> src/handlers.ts:3 notes
        src/app.ts:3:47 warning KIT1405 these route groups cannot be read without running the application
          help: nest the route groups less deeply
        ",
    );
}
