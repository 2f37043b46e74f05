//! Tests of middleware: what it returns, and the doc tags from which routes have their security and errors.

use super::routes::{HEAD, TYPES};
use crate::support::{check_mistakes, output};

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
    let program = output(&files).program;
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
    let output = output(&files);
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
