//! Tests of packages in `node_modules` that are symbolic links, as npm, pnpm and yarn create them.
#![cfg(unix)] // Reason: on Windows, symbolic links need rights that tests do not have.
#![allow(clippy::disallowed_methods)] // Reason: the test creates links directly, without the code under test.
#![allow(clippy::unwrap_used)] // Reason: helpers of tests may panic like tests.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use crate::support::Project;
use kit_build::{Analysis, BuildRequest, BuildTime, Disk, analyze, resolve};

/// Returns the analysis of the project in a directory of a workspace.
fn analyzed(workspace: &Project, directory: &str) -> Analysis {
    let root = workspace.root.join(directory);
    let config = resolve(&root, None).unwrap().config;
    let time = BuildTime::new(Some("0"), std::time::UNIX_EPOCH).unwrap();
    let request = BuildRequest {
        root: &root,
        config: &config,
        files: Arc::new(Disk),
        time: &time,
    };
    analyze(&request, &()).unwrap()
}

fn link(workspace: &Project, at: &str, target: &str) {
    let at = workspace.root.join(at);
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    assert!(at.parent().unwrap().join(target).exists(), "{target}");
    symlink(Path::new(target), at).unwrap();
}

fn names(analysis: &Analysis) -> Vec<&str> {
    let declarations = analysis.program.declarations.iter();
    declarations
        .map(|declaration| declaration.name.as_str())
        .collect()
}

#[test]
fn reads_a_linked_package_of_the_workspace_once_at_its_real_path() {
    let workspace = Project::new([
        ("package.json", r#"{"workspaces":["packages/*"]}"#),
        (
            "packages/shared/package.json",
            r#"{"name":"@acme/shared","exports":{".":{"types":"./src/index.ts"}}}"#,
        ),
        (
            "packages/shared/tsconfig.json",
            r#"{"compilerOptions":{"paths":{"@/*":["./src/*"]}}}"#,
        ),
        (
            "packages/shared/src/index.ts",
            "export type { Money } from '@/money.ts';",
        ),
        (
            "packages/shared/src/money.ts",
            "export interface Money { amount: number }",
        ),
        ("packages/app/package.json", r#"{"name":"app"}"#),
        (
            "packages/app/tsconfig.json",
            r#"{"compilerOptions":{"paths":{"@/*":["./src/*"]}}}"#,
        ),
        (
            "packages/app/src/a.types.ts",
            "import type { Money } from '@acme/shared';\nimport type { Money as Same } from '../../shared/src/money.ts';\nimport type { Local } from '@/local.ts';\n\
             export interface Price { linked: Money; direct: Same; local: Local }",
        ),
        (
            "packages/app/src/local.ts",
            "export interface Local { here: true }",
        ),
    ]);
    link(&workspace, "node_modules/@acme/shared", "../../packages/shared");
    let analysis = analyzed(&workspace, "packages/app");
    assert!(!analysis.diagnostics.has_errors(), "{:#?}", analysis.diagnostics);
    assert_eq!(names(&analysis), ["Money", "Price", "Local"]);
    let sources: Vec<&str> = analysis
        .program
        .sources
        .iter()
        .map(|source| source.path.as_str())
        .collect();
    assert!(sources.contains(&"../shared/src/money.ts"), "{sources:?}");
}

#[test]
fn resolves_dependencies_of_a_pnpm_package_from_its_real_path() {
    let workspace = Project::new([
        ("package.json", "{}"),
        (
            "app/src/a.types.ts",
            "import type { Box } from 'lib';\nexport interface X { box: Box }",
        ),
        (
            "node_modules/.pnpm/lib@1.0.0/node_modules/lib/package.json",
            r#"{"name":"lib","types":"index.d.ts"}"#,
        ),
        (
            "node_modules/.pnpm/lib@1.0.0/node_modules/lib/index.d.ts",
            "import { Inner } from 'dep';\nexport interface Box { inner: Inner }",
        ),
        (
            "node_modules/.pnpm/dep@2.0.0/node_modules/dep/package.json",
            r#"{"name":"dep","types":"index.d.ts"}"#,
        ),
        (
            "node_modules/.pnpm/dep@2.0.0/node_modules/dep/index.d.ts",
            "export interface Inner { deep: true }",
        ),
    ]);
    link(
        &workspace,
        "node_modules/.pnpm/lib@1.0.0/node_modules/dep",
        "../../dep@2.0.0/node_modules/dep",
    );
    link(
        &workspace,
        "app/node_modules/lib",
        "../../node_modules/.pnpm/lib@1.0.0/node_modules/lib",
    );
    let analysis = analyzed(&workspace, "app");
    assert!(!analysis.diagnostics.has_errors(), "{:#?}", analysis.diagnostics);
    let mut found = names(&analysis);
    found.sort_unstable();
    assert_eq!(found, ["Box", "Inner", "X"]);
}

#[test]
fn reads_sources_in_a_linked_directory_once_at_their_real_paths() {
    let workspace = Project::new([
        (
            "notes/src/note.types.ts",
            "/** @table */ export interface Note { /** @id */ id: string }",
        ),
        (
            "notes/src/notes.routes.ts",
            "import type { RouteContract } from '@kit/types';\nimport type { Note } from './note.types.ts';\n\
             export interface NoteRoutes { 'GET /notes': RouteContract<void, void, void, Note[]> }",
        ),
        (
            "other/package.json",
            r#"{"kit":{"typeFiles":["api/**/*.types.ts"],"routeFiles":["api/**/*.routes.ts"]}}"#,
        ),
    ]);
    link(&workspace, "other/api", "../notes/src");
    let analysis = analyzed(&workspace, "other");
    let mut notes = names(&analysis);
    notes.retain(|name| name.starts_with("Note"));
    assert_eq!(notes, ["Note"], "{:#?}", analysis.diagnostics);
    let paths: Vec<_> = analysis
        .program
        .sources
        .iter()
        .map(|source| source.path.as_str())
        .collect();
    assert!(paths.contains(&"../notes/src/note.types.ts"), "{paths:?}");
    let unmatched = analysis
        .diagnostics
        .iter()
        .any(|diagnostic| diagnostic.code.name() == "KIT1002");
    assert!(!unmatched, "{:#?}", analysis.diagnostics);
}

#[test]
fn reports_symbolic_links_that_form_a_loop() {
    let workspace = Project::new([
        ("tsconfig.json", "{}"),
        (
            "src/a.types.ts",
            "import type { T } from 'loop';\n/** @table */ export interface X { id: string; t: T }",
        ),
        ("src/globals.d.ts", "interface Glob { g: 1 }"),
    ]);
    link(&workspace, "src/again", "../src");
    link(&workspace, "src/more", "../src");
    symlink("loop", workspace.root.join("src/loop")).unwrap();
    fs::create_dir_all(workspace.root.join("node_modules")).unwrap();
    symlink("loop", workspace.root.join("node_modules/loop")).unwrap();
    let analysis = analyzed(&workspace, "");
    let codes: Vec<String> = analysis
        .diagnostics
        .iter()
        .map(|diagnostic| diagnostic.code.name())
        .collect();
    assert!(
        codes.contains(&"KIT1201".to_owned()),
        "{:#?}",
        analysis.diagnostics
    );
}
