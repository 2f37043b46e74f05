//! Tests of routes: groups, contracts, and the call of `createApp`.

use crate::support::{check, check_mistakes};

pub(super) const TYPES: &str = "
    export interface Note {
      /** @id @generated uuid */ id: string;
      title: string;
    }
";

pub(super) const HEAD: &str = "import type { RouteContract as RC } from \"@kit/types\";\nimport type { Note } from \"./notes.types.ts\";\n";

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
