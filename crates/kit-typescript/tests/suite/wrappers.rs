//! Tests of wrappers: middleware that is created with `defineWrapper`.

// A helper of a test may panic, which fails the test.
#![allow(clippy::unwrap_used)]

use crate::support::{mistakes, output};
use kit_ir::Program;

const ROUTES: &str = "
import type { Reply, Route } from \"@kit/types\";
export interface Report { text: string }
export interface Queued { position: number }
export interface ReportRoutes {
  \"GET /reports\": Route<{ response: Report }>;
  \"POST /reports\": Route<{ body: Report; response: Reply<201, Report> | Reply<202, Queued> }>;
}";

/// Compiles an application with these declarations, this global middleware and this option `on` of its group.
fn compiled(declarations: &str, middleware: &str, on: &str) -> (Program, String) {
    let app = format!(
        "
import {{ createApp, defineHandlers, defineMiddleware, defineWrapper }} from \"@kit/core\";
import type {{ Failure, Reply }} from \"@kit/types\";
import type {{ Queued, Report, ReportRoutes }} from \"./reports.routes.ts\";
{declarations}
export const handlers = defineHandlers<ReportRoutes>({{ \"GET /reports\": () => null!, \"POST /reports\": () => null! }});
export const app = createApp({{ middleware: [{middleware}], routes: [{{ handlers, on: {{ {on} }} }}] }});"
    );
    let output = output(&[("src/reports.routes.ts", ROUTES), ("src/app.ts", app.as_str())]);
    let told = mistakes(&output);
    (output.program, told)
}

/// Returns the wrappers and the errors of each route as text.
#[track_caller]
fn understood(declarations: &str, middleware: &str, on: &str) -> Vec<String> {
    let (program, told) = compiled(declarations, middleware, on);
    assert_eq!(told, "");
    let name = |id| program.declarations[id].name.clone();
    let routes = program.routes.iter().map(|route| {
        let wrappers = route.wrappers.iter().map(|wrapper| {
            let replies = wrapper.replies.iter().map(|reply| {
                let parts = [reply.body, reply.headers].map(|part| part.map_or("-".to_owned(), name));
                format!(" {} {}", reply.status, parts.join(" "))
            });
            format!("{}{}", wrapper.name, replies.collect::<String>())
        });
        let errors = route.throws.iter().map(|error| {
            let details = error.details.map_or("-".to_owned(), name);
            format!("{} {} {details}", error.status, error.code)
        });
        let parts: Vec<String> = wrappers.chain(errors).collect();
        format!("{}: {}", route.reference(), parts.join("; "))
    });
    routes.collect()
}

#[track_caller]
fn refused(declarations: &str, middleware: &str, says: &[&str]) {
    let (_, told) = compiled(declarations, middleware, "");
    for text in says {
        assert!(told.contains(text), "{text:?} is missing in:\n{told}");
    }
}

#[test]
fn replies_and_failures_of_wrappers_belong_to_the_routes_that_they_wrap() {
    let declarations = "
export const cached = defineWrapper<{ replies: Reply<304, void, { etag: string }> | Reply<202, Queued> }>(
  async (_input, next) => next(),
);
/** @throws LIMITED 429 Too many requests. */
export const limited = defineWrapper<{ errors: Failure<429, \"LIMITED\", { limit: number }> }>(
  async (_input, next) => next(),
);
export const timed = defineWrapper(async (_input, next) => next());";
    let entry = "{ name: \"clock\", middleware: timed, priority: -1 }, cached";
    let on = "\"GET /reports\": { middleware: [limited] }";
    assert_eq!(
        understood(declarations, entry, on),
        [
            "GET /reports: clock; cached 304 - CachedReply304Headers 202 Queued -; limited; 429 LIMITED LimitedLimitedDetails",
            "POST /reports: clock; cached 304 - CachedReply304Headers 202 Queued -",
        ]
    );
    let (program, _) = compiled(declarations, entry, on);
    let route = program.routes.iter().next().unwrap();
    assert_eq!(route.throws[0].description.as_deref(), Some("Too many requests."));
    let statuses = |index: usize| -> Vec<u16> {
        let route = program.routes.iter().nth(index).unwrap();
        route.responses().iter().map(|reply| reply.status).collect()
    };
    assert_eq!(statuses(0), [200, 304, 202]);
    // The contract of `POST /reports` and the wrapper declare the same reply 202.
    assert_eq!(statuses(1), [201, 202, 304]);
}

#[test]
fn recognizes_a_wrapper_that_a_function_of_the_project_creates() {
    let declarations = "
export function limit(most: number) {
  return defineWrapper<{ replies: Reply<204> }>(async ({ reply }, next) => (most > 0 ? next() : reply(204)));
}
export const never = (): ReturnType<typeof limit> => defineWrapper(async (_input, next) => next());
export const strict = limit(5);";
    assert_eq!(
        understood(
            declarations,
            "strict, { name: \"never\", middleware: never(), priority: 1 }",
            ""
        ),
        [
            "GET /reports: strict 204 - -; never",
            "POST /reports: strict 204 - -; never",
        ]
    );
}

#[test]
fn a_wrapper_may_add_the_value_that_identifies_an_owner() {
    let types = "
/** @table @owner userId = ctx.userId */
export interface Todo { id: string; userId: string }";
    let app = "
import { createApp, defineHandlers, defineMiddleware, defineWrapper } from \"@kit/core\";
import type { ReportRoutes } from \"./reports.routes.ts\";
export const auth = defineWrapper<{ adds: { userId: string } }>(async (_input, next) => next({ userId: \"\" }));
export const other = defineMiddleware(() => undefined);
export const handlers = defineHandlers<ReportRoutes>({ \"GET /reports\": () => null!, \"POST /reports\": () => null! });
export const app = createApp({ middleware: [auth, other], routes: [{ handlers }] });";
    let output = output(&[
        ("src/todos.types.ts", types),
        ("src/reports.routes.ts", ROUTES),
        ("src/app.ts", app),
    ]);
    assert_eq!(mistakes(&output), "");
    let middleware = &output.program.application.middleware;
    let of = |name: &str| middleware.iter().find(|known| known.name == name).unwrap();
    assert!(of("auth").is_wrapper && !of("other").is_wrapper);
    assert_eq!(of("auth").added_context, ["userId"]);
}

#[test]
fn refuses_replies_that_clients_cannot_distinguish() {
    refused(
        "export const queue = defineWrapper<{ replies: Reply<202, { position: number }> }>(async (_i, next) => next());",
        "queue",
        &[
            "KIT1415",
            "the wrapper `queue` and its contract declare different replies with the status 202 for `POST /reports`",
        ],
    );
    refused(
        "export const page = defineWrapper<{ replies: Reply<200, Queued> }>(async (_i, next) => next());",
        "page",
        &["declare different replies with the status 200 for `GET /reports`"],
    );
    refused(
        "export const a = defineWrapper<{ replies: Reply<203, Queued> }>(async (_i, next) => next());
export const b = defineWrapper<{ replies: Reply<203, Report> }>(async (_i, next) => next());",
        "a, b",
        &["the wrapper `b` and the wrapper `a` declare different replies with the status 203"],
    );
    refused(
        "export const a = defineWrapper(async (_i, next) => next());
export const b = defineWrapper(async (_i, next) => next());",
        "a, { name: \"a\", middleware: b, priority: 0 }",
        &["`GET /reports` has two wrappers with the name `a`"],
    );
}

#[test]
fn refuses_parts_that_a_wrapper_cannot_have() {
    let wrapper = |parts: &str| {
        format!("export const w = defineWrapper<{parts}>(async (_input: unknown, next: any) => next());")
    };
    refused(
        &wrapper("{ replys: Reply<304> }"),
        "w",
        &[
            "the wrapper `w` has `replys`, which is not a part of a wrapper",
            "did you mean `replies`?",
        ],
    );
    refused(
        &wrapper("{ replies: Reply<429, Queued> }"),
        "w",
        &["KIT1411", "`429` is not the status of a reply", "slot `errors`"],
    );
    refused(
        &wrapper("{ replies: Queued }"),
        "w",
        &["the wrapper `w` has replies and `{ position: number }`, which is not a reply"],
    );
    refused(
        &wrapper("{ replies: Reply<200, Queued | import(\"@kit/types\").Text> }"),
        "w",
        &[
            "KIT1416",
            "a reply of the wrapper `w` is a union of formats",
            "write one format",
        ],
    );
    refused(
        &wrapper("{ errors: Failure<429, \"A\"> | Failure<403, \"A\"> }"),
        "w",
        &["the wrapper `w` has two failures with the code `A`"],
    );
    refused(
        &wrapper("string"),
        "w",
        &["the type argument of the wrapper `w` must be an object, not `string`"],
    );
}

#[test]
fn refuses_an_error_of_middleware_with_another_status_than_the_route_declares() {
    refused(
        "/** @throws BUSY 503 Come back later. */
export const first = defineMiddleware(() => undefined);
export const second = defineWrapper<{ errors: Failure<429, \"BUSY\"> }>(async (_i, next) => next());",
        "first, second",
        &[
            "KIT1412",
            "the middleware `second` declares `BUSY` with the status 429, but `GET /reports` has this error with the status 503",
        ],
    );
}

/// Compiles an application that imports middleware from a package with this declaration file.
fn with_package(declarations: &str, imports: &str, middleware: &str) -> (Program, String) {
    let app = format!(
        "
import {{ createApp, defineHandlers }} from \"@kit/core\";
import type {{ Middleware, Wrapper }} from \"@kit/core\";
import type {{ Reply }} from \"@kit/types\";
import type {{ ReportRoutes }} from \"./reports.routes.ts\";
{imports}
export const handlers = defineHandlers<ReportRoutes>({{ \"GET /reports\": () => null!, \"POST /reports\": () => null! }});
export const app = createApp({{ middleware: [{middleware}], routes: [{{ handlers }}] }});"
    );
    let output = output(&[
        ("src/reports.routes.ts", ROUTES),
        ("src/app.ts", app.as_str()),
        (
            "node_modules/limits/package.json",
            r#"{"type":"module","exports":{".":{"types":"./index.d.ts","default":"./index.js"},"./plain":"./plain.js"}}"#,
        ),
        ("node_modules/limits/index.d.ts", declarations),
        ("node_modules/limits/index.js", ""),
        ("node_modules/limits/plain.js", ""),
    ]);
    let told = mistakes(&output);
    (output.program, told)
}

#[test]
fn a_wrapper_of_a_package_is_known_by_its_type() {
    // TypeScript writes such declaration files.
    let declarations = "
import type { Middleware, Wrapper } from \"@kit/core\";
import type { Failure, Reply } from \"@kit/types\";
export interface Limit { most: number }
export declare const paused: import(\"@kit/core\").Wrapper<{ replies: Reply<203, Limit, { \"retry-after\": number }> }>;
/** @throws LIMITED 429 Too many requests. */
export declare const limited: Wrapper<{ errors: Failure<429, \"LIMITED\", Limit> }>;
type Gone<T> = Wrapper<{ replies: Reply<204>; adds: T }>;
export declare const gone: Gone<{ since: Date }>;
export declare function limit(most: number): Wrapper<{ errors: Failure<403, \"OVER\"> }>;
export declare const member: Middleware<{ userId: string }>;
export declare const noted: (input: { headers: Record<string, string> }) => void;
export declare function seen(input: object): void;
export declare const clock: Wrapper;
export {};";
    let imports = "
import { clock, gone, limit, limited as strict, member, noted, paused, seen } from \"limits\";
import * as limits from \"limits\";
const bounded = limit(5);";
    let entries = "paused, strict, gone, bounded, member, noted, seen, clock, { name: \"again\", middleware: limits.paused, priority: 1 }";
    let (program, told) = with_package(declarations, imports, entries);
    assert_eq!(told, "");
    let route = program.routes.iter().next().unwrap();
    let wrappers = route.wrappers.iter().map(|wrapper| {
        let statuses = wrapper.replies.iter().map(|reply| reply.status);
        (wrapper.name.as_str(), statuses.collect::<Vec<u16>>())
    });
    assert_eq!(
        wrappers.collect::<Vec<_>>(),
        [
            ("paused", vec![203]),
            ("limited", vec![]),
            ("gone", vec![204]),
            ("bounded", vec![]),
            ("clock", vec![]),
            ("again", vec![203]),
        ]
    );
    let errors = route
        .throws
        .iter()
        .map(|error| (error.status, error.code.as_str()));
    assert_eq!(errors.collect::<Vec<_>>(), [(429, "LIMITED"), (403, "OVER")]);
    assert_eq!(route.throws[0].description.as_deref(), Some("Too many requests."));
    assert!(route.throws[0].details.is_some());
    let names = [
        "paused", "limited", "gone", "bounded", "member", "noted", "seen", "clock", "again",
    ];
    assert_eq!(route.middleware, names);
}

#[test]
fn reads_the_type_of_a_middleware_of_a_package_from_a_constant_of_the_project() {
    let imports = "
import { other, paused } from \"limits/plain\";
const pause: Wrapper<{ replies: Reply<304> }> = paused;
const plain: Middleware = other;";
    let (program, told) = with_package("export {}", imports, "pause, plain");
    assert_eq!(told, "");
    let route = program.routes.iter().next().unwrap();
    assert_eq!(route.wrappers.len(), 1);
    assert_eq!(route.wrappers[0].replies[0].status, 304);
    assert_eq!(route.middleware, ["paused", "other"]);
}

#[test]
fn reports_a_middleware_of_a_package_if_its_type_cannot_be_read() {
    let says = |declarations: &str, imports: &str, middleware: &str, text: &str| {
        let (_, told) = with_package(declarations, imports, middleware);
        assert!(told.contains(text), "{text:?} is missing in:\n{told}");
        assert!(told.contains("replies: Reply<304> }>"), "{told}");
    };
    let import = "import { paused } from \"limits\";";
    let unread = "kit cannot read the type of the middleware `paused`";
    says("export declare const paused: any;", import, "paused", unread);
    says(
        "export declare const paused: object;",
        import,
        "{ name: \"x\", middleware: paused, priority: 0 }",
        unread,
    );
    says(
        "import type { AnyWrapper } from \"@kit/core\"; export declare const paused: AnyWrapper;",
        import,
        "paused",
        unread,
    );
    says("export declare const other: any;", import, "paused", unread);
    says(
        "export {};",
        "import { paused } from \"limits/plain\";",
        "paused",
        unread,
    );
    says(
        "export {};",
        "import { paused } from \"absent\";",
        "paused",
        unread,
    );
    says(
        "export declare function limit(most: number): any;",
        "import { limit } from \"limits\"; const paused = limit(5);",
        "paused",
        unread,
    );
    says(
        "import type { Wrapper } from \"@kit/core\"; export declare const paused: Wrapper<string>;",
        import,
        "paused",
        "the type argument of the wrapper `paused` must be an object",
    );
}

#[test]
fn the_tags_of_a_function_describe_the_middleware_that_a_call_returns() {
    let declarations = "
import type { Middleware } from \"@kit/core\";
export interface Caller<S extends string> { readonly subject: string; readonly has: (scope: S) => boolean }
/**
 * Creates middleware.
 *
 * @security bearer JWT
 * @throws NO_TOKEN 401 There is no token.
 * @throws {TypeError} If an option is unknown.
 */
export declare function token<const S extends string = never>(options: { scopes: readonly S[] }): Middleware<{ auth: Caller<S> }>;
export {};";
    let imports = "
import { token } from \"limits\";
const requireToken = token({ scopes: [\"read\"] });
/** @security header x-key */
const requireKey = token({ scopes: [] });";
    let (program, told) = with_package(declarations, imports, "requireToken, requireKey");
    assert_eq!(told, "");
    let route = program.routes.iter().next().unwrap();
    assert_eq!(
        serde_json::to_value(&route.security).unwrap(),
        serde_json::json!([
            [{ "scheme": { "kind": "bearer", "format": "JWT" } }],
            [{ "scheme": { "kind": "header", "name": "x-key" } }],
        ])
    );
    let codes = route
        .throws
        .iter()
        .map(|error| (error.status, error.code.as_str()));
    assert_eq!(codes.collect::<Vec<_>>(), [(401, "NO_TOKEN")]);
}
