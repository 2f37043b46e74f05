//! Tests of the templates and package managers of new projects.

#![allow(clippy::disallowed_methods)] // Reason: tests read the files that commands write.
#![allow(clippy::unwrap_used)] // Reason: helpers of tests may panic like tests.

use crate::support::Project;
use serde_json::{Value, json};

const TEMPLATES: [&str; 5] = ["api", "minimal", "browser", "rust", "library"];
const MANAGERS: [&str; 4] = ["npm", "pnpm", "yarn", "bun"];

/// Returns an empty directory on a simulated machine with git and all package managers.
fn directory() -> Project {
    let mut project = Project::new(&[]);
    project.programs = [
        ("npm", true),
        ("pnpm", true),
        ("yarn", true),
        ("bun", true),
        ("git", true),
    ]
    .into();
    project
}

fn text(project: &Project, path: &str) -> String {
    let (directory, name) = path.split_once('/').unwrap();
    String::from_utf8(project.tree(directory)[name].clone()).unwrap()
}

fn manifest(project: &Project, name: &str) -> Value {
    serde_json::from_str(&text(project, &format!("{name}/package.json"))).unwrap()
}

#[test]
fn creates_a_project_of_each_template_for_each_package_manager() {
    for template in TEMPLATES {
        for manager in MANAGERS {
            let project = directory();
            let args = [
                "scaffold",
                "init",
                "my-shop.v2",
                "--template",
                template,
                "--package-manager",
                manager,
                "--json",
            ];
            let outcome = project.kit(&args);
            assert_eq!(outcome.code, 0, "{}", outcome.err);
            let report = outcome.json();
            assert_eq!(
                (&report["template"], &report["packageManager"]),
                (&json!(template), &json!(manager))
            );
            assert_eq!(report.get("server").is_some(), template != "rust");
            assert_eq!(report.get("database").is_some(), template == "api");
            for (path, bytes) in project.tree("my-shop.v2") {
                let text = String::from_utf8(bytes).unwrap();
                assert!(!text.contains("{{"), "{path} has something to fill in:\n{text}");
            }
            let ran = project.ran.take();
            assert_eq!(ran[0], format!("{manager} --version"));
            let install = ran.last().unwrap();
            assert!(install.starts_with(&format!("{manager} install")), "{install}");
        }
    }
}

#[test]
fn uses_the_package_manager_that_started_the_command() {
    for (agent, lock, run) in [
        (
            "pnpm/12.4.2 npm/? node/v24.21.0 linux x64",
            "pnpm-lock.yaml",
            "pnpm run dev",
        ),
        (
            "yarn/4.18.1 npm/? node/v24.21.0 linux x64",
            "yarn.lock",
            "yarn run dev",
        ),
        (
            "bun/1.4.5 npm/? node/v24.3.0 linux x64",
            "bun.lock",
            "bun run dev",
        ),
        (
            "npm/11.6.2 node/v24.21.0 linux x64",
            "package-lock.json",
            "npm run dev",
        ),
    ] {
        let mut project = directory();
        project.set("npm_config_user_agent", agent);
        let outcome = project.kit(&["scaffold", "init", "shelf", "--yes"]);
        assert_eq!(outcome.code, 0, "{}", outcome.err);
        assert!(outcome.out.contains(&format!("\n  {run} ")), "{}", outcome.out);
        assert!(text(&project, "shelf/Dockerfile").contains(lock), "{agent}");
        assert!(
            text(&project, "shelf/README.md").contains(&format!("`{run}`")),
            "{agent}"
        );
    }
}

#[test]
fn refuses_yarn_1_because_it_is_too_old() {
    let mut project = directory();
    project.set(
        "npm_config_user_agent",
        "yarn/1.22.22 npm/? node/v24.21.0 linux x64",
    );
    let outcome = project.kit(&["scaffold", "init", "shelf", "--yes"]);
    assert_eq!(outcome.code, 1);
    assert!(
        outcome
            .err
            .contains("Yarn 1.22.22 is too old for a new project; nothing was created"),
        "{}",
        outcome.err
    );
    let outcome = project.kit(&["scaffold", "init", "shelf", "--yes", "--package-manager", "npm"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
}

#[test]
fn scripts_before_other_scripts_are_part_of_them_for_yarn() {
    let project = directory();
    project.kit(&["scaffold", "init", "a", "--yes", "--package-manager", "yarn"]);
    let scripts = &manifest(&project, "a")["scripts"];
    assert_eq!(scripts["dev"], "kit migrate:apply && kit dev");
    assert_eq!(scripts.get("predev"), None);
    assert!(text(&project, "a/.yarnrc.yml").contains("nodeLinker: node-modules"));
    assert!(text(&project, "a/.gitignore").contains("\n.yarn/\n"));
}

#[test]
fn refuses_options_that_a_template_does_not_have() {
    let project = directory();
    for (args, message) in [
        (
            ["--template", "minimal", "--db", "raw"],
            "the template `minimal` chooses no database library; nothing was created",
        ),
        (
            ["--template", "rust", "--server", "hono"],
            "the template `rust` does not run on Node; nothing was created",
        ),
        (
            ["--package-manager", "bun", "--packages", "archives"],
            "`--packages` works only with npm, not with bun; nothing was created",
        ),
    ] {
        let mut all = vec!["scaffold", "init", "shelf", "--yes"];
        all.extend(args);
        let outcome = project.kit(&all);
        assert_eq!(outcome.code, 1, "{args:?}");
        assert!(outcome.err.contains(message), "{}", outcome.err);
    }
    assert!(project.tree("").is_empty());
}

#[test]
fn help_of_the_command_that_npm_create_runs_names_npm_create() {
    let outcome = directory().kit(&["create", "--help"]);
    assert_eq!(outcome.code, 0);
    assert!(
        outcome
            .out
            .contains("Usage: npm create @kit@latest [NAME] -- [OPTIONS]"),
        "{}",
        outcome.out
    );
    assert!(!outcome.out.contains("kit scaffold init"), "{}", outcome.out);
    let project = directory();
    let outcome = project.kit(&["create", "shelf", "--yes", "--template", "library"]);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let made = manifest(&project, "shelf");
    assert_eq!(made["workspaces"], json!(["packages/*"]));
    assert_eq!(made["dependencies"]["@shelf/todos"], "0.1.0");
}
