//! Tests of `@deprecatedSince`, `@sunset` and `@successor` on routes and groups.

use crate::support::{mistakes, output};
use kit_ir::Route;

const IMPORT: &str = "import type { RouteContract } from \"@kit/types\";\n";

/// Compiles a file with routes. Returns its routes and its mistakes.
fn compiled(text: &str) -> (Vec<Route>, String) {
    let source = format!("{IMPORT}{text}");
    let output = output(&[("src/notes.routes.ts", source.as_str())]);
    let found = mistakes(&output);
    (output.program.routes.iter().cloned().collect(), found)
}

fn headers(route: &Route) -> Vec<String> {
    let headers = route.lifecycle.headers();
    headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}"))
        .collect()
}

#[test]
fn adds_the_tags_of_a_group_to_routes_without_the_same_tags() {
    let (routes, found) = compiled(
        "/** @deprecatedSince 2026-01-01 @sunset 2027-01-01 @successor /v2 */
export interface NoteRoutes {
  \"GET /notes\": RouteContract;
  /** @deprecated It is slow. @deprecatedSince 2025-06-30 @successor https://example.com/v2/notes */
  \"POST /notes\": RouteContract;
}
export interface NewRoutes { \"GET /new\": RouteContract }",
    );
    assert_eq!(found, "");
    assert_eq!(
        headers(&routes[0]),
        [
            "deprecation: @1767225600",
            "sunset: Fri, 01 Jan 2027 00:00:00 GMT",
            "link: </v2>; rel=\"successor-version\"",
        ]
    );
    assert_eq!(routes[0].documentation.deprecated.as_deref(), Some(""));
    assert_eq!(
        headers(&routes[1]),
        [
            "deprecation: @1751241600",
            "sunset: Fri, 01 Jan 2027 00:00:00 GMT",
            "link: <https://example.com/v2/notes>; rel=\"successor-version\"",
        ]
    );
    assert_eq!(routes[1].documentation.deprecated.as_deref(), Some("It is slow."));
    assert_eq!(headers(&routes[2]), Vec::<String>::new());
    assert_eq!(routes[2].documentation.deprecated, None);
}

#[test]
fn refuses_invalid_dates_of_sunset_and_invalid_successors() {
    for tag in [
        "@deprecatedSince",
        "@deprecatedSince 2026-02-30",
        "@sunset 01.01.2027",
        "@successor notes",
        "@successor /v2/notes/:id",
        "@successor //example.com",
        "@successor /a>b",
        "@successor ftp://example.com/",
    ] {
        let (_, found) = compiled(&format!(
            "export interface NoteRoutes {{\n  /** {tag} */\n  \"GET /notes\": RouteContract;\n}}"
        ));
        assert!(
            found.starts_with("src/notes.routes.ts:3:7 KIT1303"),
            "{tag}: {found}"
        );
    }
}

#[test]
fn refuses_a_sunset_before_the_deprecation() {
    let (_, found) = compiled(
        "export interface NoteRoutes {\n  /** @deprecatedSince 2026-05-01 @sunset 2026-04-30 */\n  \"GET /notes\": RouteContract;\n}",
    );
    assert!(
        found.contains("`GET /notes` has the sunset 2026-04-30, before its deprecation on 2026-05-01"),
        "{found}"
    );
}
