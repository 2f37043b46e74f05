//! Every project of the goldens, compiled as its user compiles it: with warnings denied, with Clippy, and with the oldest Rust that the
//! generated manifest names. All share one target directory with the other projects that kit generates in this repository.

// Projects are files, and a helper of a test may fail the test.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

mod projects;
#[path = "../../kit-emit/tests/support/mod.rs"]
mod support;
mod workshop;

use std::process::Command;

use workshop::Workshop;

/// What Clippy must not find in the generated project beside its own warnings: a request must never end in a panic.
const NO_PANIC: [&str; 5] = [
    "clippy::unwrap_used",
    "clippy::expect_used",
    "clippy::panic",
    "clippy::indexing_slicing",
    "clippy::string_slice",
];

/// The runtime reads bytes at places that it looked at before.
const NO_PANIC_OF_THE_RUNTIME: [&str; 3] = ["clippy::unwrap_used", "clippy::expect_used", "clippy::panic"];

#[test]
fn clippy_finds_nothing_in_any_project() {
    for (name, program) in projects::all() {
        let project = Workshop::project(name, &program);
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
        workshop::succeed(&mut clippy);
    }
}

#[test]
fn clippy_finds_nothing_in_the_runtime() {
    let project = Workshop::project("notes", &support::notes::program());
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
    workshop::succeed(&mut clippy);
}

/// With the dependencies that the example's lock file names.
#[test]
fn the_oldest_rust_compiles_it() {
    const OLDEST: &str = "1.85";
    let installed = Command::new("rustup")
        .args(["run", OLDEST, "cargo", "--version"])
        .output();
    if !installed.is_ok_and(|output| output.status.success()) {
        // Past the harness, which would keep it to itself.
        use std::io::Write as _;
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED the_oldest_rust_compiles_it: rustup has no Rust {OLDEST} (rustup toolchain install {OLDEST})"
        );
        return;
    }
    let project = Workshop::project("shop", &projects::shop());
    assert!(
        project
            .read("Cargo.toml")
            .contains(&format!("rust-version = \"{OLDEST}\""))
    );
    let mut check = project.run(Command::new("rustup"));
    check.args(["run", OLDEST, "cargo", "check", "--quiet"]);
    workshop::succeed(&mut check);
}
