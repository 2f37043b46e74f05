//! Tests of name resolution through namespaces, enums, imports and exports, and of the errors for unknown
//! names.

use crate::support::{check, check_mistakes, check_types};

#[test]
fn an_enum_is_a_union_of_the_values_of_its_members() {
    check_types(
        r#"
        export enum Level { Low, Middle = 5, High, Top = 1 << 4, Mask = ~Middle & 0xff, Text = "text" }
        export const enum Color { Red = "red", Dark = `${Red}-dark` }
        export declare enum Flag { A = 1, B = A | 4, C = Level.High, D = Level["Top"] }
        enum Mixed { X = Color.Red, Y = "y" + 1 }
        export interface Paint {
          level: Level;
          one: Level.High;
          color: Color;
          flag: Flag;
          dark: Color.Dark;
          mixed: Mixed;
        }
        "#,
        r#"
        type Level = 0 | 5 | 6 | 16 | 250 | "text"
        type Color = "red" | "red-dark"
        type Flag = 1 | 5 | 6 | 16
        type Mixed = "red" | "y1"
        type Paint = {
          level: Level;
          one: 6;
          color: Color;
          flag: Flag;
          dark: "red-dark";
          mixed: Mixed;
        }
        "#,
    );
}

#[test]
fn an_enum_can_have_several_declarations_and_use_constants_of_other_files() {
    check(
        &[
            (
                "src/a.types.ts",
                r#"
                import { base, Other } from "./base.ts";
                import * as all from "./base.ts";
                export enum E { A = base, B = Other.Two, C = all.Other.One + 10 }
                export enum E { D = 100, E }
                export interface X { e: E; d: E.E }
                "#,
            ),
            (
                "src/base.ts",
                "export const base = 2 ** 3;\nexport enum Other { One = 1, Two }",
            ),
        ],
        "
        type E = 8 | 2 | 11 | 100 | 101
        type X = {
          e: E;
          d: 101;
        }
        ",
    );
}

#[test]
fn an_enum_member_whose_value_is_computed_is_a_number() {
    check_types(
        r#"
        export enum E { A = "text".length, B = 1 }
        declare enum D { A, B }
        export interface X { e: E; a: E.A; b: E.B; d: D }
        "#,
        "
        type E = number
        type X = {
          e: number;
          a: number;
          b: 1;
          d: number;
        }
        ",
    );
}

#[test]
fn namespaces_can_be_nested_be_merged_and_hide_outer_names() {
    check_types(
        "
        type Id = number;
        export namespace Api {
          type Id = string;
          export interface Note { id: Id; author: User; state: State.Kind }
          export interface User { id: Id }
          export namespace State { export type Kind = 'on' | 'off' }
        }
        export namespace Api {
          export interface User { name: string; outer: Id }
          export namespace State { export type More = Kind | 'unknown' }
        }
        export namespace Deep.Er.Est { export interface Thing { x: Id } }
        export interface All { note: Api.Note; more: Api.State.More; thing: Deep.Er.Est.Thing }
        ",
        r#"
        type ApiNote = {
          id: string;
          author: ApiUser;
          state: ApiStateKind;
        }
        type ApiUser = {
          id: string;
          name: string;
          outer: number;
        }
        type ApiStateKind = "on" | "off"
        type ApiStateMore = "on" | "off" | "unknown"
        type DeepErEstThing = {
          x: number;
        }
        type All = {
          note: ApiNote;
          more: ApiStateMore;
          thing: DeepErEstThing;
        }
        "#,
    );
}

#[test]
fn a_namespace_is_merged_with_a_type_or_an_enum_of_the_same_name() {
    check_types(
        "
        export interface Note { id: string; kind: Note.Kind }
        export namespace Note { export type Kind = 'a' | 'b' }
        export enum Size { S, M }
        export namespace Size { export type Text = 's' | 'm' }
        export interface X { note: Note; size: Size.M; text: Size.Text }
        ",
        r#"
        type Note = {
          id: string;
          kind: NoteKind;
        }
        type NoteKind = "a" | "b"
        type Size = 0 | 1
        type SizeText = "s" | "m"
        type X = {
          note: Note;
          size: 1;
          text: SizeText;
        }
        "#,
    );
}

#[test]
fn resolves_imports_through_every_form_of_export() {
    check(
        &[
            (
                "src/a.types.ts",
                r#"
                import Default, { type Named, Renamed as Mine } from "./b.ts";
                import type * as all from "./b.ts";
                import { default as Again } from "./b.ts";
                import { Starred, inner, Chosen } from "./c.ts";
                import Alias = all.Space.Deep;
                import required = require("./b.ts");
                export interface X {
                  a: Default;
                  b: Named;
                  c: Mine;
                  d: all.Space.Deep;
                  e: Again;
                  f: Starred;
                  g: inner.Named;
                  h: Alias;
                  i: required.Named;
                  j: import("./b.ts").Space.Deep;
                  k: import("./b.ts").Box<boolean>;
                  l: import("./b.ts").default;
                  m: Chosen;
                }
                "#,
            ),
            (
                "src/b.ts",
                r"
                export default interface Default { x: 1 }
                export type Named = 'named';
                type Local = 'renamed';
                export { Local as Renamed, type Local as 'odd name' };
                export namespace Space { export type Deep = 'deep' }
                export interface Box<T> { value: T }
                export type Starred = 'starred';
                ",
            ),
            (
                "src/c.ts",
                r#"
                export type * from "./b.ts";
                export * as inner from "./b.ts";
                export { type default as Chosen } from "./b.ts";
                "#,
            ),
        ],
        r#"
        type X = {
          a: Default;
          b: "named";
          c: "renamed";
          d: "deep";
          e: Default;
          f: "starred";
          g: "named";
          h: "deep";
          i: "named";
          j: "deep";
          k: BoxOfBoolean;
          l: Default;
          m: Default;
        }
        type Default = {
          x: 1;
        }
        type BoxOfBoolean = {
          value: boolean;
        }
        "#,
    );
}

#[test]
fn resolves_default_exports_of_variables_types_enums_and_names_with_dots() {
    check(
        &[
            (
                "src/a.types.ts",
                r#"
                import Alias from "./alias.ts";
                import E from "./enum.ts";
                import Path from "./path.ts";
                import Data from "./both.ts";
                export interface X { alias: Alias; e: E; one: E.One; path: Path; data: Data }
                "#,
            ),
            ("src/alias.ts", "type A = 'alias';\nexport default A;"),
            ("src/enum.ts", "enum E { One = 1, Two }\nexport default E;"),
            (
                "src/path.ts",
                "import * as all from './alias.ts';\nnamespace N { export type T = 'path' }\nexport default N.T;",
            ),
            (
                "src/both.ts",
                "export const Data = 1;\nexport interface Data { d: 1 }\nexport default Data;",
            ),
        ],
        r#"
        type X = {
          alias: "alias";
          e: E;
          one: 1;
          path: "path";
          data: Data;
        }
        type Data = {
          d: 1;
        }
        type E = 1 | 2
        "#,
    );
}

#[test]
fn types_with_the_same_name_in_different_files_are_different() {
    check(
        &[
            (
                "src/a.types.ts",
                "import type { Note as Other } from './b.types.ts';\nexport interface Note { a: Other }\nexport namespace N { export interface Note { n: Note } }",
            ),
            (
                "src/b.types.ts",
                "export interface Note { b: string }\nexport type NNote = string[];",
            ),
        ],
        "
        type Note = {
          a: Note2;
        }
        type NNote = {
          n: NNote;
        }
        type Note2 = {
          b: string;
        }
        type NNote2 = string[]
        ",
    );
}

#[test]
fn explains_how_to_correct_a_name_with_dots() {
    check_mistakes(
        &[
            (
                "src/a.types.ts",
                "import { value } from './b.ts';\nimport * as b from './b.ts';\nimport { N, Twice, Gone } from './c.ts';\n\
                 export enum Color { Red, Green }\ninterface Own { x: 1 }\n\
                 /** @table */\nexport interface A {\n  id: string;\n  a: value;\n  b: b.Noet;\n  c: N.Hidden;\n  d: Color.Gren;\n  e: Own.x;\n  f: Nowhere.X;\n  g: b;\n  h: Twice;\n  i: import('./b.ts').Noet;\n  j: Gone;\n  k: N.Inner.Deep.Er;\n}\n",
            ),
            (
                "src/b.ts",
                "export const value = 1;\nexport interface Note { id: string }",
            ),
            (
                "src/c.ts",
                "export namespace N { interface Hidden { x: 1 } export namespace Inner {} }\nexport * from './d.ts';\nexport * from './e.ts';",
            ),
            ("src/d.ts", "export type Twice = 1;"),
            ("src/e.ts", "export type Twice = 2;"),
        ],
        r#"
        src/a.types.ts:1:10 KIT1203 `value` of src/b.ts is a value, not a type
          help: write `typeof value` for the type of the value
        src/a.types.ts:2:8 KIT1203 the module `./b.ts` is not a type
          help: name one of its exports
        src/a.types.ts:3:20 KIT1202 `./c.ts` does not export `Gone`
        src/a.types.ts:10:8 KIT1202 src/b.ts does not export `Noet`
          help: did you mean `Note`?
        src/a.types.ts:11:8 KIT1202 the namespace `N` does not export `Hidden`
          help: write `export` before `Hidden` in src/c.ts
        src/a.types.ts:12:12 KIT1202 the enum `Color` has no member `Gren`
          help: did you mean `Green`?
        src/a.types.ts:13:6 KIT1203 `Own` is a type, not a namespace
          help: write `Own["…"]` for the type of a property
        src/a.types.ts:14:6 KIT1203 the namespace `Nowhere` is not declared
          help: import it: `import type * as Nowhere from "…"`
        src/a.types.ts:17:23 KIT1202 src/b.ts does not export `Noet`
          help: did you mean `Note`?
        src/a.types.ts:19:14 KIT1202 the namespace `Inner` does not export `Deep`
        src/c.ts:3:15 KIT1202 both `./d.ts` and `./e.ts` export `Twice`, so this file exports neither
          help: choose one of the two: `export { Twice } from "./d.ts"`
        "#,
    );
}

#[test]
fn merges_declarations_with_the_same_name() {
    check(
        &[
            (
                "src/a.types.ts",
                r#"
                import { Box, Shape } from "./b.ts";
                import type * as b from "./b.ts";
                /** @table */ export interface X {
                  box: Pick<Box<string>, "value" | "extra">;
                  part: Box.Part;
                  args: Parameters<typeof b.over>[0];
                  size: typeof b.over.size;
                  shape: Shape;
                  kind: Shape.Kind;
                }
                "#,
            ),
            (
                "src/b.ts",
                r#"
                export declare class Box<T> { value: T; static of: number; constructor(value: T) }
                export interface Box<T> { extra: T[] }
                export namespace Box { export type Part = "part" }
                export function over(a: string): void;
                export function over(a: number, b?: string): void;
                export function over(a: string | number): void {}
                export declare namespace over { const size: 7 }
                export const Shape = { round: 1 } as const;
                export type Shape = keyof typeof Shape;
                export namespace Shape { export type Kind = "kind" }
                export interface Over { a: 1 }
                export interface Over { b: 2 }
                "#,
            ),
        ],
        r#"
        type X = {
          box: { value: string; extra: string[] };
          part: "part";
          args: number;
          size: 7;
          shape: "round";
          kind: "kind";
        }
        entity X = table xes
        "#,
    );
}
