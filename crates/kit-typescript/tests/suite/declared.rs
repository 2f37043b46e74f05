//! Tests of `declareApi({ … })`, which declares an application whose handlers are not written in TypeScript.

use crate::support::{check, output};

const CONTRACTS: &str = "import type { Failure, Route, RouteContract, Scopes } from \"@kit/types\";
    export interface NoteRoutes {
      \"GET /notes\": RouteContract;
      \"POST /notes\": RouteContract;
    }
    export interface UserRoutes { \"GET /:id\": Route<{ params: { id: string }; auth: Scopes<\"users:read\"> }> }
";

const NAMES: &str = "import type { Reply } from \"@kit/types\";
import { declareApi, declareContracts, declareMiddleware, declareWrapper } from \"@kit/core\";
import type { NoteRoutes, UserRoutes } from \"./a.routes.ts\";
/**
 * Reads the caller.
 * @security bearer
 * @throws UNAUTHORIZED 401
 */
export const requireAuth = declareMiddleware<{ auth: { subject: string; has(scope: string): boolean } }>();
export const cached = declareWrapper<{ replies: Reply<304> }>();
";

#[track_caller]
fn check_api(api: &str, expected: &str) {
    let api = format!("{NAMES}{}", crate::support::dedent(api));
    check(&[("src/a.routes.ts", CONTRACTS), ("src/api.ts", &api)], expected);
}

#[test]
fn routes_have_the_prefixes_the_middleware_and_the_options_of_their_groups() {
    check_api(
        r#"
        export const api = declareApi({
          routes: [
            {
              prefix: "/v1",
              middleware: [{ name: "requireAuth", middleware: requireAuth, priority: 10 }],
              routes: [{ prefix: "/users", contracts: declareContracts<UserRoutes>() }],
            },
            {
              contracts: declareContracts<NoteRoutes>(),
              on: { "GET /notes": { middleware: [cached] }, "POST /notes": { limits: { bodyBytes: 100 } } },
            },
          ],
        });
        "#,
        r"
        type GetV1UsersByIdParams = {
          id: string;
        }
        route GET /v1/users/:id 204 params: GetV1UsersByIdParams [requireAuth]
        route GET /notes 204 wrapper cached reply 304 [cached]
        route POST /notes 204 body 100 bytes
        ",
    );
}

#[test]
fn application_without_handlers_is_marked() {
    let api = format!(
        "{NAMES}export const api = declareApi({{ etag: true, routes: [{{ contracts: declareContracts<NoteRoutes>() }}] }});"
    );
    let output = output(&[("src/a.routes.ts", CONTRACTS), ("src/api.ts", &api)]);
    let application = &output.program.application;
    assert!(application.is_declared && application.etag.is_some());
    assert!(application.span.is_some());
    assert!(output.missing_handlers.is_empty());
}

#[test]
fn warns_about_groups_that_are_not_registered_and_groups_without_contracts() {
    check_api(
        r"
        const users = () => declareContracts<UserRoutes>();
        export const api = declareApi({ routes: [{ contracts: declareContracts<NoteRoutes>() }] });
        ",
        r#"
        route GET /notes 204
        route POST /notes 204
        src/a.routes.ts:6:22 warning KIT1408 no route group of `declareApi` registers `UserRoutes`
          help: add `{ prefix: "/…", contracts: declareContracts<UserRoutes>() }`
        "#,
    );
    check_api(
        r#"
        const users = () => declareContracts<UserRoutes>();
        export const api = declareApi({
          routes: [{ contracts: declareContracts<NoteRoutes>() }, { prefix: "/users", contracts: users() }, { prefix: "/x" }],
        });
        "#,
        r"
        route GET /notes 204
        route POST /notes 204
        src/api.ts:13:90 warning KIT1405 these contracts cannot be read without running the application
          help: write `contracts: declareContracts<NoteRoutes>()`
        src/api.ts:13:101 warning KIT1405 the contracts of this route group cannot be read without running the application
          help: add `contracts: declareContracts<NoteRoutes>()`, or `routes` with the groups in this group
        ",
    );
}

#[test]
fn warns_about_a_project_that_also_has_an_application() {
    check_api(
        r#"
        import { createApp } from "@kit/core";
        export const api = declareApi({ routes: [{ contracts: declareContracts<NoteRoutes>() }, { contracts: declareContracts<UserRoutes>(), middleware: [requireAuth] }] });
        export const app = createApp({ routes: [] });
        "#,
        r"
        type GetByIdParams = {
          id: string;
        }
        route GET /notes 204
        route POST /notes 204
        route GET /:id 204 params: GetByIdParams [requireAuth]
        src/api.ts:13:20 warning KIT1405 the project calls `createApp` and `declareApi`
          help: put each application into a separate project, or register all routes in one `declareApi`
        ",
    );
}
