//! Tests with short programs that are just small enough to be built: the size of their artifacts and the work to create them
//! are limited.

mod support;

use std::fmt::Write as _;

use support::guarded;

/// Creates object types that share properties, each of which accepts any of the types, like packages for schema.org do, and
/// routes that receive and return one of the types.
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

/// Creates anonymous types, each of which the next type uses twice.
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
fn emits_a_large_union_in_many_properties() {
    guarded("leaves", leaves(250, 90).as_bytes(), kit_fuzz::text);
}

#[test]
fn emits_a_type_with_many_nested_types() {
    guarded("doubled", doubled(13).as_bytes(), kit_fuzz::text);
}
