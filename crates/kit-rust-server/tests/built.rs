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

/// Functions for handlers of the golden `contracts`, each with the name of its case in `conformance/contracts.json` and the
/// error of the Rust compiler.
const BREAKING: [(&str, &str, &str); 6] = [
    (
        "a reply without a required header: 500",
        "fn header(body: Order) -> CreateOrderReply { let location = String::new(); CreateOrderReply::Created { body, headers: PostOrdersReply201Headers { location } } }",
        "E0063",
    ),
    (
        "a reply without its body: 500",
        "fn body() -> CreateOrderReply { CreateOrderReply::Accepted {} }",
        "E0063",
    ),
    (
        "a value in place of a reply: 500",
        "fn value(body: Order) -> CreateOrderReply { body }",
        "E0308",
    ),
    (
        "a reply with an undeclared status: 500",
        "fn status(body: Job) -> CreateOrderReply { CreateOrderReply::Ok { body } }",
        "E0599",
    ),
    (
        "ctx.send beside replies: 500",
        "fn send() -> CreateOrderReply { kit_runtime::Reply::text(\"text\") }",
        "E0308",
    ),
    (
        "details that break the contract: 500",
        "fn details() -> AppError { AppError::SoldOut(SoldOut { left: (), again: None }) }",
        "E0308",
    ),
];

#[test]
fn refuses_to_compile_handlers_that_break_their_contracts() {
    let vectors = projects::repository().join("conformance/contracts.json");
    let vectors: serde_json::Value = serde_json::from_str(&project_directory::text(&vectors)).unwrap();
    let cases = vectors["cases"].as_array().unwrap().iter();
    let untyped = cases.filter(|case| case["untyped"] == true);
    let names: Vec<_> = untyped.map(|case| case["name"].as_str().unwrap()).collect();
    assert_eq!(BREAKING.map(|(name, ..)| name).as_slice(), names);

    let name = "contracts-broken";
    let project = ProjectDirectory::project(name, &support::contracts::program());
    let imports = "use crate::{error::AppError, models::*, router::CreateOrderReply};";
    let functions = BREAKING
        .map(|(_, function, _)| format!("pub {function}"))
        .join("\n");
    project.write("src/services/mod.rs", &format!("{imports}\n{functions}\n"));
    let mut cargo = project.cargo();
    let output = cargo
        .args(["check", "--quiet", "--message-format=short"])
        .output()
        .unwrap();
    let reported = String::from_utf8(output.stderr).unwrap();
    // src/services/mod.rs:2:83: error[E0063]: missing fields …
    let errors: Vec<_> = reported
        .lines()
        .filter_map(|line| {
            let (place, error) = line.split_once(": error[")?;
            let number: usize = place.split(':').nth(1)?.parse().ok()?;
            Some((number - 2, error.split(']').next()?.to_owned()))
        })
        .collect();
    let expected = BREAKING
        .iter()
        .enumerate()
        .map(|(at, (.., code))| (at, (*code).to_owned()));
    assert_eq!(errors, expected.collect::<Vec<_>>(), "{reported}");
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
