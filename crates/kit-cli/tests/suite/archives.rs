//! Tests of `kit scaffold init --packages`, which installs kit's packages from a directory of
//! archives.

#![allow(clippy::disallowed_methods)] // Reason: tests read the files that commands write.

use crate::support::Project;
use serde_json::json;

const ARCHIVES: [&str; 11] = [
    "packages/kit-api-docs-0.1.0.tgz",
    "packages/kit-auth-0.1.0.tgz",
    "packages/kit-cli-0.1.0.tgz",
    "packages/kit-client-0.1.0.tgz",
    "packages/kit-core-0.1.0.tgz",
    "packages/kit-dev-database-0.1.0.tgz",
    "packages/kit-errors-0.1.0.tgz",
    "packages/kit-server-native-0.1.0.tgz",
    "packages/kit-server-node-0.1.0.tgz",
    "packages/kit-testing-0.1.0.tgz",
    "packages/kit-types-0.1.0.tgz",
];

#[test]
fn new_project_depends_on_the_archives_of_kits_packages() {
    let project = Project::new(&[]);
    for path in ARCHIVES
        .iter()
        .chain(&["packages/notes.txt", "packages/kit-old-0.0.9.tgz"])
    {
        project.write(path, "");
    }
    let args = [
        "scaffold",
        "init",
        "shelf",
        "--no-install",
        "--packages",
        "packages",
    ];
    let outcome = project.kit(&args);
    assert_eq!(outcome.code, 0, "{}", outcome.err);
    let tree = project.tree("shelf");
    let manifest: serde_json::Value = serde_json::from_slice(&tree["package.json"]).unwrap();
    let archive = |name: &str| format!("file:{}/packages/kit-{name}-0.1.0.tgz", project.root.display());
    assert_eq!(manifest["dependencies"]["@kit/core"], archive("core"));
    assert_eq!(manifest["devDependencies"]["@kit/cli"], archive("cli"));
    assert_eq!(manifest["dependencies"]["pg"], "^8.23.1");
    // If only other packages depend on a package of kit, `overrides` makes npm use its archive.
    assert_eq!(
        manifest["overrides"],
        json!({ "@kit/server-node": archive("server-node") })
    );
}

#[test]
fn refuses_a_directory_without_archives_of_kits_packages_and_writes_nothing() {
    let project = Project::new(&[]);
    let args = [
        "scaffold",
        "init",
        "shelf",
        "--no-install",
        "--packages",
        "packages",
    ];
    let outcome = project.kit(&args);
    assert_eq!(outcome.code, 1);
    assert!(
        outcome.err.starts_with("error: there is no directory "),
        "{}",
        outcome.err
    );
    for path in &ARCHIVES[..9] {
        project.write(path, "");
    }
    let outcome = project.kit(&args);
    assert_eq!(
        outcome.parts(),
        (
            1,
            "",
            "error: packages does not contain kit's packages of this version: kit-types-0.1.0.tgz is missing\n\
             help: `cargo xtask pack --out DIR` in kit's repository writes the packages; nothing was created\n"
        )
    );
    assert!(project.tree("shelf").is_empty());
}
