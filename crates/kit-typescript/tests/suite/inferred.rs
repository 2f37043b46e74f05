//! Types of values from declarations that TypeScript emits, and rules of schemas.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kit_typescript::{AnyMeaning, Input, MemoryFiles, Output, compile};

use crate::support::{dedent, text};

const ZOD: &str = r#"
export interface ZodType<O = unknown> { readonly _output: O }
export interface ZodString extends ZodType<string> {
  refine(check: (value: string) => boolean): ZodString;
  regex(pattern: RegExp): ZodString;
  trim(): ZodString;
  min(length: number): ZodString;
  optional(): ZodType<string | undefined>;
  or(other: ZodType): ZodType<string | number>;
  transform(change: (value: string) => string): ZodString;
  default(value: string): ZodString;
}
export interface ZodObject<S extends Record<string, ZodType>> extends ZodType<{ [K in keyof S]: S[K]["_output"] }> {}
export type infer<T extends ZodType> = T["_output"];
export declare function string(): ZodString;
export declare function union<T extends ZodType>(options: T[]): ZodType<T["_output"]>;
export declare function discriminatedUnion<T extends ZodType>(name: string, options: T[]): ZodType<T["_output"]>;
export declare function object<S extends Record<string, ZodType>>(shape: S): ZodObject<S>;
export * as z from "./index.js";
"#;

/// Compiles files with the declarations that TypeScript emits for some of them.
pub(crate) fn output(files: &[(&str, &str)], declarations: &[(&str, &str)]) -> Output {
    let root = Path::new("/app");
    let package = [
        ("node_modules/zod/index.d.ts", ZOD),
        (
            "node_modules/zod/package.json",
            r#"{ "name": "zod", "version": "4.0.0", "types": "./index.d.ts" }"#,
        ),
    ];
    let all = files.iter().chain(&package);
    let mut memory = MemoryFiles::new(all.map(|(path, text)| (root.join(path), *text)));
    for (path, text) in declarations {
        memory.declare(root.join(path), *text);
    }
    let types = files.iter().filter(|(path, _)| path.ends_with(".types.ts"));
    compile(&Input {
        root,
        type_files: types.map(|(path, _)| root.join(path)).collect(),
        route_files: vec![],
        any: AnyMeaning::Error,
        entry_files: vec![],
        files: Arc::new(memory),
    })
}

fn paths(names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(|name| Path::new("/app").join(name)).collect()
}

#[track_caller]
pub(crate) fn compare(output: &Output, expected: &str) {
    let (found, expected) = (text(output), dedent(expected));
    assert!(
        found.trim_end() == expected.trim_end(),
        "\nexpected:\n{expected}\nfound:\n{found}"
    );
}

#[test]
fn any_and_foreign_tags_of_packages_are_warnings_and_those_of_the_project_are_errors() {
    let source = r"
export interface Feature {
  properties: { [name: string]: any };
  /** @format hostname */
  host: string;
  /** @minLength many */
  name: string;
  /** @maxLength 3 */
  size: number;
}
";
    let package = [
        ("node_modules/geo/index.d.ts", source),
        (
            "node_modules/geo/package.json",
            r#"{ "name": "geo", "version": "1.0.0", "types": "./index.d.ts" }"#,
        ),
        (
            "src/a.types.ts",
            "import type { Feature } from \"geo\";\n/** @table */\nexport interface Row { /** @id */ id: string; feature: Feature }\n",
        ),
    ];
    compare(
        &output(&package, &[]),
        r"
        type Feature = {
          properties: { [key: string]: unknown };
          host: string;
          name: string;
          size: number;
        }
        type Row = {
          /* @id */ id: string;
          feature: Feature;
        }
        entity Row = table rows
        node_modules/geo/index.d.ts:4:7 warning KIT1302 kit does not check `@format hostname`: each text is valid
        node_modules/geo/index.d.ts:6:7 warning KIT1303 `@minLength many` is not valid
        node_modules/geo/index.d.ts:8:7 warning KIT1304 `@maxLength` is for strings, and this is `number`
        src/a.types.ts:3:56 warning KIT1324 this type of an installed package contains `any`, which kit reads as `unknown`
          help: to check these values, declare the type in the project
        ",
    );
    let own = text(&output(
        &[(
            "src/a.types.ts",
            "/** @table */\nexport interface Row { /** @id */ id: string; a: any; /** @format hostname */ host: string; /** @format emial */ mail: string }\n",
        )],
        &[],
    ));
    assert_eq!(own.matches("warning KIT1302").count(), 1, "{own}");
    assert!(
        own.contains("KIT1301 `any`") && own.contains("KIT1302 unknown format `emial`"),
        "{own}"
    );
}

const ROLES: (&str, &str) = (
    "src/a.types.ts",
    r#"
    /** A role. */
    export interface Role { name: string }
    const names = ["admin"];
    export const roles = names.map((name): Role => ({ name }));
    export interface User { roles: typeof roles; size: number }
    "#,
);

#[test]
fn files_whose_values_only_typescript_can_infer_are_listed() {
    let without = output(&[ROLES], &[]);
    assert_eq!(without.uninferred, paths(&["src/a.types.ts"]));
    assert!(without.inferred.is_empty());
    let written = output(
        &[("src/a.types.ts", "export interface User { name: string }")],
        &[],
    );
    assert!(written.uninferred.is_empty());
}

#[test]
fn results_of_methods_that_only_typescript_knows_are_inferred() {
    let of = |expression: &str| {
        let source = format!(
            "export const value = {expression};\n/** @table */\nexport interface Row {{ /** @id */ id: string; value: typeof value }}\n"
        );
        output(&[("src/a.types.ts", source.as_str())], &[])
    };
    for expression in [r#""a b".split(" ")"#, r#""a".match(/b/)"#, r#""a".at(0)"#] {
        assert_eq!(
            of(expression).uninferred,
            paths(&["src/a.types.ts"]),
            "{expression}"
        );
    }
    for (expression, ty) in [(r#""a".toUpperCase()"#, "string"), (r#""a".length"#, "number")] {
        let found = of(expression);
        assert!(found.uninferred.is_empty(), "{expression}");
        let found = text(&found);
        assert!(found.contains(&format!("value: {ty};")), "{expression}: {found}");
    }
}

#[test]
fn types_in_declarations_are_those_of_the_source_file() {
    let declarations = "export interface Role { name: string }\nexport declare const roles: Role[];\n";
    let found = output(&[ROLES], &[("src/a.types.ts", declarations)]);
    assert_eq!(found.inferred, paths(&["src/a.types.ts"]));
    assert!(found.uninferred.is_empty(), "{:?}", found.uninferred);
    assert_eq!(
        found
            .dependencies
            .iter()
            .filter(|path| path.ends_with("a.types.ts"))
            .count(),
        1
    );
    assert!(
        !found
            .dependencies
            .iter()
            .any(|path| path.to_string_lossy().contains("inferred"))
    );
    let program = text(&found);
    assert!(program.contains("roles: Role[]"), "{program}");
    assert_eq!(program.matches("type Role").count(), 1, "{program}");
}

#[test]
fn declarations_without_the_value_add_a_note_to_the_error() {
    let found = output(&[ROLES], &[("src/a.types.ts", "export {};\n")]);
    assert_eq!(found.uninferred, paths(&["src/a.types.ts"]));
    let routes = output(
        &[
            ROLES,
            (
                "src/b.types.ts",
                "import type { User } from \"./a.types.ts\";\n/** @table */\nexport interface Account { /** @id */ id: string; user: User }",
            ),
        ],
        &[("src/a.types.ts", "export {};\n")],
    );
    let notes: Vec<&str> = routes
        .diagnostics
        .iter()
        .flat_map(|diagnostic| diagnostic.notes.iter().map(String::as_str))
        .collect();
    assert!(
        notes
            .iter()
            .any(|note| note.contains("emits no declaration of `roles`")),
        "{notes:?}"
    );
}

#[test]
fn rules_and_comments_of_schemas_are_rules_of_the_inferred_type() {
    let source = r#"
import { z } from "zod";
const MOST = 9;
const city = z.string().min(2);
export const user = z.object({
  /** The name. */
  name: z.string().min(1).max(MOST).regex(/^[a-z]+$/),
  mail: z.string().email().min(3).min(7),
  city,
});
export type User = z.infer<typeof user>;
"#;
    let declarations = r#"
import { z } from "zod";
export declare const user: z.ZodObject<{ name: z.ZodString; mail: z.ZodString; city: z.ZodString }>;
export type User = z.infer<typeof user>;
"#;
    compare(
        &output(&[("src/a.types.ts", source)], &[("src/a.types.ts", declarations)]),
        r"
        type User = {
          name: string /* @minLength 1 @maxLength 9 @pattern ^[a-z]+$ */;
          mail: string /* @minLength 7 @format email */;
          city: string /* @minLength 2 */;
        }
        ",
    );
}

#[test]
fn parts_of_schemas_that_kit_does_not_read_are_warnings() {
    let source = r#"
import { z } from "zod";
const check = (value: string) => value !== "";
export const code = z.string().refine(check).trim().regex(/a/i);
export type Code = z.infer<typeof code>;
"#;
    let declarations = r#"
import { z } from "zod";
export declare const code: z.ZodString;
export type Code = z.infer<typeof code>;
"#;
    compare(
        &output(&[("src/a.types.ts", source)], &[("src/a.types.ts", declarations)]),
        r"
        type Code = string
        src/a.types.ts:4:32 warning KIT1323 kit does not check this part of the schema: `.refine(…)`
          help: kit checks the types and the rules that doc tags can state; check the rest in the handler
        src/a.types.ts:4:46 warning KIT1323 kit does not check this part of the schema: `.trim()`: kit checks the text before this change
          help: kit checks the types and the rules that doc tags can state; check the rest in the handler
        src/a.types.ts:4:53 warning KIT1323 kit does not check this part of the schema: `.regex(…)`
          help: kit checks the types and the rules that doc tags can state; check the rest in the handler
        ",
    );
}

/// Compiles schemas of zod, with the declarations that TypeScript emits. Both texts begin with the import of zod.
pub(crate) fn schemas(source: &str, declarations: &str) -> String {
    let import = "import { z } from \"zod\";\n";
    let (source, declarations) = (format!("{import}{source}"), format!("{import}{declarations}"));
    text(&output(
        &[("src/a.types.ts", &source)],
        &[("src/a.types.ts", &declarations)],
    ))
}

#[test]
fn comments_in_nested_objects_arrays_and_unions_apply() {
    let found = schemas(
        r"
export const user = z.object({
  login: z.object({ /** @sensitive */ password: z.string() }),
  cards: z.array(z.object({ /** @sensitive */ pin: z.string() })),
  either: z.union([z.object({ /** @sensitive */ code: z.string() }), z.string().min(4)]),
});
export type User = z.infer<typeof user>;
",
        r"
type Texts<K extends string> = z.ZodObject<{ [P in K]: z.ZodString }>;
export declare const user: z.ZodObject<{ login: Texts<'password'>; cards: z.ZodType<{ pin: string }[]>; either: z.ZodType<{ code: string } | string> }>;
",
    );
    assert!(found.contains("/* @sensitive */ password: string"), "{found}");
    assert!(found.contains("/* @sensitive */ pin: string"), "{found}");
    assert!(found.contains("/* @sensitive */ code: string"), "{found}");
    assert!(found.contains("string /* @minLength 4 */"), "{found}");
    assert!(!found.contains("KIT1323"), "{found}");
}

#[test]
fn rules_of_equal_members_and_before_a_transformation_are_warnings_and_do_not_apply() {
    let found = schemas(
        r#"
export const either = z.string().min(3).or(z.number().max(9));
export type Either = z.infer<typeof either>;
export const part = z.object({ name: z.string().min(2) }).or(z.object({ name: z.string() }));
export type Part = z.infer<typeof part>;
export const size = z.string().min(4).transform((value) => value.slice(1)).default("a");
export type Size = z.infer<typeof size>;
/** @table */ export interface All { /** @id */ id: string; either: Either; size: Size }
"#,
        r"
export declare const either: z.ZodType<string | number>;
export declare const part: z.ZodType<{ name: string } | { name: string }>;
export declare const size: z.ZodString;
",
    );
    for rule in ["`min(2)`", "`min(4)`", "`.transform(…)`", "`.default(…)`"] {
        assert!(found.contains(rule), "{rule}: {found}");
    }
    assert!(
        found.contains("type Either = string /* @minLength 3 */ | number /* @maximum 9 */"),
        "{found}"
    );
    assert!(
        !found.contains("@minLength 2") && !found.contains("@minLength 4"),
        "{found}"
    );
}

#[test]
fn rules_that_are_no_valid_doc_tags_are_warnings() {
    let found = schemas(
        r#"
export const user = z.object({
  mail: z.string().regex(/[\w-.]+@/),
  line: z.string().regex(/\_/),
  letters: z.string().regex(/[\p{L}--a]/v),
  unicode: z.string().regex(/\p{L}/),
  slow: z.string().regex(/^(a+)+$/),
  empty: z.string().default(""),
  short: z.string().min(3).default("x"),
  negative: z.string().min(-1),
  number: z.string().min(5).max(3),
  date: z.date().default("now"),
});
export type User = z.infer<typeof user>;
/** @table */
export interface Row { /** @id */ id: string; user: User }
"#,
        r"
type Names = 'mail' | 'line' | 'letters' | 'unicode' | 'slow' | 'empty' | 'short' | 'negative' | 'number';
export declare const user: z.ZodObject<{ [P in Names]: z.ZodString } & { date: z.ZodType<Date> }>;
",
    );
    assert!(!found.contains(" error "), "{found}");
    for line in 5..=11 {
        // The empty text on line 9 is a valid default.
        let is_warned = found.contains(&format!("src/a.types.ts:{line}:"));
        assert_eq!(is_warned, line != 9, "{line}: {found}");
    }
    assert!(!found.contains("@pattern"), "{found}");
}

#[test]
fn options_of_formats_are_warnings() {
    let found = schemas(
        r#"
export const user = z.object({
  plain: z.email({ error: "no" }),
  pattern: z.email({ pattern: /a/ }),
  site: z.url({ protocol: /^https$/ }),
  id: z.uuidv7(),
  version: z.uuid({ version: "v4" }),
  at: z.iso.datetime(),
  offset: z.iso.datetime({ offset: true }),
  local: z.iso.datetime({ local: true }),
  exact: z.string().datetime({ offset: true, precision: 3 }),
});
export type User = z.infer<typeof user>;
"#,
        r"
type Names = 'plain' | 'pattern' | 'site' | 'id' | 'version' | 'at' | 'offset' | 'local' | 'exact';
export declare const user: z.ZodObject<{ [P in Names]: z.ZodString }>;
",
    );
    for property in [
        "plain: string /* @format email */;",
        "pattern: string;",
        "site: string /* @format uri */;",
        "id: string /* @format uuid */;",
        "offset: string /* @format date-time */;",
        "local: string;",
    ] {
        assert!(found.contains(property), "{property}: {found}");
    }
    for line in [5, 6, 7, 8, 9, 11, 12] {
        assert!(
            found.contains(&format!("src/a.types.ts:{line}:")),
            "{line}: {found}"
        );
    }
    for line in [4, 10] {
        assert!(
            !found.contains(&format!("src/a.types.ts:{line}:")),
            "{line}: {found}"
        );
    }
}

#[test]
fn schemas_that_kit_does_not_follow_are_warnings_and_parts_of_written_schemas_are_read() {
    let found = schemas(
        r#"
export const name = z.string().min(2).optional();
export type Top = z.infer<typeof name>;
export const schemas = { user: z.object({ name: z.string().min(3) }) };
export type Member = z.infer<typeof schemas.user>;
export const user = z.object({ name: z.string().min(4) });
export type Shape = z.infer<typeof user.shape.name>;
export const written: z.ZodType<string> = z.string().min(5);
export type Written = z.infer<typeof written>;
export type Element = z.infer<(typeof schemas)["user"]>;
type Schema = typeof user;
export type Alias = z.infer<Schema>;
export let changing: z.ZodString = z.string().min(6);
export const holder = z.object({ changing, written });
export type Holder = z.infer<typeof holder>;
export type Output = (typeof user)["_output"];
export type Deep = (typeof schemas.user)["_output"];
/** @table */ export interface All { /** @id */ id: string; top?: Top }
"#,
        r"
export declare const name: z.ZodType<string | undefined>;
export declare const schemas: { user: z.ZodObject<{ name: z.ZodString }> };
export declare const user: z.ZodObject<{ name: z.ZodString }> & { shape: { name: z.ZodString } };
export declare const written: z.ZodType<string>;
export declare let changing: z.ZodString;
export declare const holder: z.ZodObject<{ changing: z.ZodString; written: z.ZodType<string> }>;
",
    );
    for rule in ["@minLength 2", "@minLength 3", "@minLength 4"] {
        assert!(found.contains(rule), "{rule}: {found}");
    }
    assert!(
        !found.contains("@minLength 5") && !found.contains("@minLength 6"),
        "{found}"
    );
    assert_eq!(found.matches("@minLength 3").count(), 3, "{found}");
    assert_eq!(found.matches("@minLength 4").count(), 3, "{found}");
    for line in [9, 15] {
        assert!(
            found.contains(&format!("src/a.types.ts:{line}:")),
            "{line}: {found}"
        );
    }
    assert!(!found.contains(" error "), "{found}");
}

#[test]
fn an_unmatched_rest_of_a_tuple_pattern_is_a_list_of_unknown_values() {
    let source = r"
type Frozen<T> = T extends [infer Head, ...infer Tail] ? readonly [Head, ...Tail] : T extends (infer V)[] ? readonly V[] : Readonly<T>;
export type User = Frozen<{ name: string }>;
export type Names = Frozen<string[]>;
export type Pair = Frozen<[string, number]>;
";
    compare(
        &output(&[("src/a.types.ts", source)], &[]),
        r"
        type User = {
          name: string;
        }
        type Names = string[]
        type Pair = [string, number]
        ",
    );
}
