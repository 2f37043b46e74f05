//! Whole projects, compared byte by byte. `KIT_BLESS=1 cargo test -p kit-rust-server` rewrites them for review; `tests/vectors_*.rs`
//! compile their models and hold them against the vectors of every runtime.

// Goldens are files, and a helper of a test may fail the test.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

#[path = "../../kit-emit/tests/support/mod.rs"]
mod support;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use kit_ir::{Method, Program, RouteSlots};
use kit_rust_server::{File, Options, Output, Owner, generate};

#[test]
fn notes() {
    let output = generated("notes", &support::notes::program());
    assert_eq!(output.problems, []);
    check("notes", &output.files);
}

#[test]
fn kitchen_sink() {
    let (program, problems) = supported(&support::kitchen_sink::program());
    let output = generated("kitchen-sink", &program);
    assert_eq!(output.problems, []);
    let models: Vec<File> = output
        .files
        .into_iter()
        .filter(|file| file.path.starts_with("models/"))
        .collect();
    check("kitchen-sink", &models);
    compare(&golden("kitchen-sink", "problems.txt"), &problems);
}

/// The program with a route for each type that has a Rust form, and what is said of the others.
fn supported(whole: &Program) -> (Program, String) {
    let mut program = whole.clone();
    program.entities = kit_ir::Arena::default();
    program.routes = kit_ir::Arena::default();
    let mut problems = String::new();
    for (id, declaration) in whole.declarations.iter_ids() {
        let mut route = whole.routes[kit_ir::RouteId(0)].clone();
        route.method = Method::Post;
        route.path = format!("/{}", declaration.name);
        route.parameters.clear();
        route.middleware.clear();
        route.slots = RouteSlots {
            body: Some(id),
            ..RouteSlots::default()
        };
        let mut alone = program.clone();
        alone.routes = kit_ir::Arena::default();
        alone.routes.push(route.clone());
        let found = generated("kitchen-sink", &alone).problems;
        if found.is_empty() {
            program.routes.push(route);
        }
        for problem in found {
            let _ = writeln!(problems, "{}: {}", declaration.name, problem.message);
        }
    }
    (program, problems)
}

#[test]
fn the_runtime_is_written_whole() {
    let output = generated("notes", &Program::default());
    for (own, written) in [("kit-runtime", "runtime/src"), ("kit-guard", "runtime/guard/src")] {
        let source = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("..")
            .join(own)
            .join("src");
        written_whole(&output, &source, written);
    }
}

fn written_whole(output: &Output, source: &Path, prefix: &str) {
    let mut pending = vec![source.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
                continue;
            }
            let relative = path.strip_prefix(source).unwrap().to_str().unwrap();
            let written = format!("{prefix}/{relative}");
            let file = output.files.iter().find(|file| file.path == written);
            let file = file.unwrap_or_else(|| panic!("the generator does not write {written}"));
            assert_eq!(file.text, fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn what_is_made_is_as_rustfmt_writes_it() {
    for (name, program) in [
        ("notes", support::notes::program()),
        ("kitchen-sink", supported(&support::kitchen_sink::program()).0),
    ] {
        let directory = std::env::temp_dir().join(format!("kit-rust-server-{name}-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        for file in generated(name, &program).files {
            let path = match file.owner {
                Owner::Output => directory.join(".kit").join(&file.path),
                Owner::Project | Owner::User => directory.join(&file.path),
            };
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, file.text).unwrap();
        }
        // It goes through all modules by itself.
        let output = Command::new("rustfmt")
            .args(["--check", "--edition", "2024", "src/lib.rs", "src/main.rs"])
            .current_dir(&directory)
            .output()
            .unwrap();
        fs::remove_dir_all(&directory).unwrap();
        let difference = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success(),
            "{difference}{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

fn generated(name: &str, program: &Program) -> Output {
    let options = Options {
        name: name.to_owned(),
        output_dir: ".kit".to_owned(),
    };
    generate(program, &options)
}

fn golden(name: &str, path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/goldens")
        .join(name)
        .join(path)
}

fn check(name: &str, files: &[File]) {
    for file in files.iter().filter(|file| !file.path.starts_with("runtime/")) {
        let path = match file.owner {
            Owner::Output => format!("kit/{}", file.path),
            Owner::Project | Owner::User => file.path.clone(),
        };
        compare(&golden(name, &path), &file.text);
    }
}

fn compare(path: &Path, text: &str) {
    if std::env::var_os("KIT_BLESS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        return;
    }
    let expected = fs::read_to_string(path).unwrap_or_default();
    assert_eq!(expected, text, "{} differs", path.display());
}
