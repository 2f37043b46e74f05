//! Tests of the types that kit evaluates from TypeScript.

use crate::support::{check, check_types};

#[test]
fn an_interface_keeps_the_order_of_its_properties() {
    check_types(
        r#"
        export interface A {
          text: string;
          readonly count?: number;
          "odd key": boolean;
          1: bigint;
          when: Date;
          data: Uint8Array;
          nothing: null;
          anything: unknown;
        }
        "#,
        r#"
        type A = {
          text: string;
          count?: number;
          "odd key": boolean;
          "1": bigint;
          when: Date;
          data: Uint8Array;
          nothing: null;
          anything: unknown;
        }
        "#,
    );
}

#[test]
fn an_interface_has_the_members_of_its_bases_and_of_all_its_declarations() {
    check_types(
        "
        export interface Base { id: string; kind: string }
        export interface Mixed<T> { value: T }
        export interface A extends Base, Mixed<number> { kind: \"a\"; own: boolean }
        export interface A { more: string }
        ",
        "
        type Base = {
          id: string;
          kind: string;
        }
        type A = {
          id: string;
          kind: \"a\";
          value: number;
          own: boolean;
          more: string;
        }
        ",
    );
}

#[test]
fn a_union_is_flattened_and_has_no_duplicates() {
    check_types(
        r#"
        export type Status = "active" | "suspended";
        export type All = Status | "deleted" | "active";
        export interface A { a: Status; b: Status | null; c: true | false; d: string | "x"; e: -1 | 2n; f: undefined | number; g: never | string }
        "#,
        r#"
        type Status = "active" | "suspended"
        type All = "active" | "suspended" | "deleted"
        type A = {
          a: Status;
          b: "active" | "suspended" | null;
          c: boolean;
          d: string;
          e: -1 | 2n;
          f?: number;
          g: string;
        }
        "#,
    );
}

#[test]
fn aliases_of_primitives_are_inlined_and_aliases_of_objects_and_arrays_are_kept() {
    check_types(
        r"
        /** @maxLength 40 */
        type Slug = string;
        export type Slugs = Slug[];
        export interface A {
          plain: Slug;
          /** @minLength 2 */ narrower: Slug;
          maybe: Slug | null;
          /** @maxItems 3 */ few: Slugs;
          many: Slugs;
        }
        ",
        r"
        type Slugs = string /* @maxLength 40 */[]
        type A = {
          plain: string /* @maxLength 40 */;
          narrower: string /* @minLength 2 @maxLength 40 */;
          maybe: string /* @maxLength 40 */ | null;
          few: string /* @maxLength 40 */[] /* @maxItems 3 */;
          many: Slugs;
        }
        ",
    );
}

#[test]
fn evaluates_array_and_tuple_types() {
    check_types(
        "
        interface Item { id: string }
        export interface A {
          a: Item[]; b: Array<string | null>; c: ReadonlyArray<number>; d: readonly Item[][];
          e: [string, count?: number, ...rest: boolean[]];
          f: [name: string, count?: number, ...rest: (boolean | null)[]];
        }
        ",
        "
        type Item = {
          id: string;
        }
        type A = {
          a: Item[];
          b: (string | null)[];
          c: number[];
          d: Item[][];
          e: [string, number?, ...boolean[]];
          f: [name: string, count?: number, ...rest: (boolean | null)[]];
        }
        ",
    );
}

#[test]
fn a_generic_type_with_arguments_becomes_an_instance() {
    check_types(
        r"
        interface Note { id: string }
        export interface Page<T, K = string> { data: T[]; key: K }
        type Notes = Page<Note>;
        export interface A { one: Page<Note>; two: Page<Note, string>; three: Page<Note[], 1>; four: Notes; five: Page<Page<Note>> }
        ",
        r"
        type Note = {
          id: string;
        }
        type Notes = {
          data: Note[];
          key: string;
        }
        type A = {
          one: PageOfNoteAndString;
          two: PageOfNoteAndString;
          three: PageOfNoteArrayAndValue1;
          four: Notes;
          five: PageOfPageOfNoteAndStringAndString;
        }
        type PageOfNoteAndString = {
          data: Note[];
          key: string;
        }
        type PageOfNoteArrayAndValue1 = {
          data: Note[][];
          key: 1;
        }
        type PageOfPageOfNoteAndStringAndString = {
          data: PageOfNoteAndString[];
          key: string;
        }
        ",
    );
}

#[test]
fn utility_types_keep_the_doc_tags_of_properties() {
    check_types(
        r#"
        export interface Note {
          /** @id @generated uuid */ id: string;
          /** @maxLength 5 */ title: string;
          body?: string | undefined;
        }
        export type P = Pick<Note, "id" | "title">;
        export type O = Omit<Note, "id">;
        export type Pa = Partial<Note>;
        export type R = Required<Pa>;
        export type Ro = Readonly<Note>;
        export type Rec = Record<"a" | "b", number>;
        export type Map1 = Record<string, Note[]>;
        export type Ex = Exclude<"a" | "b" | null, "a">;
        export type Et = Extract<"a" | 1, string>;
        export type Nn = NonNullable<string | null | undefined>;
        export type K = keyof Note;
        export type Title = Note["title"];
        "#,
        r#"
        type Note = {
          /* @id @generated uuid */ id: string /* @format uuid */;
          title: string /* @maxLength 5 */;
          body?: string;
        }
        type P = {
          /* @id @generated uuid */ id: string /* @format uuid */;
          title: string /* @maxLength 5 */;
        }
        type O = {
          title: string /* @maxLength 5 */;
          body?: string;
        }
        type Pa = {
          /* @id @generated uuid */ id?: string /* @format uuid */;
          title?: string /* @maxLength 5 */;
          body?: string;
        }
        type R = {
          /* @id @generated uuid */ id: string /* @format uuid */;
          title: string /* @maxLength 5 */;
          body: string;
        }
        type Ro = {
          /* @id @generated uuid */ id: string /* @format uuid */;
          title: string /* @maxLength 5 */;
          body?: string;
        }
        type Rec = {
          a: number;
          b: number;
        }
        type Map1 = {
          [key: string]: Note[];
        }
        type Ex = "b" | null
        type Et = "a"
        type Nn = string
        type K = "id" | "title" | "body"
        type Title = string /* @maxLength 5 */
        "#,
    );
}

#[test]
fn an_intersection_of_objects_becomes_one_object() {
    check_types(
        r#"
        type Named = { name: string; kind: string };
        export type A = Named & { kind: "a"; age?: number };
        export type B = Named & ({ x: 1 } | { y: 2 });
        "#,
        r#"
        type A = {
          name: string;
          kind: "a";
          age?: number;
        }
        type B = { name: string; kind: string; x: 1 } | { name: string; kind: string; y: 2 }
        "#,
    );
}

#[test]
fn evaluates_template_literal_types() {
    check_types(
        r"
        export type Id = `user-${number}`;
        export type Fixed = `a${1}b`;
        ",
        r#"
        type Id = `user-${number}`
        type Fixed = "a1b"
        "#,
    );
}

#[test]
fn a_recursive_type_refers_to_itself_by_name() {
    check_types(
        "
        export interface Tree { children: Tree[]; parent: Tree | null; maybe?: Tree }
        export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
        export type Node = { left: Link; value: string };
        export type Link = Node | null;
        ",
        "
        type Tree = {
          children: Tree[];
          parent: Tree | null;
          maybe?: Tree;
        }
        type Json = string | number | boolean | null | Json[] | { [key: string]: Json }
        type Node = {
          left: Link;
          value: string;
        }
        type Link = Node | null
        ",
    );
}

#[test]
fn resolves_types_that_are_imported_from_other_files() {
    check(
        &[
            (
                "src/a.types.ts",
                "import type { Note as N } from \"./b.ts\";
                import D, * as all from \"./c.js\";
                import { Star } from \"./b\";
                import type { Packaged } from \"pkg\";
                export interface A { n: N; d: D; s: Star; q: all.Other; p: Packaged }",
            ),
            (
                "src/b.ts",
                "export interface Note { id: string }\nexport * from \"./c.ts\";",
            ),
            (
                "src/c.ts",
                "export default interface Def { x: 1 }
                export type Other = { o: 1 };
                type Hidden = { h: 1 };
                export type { Hidden as Star };",
            ),
            (
                "node_modules/pkg/package.json",
                r#"{ "name": "pkg", "exports": { ".": { "types": "./t/index.d.ts" } } }"#,
            ),
            (
                "node_modules/pkg/t/index.d.ts",
                "export interface Packaged { p: string }",
            ),
        ],
        "
        type Packaged = {
          p: string;
        }
        type A = {
          n: Note;
          d: Def;
          s: Hidden;
          q: Other;
          p: Packaged;
        }
        type Note = {
          id: string;
        }
        type Def = {
          x: 1;
        }
        type Other = {
          o: 1;
        }
        type Hidden = {
          h: 1;
        }
        ",
    );
}

#[test]
fn types_of_different_files_with_the_same_name_get_different_names() {
    check(
        &[
            ("src/a.types.ts", "export interface Item { a: 1 }"),
            (
                "src/b.types.ts",
                "export interface Item { b: 1 }\nexport interface item { c: 1 }",
            ),
        ],
        "
        type Item = {
          a: 1;
        }
        type Item2 = {
          b: 1;
        }
        type Item3 = {
          c: 1;
        }
        ",
    );
}

#[test]
fn skips_a_type_without_a_json_form_if_nothing_uses_it() {
    check_types(
        "
        export type Handler = (x: string) => void;
        export interface Context { fail(code: string): never }
        export interface Holder { context: Context }
        export type Fine = Omit<{ a: string; run: () => void }, \"run\">;
        ",
        "
        type Fine = {
          a: string;
        }
        ",
    );
}

#[test]
fn a_numeric_key_has_the_name_that_javascript_prints() {
    check_types(
        r"
        export interface A { 0x10: 1; 1e3: 2; 1e21: 3; 1e-7: 4; 0.5: 5; 1.5e300: 6; 0.000001: 7 }
        export type B = Record<1e21 | 2, string>;
        export type C = A[1e21];
        export type D = `${1e21}px`;
        ",
        r#"
        type A = {
          "16": 1;
          "1000": 2;
          "1e+21": 3;
          "1e-7": 4;
          "0.5": 5;
          "1.5e+300": 6;
          "0.000001": 7;
        }
        type B = {
          "1e+21": string;
          "2": string;
        }
        type C = 3
        type D = "1e+21px"
        "#,
    );
}

#[test]
fn exclude_and_extract_treat_boolean_as_true_or_false() {
    check_types(
        r#"
        export type A = Exclude<boolean | null, false>;
        export type B = Extract<boolean | string, true>;
        export type C = Exclude<boolean | "x", "x">;
        "#,
        r"
        type A = true | null
        type B = true
        type C = boolean
        ",
    );
}

#[test]
fn an_intersection_of_scalars_without_a_common_value_is_never() {
    check_types(
        r#"
        export interface Base { kind: "a" | "b"; note: string | null }
        export type A = Base & { kind: "a"; note: string };
        export type B = string & number;
        "#,
        r#"
        type Base = {
          kind: "a" | "b";
          note: string | null;
        }
        type A = {
          kind: "a";
          note: string;
        }
        type B = never
        "#,
    );
}

#[test]
fn a_type_name_in_any_script_becomes_an_ascii_name() {
    check_types(
        "
        export interface Über { a: 1 }
        export interface 名前 { b: 1 }
        export interface Uber { c: 1 }
        ",
        "
        type Uber = {
          a: 1;
        }
        type MingQian = {
          b: 1;
        }
        type Uber2 = {
          c: 1;
        }
        ",
    );
}
