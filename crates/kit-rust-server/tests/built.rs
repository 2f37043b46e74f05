//! Tests that compile the project of every golden directory with warnings denied, with Clippy, with rustdoc, and with
//! the oldest Rust version that the generated manifest allows. All projects share one target directory with other
//! generated projects of this repository.

// Projects are directories of files, and a helper function may fail the test that calls it.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

mod project_directory;
mod projects;
mod workspace;

use kit_test_programs as support;
use std::process::Command;

use workspace::{BREAKING, BROKEN, Workspace};

#[test]
fn compiles_every_project_and_the_runtime_without_a_clippy_warning() {
    let programs = Workspace::compiled();
    for (name, _) in projects::all() {
        assert!(programs.server(name).is_file(), "{name} has no program");
    }
}

/// Needs `KIT_LONG`, because cargo checks all dependencies again for the documentation.
#[test]
fn documents_every_project_without_a_warning() {
    if kit_test_postgres::runs_only_if_long("documents_every_project_without_a_warning") {
        project_directory::output(&mut Workspace::documentation());
    }
}

/// Returns the errors of cargo for a project that cargo must refuse, each in one line.
fn output_of_refused(project: &str) -> String {
    let name = format!("{project}{BROKEN}");
    // The other projects, which are compiled already, give the dependencies their features.
    Workspace::compiled();
    let mut cargo = workspace::build_with_others(&name);
    let output = cargo.args(["--lib", "--message-format=short"]).output().unwrap();
    assert!(!output.status.success(), "{name} was compiled");
    String::from_utf8(output.stderr).unwrap()
}

/// Returns the errors of cargo in `src/services/mod.rs` of a project that cargo must refuse: the number of the line, from 1,
/// and the error.
fn refused(project: &str) -> Vec<(usize, String)> {
    let reported = output_of_refused(project);
    let name = format!("{project}{BROKEN}");
    // contracts-broken/src/services/mod.rs:2:83: error[E0063]: missing fields …
    let place = format!("{name}/src/services/mod.rs:");
    let errors: Vec<_> = reported
        .lines()
        .filter_map(|line| {
            let (place, error) = line.strip_prefix(&place)?.split_once(": error")?;
            Some((place.split(':').next()?.parse().ok()?, error.to_owned()))
        })
        .collect();
    assert!(!errors.is_empty(), "{reported}");
    errors
}

#[test]
fn refuses_to_compile_handlers_that_break_their_contracts() {
    let vectors = projects::repository().join("conformance/contracts.json");
    let vectors: serde_json::Value = serde_json::from_str(&project_directory::text(&vectors)).unwrap();
    let cases = vectors["cases"].as_array().unwrap().iter();
    let untyped = cases.filter(|case| case["untyped"] == true);
    let names: Vec<_> = untyped.map(|case| case["name"].as_str().unwrap()).collect();
    assert_eq!(BREAKING.map(|(name, ..)| name).as_slice(), names);

    let errors: Vec<_> = refused("contracts")
        .into_iter()
        .filter_map(|(line, error)| {
            let code = error.strip_prefix('[')?.split(']').next()?;
            Some((line - 2, code.to_owned()))
        })
        .collect();
    let expected = BREAKING
        .iter()
        .enumerate()
        .map(|(at, (.., code))| (at, (*code).to_owned()));
    assert_eq!(errors, expected.collect::<Vec<_>>());
}

#[test]
fn names_the_missing_trait_if_middleware_does_not_tell_the_scopes_of_callers() {
    let reported = output_of_refused("identity");
    let expected = "error[E0277]: a contract requires scopes, but `middleware::require_auth::RequireAuth` does not tell the \
                    scopes of callers: the trait `Caller` is missing for this middleware";
    assert!(reported.contains(expected), "{reported}");
    assert!(!reported.contains("Authenticate` does not tell"), "{reported}");
}

/// Without this test, nobody would notice if Clippy were not the compiler.
#[test]
fn refuses_to_compile_a_call_of_unwrap() {
    let errors = refused("nothing");
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].1.contains("used `unwrap()`"), "{errors:?}");
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
    let project = Workspace::written().project("shop");
    assert!(
        project
            .read("Cargo.toml")
            .contains(&format!("rust-version = \"{OLDEST}\""))
    );
    let mut check = Command::new("rustup");
    check
        .args(["run", OLDEST, "cargo", "check", "--quiet"])
        .current_dir(project.root())
        .env("CARGO_TARGET_DIR", project_directory::target());
    project_directory::output(&mut check);
}
