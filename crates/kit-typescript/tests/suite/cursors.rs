//! Tests of lists that are read with cursors: `Cursor<Note>` and `CursorQuery` of `@kit/types`.

use crate::support::{check, check_mistakes, dedent, output};

/// Source of the two types in `@kit/types`.
const DECLARED: &str = include_str!("../../../../packages/types/src/cursor.ts");

const ROUTES: &str = r#"
    export interface Note { id: string }
    export interface NoteQuery extends CursorQuery { author?: string }
    export interface NoteRoutes {
      "GET /notes": RouteContract<void, NoteQuery, void, Cursor<Note>>;
      "GET /all": RouteContract<void, CursorQuery & { tag?: string }, void, Cursor<string>>;
    }
"#;

fn routes(from: &str, text: &str) -> String {
    format!(
        "import type {{ Reply, Route, RouteContract }} from \"@kit/types\";\nimport type {{ Cursor, CursorQuery }} from \"{from}\";\n{}",
        dedent(text)
    )
}

#[track_caller]
fn refused(text: &str, expected: &str) {
    check_mistakes(&[("src/a.routes.ts", &routes("@kit/types", text))], expected);
}

#[test]
fn a_page_has_items_and_cursors_and_the_contract_has_the_error() {
    check(
        &[("src/a.routes.ts", &routes("@kit/types", ROUTES))],
        r"
        type Note = {
          id: string;
        }
        type NoteQuery = {
          cursor?: string;
          /* @default 20 */ limit?: number /* @minimum 1 @maximum 100 @integer */;
          author?: string;
        }
        type GetNotesResponse = {
          data: Note[];
          next?: string;
          previous?: string;
        }
        type GetAllQuery = {
          cursor?: string;
          /* @default 20 */ limit?: number /* @minimum 1 @maximum 100 @integer */;
          tag?: string;
        }
        type GetAllResponse = {
          data: string[];
          next?: string;
          previous?: string;
        }
        route GET /notes 200 query: NoteQuery response: GetNotesResponse list
        route GET /all 200 query: GetAllQuery response: GetAllResponse list
        ",
    );
}

#[test]
fn the_types_have_the_properties_and_comments_of_their_declarations() {
    let built_in = output(&[("src/a.routes.ts", &routes("@kit/types", ROUTES))]);
    let declared = output(&[
        ("src/a.routes.ts", &routes("./cursor.ts", ROUTES)),
        ("src/cursor.ts", DECLARED),
    ]);
    assert!(built_in.diagnostics.is_empty() && declared.diagnostics.is_empty());
    let types = |output: &kit_typescript::Output| {
        output
            .program
            .routes
            .iter()
            .flat_map(|route| [route.slots.query, route.slots.response])
            .map(|slot| {
                let r#type = output.program.declarations[slot.unwrap()].r#type;
                let kit_ir::TypeKind::Object(object) = &output.program.types[r#type].kind else {
                    panic!("the slot is an object");
                };
                let properties = object.properties.iter().map(|property| {
                    (
                        property.name.clone(),
                        property.optional,
                        output.program.types[property.r#type].constraints.clone(),
                        property.tags.default.clone(),
                        property.documentation.clone(),
                    )
                });
                properties.collect::<Vec<_>>()
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(types(&built_in), types(&declared));
    let is_list = |output: &kit_typescript::Output| output.program.routes.iter().all(|route| route.is_list);
    assert!(is_list(&built_in) && !is_list(&declared));
}

#[test]
fn refuses_a_page_without_a_cursor_in_the_query() {
    refused(
        r#"
        export interface NoteRoutes {
          "GET /a": Route<{ response: Cursor<string> }>;
          "GET /b": Route<{ query: { cursor?: string }; response: Cursor<string> }>;
          "GET /c": Route<{ query: CursorQuery & { cursor: string }; response: Reply<200, Cursor<string>> }>;
          "POST /d": Route<{ query: CursorQuery; response: Cursor<string> }>;
          "GET /e": Route<{ query: CursorQuery; response: Cursor }>;
          "GET /f": Route<{ query: CursorQuery<string>; response: string }>;
        }
        "#,
        r"
        src/a.routes.ts:4:3 KIT1421 `GET /a` answers with `Cursor`, but its query has no optional `cursor: string` and `limit: number`
          help: write `CursorQuery` of `@kit/types` as the query, or an interface that extends this type
        src/a.routes.ts:5:3 KIT1421 `GET /b` answers with `Cursor`, but its query has no optional `cursor: string` and `limit: number`
          help: write `CursorQuery` of `@kit/types` as the query, or an interface that extends this type
        src/a.routes.ts:6:3 KIT1421 `GET /c` answers with `Cursor`, but its query has no optional `cursor: string` and `limit: number`
          help: write `CursorQuery` of `@kit/types` as the query, or an interface that extends this type
        src/a.routes.ts:7:3 KIT1421 `POST /d` answers with `Cursor`, but its method is not GET
          help: use GET, so that clients can request each page again
        src/a.routes.ts:8:51 KIT1308 `Cursor` takes 1 type argument, not 0
          help: write `Cursor<Note>`
        src/a.routes.ts:9:28 KIT1308 `CursorQuery` takes no type arguments, not 1
          help: write `CursorQuery`
        ",
    );
}

#[test]
fn refuses_a_limit_without_bounds() {
    refused(
        r#"
        interface Bounded extends CursorQuery {
          /** @integer @minimum 1 @maximum 500 @default 50 */
          limit?: number;
        }
        interface Open extends CursorQuery { limit?: number }
        interface Large extends CursorQuery {
          /** @integer @minimum 1 @maximum 10001 */
          limit?: number;
        }
        export interface NoteRoutes {
          "GET /a": Route<{ query: Bounded; response: Cursor<string> }>;
          "GET /b": Route<{ query: Open; response: Cursor<string> }>;
          "GET /c": Route<{ query: Large; response: Cursor<string> }>;
          /** @throws INVALID_CURSOR 410 The cursor is too old. */
          "GET /d": Route<{ query: Bounded; response: Cursor<string> }>;
        }
        "#,
        r"
        src/a.routes.ts:7:38 KIT1422 `limit` in the query of `GET /b` must be an integer from 1 to a maximum of at most 10000
          help: write `@integer @minimum 1 @maximum 100` in the comment of `limit`
        src/a.routes.ts:10:3 KIT1422 `limit` in the query of `GET /c` must be an integer from 1 to a maximum of at most 10000
          help: write `@integer @minimum 1 @maximum 100` in the comment of `limit`
        src/a.routes.ts:17:3 KIT1412 `GET /d` has the error `INVALID_CURSOR` with the status 410, but kit sends it with the status 400 for a cursor that does not belong to the list
          help: declare the status 400, or give the error another code
        ",
    );
}
