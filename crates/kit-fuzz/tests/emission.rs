//! Tests with short programs that are almost too large to be built. The size of their artifacts, and the work to generate
//! them, must be limited.

mod support;

use std::fmt::Write as _;

use support::guarded;

/// Returns a program with many object types. They have the same properties, each of which accepts any of the types, as in
/// packages for schema.org. Routes receive and return one of the types.
fn leaves(leaves: usize, properties: usize) -> String {
    let mut text = String::from(
        "=== src/a.types.ts\n\
         type Value<T, P extends string> = T | Role<T, P> | readonly (T | Role<T, P>)[];\n\
         interface RoleBase { name?: Value<string, \"name\"> }\n\
         type Role<T, P extends string> = Omit<RoleBase, P> & { \"@type\": \"Role\" } & { [K in P]: T };\n\
         interface Base {\n",
    );
    for index in 0..properties {
        let _ = writeln!(text, "  p{index}?: Value<Thing, \"p{index}\">;");
    }
    text.push_str("}\n");
    for index in 0..leaves {
        let _ = writeln!(
            text,
            "export interface Leaf{index} extends Base {{ \"@type\": \"Leaf{index}\" }}"
        );
    }
    let names: Vec<String> = (0..leaves).map(|index| format!("Leaf{index}")).collect();
    let _ = writeln!(text, "type Thing = {};", names.join(" | "));
    text.push_str(
        "=== src/a.routes.ts\n\
         import type { RouteContract } from \"@kit/types\";\n\
         import type { Leaf0 } from \"./a.types.ts\";\n\
         export interface LeafRoutes { \"POST /leaves\": RouteContract<void, void, Leaf0, Leaf0>; }\n",
    );
    text
}

/// Returns a program with a chain of anonymous types. Each type is used twice by the next one.
fn doubled(levels: usize) -> String {
    let mut text = String::from("export interface L0 { c: { v: string } }\n");
    for level in 1..=levels {
        let below = level - 1;
        let _ = writeln!(
            text,
            "export interface L{level} {{ c: {{ p: L{below}[\"c\"]; q: L{below}[\"c\"] }} }}"
        );
    }
    text
}

#[test]
fn emits_artifacts_for_a_large_union_that_many_properties_have() {
    guarded("leaves", leaves(250, 90).as_bytes(), kit_fuzz::text);
}

#[test]
fn emits_artifacts_for_a_type_with_many_nested_types() {
    guarded("doubled", doubled(13).as_bytes(), kit_fuzz::text);
}
