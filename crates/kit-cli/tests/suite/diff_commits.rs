//! `kit diff` with commits of git.

use std::path::Path;
use std::process::Command;

use crate::diff::{NEW, OLD, changed, contract, ids, project};
use crate::support::Project;

fn git(root: &Path, args: &[&str]) {
    let output = Command::new("git")
        .args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.com",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(args)
        .current_dir(root)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .expect("git runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Number of temporary directories and of worktrees that this process has left.
fn left(project: &Project) -> (usize, usize) {
    let own = format!("kit-diff-{}-", std::process::id());
    let entries = std::fs::read_dir(std::env::temp_dir()).expect("temporary files");
    let directories = entries.filter(|entry| {
        let name = entry.as_ref().expect("an entry").file_name();
        name.to_string_lossy().starts_with(&own)
    });
    let worktrees = std::fs::read_dir(project.root.join(".git/worktrees"));
    (directories.count(), worktrees.map_or(0, Iterator::count))
}

#[test]
fn compares_commits_of_git_and_leaves_no_files() {
    let project = changed();
    git(&project.root, &["init", "--quiet"]);
    let source = |r#type: &str| contract("\"PUT /note\": RouteContract<void, void, Note, void>;", r#type);
    for (tag, r#type) in [("v1", OLD), ("v2", NEW)] {
        project.write("src/notes.routes.ts", &source(r#type));
        git(&project.root, &["add", "."]);
        git(&project.root, &["commit", "--quiet", "--message", tag]);
        git(&project.root, &["tag", tag]);
    }
    let ids_of = |args: &[&str]| {
        let found = project.kit(&[&["diff"], args, &["--json"]].concat());
        assert!(found.err.is_empty(), "{}", found.err);
        ids(&found.json()).join(", ")
    };
    assert_eq!(ids_of(&["v1", "v2"]), "PUT /note body.title: type");
    assert_eq!(ids_of(&["v1"]), "PUT /note body.title: type");
    assert_eq!(ids_of(&["HEAD"]), "");
    let unknown = project.kit(&["diff", "no-such-branch"]);
    assert_eq!(unknown.code, 3);
    assert!(
        unknown.err.contains("git knows no commit `no-such-branch`"),
        "{}",
        unknown.err
    );
    assert!(unknown.err.contains("fetch-depth: 0"), "{}", unknown.err);
    project.write(
        "src/notes.routes.ts",
        &source("export interface Note { title: Missing }"),
    );
    git(
        &project.root,
        &["commit", "--all", "--quiet", "--message", "broken"],
    );
    project.write("src/notes.routes.ts", &source(NEW));
    let broken = project.kit(&["diff", "HEAD"]);
    assert_eq!(broken.code, 3);
    assert!(
        broken
            .err
            .contains("The types of the commit `HEAD` do not build."),
        "{}",
        broken.err
    );
    assert!(broken.err.contains("Missing"), "{}", broken.err);
    let document = project.kit(&["diff", "HEAD", "--json"]).json();
    assert_eq!(document["state"], "HEAD", "{document}");
    assert_eq!(document["failures"][0]["path"], "src/notes.routes.ts");
    project.write(
        "src/notes.routes.ts",
        &source("export interface Note { title: Missing }"),
    );
    let document = project.kit(&["diff", "v1", "--json"]).json();
    assert_eq!(document["state"], "working tree", "{document}");
    // The message about a wrong configuration names the project, not the temporary copy.
    project.write("package.json", "{ \"kit\": { \"typeFiles\": 1 } }");
    git(
        &project.root,
        &["commit", "--all", "--quiet", "--message", "wrong"],
    );
    let wrong = project.kit(&["diff", "HEAD"]);
    assert_eq!(wrong.code, 3);
    assert!(!wrong.err.contains("kit-diff-"), "{}", wrong.err);
    assert_eq!(left(&project).1, 0, "no worktree is left");
}

#[test]
fn without_a_repository_a_commit_is_a_clear_error() {
    let found = changed().kit(&["diff", "main"]);
    assert_eq!(found.code, 3);
    assert!(
        found.err.contains("does not belong to a git repository"),
        "{}",
        found.err
    );
}

#[test]
fn the_old_state_uses_the_installed_packages_of_the_working_tree() {
    let project = project("");
    let routes = "import type { RouteContract } from \"@kit/types\";\nimport type { Price } from \"prices\";\nexport interface NoteRoutes { \"PUT /note\": RouteContract<void, void, Price, void>; }\n";
    project.write("src/notes.routes.ts", routes);
    project.write(".gitignore", "node_modules/\n");
    project.write(
        "node_modules/prices/package.json",
        r#"{ "name": "prices", "types": "index.d.ts" }"#,
    );
    project.write(
        "node_modules/prices/index.d.ts",
        "export interface Price { amount: number }\n",
    );
    git(&project.root, &["init", "--quiet"]);
    git(&project.root, &["add", "."]);
    git(&project.root, &["commit", "--quiet", "--message", "first"]);
    project.write(
        "src/notes.routes.ts",
        &routes.replace("void, Price, void", "void, Price & { currency: string }, void"),
    );
    let found = project.kit(&["diff", "HEAD", "--json"]);
    assert!(found.err.is_empty(), "{}", found.err);
    assert_eq!(ids(&found.json()), ["PUT /note body.currency: property-added"]);
}

#[test]
fn packages_of_the_repository_are_those_of_the_commit() {
    let project = project("");
    let routes = "import type { RouteContract } from \"@kit/types\";\nimport type { Note } from \"@acme/notes\";\nexport interface NoteRoutes { \"PUT /note\": RouteContract<void, void, Note, void>; }\n";
    project.write("src/notes.routes.ts", routes);
    project.write(".gitignore", "node_modules\n");
    project.write(
        "packages/notes/package.json",
        r#"{ "name": "@acme/notes", "types": "index.ts" }"#,
    );
    project.write(
        "packages/notes/index.ts",
        "export interface Note { title: string }\n",
    );
    let scope = project.root.join("node_modules/@acme");
    project.write("node_modules/@acme/.keep", "");
    std::os::unix::fs::symlink("../../packages/notes", scope.join("notes")).expect("a link");
    git(&project.root, &["init", "--quiet"]);
    git(&project.root, &["add", "."]);
    git(&project.root, &["commit", "--quiet", "--message", "first"]);
    project.write(
        "packages/notes/index.ts",
        "export interface Note { title: string; text: string }\n",
    );
    let found = project.kit(&["diff", "HEAD", "--json"]);
    assert!(found.err.is_empty(), "{}", found.err);
    assert_eq!(ids(&found.json()), ["PUT /note body.text: property-added"]);
}
