//! Tests that compile every project of the goldens as users do: with warnings denied, with Clippy, and with the oldest
//! Rust release that the generated manifest specifies. All projects share one target directory with other generated
//! projects of this repository.

// Projects are files, and a helper of a test may fail the test.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

mod project_directory;
mod projects;

use kit_test_programs as support;
use std::process::Command;

use project_directory::ProjectDirectory;

/// Clippy lints that the generated project must satisfy in addition to the default ones: a request must never cause a
/// panic.
const NO_PANIC: [&str; 5] = [
    "clippy::unwrap_used",
    "clippy::expect_used",
    "clippy::panic",
    "clippy::indexing_slicing",
    "clippy::string_slice",
];

/// Without the indexing lints, because the runtime reads bytes at positions that it checked before.
const NO_PANIC_OF_THE_RUNTIME: [&str; 3] = ["clippy::unwrap_used", "clippy::expect_used", "clippy::panic"];

#[test]
fn passes_clippy_in_every_project() {
    for (name, program) in projects::all() {
        let project = ProjectDirectory::project(name, &program);
        let mut clippy = project.cargo();
        clippy.args([
            "clippy",
            "--quiet",
            "--no-deps",
            "--all-targets",
            "--",
            "--deny",
            "warnings",
        ]);
        for lint in NO_PANIC {
            clippy.args(["--deny", lint]);
        }
        project_directory::succeed(&mut clippy);
    }
}

#[test]
fn passes_clippy_in_the_runtime() {
    let project = ProjectDirectory::project("notes", &support::notes::program());
    let mut clippy = project.cargo();
    clippy.args([
        "clippy",
        "--quiet",
        "--no-deps",
        "--package",
        "kit-runtime",
        "--package",
        "kit-guard",
        "--",
        "--deny",
        "warnings",
    ]);
    for lint in NO_PANIC_OF_THE_RUNTIME {
        clippy.args(["--deny", lint]);
    }
    project_directory::succeed(&mut clippy);
}

/// Uses the dependencies of the example's lock file.
#[test]
fn compiles_with_the_oldest_rust() {
    const OLDEST: &str = "1.85";
    let installed = Command::new("rustup")
        .args(["run", OLDEST, "cargo", "--version"])
        .output();
    if !installed.is_ok_and(|output| output.status.success()) {
        // Write to stderr directly, because the test harness captures `eprintln!`.
        use std::io::Write as _;
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED compiles_with_the_oldest_rust: rustup has no Rust {OLDEST} (rustup toolchain install {OLDEST})"
        );
        return;
    }
    let project = ProjectDirectory::project("shop", &projects::shop());
    assert!(
        project
            .read("Cargo.toml")
            .contains(&format!("rust-version = \"{OLDEST}\""))
    );
    let mut check = project.run(Command::new("rustup"));
    check.args(["run", OLDEST, "cargo", "check", "--quiet"]);
    project_directory::succeed(&mut check);
}
