//! Rules of schemas behind unions, names and packages, and locations of mistakes in inferred types.

use crate::inferred::{compare, output, schemas};
use crate::support::text;

#[test]
fn rules_of_members_of_unions_belong_to_the_only_member_that_fits() {
    let found = schemas(
        r#"
export const event = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("text"), text: z.string().min(1) }),
  z.object({ kind: z.enum(["image", "video"]), width: z.number().max(9) }),
]);
export type Event = z.infer<typeof event>;
export const list = z.object({ tags: z.union([z.string().max(4), z.array(z.string().min(2)).max(3)]).nullable() });
export type List = z.infer<typeof list>;
export const unclear = z.union([z.string().min(5), z.string().max(6), z.number()]);
export type Unclear = z.infer<typeof unclear>;
export const unknown = z.union([z.string().min(7), z.custom<string>()]);
export type Unknown = z.infer<typeof unknown>;
export const both = z.object({ a: z.string().min(8) }).and(z.object({ b: z.string().max(9) }));
export type Both = z.infer<typeof both>;
/** @table */ export interface All { /** @id */ id: string; event: Event; unclear: Unclear; unknown: Unknown }
"#,
        r"
export declare const event: z.ZodType<{ kind: 'text'; text: string } | { kind: 'image' | 'video'; width: number }>;
export declare const list: z.ZodType<{ tags: string | string[] | null }>;
export declare const unclear: z.ZodType<string | number>;
export declare const unknown: z.ZodType<string>;
export declare const both: z.ZodType<{ a: string } & { b: string }>;
",
    );
    for rule in [
        "text: string /* @minLength 1 */",
        "width: number /* @maximum 9 */",
        "string /* @maxLength 4 */",
        "@maxItems 3",
        "string /* @minLength 2 */",
        "a: string /* @minLength 8 */",
        "b: string /* @maxLength 9 */",
    ] {
        assert!(found.contains(rule), "{rule}: {found}");
    }
    for rule in ["`min(5)`", "`max(6)`", "`min(7)`"] {
        assert!(found.contains(rule), "{rule}: {found}");
    }
    for rule in ["@minLength 5", "@maxLength 6", "@minLength 7"] {
        assert!(!found.contains(rule), "{rule}: {found}");
    }
}

#[test]
fn destructured_schemas_and_aliases_of_their_types_have_the_rules() {
    let found = schemas(
        r#"
const schemas = { user: z.object({ name: z.string().min(3) }), deep: { city: z.string().min(4) } };
export const { user, deep: { city } } = schemas;
export type User = z.infer<typeof user>;
type Schema = typeof city;
export type City = z.infer<Schema>;
export type Both = { a: (typeof schemas)["user"]["_output"] };
export type Generic<T extends z.ZodType> = z.infer<T>;
export type Used = Generic<typeof user>;
/** @table */ export interface All { /** @id */ id: string; city: City }
"#,
        r"
declare const schemas: { user: z.ZodObject<{ name: z.ZodString }>; deep: { city: z.ZodString } };
export declare const user: z.ZodObject<{ name: z.ZodString }>, city: z.ZodString;
",
    );
    assert_eq!(found.matches("@minLength 3").count(), 2, "{found}");
    assert!(found.contains("city: string /* @minLength 4 */"), "{found}");
    assert!(found.contains("the rules of `T`"), "{found}");
    assert!(!found.contains(" error "), "{found}");
}

#[test]
fn properties_that_give_the_type_of_a_schema_of_a_package_are_warnings() {
    let package = [
        (
            "node_modules/arktype/index.d.ts",
            "export interface Type<T> { infer: T }\nexport declare function type<T>(definition: T): Type<T>;\n",
        ),
        (
            "node_modules/arktype/package.json",
            r#"{ "name": "arktype", "version": "2.0.0", "types": "./index.d.ts" }"#,
        ),
        (
            "node_modules/schemas/index.d.ts",
            r#"
import type { Type } from "arktype";
export declare const user: Type<{ name: string }>;
"#,
        ),
        (
            "node_modules/schemas/package.json",
            r#"{ "name": "schemas", "version": "1.0.0", "types": "./index.d.ts" }"#,
        ),
        (
            "src/a.types.ts",
            r#"
import type { Type } from "arktype";
import { user } from "schemas";
export type User = typeof user.infer;
declare let changing: Type<{ name: string }>;
export type Changing = (typeof changing)["infer"];
declare const other: { infer: { name: string } };
export type Other = typeof other.infer;
"#,
        ),
    ];
    let found = text(&output(&package, &[]));
    assert_eq!(found.matches("KIT1323").count(), 2, "{found}");
    for line in [4, 6] {
        assert!(
            found.contains(&format!("src/a.types.ts:{line}:")),
            "{line}: {found}"
        );
    }
}

#[test]
fn mistakes_in_declaration_files_are_at_the_type_of_the_project() {
    let source = r#"
import { z } from "zod";
export const user = z.object({});
/** @table */
export interface Row {
  /** @id */ id: string;
  user: z.infer<typeof user>;
}
"#;
    let declarations = r#"
import { z } from "zod";
export declare const user: z.ZodObject<{ seen: z.ZodType<Set<string>>; list: z.ZodType<{ call: () => void }> }>;
"#;
    compare(
        &output(&[("src/a.types.ts", source)], &[("src/a.types.ts", declarations)]),
        r"
        type Row = {
          /* @id */ id: string;
          user: InferOfZodObjectOfObject;
        }
        type InferOfZodObjectOfObject = {
          seen: unknown;
          list: { call: unknown };
        }
        entity Row = table rows
        src/a.types.ts:7:9 KIT1306 `Set` has no JSON form
          help: write an array with `@uniqueItems`: `T[]`
        src/a.types.ts:7:9 KIT1306 a function has no JSON form
          help: describe the value as it is on the wire, or write `@dataOnly` above its interface or class: kit then leaves out members that are functions
        ",
    );
}

#[test]
fn any_that_typescript_infers_in_a_type_argument_is_a_warning() {
    let source = r#"
import { z } from "zod";
import { extra } from "./missing.ts";
export const user = z.object({ name: extra });
export interface Row { user: typeof user extends z.ZodType<infer T> ? string : number }
"#;
    let declarations = r#"
import { z } from "zod";
export declare const user: z.ZodObject<{ name: any }>;
"#;
    let found = text(&output(
        &[("src/a.types.ts", source)],
        &[("src/a.types.ts", declarations)],
    ));
    assert!(
        found.contains("KIT1324 TypeScript infers `any` in the type of `user`"),
        "{found}"
    );
}

#[test]
fn unannotated_properties_of_classes_have_the_types_that_typescript_infers() {
    let source = r#"
const names = ["a"];
export class User {
  roles = names.map((name) => ({ name }));
  readonly size = names.length;
  plain = "x";
}
/** @table */ export interface All { /** @id */ id: string; user: User }
"#;
    let declarations = "export declare class User { roles: { name: string }[]; readonly size: number; plain: string }\nexport {};\n";
    let found = text(&output(
        &[("src/a.types.ts", source)],
        &[("src/a.types.ts", declarations)],
    ));
    assert!(found.contains("roles: { name: string }[]"), "{found}");
    assert!(found.contains("size: number"), "{found}");
    assert!(!found.contains(" error "), "{found}");
}

#[test]
fn properties_of_type_parameters_of_functions_are_compared_as_typescript_does() {
    let source = r#"
interface Base<O, I> {
  readonly reference: (...args: any[]) => Base<unknown, Issue>;
  readonly types?: { output: O; issue: I } | undefined;
}
interface Issue { kind: string }
type OutputOf<T extends Base<unknown, Issue>> = NonNullable<T["types"]>["output"];
type IssueOf<T extends Base<unknown, Issue>> = NonNullable<T["types"]>["issue"];
interface List<T extends Base<unknown, Issue>[]> extends Base<OutputOf<T[number]>[], IssueOf<T[number]>> {
  readonly reference: typeof list;
}
declare function list<T extends Base<unknown, Issue>[]>(items: T): List<T>;
interface Optional<T extends Base<unknown, Issue>> extends Base<OutputOf<T> | undefined, IssueOf<T>> {
  readonly reference: typeof optional;
}
declare function optional<T extends Base<unknown, Issue>>(item: T): Optional<T>;
type IsOptional<T> = T extends Optional<Base<unknown, Issue>> ? { optional: "yes" } : { optional: "no" };
type Text = Base<string, Issue>;
export type Yes = IsOptional<Optional<List<[Text]>>>;
export type No = IsOptional<Text>;
declare function pick<T extends { a: string }>(value: T): T["a"] extends string ? { x: 1 } : { y: 2 };
export type Picked = ReturnType<typeof pick>;
"#;
    let found = text(&output(&[("src/a.types.ts", source)], &[]));
    assert!(found.contains("type Yes = {\n  optional: \"yes\";\n}"), "{found}");
    assert!(found.contains("type No = {\n  optional: \"no\";\n}"), "{found}");
    assert!(!found.contains("y: 2"), "{found}");
}
