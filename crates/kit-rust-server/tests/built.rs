//! Tests that compile the project of every golden directory as users do: with warnings denied, with Clippy, and with
//! the oldest Rust version that the generated manifest allows. All projects share one target directory with other
//! generated projects of this repository.

// Projects are directories of files, and a helper function may fail the test that calls it.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

mod project_directory;
mod projects;

use kit_test_programs as support;
use std::process::Command;

use project_directory::ProjectDirectory;

/// Clippy lints that generated code must satisfy in addition to the default ones, because a request must never cause
/// a panic.
const NO_PANIC: [&str; 5] = [
    "clippy::unwrap_used",
    "clippy::expect_used",
    "clippy::panic",
    "clippy::indexing_slicing",
    "clippy::string_slice",
];

/// The same lints without those for indexing, because the runtime indexes bytes at positions that it has checked.
const NO_PANIC_OF_THE_RUNTIME: [&str; 3] = ["clippy::unwrap_used", "clippy::expect_used", "clippy::panic"];

#[test]
fn compiles_every_project_without_a_clippy_warning() {
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
fn compiles_the_runtime_without_a_clippy_warning() {
    let runtime = ProjectDirectory::runtime(&projects::generated("notes", &support::notes::program()));
    let mut clippy = runtime.cargo();
    clippy.args([
        "clippy",
        "--quiet",
        "--no-deps",
        "--workspace",
        "--all-features",
        "--",
        "--deny",
        "warnings",
    ]);
    for lint in NO_PANIC_OF_THE_RUNTIME {
        clippy.args(["--deny", lint]);
    }
    project_directory::succeed(&mut clippy);
}

/// The project has the dependencies of the example's lock file.
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
