//! Tests of the diagnostics for programs that cannot be compiled.

use crate::support::{check_mistakes, dedent, mistakes, output};

#[track_caller]
fn check_mistakes_of(source: &str, expected: &str) {
    check_mistakes(&[("src/a.types.ts", &dedent(source))], expected);
}

#[test]
fn reports_a_syntax_error_at_its_location() {
    check_mistakes(
        &[("src/a.types.ts", "export interface A {\n  a: ;\n}")],
        r"
        src/a.types.ts:2:6 KIT1101 Unexpected token
          help: if the text at this position is correct, a bracket, a quote or a `;` is missing before it
        ",
    );
}

#[test]
fn reports_properties_without_a_colon_or_without_a_separator_between_them() {
    check_mistakes_of(
        "
        export interface A { title string; size?: number name: string }
        export type B = { readonly a string, b() c: 1 };
        export interface C { a; b
          c
          d: { e f } }
        ",
        "
        src/a.types.ts:1:22 KIT1101 there is no `:` between `title` and `string`
          help: write `title: string`
        src/a.types.ts:1:36 KIT1101 there is no separator between `size?: number` and `name: string`
          help: end each property with a `;`
        src/a.types.ts:2:19 KIT1101 there is no `:` between `readonly a` and `string`
          help: write `readonly a: string`
        src/a.types.ts:2:38 KIT1101 there is no separator between `b()` and `c: 1`
          help: end each property with a `;`
        src/a.types.ts:5:8 KIT1101 there is no `:` between `e` and `f`
          help: write `e: f`
        ",
    );
}

#[test]
fn reports_a_type_name_that_is_declared_twice() {
    check_mistakes_of(
        "
        type A = 1;
        interface A { a: 1 }
        interface B { a: 1 }
        interface B { b: 1 }
        type A = 2;
        ",
        "
        src/a.types.ts:2:11 KIT1307 `A` is declared twice
          help: rename one of the two declarations; two declarations with the same name are allowed only if both are interfaces
        src/a.types.ts:5:6 KIT1307 `A` is declared twice
          help: rename one of the two declarations; two declarations with the same name are allowed only if both are interfaces
        ",
    );
}

#[test]
fn suggests_a_replacement_for_each_unsupported_type() {
    check_mistakes_of(
        r#"
        declare const value: string;
        enum Color { Red }
        class Thing {}
        /** @table */
        export interface A {
          a: any;
          b: object;
          c: () => void;
          d(): void;
          e: symbol;
          f: Map<string, string>;
          g: Set<string>;
          h: typeof value;
          i: string extends number ? 1 : 2;
          j: { [K in "a"]: string };
          k: Color;
          l: Thing;
          m: (string | undefined)[];
          n: Awaited<string>;
          o: String;
          p;
          q: import("./x").Y;
          r: Function;
          s: { (): void };
        }
        "#,
        r"
        src/a.types.ts:6:6 KIT1301 `any` does not describe the value
          help: write `unknown` for any JSON value
        src/a.types.ts:7:6 KIT1301 `object` does not say which properties the value has
          help: write the properties, or `Record<string, unknown>`
        src/a.types.ts:8:6 KIT1306 a function has no JSON form
          help: describe the value as it is on the wire, or write `@dataOnly` above its interface or class: kit then leaves out members that are functions
        src/a.types.ts:9:3 KIT1306 a function has no JSON form
          help: describe the value as it is on the wire, or write `@dataOnly` above its interface or class: kit then leaves out members that are functions
        src/a.types.ts:10:6 KIT1306 `symbol` has no JSON form
          help: describe the value as it is on the wire: with properties, arrays, strings, numbers, booleans, `Date` or null
        src/a.types.ts:11:6 KIT1306 `Map` has no JSON form
          help: write `Record<string, V>`, or an array of pairs for keys that are not strings: `[K, V][]`
        src/a.types.ts:12:6 KIT1306 `Set` has no JSON form
          help: write an array with `@uniqueItems`: `T[]`
        src/a.types.ts:18:7 KIT1306 `undefined` has no JSON form
          help: write `null`, or make the property optional with `?`
        src/a.types.ts:21:3 KIT1301 `p` has no type
          help: write a type after a colon
        src/a.types.ts:22:13 KIT1201 cannot find the module `./x`
          help: the path is relative to src/a.types.ts, but there is no file with this path
        src/a.types.ts:23:6 KIT1306 `Function` has no JSON form
          help: describe the value as it is on the wire: with properties, arrays, strings, numbers, booleans, `Date` or null
        src/a.types.ts:24:6 KIT1306 a function has no JSON form
          help: describe the value as it is on the wire, or write `@dataOnly` above its interface or class: kit then leaves out members that are functions
        ",
    );
}

#[test]
fn refuses_half_a_surrogate_pair_in_every_text_of_a_type() {
    let half = "KIT1306 a string with half a surrogate pair has no JSON form";
    for (source, place) in [
        (r#"export interface A { a: "\ud800" }"#, "2:25"),
        (r"export interface A { a: `\ud800` }", "2:25"),
        (r"export interface A { a: `x-${number}\udc00` }", "2:25"),
        (r#"export interface A { "\ud800": string }"#, "2:22"),
        (r#"export interface A { ["\ud800"]: string }"#, "2:23"),
        (r"export interface A { [`\ud800`]: string }", "2:23"),
        (
            r#"export interface A { a: E; b: E.X }\nexport enum E { X = "\ud800", Y = "y" }"#,
            "3:17",
        ),
        (
            r"export interface A { a: E }\nexport enum E { X = `\ud800`, Y = `${E.X}y` }",
            "3:17",
        ),
        (
            r#"export interface A { a: E }\nexport enum E { X = "a" + "\ud800" }"#,
            "3:17",
        ),
        (
            r#"export interface A { a: typeof x }\nconst x = "\ud800";"#,
            "3:11",
        ),
        (r"export interface A { a: typeof x }\nconst x = `\ud800`;", "3:11"),
        (
            r#"export interface A { a: typeof x }\nconst x = { "\ud800": 1 }"#,
            "3:13",
        ),
    ] {
        let source = format!("/** @table */\n{}", source.replace(r"\n", "\n"));
        let found = mistakes(&output(&[("src/a.types.ts", &source)]));
        assert!(
            found.starts_with(&format!("src/a.types.ts:{place} {half}\n")),
            "{source}\n{found}"
        );
        assert_eq!(found.lines().count(), 2, "{source}\n{found}");
    }
    for source in [
        r#"export interface A { "\ud83d\ude00": `\ud83d\ude00-${number}` }"#,
        r#"export interface A { a: E }\nexport enum E { X = "\ud83d\ude00" }"#,
        r#"export interface A { a: typeof x }\nlet x = "\ud800";"#,
        r#"export interface A { "\ufffd": `\ufffd${string}` }"#,
    ] {
        let source = format!("/** @table */\n{}", source.replace(r"\n", "\n"));
        assert_eq!(mistakes(&output(&[("src/a.types.ts", &source)])), "", "{source}");
    }
}

#[test]
fn explains_how_to_correct_each_unknown_name() {
    check_mistakes(
        &[
            (
                "src/a.types.ts",
                "import type { Noet, Hidden } from \"./b.ts\";\nimport type { X } from \"./gone.ts\";\nimport type { Y } from \"pkg\";\n\
                 /** @table */\nexport interface A {\n  a: Noet;\n  b: Hidden;\n  c: X;\n  d: Y;\n  e: Strnig;\n  f: Partail<A>;\n  g: Pick<A, \"aa\">;\n  h: Omit<A, \"z\">;\n  i: Partial;\n  j: Box;\n  k: Box<1, 2>;\n  l: A[\"zz\"];\n}\ninterface Box<T> { v: T }\ntype Strings = 1;",
            ),
            (
                "src/b.ts",
                "export interface Note { id: string }\ninterface Hidden { x: 1 }",
            ),
        ],
        r#"
        src/a.types.ts:1:15 KIT1202 `./b.ts` does not export `Noet`
          help: did you mean `Note`?
        src/a.types.ts:1:21 KIT1202 `./b.ts` does not export `Hidden`
          help: write `export` before `Hidden` in src/b.ts
        src/a.types.ts:2:15 KIT1201 cannot find the module `./gone.ts`
          help: the path is relative to src/a.types.ts, but there is no file with this path
        src/a.types.ts:3:15 KIT1201 cannot find the module `pkg`
          help: install the package, or correct the import
        src/a.types.ts:10:6 KIT1203 the type `Strnig` is not declared
          help: did you mean `Strings`?
        src/a.types.ts:11:6 KIT1203 the type `Partail` is not declared
          help: did you mean `Partial`?
        src/a.types.ts:12:14 KIT1309 the type has no property `aa`
          help: did you mean `"a"`?
        src/a.types.ts:13:14 warning KIT1309 `Omit` leaves out `z`, which the type does not have
          help: did you mean `"a"`?
        src/a.types.ts:14:6 KIT1308 `Partial` takes 1 type argument, not 0
          help: write `Partial<Type>`
        src/a.types.ts:15:6 KIT1308 `Box` takes 1 type argument, not 0
          help: write `Box<T>`
        src/a.types.ts:16:6 KIT1308 `Box` takes 1 type argument, not 2
          help: write `Box<T>`
        src/a.types.ts:17:6 KIT1309 the type has no property `zz`
          help: the keys of the type are a, b, c, d, e, f, g, h, i, j, k, l
        "#,
    );
}

#[test]
fn refuses_a_type_that_expands_without_end() {
    check_mistakes_of(
        r"
        type Self = Self;
        type Ping = Pong;
        type Pong = Ping;
        type Grow<T> = { next: Grow<T[]> };
        type Wide<T> = { a: Wide<[T, 1]>; b: Wide<[T, 2]> };
        type Opt = Partial<Opt>;
        type Or = Or | string;
        type And = { a: And } & { b: And };
        /** @table */
        export interface A { a: Self; b: Ping; c: Grow<string>; d: Wide<string>; e: Opt; f: Or; g: And }
        ",
        r"
        src/a.types.ts:1:6 KIT1310 `Self` refers to itself without end
          help: a type may contain itself only in a property or an array: `interface Tree { children: Tree[] }`
        src/a.types.ts:2:6 KIT1310 `Ping` refers to itself without end
          help: a type may contain itself only in a property or an array: `interface Tree { children: Tree[] }`
        src/a.types.ts:4:24 KIT1310 `Grow` expands without end
          help: a type may contain itself only in a property or an array: `interface Tree { children: Tree[] }`
        src/a.types.ts:5:21 KIT1310 `Wide` expands without end
          help: a type may contain itself only in a property or an array: `interface Tree { children: Tree[] }`
        src/a.types.ts:5:38 KIT1310 `Wide` expands without end
          help: a type may contain itself only in a property or an array: `interface Tree { children: Tree[] }`
        src/a.types.ts:6:6 KIT1310 `Opt` refers to itself without end
          help: a type may contain itself only in a property or an array: `interface Tree { children: Tree[] }`
        src/a.types.ts:7:6 KIT1310 `Or` refers to itself without end
          help: a type may contain itself only in a property or an array: `interface Tree { children: Tree[] }`
        ",
    );
}

#[test]
fn refuses_a_property_whose_type_refers_to_the_property_itself() {
    check_mistakes_of(
        r#"
        /** @table */
        export interface A {
          w: string;
          x: A["x"];
          y: A["z"];
          z: A["y"];
          /** @minLength 1 */
          c: A["c"];
          ok: A["w"];
        }
        "#,
        r"
        src/a.types.ts:4:6 KIT1310 the type refers to itself without end
          help: a type may contain itself only in a property or an array: `interface Tree { children: Tree[] }`
        src/a.types.ts:5:6 KIT1310 the type refers to itself without end
          help: a type may contain itself only in a property or an array: `interface Tree { children: Tree[] }`
        src/a.types.ts:8:6 KIT1310 the type refers to itself without end
          help: a type may contain itself only in a property or an array: `interface Tree { children: Tree[] }`
        ",
    );
}

#[test]
fn warns_about_a_table_in_a_file_that_is_not_a_type_file() {
    let table = "/** @table */\nexport interface Shelf {\n  /** @id */ id: string;\n}\n";
    check_mistakes(
        &[
            (
                "src/notes.types.ts",
                "import type { Shelf } from \"../shared/shelf.ts\";\nimport type { Box } from \"boxes\";\n/** @table */ export interface Note { /** @id */ id: string; shelf: Shelf; box: Box }",
            ),
            // The files: one that is imported, one that no file imports, and one that only mentions the tag.
            ("shared/shelf.ts", table),
            ("src/models/shelf.ts", table),
            (
                "src/about.ts",
                "// An interface with @table is a table.\n/** Has no `@table`. */\nexport interface About { a: string }",
            ),
            ("src/keys.routes.ts", table),
            (
                "node_modules/boxes/index.d.ts",
                "/** @table */\nexport interface Box { id: string }",
            ),
        ],
        r"
        shared/shelf.ts:2:18 warning KIT1321 `Shelf` has `@table` in a file that `typeFiles` does not name
          help: add `shared/shelf.ts` to `typeFiles` of the configuration, or move `Shelf` to a file that `typeFiles` matches
        src/models/shelf.ts:2:18 warning KIT1321 `Shelf` has `@table` in a file that `typeFiles` does not name
          help: add `src/models/shelf.ts` to `typeFiles` of the configuration, or move `Shelf` to a file that `typeFiles` matches
        ",
    );
}
