//! Tests of types that are declared without an export: global names, `declare module`, augmentations, and
//! packages of `@types`. They also test names that form cycles.

use std::fmt::Write as _;

use crate::support::{check, output, text};

#[test]
fn uses_modules_and_global_names_of_declaration_files() {
    check(
        &[
            ("tsconfig.json", r#"{"include":["src","types/**/*"]}"#),
            (
                "src/a.types.ts",
                "import type { V } from 'virtual';\nimport css from './a.css';\nimport type { Base, Deep, New } from './base.ts';\nexport interface X { deep: Deep; new: New; v: V; g: Glob; n: Space.Inner; more: Base; merged: Merged }",
            ),
            (
                "src/base.ts",
                "export interface Base { a: 1 }\nexport * from './deep.ts';",
            ),
            ("src/deep.ts", "export interface Deep { c: 1 }"),
            (
                "types/globals.d.ts",
                "interface Glob { g: 1 }\ndeclare namespace Space { type Inner = 'inner' }\ndeclare module 'virtual' { type V = 'v' }\ndeclare module '*.css' { const css: string; export default css }\ninterface Merged { one: 1 }",
            ),
            (
                "types/more.d.ts",
                "declare global { interface Merged { two: 2 } }\ndeclare module '../src/base.ts' { interface Base { b: 2 } interface Deep { d: 2 } interface New { n: Base } }\nexport {}",
            ),
            ("elsewhere/not.d.ts", "interface Glob { wrong: true }"),
        ],
        r#"
        type X = {
          deep: Deep;
          new: New;
          v: "v";
          g: Glob;
          n: "inner";
          more: Base;
          merged: Merged;
        }
        type Base = {
          a: 1;
          b: 2;
        }
        type Deep = {
          c: 1;
          d: 2;
        }
        type Glob = {
          g: 1;
        }
        type Merged = {
          one: 1;
          two: 2;
        }
        type New = {
          n: Base;
        }
        "#,
    );
}

#[test]
fn a_declaration_in_a_file_takes_precedence_over_a_declaration_of_typescript() {
    check(
        &[
            ("tsconfig.json", "{}"),
            (
                "src/more.d.ts",
                "interface Array<T> { last(): T }\ninterface Uint8Array { toHex(): string }",
            ),
            (
                "src/a.types.ts",
                "import type { Date } from './b.ts';\ntype Partial<T> = { own: T };\nexport interface X { list: Array<1>; set: Uint8Array; d: Date; p: Partial<string> }",
            ),
            ("src/b.ts", "export interface Date { mine: true }"),
        ],
        "
        type X = {
          list: 1[];
          set: Uint8Array;
          d: Date;
          p: PartialOfString;
        }
        type Date = {
          mine: true;
        }
        type PartialOfString = {
          own: string;
        }
        ",
    );
}

#[test]
fn resolves_imports_from_commonjs_packages_with_an_export_assignment() {
    check(
        &[
            (
                "src/a.types.ts",
                "import lib from 'lib';\nimport * as all from 'lib';\nimport { Options } from 'lib';\nimport req = require('lib');\n/** @table */ export interface X { id: string; a: lib.Options; b: all.Options; c: Options; d: req.Options; e: import('lib').Options; f: umd.Options }",
            ),
            ("node_modules/lib/package.json", r#"{"types":"index.d.ts"}"#),
            (
                "node_modules/lib/index.d.ts",
                "export = lib;\nexport as namespace umd;\ndeclare function lib(): void;\ndeclare namespace lib { interface Options { o: 1 } }",
            ),
        ],
        "
        type LibOptions = {
          o: 1;
        }
        type X = {
          id: string;
          a: LibOptions;
          b: LibOptions;
          c: LibOptions;
          d: LibOptions;
          e: LibOptions;
          f: LibOptions;
        }
        entity X = table xes
        ",
    );
}

#[test]
fn finds_types_in_packages_that_no_file_imports() {
    check(
        &[
            (
                "src/a.types.ts",
                "import type { Server } from 'node:http';\nexport interface X { p: NodeJS.Thing; s: Server; g: FromTypes }",
            ),
            (
                "node_modules/@types/node/package.json",
                r#"{"types":"index.d.ts"}"#,
            ),
            (
                "node_modules/@types/node/index.d.ts",
                "/// <reference path=\"http.d.ts\" />\n/// <reference types=\"other\" />\ndeclare namespace NodeJS { interface Thing { n: 1 } }",
            ),
            (
                "node_modules/@types/node/http.d.ts",
                "declare module 'http' { interface Server { port: number } }\ndeclare module 'node:http' { export * from 'http'; }",
            ),
            (
                "node_modules/@types/other/index.d.ts",
                "interface FromTypes { f: 1 }",
            ),
        ],
        "
        type Server = {
          port: number;
        }
        type NodeJSThing = {
          n: 1;
        }
        type FromTypes = {
          f: 1;
        }
        type X = {
          p: NodeJSThing;
          s: Server;
          g: FromTypes;
        }
        ",
    );
}

#[test]
fn resolving_a_name_ends_if_exports_form_a_cycle_or_a_long_chain() {
    let mut files: Vec<(String, String)> = (0..3_000)
        .map(|index| {
            (
                format!("src/f{index}.ts"),
                format!("export * from './f{}.ts';", index + 1),
            )
        })
        .collect();
    files.push((
        "src/f3000.ts".to_owned(),
        "export type T = 'end';\nexport * from './f0.ts';".to_owned(),
    ));
    files.push((
        "src/named0.ts".to_owned(),
        "export { A as B } from './named1.ts';".to_owned(),
    ));
    files.push((
        "src/named1.ts".to_owned(),
        "export { B as A } from './named0.ts';".to_owned(),
    ));
    files.push(("src/own.ts".to_owned(), "export * from './own.ts';\nexport { X } from './own.ts';\nimport Y = Y.Z;\nexport { Y };\nexport default Z;\nimport Z from './own.ts';".to_owned()));
    files.push((
        "src/a.types.ts".to_owned(),
        "import type { T } from './f0.ts';\nimport type { U } from './f0.ts';\nimport type { B } from './named0.ts';\nimport Own, { X, Y } from './own.ts';\n/** @table */ export interface E { id: string; t: T; u: U; b: B; x: X; y: Y.Q; z: Own }".to_owned(),
    ));
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let output = output(&files);
    assert!(text(&output).contains("t: \"end\""));
    crate::support::check_mistakes(
        &files,
        "
        src/a.types.ts:2:15 KIT1202 `./f0.ts` does not export `U`
        src/named1.ts:1:10 KIT1202 `./named0.ts` does not export `B`
          help: the files export `B` from each other, but no file declares `B`: declare it in one of the files
        src/own.ts:2:10 KIT1202 `./own.ts` does not export `X`
          help: the files export `X` from each other, but no file declares `X`: declare it in one of the files
        src/own.ts:3:12 KIT1203 the namespace `Y` is not declared
          help: import it: `import type * as Y from \"…\"`
        src/own.ts:6:8 KIT1202 `./own.ts` does not export `default`
          help: the files export `default` from each other, but no file declares `default`: declare it in one of the files
        ",
    );
}

#[test]
fn resolves_names_with_thousands_of_dots_and_deeply_nested_namespaces() {
    let dots = "a.".repeat(5_000) + "a";
    let nested = format!("{}type T = 1;{}", "namespace n { ".repeat(150), " }".repeat(150));
    let mut doubling = String::new();
    for index in 0..60 {
        writeln!(doubling, "import a{index} = a{0}.a{0};", index + 1).expect("a string takes everything");
    }
    let text = format!(
        "export namespace {dots} {{ export type T = 'deep' }}\n{nested}\n{doubling}\nexport interface X {{ t: {dots}.T; d: a0.x }}"
    );
    let output = output(&[("src/a.types.ts", &text)]);
    assert!(crate::support::text(&output).contains("\"deep\""));
}

#[test]
fn a_json_file_is_a_value_with_a_type() {
    check(
        &[
            (
                "src/a.types.ts",
                "import data from './data.json';\nimport * as all from './data.json';\nexport type Data = typeof data;\nexport interface X { port: typeof data.port; all: typeof all.list }",
            ),
            ("src/data.json", "{ \"port\": 80, \"list\": [\"a\"] }"),
        ],
        "
        type Data = {
          port: number;
          list: string[];
        }
        type X = {
          port: number;
          all: string[];
        }
        ",
    );
}
