//! Tests of resolving import specifiers to files: packages, `tsconfig.json`, declaration files.

use crate::support::{check_mistakes, mistakes, output, text};

/// Checks the type that `import type { T } from "specifier"` in `src/a.types.ts` imports.
#[track_caller]
fn leads_to(specifier: &str, files: &[(&str, &str)], expected: &str) {
    let source =
        format!("import type {{ T }} from \"{specifier}\";\n/** @table */ export interface X {{ t: T }}");
    let mut all = vec![("src/a.types.ts", source.as_str())];
    all.extend_from_slice(files);
    let output = output(&all);
    let text = text(&output);
    let found = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("t: "))
        .unwrap_or_default();
    assert_eq!(found.trim_end_matches(';'), expected, "{specifier}:\n{text}");
    if expected != "unknown" {
        assert!(
            output.diagnostics.is_empty(),
            "{specifier}:\n{}",
            mistakes(&output)
        );
    }
}

#[test]
fn resolves_relative_specifiers_to_typescript_files() {
    let files = [
        ("src/js.ts", "export type T = 'ts'"),
        ("src/jsx.tsx", "export type T = 'tsx'"),
        ("src/m.mts", "export type T = 'mts'"),
        ("src/c.d.cts", "export type T = 'd.cts'"),
        ("src/both.js", "export {}"),
        ("src/both.d.ts", "export type T = 'd.ts'"),
        ("src/dir/index.ts", "export type T = 'index'"),
        ("src/style.d.css.ts", "export type T = 'css'"),
    ];
    for (specifier, expected) in [
        ("./js.ts", "\"ts\""),
        ("./js.js", "\"ts\""),
        ("./js", "\"ts\""),
        ("./jsx.js", "\"tsx\""),
        ("./jsx.jsx", "\"tsx\""),
        ("./m.mjs", "\"mts\""),
        ("./c.cjs", "\"d.cts\""),
        ("./both.js", "\"d.ts\""),
        ("./dir", "\"index\""),
        ("./dir/", "\"index\""),
        ("../src/js.ts", "\"ts\""),
        ("./style.css", "\"css\""),
    ] {
        leads_to(specifier, &files, expected);
    }
}

#[test]
fn reads_the_exports_of_a_package_like_typescript() {
    let package = r#"{
      "name": "pkg", "type": "module",
      "exports": {
        ".": { "import": { "types": "./esm.d.mts", "default": "./esm.mjs" }, "require": { "types": "./cjs.d.cts" } },
        "./sub": "./dist/sub.js",
        "./feature/*": { "types": "./types/*.d.ts", "default": "./dist/*.js" },
        "./feature/private/*": null,
        "./old": { "types@<5": "./old.d.ts", "types@>=5": "./new.d.ts" },
        "./bare": "./dist/bare.js"
      }
    }"#;
    let files = [
        ("node_modules/pkg/package.json", package),
        ("node_modules/pkg/esm.d.mts", "export type T = 'esm'"),
        ("node_modules/pkg/cjs.d.cts", "export type T = 'cjs'"),
        ("node_modules/pkg/dist/sub.js", ""),
        ("node_modules/pkg/dist/sub.d.ts", "export type T = 'sub'"),
        ("node_modules/pkg/dist/bare.js", ""),
        ("node_modules/pkg/types/one.d.ts", "export type T = 'one'"),
        (
            "node_modules/pkg/types/private/x.d.ts",
            "export type T = 'private'",
        ),
        ("node_modules/pkg/old.d.ts", "export type T = 'old'"),
        ("node_modules/pkg/new.d.ts", "export type T = 'new'"),
    ];
    for (specifier, expected) in [
        ("pkg", "\"esm\""),
        ("pkg/sub", "\"sub\""),
        ("pkg/feature/one", "\"one\""),
        ("pkg/old", "\"new\""),
        ("pkg/feature/private/x", "unknown"),
        ("pkg/types/one", "unknown"),
        ("pkg/bare", "unknown"),
    ] {
        leads_to(specifier, &files, expected);
    }
}

#[test]
fn the_kind_of_the_importing_file_selects_the_conditions_of_exports() {
    let package = r#"{"exports":{"import":{"types":"./esm.d.ts"},"require":{"types":"./cjs.d.ts"}}}"#;
    let x = "import type { T } from 'pkg';\nexport interface X { t: T }";
    let compiled = |path: &str, own: &str, tsconfig: &str| {
        let output = output(&[
            (path, x),
            ("package.json", own),
            ("tsconfig.json", tsconfig),
            (
                "src/b.types.ts",
                &format!(
                    "export * from './{}';\nexport type Y = import('./{0}').X",
                    path.rsplit('/')
                        .next()
                        .unwrap()
                        .replace(".mts", ".mjs")
                        .replace(".cts", ".cjs")
                ),
            ),
            ("node_modules/pkg/package.json", package),
            ("node_modules/pkg/esm.d.ts", "export type T = 'esm'"),
            ("node_modules/pkg/cjs.d.ts", "export type T = 'cjs'"),
        ]);
        assert!(output.diagnostics.is_empty(), "{}", mistakes(&output));
        if text(&output).contains("\"esm\"") {
            "esm"
        } else {
            "cjs"
        }
    };
    let node = r#"{"compilerOptions":{"module":"NodeNext"}}"#;
    assert_eq!(compiled("src/x.ts", r#"{"type":"module"}"#, node), "esm");
    assert_eq!(compiled("src/x.ts", "{}", node), "cjs");
    assert_eq!(compiled("src/x.mts", "{}", node), "esm");
    assert_eq!(compiled("src/x.cts", r#"{"type":"module"}"#, node), "cjs");
    let bundler = r#"{"compilerOptions":{"moduleResolution":"bundler"}}"#;
    assert_eq!(compiled("src/x.ts", "{}", bundler), "esm");
}

#[test]
fn resolves_packages_without_exports_by_the_fields_types_main_and_types_versions() {
    let files = [
        ("node_modules/types/package.json", r#"{"types":"lib/a.d.ts"}"#),
        ("node_modules/types/lib/a.d.ts", "export type T = 'types'"),
        ("node_modules/typings/package.json", r#"{"typings":"./a"}"#),
        ("node_modules/typings/a.d.ts", "export type T = 'typings'"),
        ("node_modules/main/package.json", r#"{"main":"lib/index.js"}"#),
        ("node_modules/main/lib/index.js", ""),
        ("node_modules/main/lib/index.d.ts", "export type T = 'main'"),
        ("node_modules/index/package.json", "{}"),
        ("node_modules/index/index.d.ts", "export type T = 'index'"),
        ("node_modules/index/deep/x.d.ts", "export type T = 'deep'"),
        (
            "node_modules/ver/package.json",
            r#"{"types":"a.d.ts","typesVersions":{"<4":{"*":["old/*"]},">=4":{"*":["new/*"]}}}"#,
        ),
        ("node_modules/ver/old/a.d.ts", "export type T = 'old'"),
        ("node_modules/ver/new/a.d.ts", "export type T = 'new'"),
        ("node_modules/@s/p/package.json", r#"{"main":"a.js"}"#),
        ("node_modules/@s/p/a.js", ""),
        ("node_modules/@types/s__p/index.d.ts", "export type T = '@types'"),
        (
            "node_modules/mapped/package.json",
            r#"{"exports":{".":"./a.js","./sub":"./sub.js"}}"#,
        ),
        ("node_modules/mapped/a.js", ""),
        ("node_modules/mapped/sub.js", ""),
        (
            "node_modules/@types/mapped/index.d.ts",
            "export type T = '@types/mapped'",
        ),
        (
            "node_modules/@types/mapped/sub.d.ts",
            "export type T = '@types/mapped/sub'",
        ),
    ];
    for (specifier, expected) in [
        ("types", "\"types\""),
        ("typings", "\"typings\""),
        ("main", "\"main\""),
        ("index", "\"index\""),
        ("index/deep/x", "\"deep\""),
        ("index/deep/x.js", "\"deep\""),
        ("ver", "\"new\""),
        ("ver/a", "\"new\""),
        ("@s/p", "\"@types\""),
        ("mapped", "\"@types/mapped\""),
        ("mapped/sub", "\"@types/mapped/sub\""),
    ] {
        leads_to(specifier, &files, expected);
    }
}

#[test]
fn resolves_specifiers_by_the_imports_of_package_json_and_by_the_name_of_the_package() {
    let files = [
        (
            "package.json",
            r##"{"name":"app","imports":{"#internal":"./src/internal.js","#types/*":"./src/types/*.ts"},"exports":{"./own":"./src/own.ts"}}"##,
        ),
        ("src/internal.ts", "export type T = 'internal'"),
        ("src/types/a.ts", "export type T = 'wild'"),
        ("src/own.ts", "export type T = 'own'"),
    ];
    leads_to("#internal", &files, "\"internal\"");
    leads_to("#types/a", &files, "\"wild\"");
    leads_to("app/own", &files, "\"own\"");
    leads_to("#nowhere", &files, "unknown");
}

#[test]
fn resolves_specifiers_by_paths_and_base_url_of_tsconfig_json_and_of_the_files_that_it_extends() {
    let files = [
        (
            "tsconfig.json",
            "{\n  // comments and trailing commas are fine\n  \"extends\": [\"./base.json\", \"@cfg/ts/strict.json\"],\n  \"compilerOptions\": { \"rootDirs\": [\"src\", \"generated\"], },\n}\n",
        ),
        (
            "base.json",
            r#"{"compilerOptions":{"baseUrl":"./lib","paths":{"@lost":["nowhere"]}}}"#,
        ),
        ("node_modules/@cfg/ts/package.json", r#"{"name":"@cfg/ts"}"#),
        (
            "node_modules/@cfg/ts/strict.json",
            r#"{"compilerOptions":{"paths":{"@/*":["${configDir}/src/*"],"exact":["${configDir}/src/exact.ts"],"two":["${configDir}/gone.ts","${configDir}/src/two"]}}}"#,
        ),
        ("src/at.ts", "export type T = 'at'"),
        ("src/exact.ts", "export type T = 'exact'"),
        ("src/two/index.ts", "export type T = 'two'"),
        ("lib/based.ts", "export type T = 'based'"),
        ("generated/made.ts", "export type T = 'made'"),
    ];
    for (specifier, expected) in [
        ("@/at", "\"at\""),
        ("@/at.js", "\"at\""),
        ("exact", "\"exact\""),
        ("two", "\"two\""),
        ("based", "\"based\""),
        ("./made.ts", "\"made\""),
        ("@/gone", "unknown"),
    ] {
        leads_to(specifier, &files, expected);
    }
}

#[test]
fn imports_use_the_paths_of_the_referenced_tsconfig_that_includes_the_file() {
    leads_to(
        "@/at",
        &[
            (
                "tsconfig.json",
                r#"{"files":[],"references":[{"path":"./tsconfig.app.json"},{"path":"./tsconfig.node.json"}]}"#,
            ),
            (
                "tsconfig.app.json",
                r#"{"include":["src"],"compilerOptions":{"paths":{"@/*":["./src/*"]}}}"#,
            ),
            (
                "tsconfig.node.json",
                r#"{"include":["scripts"],"compilerOptions":{"paths":{"@/*":["./scripts/*"]}}}"#,
            ),
            ("src/at.ts", "export type T = 'src'"),
            ("scripts/at.ts", "export type T = 'scripts'"),
        ],
        "\"src\"",
    );
}

#[test]
fn reports_an_invalid_tsconfig_json() {
    let x = ("src/a.types.ts", "export interface X { a: string }");
    let broken = [
        (
            "{\n  \"compilerOptions\": { \"paths\": }\n}",
            "tsconfig.json:2:33 KIT1001 tsconfig.json cannot be read: expected value",
        ),
        (
            r#"{"extends":"./gone.json"}"#,
            "tsconfig.json:1:1 KIT1001 tsconfig.json cannot be read: the file refers to gone.json, which does not exist",
        ),
        (
            r#"{"extends":"./other.json"}"#,
            "tsconfig.json:1:1 KIT1001 tsconfig.json cannot be read: the file extends itself: tsconfig.json, other.json, tsconfig.json",
        ),
        (
            r#"{"compilerOptions":{"paths":[]}}"#,
            "tsconfig.json:1:28 KIT1001 tsconfig.json cannot be read: invalid type: sequence, expected a map",
        ),
        (
            r#"{"references":[{"path":"./gone"}]}"#,
            "tsconfig.json:1:1 KIT1001 tsconfig.json cannot be read: the file refers to gone, which does not exist",
        ),
    ];
    for (tsconfig, expected) in broken {
        let other = ("other.json", r#"{"extends":"./tsconfig.json"}"#);
        let help = "\n  help: correct the file: kit needs its `paths` and `baseUrl` to resolve imports";
        check_mistakes(
            &[x, ("tsconfig.json", tsconfig), other],
            &format!("{expected}{help}"),
        );
    }
}

#[test]
fn explains_why_a_specifier_cannot_be_resolved() {
    check_mistakes(
        &[
            (
                "src/a.types.ts",
                "import type { A } from 'js';\nimport type { B } from '@s/js';\nimport type { C } from 'installed/gone';\nimport type { D } from 'node:http';\nimport type { E } from './x.js';\nimport type { F } from '#f';\nimport type { G } from '';\nimport type { H } from './data.txt';\n/** @table */ export interface X { id: string; a: A; b: B; c: C; d: D; e: E; f: F; g: G; h: H }",
            ),
            ("node_modules/js/package.json", "{\"main\":\"a.js\"}"),
            ("node_modules/js/a.js", ""),
            ("node_modules/@s/js/package.json", "{\"exports\":\"./a.js\"}"),
            ("node_modules/@s/js/a.js", ""),
            ("node_modules/installed/package.json", "{\"exports\":\"./a.js\"}"),
            ("src/x.js", ""),
            ("src/data.txt", ""),
        ],
        r#"
        src/a.types.ts:1:15 KIT1201 cannot find the module `js`
          help: node_modules/js/a.js has no types: `npm i -D @types/js`, or declare them with `declare module "js"`
        src/a.types.ts:2:15 KIT1201 cannot find the module `@s/js`
          help: node_modules/@s/js/a.js has no types: `npm i -D @types/s__js`, or declare them with `declare module "@s/js"`
        src/a.types.ts:3:15 KIT1201 cannot find the module `installed/gone`
          help: the package is installed in node_modules/installed, but the package has no file with this path, and its `exports` do not list the path: correct the import
        src/a.types.ts:4:15 KIT1201 cannot find the module `node:http`
          help: install the types of Node: `npm i -D @types/node`
        src/a.types.ts:5:15 KIT1201 cannot find the module `./x.js`
          help: src/x.js is not TypeScript: write it in TypeScript, or put a `.d.ts` file beside it
        src/a.types.ts:6:15 KIT1201 cannot find the module `#f`
          help: add this name to `imports` in package.json, or correct the import
        src/a.types.ts:7:15 KIT1201 cannot find the module ``
          help: write the path of a file or the name of a package
        src/a.types.ts:8:15 KIT1201 cannot find the module `./data.txt`
          help: src/data.txt has no types
        "#,
    );
}

#[test]
fn dependencies_include_tsconfig_json_and_package_json_files() {
    let output = output(&[
        (
            "src/a.types.ts",
            "import type { T } from 'pkg';\nexport interface X { t: T }",
        ),
        ("tsconfig.json", r#"{"extends":"./base.json"}"#),
        ("base.json", "{}"),
        ("node_modules/pkg/package.json", r#"{"types":"a.d.ts"}"#),
        ("node_modules/pkg/a.d.ts", "export type T = 1"),
    ]);
    let found: Vec<String> = output
        .dependencies
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    for path in [
        "/app/base.json",
        "/app/node_modules/pkg/a.d.ts",
        "/app/node_modules/pkg/package.json",
        "/app/src/a.types.ts",
        "/app/tsconfig.json",
    ] {
        assert!(found.contains(&path.to_owned()), "{path} in {found:?}");
    }
}
