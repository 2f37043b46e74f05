//! Programs that are short, and just small enough to be built: what is made of them is bounded, and so is the work to make it.

mod support;

use std::fmt::Write as _;

use support::guarded;

/// Object types that share their properties, each of which may hold any of them, as packages for schema.org declare them, and routes that
/// send and answer one.
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

/// Types without names, each of which stands twice in the next one.
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
fn a_large_union_in_many_properties() {
    guarded("leaves", leaves(250, 90).as_bytes(), kit_fuzz::text);
}

#[test]
fn a_type_that_is_written_out_often() {
    guarded("doubled", doubled(13).as_bytes(), kit_fuzz::text);
}
