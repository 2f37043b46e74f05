//! Tests of `kit scaffold init`: written files, questions and refusals. `tests/scaffold` tests that the projects work.

#![allow(clippy::disallowed_methods)] // Reason: tests read the files that commands write.

use crate::support::{CTRL_C, Project};
use serde_json::json;

/// Returns an empty directory on a simulated machine with npm and git.
fn directory() -> Project {
    let mut project = Project::new(&[]);
    // The simulated `git rev-parse` succeeds, so the directory counts as part of a repository.
    project.programs = [("npm", true), ("git", true)].into();
    project
}

fn paths(project: &Project, below: &str) -> Vec<String> {
    project.tree(below).into_keys().collect()
}

#[test]
fn creates_the_files_of_a_project() {
    let project = directory();
    let outcome = project.kit(&["scaffold", "init", "shelf", "--no-install"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    assert_eq!(
        paths(&project, "shelf"),
        [
            ".dockerignore",
            ".github/workflows/ci.yml",
            ".gitignore",
            "AGENTS.md",
            "Dockerfile",
            "README.md",
            "compose.yaml",
            "kit.config.ts",
            "migrations/20260921141320_create_todos/changes.json",
            "migrations/20260921141320_create_todos/migration.sql",
            "migrations/20260921141320_create_todos/snapshot.json",
            "otel-collector.yaml",
            "package.json",
            "src/app.ts",
            "src/auth-key.ts",
            "src/auth.ts",
            "src/database.ts",
            "src/main.ts",
            "src/todos.handlers.ts",
            "src/todos.routes.ts",
            "src/todos.types.ts",
            "tests/auth.test.ts",
            "tests/fixtures.ts",
            "tests/support.ts",
            "tests/todos.test.ts",
            "tests/token.ts",
            "tsconfig.json",
        ]
    );
    for (path, bytes) in project.tree("shelf") {
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.ends_with('\n'), "{path}");
        // No placeholder of a template may remain. `${{ … }}`, a placeholder of GitHub, does not occur in these files.
        assert!(
            !text.contains("{{") && !text.contains("{ {"),
            "{path} has something to fill in:\n{text}"
        );
    }
    assert!(paths(&project, "").iter().all(|path| path.starts_with("shelf/")));
}

#[test]
fn new_files_contain_the_name_of_the_project() {
    let project = directory();
    project.kit(&["scaffold", "init", "shelf.v2", "--no-install"]);
    let tree = project.tree("shelf.v2");
    let text = |path: &str| String::from_utf8(tree[path].clone()).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&text("package.json")).unwrap();
    assert_eq!(manifest["name"], "shelf.v2");
    assert!(text("README.md").starts_with("# shelf.v2\n"));
    assert!(
        text("compose.yaml").contains("\nname: \"shelf-v2\"\n"),
        "compose takes no dots"
    );
}

#[test]
fn adds_the_dependencies_and_the_code_of_the_selected_server_and_database() {
    for (server, database, dependencies, call) in [
        (
            "native",
            "raw",
            json!([
                "@kit/auth",
                "@kit/core",
                "@kit/errors",
                "@kit/server-native",
                "@kit/types",
                "pg"
            ]),
            "nativeServer()",
        ),
        (
            "express",
            "drizzle",
            json!([
                "@kit/auth",
                "@kit/core",
                "@kit/errors",
                "@kit/server-express",
                "@kit/types",
                "drizzle-orm",
                "express",
                "pg"
            ]),
            "expressServer()",
        ),
        (
            "hono",
            "kysely",
            json!([
                "@hono/node-server",
                "@kit/auth",
                "@kit/core",
                "@kit/errors",
                "@kit/server-hono",
                "@kit/types",
                "hono",
                "kysely",
                "pg"
            ]),
            "honoServer()",
        ),
        (
            "fastify",
            "raw",
            json!([
                "@kit/auth",
                "@kit/core",
                "@kit/errors",
                "@kit/server-fastify",
                "@kit/types",
                "fastify",
                "pg"
            ]),
            "fastifyServer()",
        ),
    ] {
        let project = directory();
        let outcome = project.kit(&[
            "scaffold", "init", "x", "--server", server, "--db", database, "--json",
        ]);
        let report = outcome.json();
        assert_eq!(
            (outcome.code, &report["server"], &report["database"]),
            (0, &json!(server), &json!(database))
        );
        assert_eq!(
            (&report["status"], &report["path"]),
            (&json!("created"), &json!("x"))
        );
        assert_eq!(
            (&report["installed"], &report["git"]),
            (&json!(true), &json!(false))
        );
        let tree = project.tree("x");
        assert_eq!(report["files"].as_array().unwrap().len(), tree.len());
        let manifest: serde_json::Value = serde_json::from_slice(&tree["package.json"]).unwrap();
        let names: Vec<_> = manifest["dependencies"].as_object().unwrap().keys().collect();
        assert_eq!(json!(names), dependencies);
        let application = String::from_utf8(tree["src/app.ts"].clone()).unwrap();
        assert!(application.contains(&format!("server: {call},")), "{application}");
        assert!(
            application.contains(&format!("from \"@kit/server-{server}\"")),
            "{application}"
        );
    }
}

/// A new project uses the versions that are installed in this repository, because newer ones would be untested.
#[test]
fn version_ranges_start_at_the_tested_versions() {
    let repository = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let manifest = |path: &str| -> serde_json::Value {
        serde_json::from_str(&std::fs::read_to_string(format!("{repository}/{path}")).unwrap()).unwrap()
    };
    let mut tested = serde_json::Map::new();
    for path in [
        "package.json",
        "examples/notes/package.json",
        "packages/server-express/package.json",
        "packages/server-fastify/package.json",
        "packages/server-hono/package.json",
    ] {
        for field in ["dependencies", "devDependencies"] {
            tested.extend(manifest(path)[field].as_object().cloned().unwrap_or_default());
        }
    }
    let project = directory();
    for (server, database) in [
        ("native", "drizzle"),
        ("express", "raw"),
        ("fastify", "kysely"),
        ("hono", "raw"),
    ] {
        let name = format!("on-{server}");
        project.kit(&["scaffold", "init", &name, "--server", server, "--db", database]);
        let tree = project.tree(&name);
        let made: serde_json::Value = serde_json::from_slice(&tree["package.json"]).unwrap();
        for field in ["dependencies", "devDependencies"] {
            for (name, range) in made[field].as_object().unwrap() {
                let range = range.as_str().unwrap();
                if name.starts_with("@kit/") {
                    assert_eq!(range, env!("CARGO_PKG_VERSION"), "kit's packages are one version");
                } else {
                    assert_eq!(range.strip_prefix('^'), tested[name].as_str(), "{name}");
                }
            }
        }
    }
}

/// npm asks the user about packages with install scripts. `allowScripts` forbids those scripts that a project does not
/// need.
#[test]
fn package_json_disallows_install_scripts_that_are_not_needed() {
    let of_database: serde_json::Value =
        serde_json::from_str(include_str!("../../../../packages/dev-database/package.json")).unwrap();
    let platforms: Vec<_> = of_database["optionalDependencies"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    let project = directory();
    project.kit(&["scaffold", "init", "shelf", "--no-install"]);
    let made: serde_json::Value = serde_json::from_slice(&project.tree("shelf")["package.json"]).unwrap();
    let told = made["allowScripts"].as_object().unwrap();
    assert_eq!(told.keys().collect::<Vec<_>>(), platforms);
    assert!(told.values().all(|allowed| allowed == false));
}

#[test]
fn refuses_invalid_project_names() {
    let project = directory();
    for (name, message) in [
        ("My-Api", "npm allows no capital letters"),
        ("../shelf", "the name contains a path separator"),
        ("node_modules", "the name is taken by Node or npm"),
        (
            "express",
            "npm cannot install a package into a project of the same name",
        ),
        ("", "the name is empty"),
    ] {
        let outcome = project.kit(&["scaffold", "init", name]);
        assert_eq!((outcome.code, outcome.out.as_str()), (1, ""), "{name}");
        assert!(
            outcome.err.contains(message) && outcome.err.contains("help: "),
            "{}",
            outcome.err
        );
    }
    assert!(paths(&project, "").is_empty());
    let json = project.kit(&["scaffold", "init", "My-Api", "--json"]).json();
    assert_eq!(json["code"], "SCAFFOLD_ERROR");
    assert_eq!(json["failures"][0]["suggestion"], "write `my-api`, for example");
}

#[test]
fn refuses_invalid_options_as_wrong_usage() {
    let outcome = directory().kit(&["scaffold", "init", "x", "--server", "fastfy"]);
    assert_eq!(outcome.code, 2);
    assert!(
        outcome
            .err
            .contains("[possible values: native, express, fastify, hono]"),
        "{}",
        outcome.err
    );
    assert!(
        outcome.err.contains("a similar value exists: 'fastify'"),
        "{}",
        outcome.err
    );
}

#[test]
fn refuses_a_path_that_exists_and_is_not_empty() {
    let project = directory();
    project.write("full/keep.txt", "mine");
    project.write("file", "mine");
    for (name, message) in [
        ("full", "full/ exists and is not empty: it contains keep.txt"),
        ("file", "file exists and is not a directory"),
    ] {
        let outcome = project.kit(&["scaffold", "init", name]);
        assert_eq!(outcome.code, 1);
        assert!(outcome.err.contains(message), "{}", outcome.err);
    }
    assert_eq!(paths(&project, ""), ["file", "full/keep.txt"]);
    std::fs::create_dir(project.root.join("empty")).unwrap();
    assert_eq!(project.kit(&["scaffold", "init", "empty"]).code, 0);
}

#[test]
fn a_dot_creates_the_project_in_the_working_directory() {
    let project = directory();
    project.write(".git/HEAD", "ref: refs/heads/main\n");
    let outcome = project.kit(&["scaffold", "init", ".", "--template", "minimal"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let name = project.root.file_name().unwrap().to_str().unwrap();
    let text = String::from_utf8(project.tree("")["package.json"].clone()).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(manifest["name"], name);
    assert!(
        outcome
            .out
            .contains(&format!("created {name} in this directory with"))
            && !outcome.out.contains("cd "),
        "{}",
        outcome.out
    );
    assert!(paths(&project, "").contains(&".git/HEAD".to_owned()));

    let again = project.kit(&["scaffold", "init", ".", "--json"]).json();
    assert_eq!(
        again["failures"][0]["message"],
        "the working directory is not empty: it contains .dockerignore"
    );
}

#[test]
fn a_dot_needs_a_working_directory_whose_name_a_project_can_have() {
    let mut project = directory();
    let outer = project.root.clone();
    project.root = outer.join("My Shop");
    std::fs::create_dir(&project.root).unwrap();
    let outcome = project.kit(&["scaffold", "init", "."]);
    assert_eq!(outcome.code, 1);
    assert!(
        outcome.err.contains("`My Shop` cannot be the name of a project")
            && outcome.err.contains("rename the directory"),
        "{}",
        outcome.err
    );
    assert!(paths(&project, "").is_empty());
    project.root = outer;
}

#[test]
fn creates_no_project_if_npm_is_not_installed() {
    let mut project = directory();
    project.programs.remove("npm");
    let outcome = project.kit(&["scaffold", "init", "shelf"]);
    assert_eq!(outcome.code, 1);
    assert!(
        outcome.err.contains("npm is not installed; nothing was created"),
        "{}",
        outcome.err
    );
    assert!(outcome.err.contains("--no-install"), "{}", outcome.err);
    assert!(paths(&project, "").is_empty());
    project.programs.insert("npm", false);
    assert!(
        project
            .kit(&["scaffold", "init", "shelf"])
            .err
            .contains("npm does not work: `npm --version` failed; nothing was created")
    );
    assert!(paths(&project, "").is_empty());
    assert_eq!(
        project.kit(&["scaffold", "init", "shelf", "--no-install"]).code,
        0
    );
}

#[test]
fn installs_packages_and_creates_a_repository_by_default() {
    let project = directory();
    project.kit(&["scaffold", "init", "a"]);
    // git reports that the directory is already in a repository, so the command does not create one.
    assert_eq!(
        project.ran.take(),
        [
            "npm --version",
            "git rev-parse --is-inside-work-tree",
            "npm install --no-audit --no-fund"
        ]
    );
    project.kit(&["scaffold", "init", "b", "--no-install", "--no-git"]);
    assert!(project.ran.take().is_empty());
}

#[test]
fn asks_for_missing_options_on_a_terminal() {
    let project = directory();
    *project.answers.borrow_mut() = vec![Some(" shelf "), Some("api"), Some("hono"), Some("raw")];
    let outcome = project.kit(&["scaffold", "init"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let tree = project.tree("shelf");
    assert!(String::from_utf8_lossy(&tree["src/app.ts"]).contains("honoServer()"));
    assert!(String::from_utf8_lossy(&tree["src/database.ts"]).contains("dbOf(ctx).query"));

    *project.answers.borrow_mut() = vec![Some("api"), Some("kysely")];
    assert_eq!(
        project
            .kit(&["scaffold", "init", "other", "--server", "express"])
            .code,
        0
    );
    assert!(project.answers.borrow().is_empty());
}

#[test]
fn creates_no_project_if_the_user_cancels_a_question() {
    for (answers, code) in [
        (vec![None], 1),
        (vec![Some("shelf"), None], 1),
        (vec![Some("shelf"), Some("api"), None], 1),
        (vec![Some("shelf"), Some("api"), Some("native"), None], 1),
        (vec![Some(CTRL_C)], 130),
        (vec![Some("shelf"), Some(CTRL_C)], 130),
        (
            vec![Some("shelf"), Some("api"), Some("native"), Some(CTRL_C)],
            130,
        ),
    ] {
        let project = directory();
        *project.answers.borrow_mut() = answers;
        let outcome = project.kit(&["scaffold", "init"]);
        assert_eq!(outcome.code, code);
        assert!(
            outcome.err.contains("stopped; nothing was created"),
            "{}",
            outcome.err
        );
        assert!(paths(&project, "").is_empty());
    }
}

#[test]
fn asks_no_questions_without_a_terminal_or_with_the_option_yes() {
    let project = directory();
    let outcome = project.kit(&["scaffold", "init"]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.err.contains("the project has no name"), "{}", outcome.err);
    *project.answers.borrow_mut() = vec![Some("never")];
    assert_eq!(project.kit(&["scaffold", "init", "a", "--yes"]).code, 0);
    assert_eq!(project.kit(&["scaffold", "init", "b", "--json"]).code, 0);
    assert_eq!(project.answers.borrow().len(), 1);
}

#[test]
fn keeps_the_project_if_npm_install_fails() {
    let mut project = directory();
    // npm is installed, but `npm install` fails.
    project.programs.insert("npm install", false);
    let outcome = project.kit(&["scaffold", "init", "shelf"]);
    assert_eq!(outcome.code, 1);
    assert!(
        outcome
            .err
            .contains("shelf/ was created, but its packages could not be installed"),
        "{}",
        outcome.err
    );
    assert!(
        outcome.err.contains("`cd shelf` and `npm install`"),
        "{}",
        outcome.err
    );
    assert_eq!(paths(&project, "shelf").len(), 27);
}
