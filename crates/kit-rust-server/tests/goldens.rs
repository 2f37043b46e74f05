//! Whole projects, compared byte by byte. `KIT_BLESS=1 cargo test -p kit-rust-server --test goldens` rewrites them for review;
//! `tests/vectors_*.rs` compile their models and hold them against the vectors of every runtime, `tests/built.rs` compiles all of them.

// Goldens are files, and a helper of a test may fail the test.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

mod projects;
#[path = "../../kit-emit/tests/support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use kit_ir::Program;
use kit_rust_server::{Output, Owner};
use projects::generated;

/// Text by path.
type Files = BTreeMap<String, String>;

#[test]
fn notes() {
    check("notes", files(&whole("notes", &support::notes::program())));
}

#[test]
fn shop() {
    check("shop", files(&whole("shop", &projects::shop())));
}

/// Its handlers alone: what they rest on is like that of the others.
#[test]
fn teams() {
    let mut files = files(&whole("teams", &projects::teams()));
    files.retain(|path, _| path.starts_with("src/handlers/"));
    check("teams", files);
}

#[test]
fn names() {
    check("names", files(&whole("names", &projects::names())));
}

#[test]
fn owners() {
    check("owners", files(&whole("owners", &projects::owners())));
}

#[test]
fn kitchen_sink() {
    let program = projects::kitchen_sink();
    check("kitchen-sink", files(&whole("kitchen-sink", &program)));
}

#[test]
fn the_runtime_is_written_whole() {
    let output = generated("notes", &Program::default());
    for (own, written) in [("kit-runtime", "runtime/src"), ("kit-guard", "runtime/guard/src")] {
        let source = projects::repository().join("crates").join(own).join("src");
        for (path, text) in read_tree(&source) {
            let written = format!("{written}/{path}");
            let file = output.files.iter().find(|file| file.path == written);
            let file = file.unwrap_or_else(|| panic!("the generator does not write {written}"));
            assert_eq!(file.text, text);
        }
    }
}

#[test]
fn what_is_made_is_as_rustfmt_writes_it() {
    for (name, program) in projects::all() {
        let directory = std::env::temp_dir().join(format!("kit-rust-server-{name}-{}", std::process::id()));
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
            "{name}: {difference}{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

/// What is made of a program that has a Rust form as a whole.
fn whole(name: &str, program: &Program) -> Output {
    let output = generated(name, program);
    assert_eq!(output.problems, []);
    output
}

/// The files as a golden has them: without the runtime, which is the same for all.
fn files(output: &Output) -> Files {
    let files = output.files.iter();
    files
        .filter(|file| !file.path.starts_with("runtime/"))
        .map(|file| {
            let path = match file.owner {
                Owner::Output => format!("kit/{}", file.path),
                Owner::Project | Owner::User => file.path.clone(),
            };
            (path, file.text.clone())
        })
        .collect()
}

/// Every file is as the golden has it, and the golden has no other.
fn check(name: &str, files: Files) {
    let directory = projects::tests().join("goldens").join(name);
    if std::env::var_os("KIT_BLESS").is_some() {
        if directory.exists() {
            fs::remove_dir_all(&directory).unwrap();
        }
        for (path, text) in files {
            let path = directory.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        return;
    }
    let expected = read_tree(&directory);
    let names = |files: &Files| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(
        names(&files),
        names(&expected),
        "the files of {}",
        directory.display()
    );
    for (path, text) in &files {
        assert_eq!(text, &expected[path], "{path} of {} differs", directory.display());
    }
}

/// All files below a directory.
fn read_tree(root: &Path) -> Files {
    let mut files = Files::new();
    let mut pending = vec![root.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
                continue;
            }
            let relative = path.strip_prefix(root).unwrap().to_str().unwrap();
            files.insert(relative.replace('\\', "/"), fs::read_to_string(&path).unwrap());
        }
    }
    files
}
