//! Tests of routes: groups, contracts, and the call of `createApp`.
//!
//! tidy: long because each case is a program and its errors

use crate::support::{check, check_mistakes};

const TYPES: &str = "
    export interface Note {
      /** @id @generated uuid */ id: string;
      title: string;
    }
";

const HEAD: &str = "import type { RouteContract as RC } from \"@kit/types\";\nimport type { Note } from \"./notes.types.ts\";\n";

#[test]
fn a_group_is_converted_to_routes() {
    let routes = format!(
        "{HEAD}
        type Read<T> = RC<{{ id: string }}, void, void, T>;
        export interface NoteRoutes {{
          \"GET /notes/\": RC<void, {{ page?: number; tags?: string[]; sort?: \"asc\" | \"desc\" }}, void, Note[]>;
          /** @status 202 */
          \"POST /notes\": RC<void, void, Omit<Note, \"id\">, Note>;
          \"GET /notes/:id\": Read<Note>;
          \"DELETE /notes/:id\": RC<{{ id: string }}>;
          \"GET /files/*path\": RC<{{ path: string }}, void, void, string>;
        }}
        export interface More extends NoteRoutes {{ \"PUT /\": RC<void, void, Note[], undefined> }}
        "
    );
    check(
        &[("src/notes.types.ts", TYPES), ("src/notes.routes.ts", &routes)],
        r#"
        type Note = {
          /* @id @generated uuid */ id: string /* @format uuid */;
          title: string;
        }
        type GetNotesQuery = {
          page?: number;
          tags?: string[];
          sort?: "asc" | "desc";
        }
        type GetNotesResponse = Note[]
        type PostNotesBody = {
          title: string;
        }
        type GetNotesByIdParams = {
          id: string;
        }
        type DeleteNotesByIdParams = {
          id: string;
        }
        type GetFilesByPathParams = {
          path: string;
        }
        type GetFilesByPathResponse = string
        type PutBody = Note[]
        route GET /notes 200 query: GetNotesQuery response: GetNotesResponse
        route POST /notes 202 body: PostNotesBody response: Note
        route GET /notes/:id 200 params: GetNotesByIdParams response: Note
        route DELETE /notes/:id 204 params: DeleteNotesByIdParams
        route GET /files/*path 200 params: GetFilesByPathParams response: GetFilesByPathResponse
        route PUT / 204 body: PutBody
        "#,
    );
}

#[test]
fn reads_the_doc_comments_of_routes() {
    let routes = format!(
        "{HEAD}
        export interface NoteRoutes {{
          /**
           * Newest first.
           * @summary Lists
           *   notes
           * @tag notes
           * @throws GONE 410 It is gone.
           * @throws note.not-found 404
           * @throws go/ne 410
           * @throws GONE 200
           * @throws TypeError 400 The note is no note.
           * @throws TypeErrors 409
           * @status 99
           * @deprecated
           * @maxLength 3
           */
          \"GET /notes\": RC<void, void, void, Note>;
          /** @status 204 */
          \"PUT /notes\": RC<void, void, void, Note>;
        }}
        "
    );
    let files = [("src/notes.types.ts", TYPES), ("src/notes.routes.ts", &routes)];
    check_mistakes(
        &files,
        r"
        src/notes.routes.ts:12:14 KIT1303 `@throws go/ne 410` is not valid
          help: write `@throws NOTE_NOT_FOUND 404 There is no such note.`
        src/notes.routes.ts:13:14 KIT1303 `@throws GONE 200` is not valid
          help: write `@throws NOTE_NOT_FOUND 404 There is no such note.`
        src/notes.routes.ts:14:14 KIT1303 `@throws TypeError` names a class of JavaScript in place of an error code
          help: write `@throws NOTE_NOT_FOUND 404 There is no such note.`
        src/notes.routes.ts:16:14 KIT1303 `@status 99` is not valid
          help: write `@status 202`
        src/notes.routes.ts:18:14 KIT1304 `@maxLength` has no effect on a route
          help: it belongs on a property
        src/notes.routes.ts:21:15 KIT1304 a response with the status 204 cannot have a body, but the contract of this route has a response type
          help: write `void` as the response type, or choose another status
        ",
    );
    let route = &crate::support::output(&files).program.routes[0.into()];
    assert_eq!(route.summary.as_deref(), Some("Lists notes"));
    assert_eq!(route.tags, ["notes"]);
    assert_eq!(route.documentation.description.as_deref(), Some("Newest first."));
    assert_eq!(route.documentation.deprecated.as_deref(), Some(""));
    let codes: Vec<&str> = route.throws.iter().map(|error| error.code.as_str()).collect();
    assert_eq!(codes, ["GONE", "note.not-found", "TypeErrors"]);
    assert_eq!(route.throws[0].description.as_deref(), Some("It is gone."));
}

#[test]
fn explains_invalid_contracts() {
    let routes = format!(
        "{HEAD}
        interface Filter {{ [key: string]: string }}
        export interface NoteRoutes {{
          \"GET notes\": RC;
          \"gte /notes\": RC;
          \"GET /a\": Note;
          \"GET /b/:id\": RC<void, void, void, Note>;
          \"GET /c\": RC<{{ id: string }}>;
          \"GET /d/:id\": RC<{{ key: string }}>;
          \"GET /e\": RC<void, {{ deep: {{ a: 1 }}; list: string[][]; any: unknown; mix: string | number }}>;
          \"GET /f\": RC<void, Filter>;
          \"GET /g\": RC<void, string>;
          \"GET /h/:ids\": RC<{{ ids: string[] }}>;
          \"POST /i\": RC<void, void, Note, Note>;
          \"POST /j\": RC<void, void, Partial<Note>, Note>;
          \"GET /k\": RC<1, 2, 3, 4, 5>;
          \"GET /l\": RC<void, void, void, () => void>;
          \"GET /m\": RC<void, void, void, Nope>;
        }}
        "
    );
    check_mistakes(
        &[("src/notes.types.ts", TYPES), ("src/notes.routes.ts", &routes)],
        r#"
        src/notes.routes.ts:6:11 KIT1401 the path `notes` does not begin with a slash
          help: write `/notes`
        src/notes.routes.ts:7:11 KIT1401 kit does not support the method `gte`
          help: did you mean `GET /notes`?
        src/notes.routes.ts:8:11 KIT1404 `GET /a` must be a `Route` or a `RouteContract`, not `Note`
          help: write `Route<{ query: Query; body: Body; response: Response }>` with the slots that the route has
        src/notes.routes.ts:9:11 KIT1403 `/b/:id` has `id`, but the params of the contract do not
          help: write `{ id: string }` as the params of the contract
        src/notes.routes.ts:10:11 KIT1403 the params of the contract have `id`, but `/c` does not
          help: remove the params from the contract: write `void`, or leave the slot `params` out
        src/notes.routes.ts:11:11 KIT1403 `/d/:id` has `id`, but the params of the contract have `key`
          help: write `{ id: string }` as the params of the contract
        src/notes.routes.ts:12:32 KIT1407 text cannot be coerced to `{ a: 1 }`, the type of `deep` in the query of `GET /e`
          help: use a string, number, boolean, bigint, `Date`, a union of literals, or an array of one of these
        src/notes.routes.ts:12:48 KIT1407 text cannot be coerced to `string[][]`, the type of `list` in the query of `GET /e`
          help: use a string, number, boolean, bigint, `Date`, a union of literals, or an array of one of these
        src/notes.routes.ts:12:66 KIT1407 text cannot be coerced to `unknown`, the type of `any` in the query of `GET /e`
          help: use a string, number, boolean, bigint, `Date`, a union of literals, or an array of one of these
        src/notes.routes.ts:12:80 KIT1407 text cannot be coerced to `string | number`, the type of `mix` in the query of `GET /e`
          help: use a string, number, boolean, bigint, `Date`, a union of literals, or an array of one of these
        src/notes.routes.ts:13:11 KIT1407 the query of `GET /f` may have any key
          help: name the keys: `{ page?: number }`
        src/notes.routes.ts:14:11 KIT1407 the query of `GET /g` must be an object, not `string`
          help: write an object type, or `void`
        src/notes.routes.ts:15:31 KIT1407 text cannot be coerced to `string[]`, the type of `ids` in the params of `GET /h/:ids`
          help: use a string, number, boolean, bigint, `Date` or a union of literals
        src/notes.routes.ts:16:11 warning KIT1311 the body of `POST /i` has "id", which kit or the database generates
          help: write `Omit<Note, "id">` as the body
        src/notes.routes.ts:17:11 warning KIT1311 the body of `POST /j` has "id", which kit or the database generates
          help: write `Omit<…, "id">` as the body
        src/notes.routes.ts:18:21 KIT1308 `RouteContract` takes at most 4 type arguments, not 5
          help: write `RouteContract<Params, Query, Body, Response>`
        src/notes.routes.ts:19:42 KIT1306 a function has no JSON form
          help: describe the value as it is on the wire, or write `@dataOnly` above its interface or class: kit then leaves out members that are functions
        src/notes.routes.ts:20:42 KIT1203 the type `Nope` is not declared
          help: declare it, or import it: `import type { Nope } from "./nope.ts"`
        "#,
    );
}

const CONTRACTS: &str = "import type { RouteContract } from \"@kit/types\";
    export interface NoteRoutes {
      \"GET /notes\": RouteContract<void, void, void, string[]>;
      \"GET /:id\": RouteContract<{ id: string }>;
    }
    export interface UserRoutes { \"GET /\": RouteContract }
    export interface Left { \"GET /left\": RouteContract }
";

#[test]
fn reads_the_call_of_create_app() {
    check(
        &[
            ("src/a.routes.ts", CONTRACTS),
            (
                "src/handlers.ts",
                "import { defineHandlers as define } from \"@kit/core\";
                import type { NoteRoutes, UserRoutes } from \"./a.routes.ts\";
                export const noteHandlers = define<NoteRoutes>({
                  \"GET /notes\": () => [],
                  async \"GET /:id\"() {},
                });
                const users = define<UserRoutes>({ [\"GET /\"]: () => {} } as const);
                export { users as userHandlers };
                export default users;",
            ),
            (
                "src/middleware.ts",
                "import * as kit from \"@kit/core\";
                export const auth = kit.defineMiddleware<{ userId: string }>(() => ({ userId: \"\" }));
                export const unused = kit.defineMiddleware(() => {});
                export function trace() {}
                export const entry = { name: \"late\", middleware: trace, priority: 90 };
                export const globals = [entry, { middleware: trace, priority: -5 }];",
            ),
            (
                "src/app.ts",
                "import { createApp } from \"@kit/core\";
                import { noteHandlers, userHandlers } from \"./handlers.ts\";
                import { auth, globals, trace } from \"./middleware.ts\";
                const PREFIX = \"/users/\";
                const groups = [{ prefix: PREFIX, handlers: userHandlers }];
                export function build() {
                  return createApp({
                    middleware: [...globals, auth],
                    routes: [
                      { prefix: `/notes`, handlers: noteHandlers, middleware: [{ name: \"first\", middleware: trace, priority: 0 }] },
                      ...groups,
                    ],
                  });
                }",
            ),
        ],
        r#"
        type GetNotesResponse = string[]
        type GetNotesByIdParams = {
          id: string;
        }
        route GET /notes 200 response: GetNotesResponse [trace, auth, first, late] -> src/handlers.ts:4 noteHandlers
        route GET /notes/:id 204 params: GetNotesByIdParams [trace, auth, first, late] -> src/handlers.ts:5 noteHandlers
        route GET /users 204 [trace, auth, late] -> src/handlers.ts:7 userHandlers
        src/a.routes.ts:7:22 warning KIT1408 no route group of `createApp` registers `Left`
          help: add `{ prefix: "/…", handlers }` with handlers of `defineHandlers<Left>`
        "#,
    );
}

#[test]
fn reports_both_locations_of_a_group_that_is_registered_twice() {
    let app = |second: &str| {
        format!(
            "import {{ createApp, defineHandlers }} from \"@kit/core\";
             import type {{ NoteRoutes }} from \"./a.routes.ts\";
             const handlers = defineHandlers<NoteRoutes>({{ \"GET /notes\": () => 1, \"GET /x\": () => 1 }});
             createApp({{ routes: [{{ handlers }},\n{second}] }});"
        )
    };
    let routes = "import type { RouteContract } from \"@kit/types\";
         export interface NoteRoutes { \"GET /notes\": RouteContract<void, void, void, 1>; \"GET /x\": RouteContract<void, void, void, 1> }";
    check_mistakes(
        &[
            ("src/a.routes.ts", routes),
            ("src/app.ts", &app("{ handlers, prefix: \"/\" }")),
        ],
        "
        src/app.ts:5:1 KIT1402 the routes of `NoteRoutes` are registered twice
          help: remove one of the two route groups, or give one of the groups another prefix
        ",
    );
    check_mistakes(
        &[
            ("src/a.routes.ts", routes),
            ("src/app.ts", &app("{ handlers, prefix: \"/v2\" }")),
        ],
        "",
    );
}

#[test]
fn warns_about_options_of_create_app_that_are_computed() {
    check(
        &[
            ("src/a.routes.ts", CONTRACTS),
            (
                "src/app.ts",
                "import { createApp, defineHandlers } from \"@kit/core\";
                import type { NoteRoutes, UserRoutes } from \"./a.routes.ts\";
                const prefix = process.env.PREFIX;
                const more = () => [];
                const notes = defineHandlers<NoteRoutes>({ ...more(), \"GET /:id\": () => {} });
                const users = defineHandlers({});
                export const app = createApp({
                  middleware: [() => {}, { name: prefix, middleware: more, priority: Number(1) }],
                  routes: [
                    { prefix: \"/notes\", handlers: notes },
                    { prefix, handlers: notes },
                    { prefix: \"/users\", handlers: users },
                    { prefix: \"/x\", handlers: more() },
                    ...more(),
                    more,
                  ],
                });
                createApp({ routes: [] });",
            ),
        ],
        r#"
        type GetNotesResponse = string[]
        type GetNotesByIdParams = {
          id: string;
        }
        route GET /notes 200 response: GetNotesResponse [anonymous]
        route GET /notes/:id 204 params: GetNotesByIdParams [anonymous] -> src/app.ts:5 notes
        src/app.ts:5:63 warning KIT1405 a part of these handlers cannot be read without running the application
          help: write each property in the object literal by its name, without `[…]` and `...`
        src/app.ts:6:31 warning KIT1405 the contract group of these handlers cannot be read without running the application
          help: name the contract group: `defineHandlers<NoteRoutes>({ … })`
        src/app.ts:8:32 warning KIT1405 the name of this middleware cannot be read without running the application
          help: write `{ name: "…", middleware, priority: 0 }`
        src/app.ts:8:50 warning KIT1405 the name of this middleware cannot be read without running the application
          help: write the name as a string
        src/app.ts:8:86 warning KIT1405 this priority cannot be read without running the application
          help: write the number
        src/app.ts:11:23 warning KIT1405 this prefix cannot be read without running the application
          help: write the prefix as a string
        src/app.ts:13:47 warning KIT1405 these handlers cannot be read without running the application
          help: make them with `defineHandlers<NoteRoutes>({ … })`
        src/app.ts:14:24 warning KIT1405 this list of route groups cannot be read without running the application
          help: write the elements in an array literal, or in a constant with an array literal
        src/app.ts:15:21 warning KIT1405 this route group cannot be read without running the application
          help: write `{ prefix: "/notes", handlers: noteHandlers }`
        src/app.ts:18:17 warning KIT1405 `createApp` is called a second time
          help: put each application into a separate project, or register all routes in one `createApp`
        "#,
    );
}

#[test]
fn reports_handlers_and_contracts_with_different_routes() {
    check_mistakes(
        &[
            ("src/a.routes.ts", CONTRACTS),
            (
                "src/app.ts",
                "import { createApp, defineHandlers } from \"@kit/core\";
                import type { NoteRoutes, UserRoutes } from \"./a.routes.ts\";
                const notes = defineHandlers<NoteRoutes>({ \"GET /note\": () => [], \"GET /:id\": () => {} });
                createApp({ routes: [
                  { prefix: \"/notes\", handlers: notes },
                  { prefix: \"users\", handlers: defineHandlers<UserRoutes>({ \"GET /\": () => {} }) },
                  { prefix: \"/:id\", handlers: notes },
                ] });",
            ),
        ],
        r#"
        src/app.ts:6:29 KIT1401 the path `users` does not begin with a slash
          help: write `/users`
        src/a.routes.ts:3:7 KIT1403 `/:id/notes` has `id`, but the params of the contract do not
          help: write `{ id: string }` as the params of the contract
        src/a.routes.ts:7:22 warning KIT1408 no route group of `createApp` registers `Left`
          help: add `{ prefix: "/…", handlers }` with handlers of `defineHandlers<Left>`
        src/app.ts:3:31 KIT1406 `notes` has no handler for `GET /notes` of `NoteRoutes`
          help: add `"GET /notes": async ({ ctx }) => …`, or run `kit scaffold add handler`
        src/app.ts:3:60 KIT1406 `NoteRoutes` has no contract `GET /note`
          help: did you mean `"GET /notes"`?
        "#,
    );
}

#[test]
fn reports_a_misspelt_method_once_and_before_other_errors() {
    let routes = r#"import type { RouteContract as RC } from "@kit/types";
      export interface StatsRoutes {
        "GETT /stats": RC<void, void, void, { count: number }>;
        "GET /other": RC<void, void, void, string[]>;
      }"#;
    let app = |handlers: &str| {
        format!(
            "import {{ createApp, defineHandlers }} from \"@kit/core\";
            import type {{ StatsRoutes }} from \"./stats.routes.ts\";
            const stats = defineHandlers<StatsRoutes>({{ {handlers} }});
            createApp({{ routes: [{{ handlers: stats }}] }});"
        )
    };
    for handlers in [
        // The handler has the correct method, or the misspelt method, or there is no handler.
        r#""GET /stats": () => ({ count: 1 }), "GET /other": () => []"#,
        r#""GETT /stats": () => ({ count: 1 }), "GET /other": () => []"#,
        r#""GET /other": () => []"#,
    ] {
        check_mistakes(
            &[("src/app.ts", &app(handlers)), ("src/stats.routes.ts", routes)],
            r"
            src/stats.routes.ts:3:9 KIT1401 kit does not support the method `GETT`
              help: did you mean `GET /stats`?
            ",
        );
    }
    check_mistakes(
        &[
            ("src/app.ts", &app(r#""GET /stats": () => ({ count: 1 })"#)),
            ("src/stats.routes.ts", routes),
        ],
        r#"
        src/stats.routes.ts:3:9 KIT1401 kit does not support the method `GETT`
          help: did you mean `GET /stats`?
        src/app.ts:3:27 KIT1406 `stats` has no handler for `GET /other` of `StatsRoutes`
          help: add `"GET /other": async ({ ctx }) => …`, or run `kit scaffold add handler`
        "#,
    );
}

#[test]
fn refuses_middleware_that_returns_a_response() {
    let routes = r#"import type { RouteContract as RC } from "@kit/types";
      export interface NoteRoutes { "GET /notes": RC<void, void, void, string[]> }"#;
    let app = r#"import { createApp, defineHandlers, defineMiddleware } from "@kit/core";
import type { NoteRoutes } from "./notes.routes.ts";
const arrow = defineMiddleware(({ ctx: c }) => c.send("no"));
const chain = defineMiddleware(async (input) => {
  const own = (ctx: { send(text: string): unknown }) => { return ctx.send("of another function"); };
  own({ send: () => undefined });
  if (input.path === "/a") return input.ctx.status(401).send("no");
  return input.path === "/b" ? undefined : new Response("no");
});
function declared({ ctx }) { return ctx.send("no"); }
const right = defineMiddleware<{ mail: unknown }>(({ ctx }) => {
  const post = { send: (text: string) => text };
  return { mail: post.send("yes") };
});
const mail = { send: (text: string) => ({ text }) };
const other = defineMiddleware(() => mail.send("yes"));
const notes = defineHandlers<NoteRoutes>({ "GET /notes": () => [] });
createApp({
  middleware: [{ name: "arrow", middleware: arrow, priority: 1 }, chain, declared],
  routes: [{ handlers: notes, middleware: [right, other, { name: "in place", middleware: () => Response.json({}), priority: 1 }] }],
});"#;
    check_mistakes(
        &[("src/app.ts", app), ("src/notes.routes.ts", routes)],
        r#"
        src/app.ts:3:48 KIT1409 this middleware returns `c.send("no")`, but the client will not receive this value
          help: refuse the request with `ctx.fail(401, "UNAUTHORIZED", "…")`, or return the response from the handler
        src/app.ts:7:35 KIT1409 this middleware returns `input.ctx.status(401).send("no")`, but the client will not receive this value
          help: refuse the request with `ctx.fail(401, "UNAUTHORIZED", "…")`, or return the response from the handler
        src/app.ts:8:44 KIT1409 this middleware returns `new Response("no")`, but the client will not receive this value
          help: refuse the request with `ctx.fail(401, "UNAUTHORIZED", "…")`, or return the response from the handler
        src/app.ts:10:37 KIT1409 this middleware returns `ctx.send("no")`, but the client will not receive this value
          help: refuse the request with `ctx.fail(401, "UNAUTHORIZED", "…")`, or return the response from the handler
        src/app.ts:20:96 KIT1409 this middleware returns `Response.json({})`, but the client will not receive this value
          help: refuse the request with `ctx.fail(401, "UNAUTHORIZED", "…")`, or return the response from the handler
        "#,
    );
}

const APP: &str = r#"
import { createApp, defineHandlers } from "@kit/core";
import { key, requireAuth, whole, old } from "./auth.ts";
import { packaged } from "middleware-package";
import type { NoteRoutes } from "./notes.routes.ts";
/** @security basic */
const basic = packaged;
const handlers = defineHandlers<NoteRoutes>({ "GET /notes": () => [], "GET /open": () => [] });
createApp({
  middleware: [old],
  routes: [{ prefix: "/", handlers, middleware: [{ name: "auth", middleware: requireAuth, priority: 5 }, key, whole, basic] }],
});
"#;

const ROUTES: &str = r#"
  /** Routes of notes. */
  export interface NoteRoutes {
    /** @throws UNAUTHORIZED 403 Not you. */
    "GET /notes": RC<void, void, void, Note[]>;
    "GET /open": RC<void, void, void, Note[]>;
  }
"#;

/// Returns an application with the given routes and middleware.
fn app_with<'a>(routes: &'a str, auth: &'a str) -> [(&'a str, &'a str); 5] {
    [
        ("src/notes.types.ts", TYPES),
        ("src/notes.routes.ts", routes),
        ("src/auth.ts", auth),
        ("src/app.ts", APP),
        (
            "node_modules/middleware-package/index.d.ts",
            "export declare function packaged(input: object): void;",
        ),
    ]
}

#[test]
fn reads_the_security_and_throws_tags_of_middleware() {
    let auth = r#"
      import { defineMiddleware } from "@kit/core";
      /**
       * Lets users pass.
       *
       * The token is signed.
       * @security bearer JWT
       * @security cookie session
       * @throws UNAUTHORIZED 401 The token is missing.
       * @throws INVALID_TOKEN 401
       */
      export const requireAuth = defineMiddleware(() => {});
      /** @security header x-api-key */
      export function key() {}
      /** @security query token */
      export const whole = { name: "whole", middleware: requireAuth };
      /** @throws {TypeError} as functions may @deprecated @example nothing */
      export const old = defineMiddleware(() => {});
    "#;
    let routes = format!("{HEAD}{ROUTES}");
    let files = app_with(&routes, auth);
    let program = crate::support::output(&files).program;
    assert_eq!(program.groups.len(), 1);
    assert_eq!(
        program.groups[0].documentation.description.as_deref(),
        Some("Routes of notes.")
    );
    let [notes, open] = [0.into(), 1.into()].map(|id: kit_ir::RouteId| &program.routes[id]);
    let asked = |route: &kit_ir::Route| serde_json::to_value(&route.security).unwrap();
    assert_eq!(
        asked(notes),
        serde_json::json!([
            [{ "scheme": { "kind": "header", "name": "x-api-key" } }],
            [{ "scheme": { "kind": "query", "name": "token" } }],
            [{ "scheme": { "kind": "basic" } }],
            [
                { "scheme": { "kind": "bearer", "format": "JWT" }, "description": "Lets users pass." },
                { "scheme": { "kind": "cookie", "name": "session" }, "description": "Lets users pass." },
            ],
        ])
    );
    assert_eq!(asked(notes), asked(open));
    let throws = |route: &kit_ir::Route| -> Vec<(String, u16)> {
        let throws = route.throws.iter();
        throws.map(|error| (error.code.clone(), error.status)).collect()
    };
    assert_eq!(
        throws(notes),
        [
            ("UNAUTHORIZED".to_owned(), 403),
            ("INVALID_TOKEN".to_owned(), 401)
        ]
    );
    assert_eq!(
        throws(open),
        [
            ("UNAUTHORIZED".to_owned(), 401),
            ("INVALID_TOKEN".to_owned(), 401)
        ]
    );
}

/// Functions that create middleware, as `@kit/auth` declares them.
const KEYS: &str = r#"
  import type { Middleware } from "@kit/core";
  /** @security header {header=x-api-key} */
  export declare function keys(options?: { header?: string }): Middleware<{ a: 1 }>;
  /** @security cookie {cookie=sid} */
  export declare function sessions(store: object): Middleware<{ b: 1 }>;
  export declare function store(options: { cookie?: string; max?: number }): object;
  export declare function traced(store: object): object;
  export declare function optionsOf(names: { header?: string }): { header?: string };
  export declare function options(): { header?: string };
  export declare function openStore(): object;
"#;

/// Returns the names in the security of the first route, and the warnings, for an application whose middleware `key` and
/// `whole` are these expressions.
fn security_names(key: &str, whole: &str, more: &str) -> (Vec<String>, Vec<String>) {
    let auth = format!(
        r#"
          import {{ defineMiddleware }} from "@kit/core";
          import {{ keys, openStore, options, optionsOf, sessions, store, traced }} from "./keys.ts";
          {more}
          export const key = {key};
          export const whole = {{ name: "whole", middleware: {whole} }};
          export const requireAuth = defineMiddleware(() => {{}});
          export const old = requireAuth;
        "#
    );
    let routes = format!("{HEAD}{ROUTES}");
    let mut files = app_with(&routes, &auth).to_vec();
    files.push(("src/keys.ts", KEYS));
    let output = crate::support::output(&files);
    let named = output.program.routes[kit_ir::RouteId(0)]
        .security
        .iter()
        .flatten();
    let names = named.filter_map(|security| match &security.scheme {
        kit_ir::SecurityScheme::Header { name } | kit_ir::SecurityScheme::Cookie { name } => {
            Some(name.clone())
        }
        _ => None,
    });
    let messages = output
        .diagnostics
        .iter()
        .map(|diagnostic| diagnostic.message.clone());
    (names.collect(), messages.collect())
}

#[test]
fn names_of_security_follow_the_options_of_the_call() {
    for (key, whole, more, expected) in [
        ("keys()", "sessions(store({ max: 1 }))", "", ["x-api-key", "sid"]),
        (
            "keys({ header: \"x-token\" })",
            "sessions(store({ cookie: `__Host-app` }))",
            "",
            ["x-token", "__Host-app"],
        ),
        (
            "keys({})",
            "sessions(traced(store({ cookie: \"app\" })))",
            "",
            ["x-api-key", "app"],
        ),
        (
            "keys(chosen)",
            "sessions(known)",
            "const name = \"x-token\"; const chosen = { header: \"no\", ...{ header: name } };
             const known = store({ ...{ cookie: \"app\" }, max: 1 });",
            ["x-token", "app"],
        ),
    ] {
        let (names, warnings) = security_names(key, whole, more);
        assert_eq!(names, expected, "{key} {whole}");
        assert_eq!(warnings, Vec::<String>::new(), "{key} {whole}");
    }
}

#[test]
fn warns_if_the_option_that_names_the_security_cannot_be_read() {
    let more = "const unknown = process.env; const cookie = process.env.COOKIE;";
    let warning =
        |option: &str| format!("the option `{option}` cannot be read without running the application");
    for (key, whole, option) in [
        (
            "keys({ header: process.env.HEADER })",
            "sessions(store({}))",
            "header",
        ),
        ("keys({ ...unknown })", "sessions(store({}))", "header"),
        ("keys({ [unknown.a]: \"a\" })", "sessions(store({}))", "header"),
        ("keys(...[])", "sessions(store({}))", "header"),
        // The result of the inner call is the object with the option.
        ("keys(options())", "sessions(store({}))", "header"),
        (
            "keys(optionsOf({ header: \"x-token\" }))",
            "sessions(store({}))",
            "header",
        ),
        ("keys()", "sessions(store({ cookie }))", "cookie"),
        ("keys()", "sessions(unknown.sessions)", "cookie"),
        ("keys()", "sessions(openStore())", "cookie"),
        ("keys()", "sessions(traced({ cookie: \"app\" }))", "cookie"),
    ] {
        let (names, warnings) = security_names(key, whole, more);
        assert_eq!(names, ["x-api-key", "sid"], "{key} {whole}");
        assert_eq!(warnings, [warning(option)], "{key} {whole}");
    }
    let (names, warnings) =
        security_names("keys({ ...unknown, header: \"x\" })", "sessions(store({}))", more);
    assert_eq!(
        (names, warnings.len()),
        (vec!["x".to_owned(), "sid".to_owned()], 0)
    );
}

#[test]
fn explains_how_to_correct_an_invalid_doc_tag_of_middleware() {
    let auth = r#"
      import { defineMiddleware } from "@kit/core";
      /** @security digest
       * @security header a b
       * @security
       * @throws UNAUTHORIZED
       * @throws locked_out 200
       * @throws session_expired
       * @throws note.not-found The note is gone.
       * @throws TypeError 400 The token is no token.
       * @throws Error 500 Always.
       * @throws Error if the store fails
       * @throws RangeError 0 is not allowed
       * @throws {RangeError} 400 is the limit
       * @throws Error. Always.
       * @throws errors.NotFound if it is gone */
      export const requireAuth = defineMiddleware(() => {});
      /** @securty bearer */
      export function key() {}
      export const whole = { name: "whole", middleware: requireAuth };
      export const old = defineMiddleware(() => {});
    "#;
    let routes = format!("{HEAD}{ROUTES}");
    let files = app_with(&routes, auth);
    check_mistakes(
        &files,
        r"
        src/auth.ts:3:11 KIT1303 `@security digest` is not valid
          help: write `@security bearer JWT`
        src/auth.ts:4:10 KIT1303 `@security header a b` is not valid
          help: write `@security bearer JWT`
        src/auth.ts:5:10 KIT1303 `@security` needs an argument
          help: write `@security bearer JWT`
        src/auth.ts:6:10 KIT1303 `@throws UNAUTHORIZED` is not valid
          help: write `@throws UNAUTHORIZED 401 The access token is missing.`
        src/auth.ts:7:10 KIT1303 `@throws locked_out 200` is not valid
          help: write `@throws UNAUTHORIZED 401 The access token is missing.`
        src/auth.ts:8:10 KIT1303 `@throws session_expired` is not valid
          help: write `@throws UNAUTHORIZED 401 The access token is missing.`
        src/auth.ts:9:10 KIT1303 `@throws note.not-found The note is gone.` is not valid
          help: write `@throws UNAUTHORIZED 401 The access token is missing.`
        src/auth.ts:10:10 KIT1303 `@throws TypeError` names a class of JavaScript in place of an error code
          help: write `@throws UNAUTHORIZED 401 The access token is missing.`
        src/auth.ts:11:10 KIT1303 `@throws Error` names a class of JavaScript in place of an error code
          help: write `@throws UNAUTHORIZED 401 The access token is missing.`
        src/auth.ts:18:11 warning KIT1305 unknown tag `@securty`
          help: did you mean `@security`?
        ",
    );
}
