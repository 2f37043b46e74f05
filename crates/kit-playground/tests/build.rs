//! Builds projects on the disk. `tests/playground` runs the same code as WebAssembly.
// Reason: tests access files directly, without the code under test, and end at the first failure.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

use std::fs;
use std::time::SystemTime;

use kit_build::{BuildTime, TemporaryDirectory};
use kit_playground::{Answer, build};

/// Builds a project with this file, and returns the result and the names of the files in the project's directory.
fn built(path: &str, text: &str) -> (Answer, Vec<String>) {
    let directory = TemporaryDirectory::create("playground").unwrap();
    let root = directory.path();
    fs::create_dir_all(root.join("src")).unwrap();
    fs::write(root.join(path), text).unwrap();
    let time = BuildTime::new(Some("1700000000"), SystemTime::now()).unwrap();
    let answer = build(root, &time).unwrap();
    let names = fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    (answer, names)
}

#[test]
fn generates_artifacts_on_the_disk_and_the_rust_server_in_memory() {
    let (answer, names) = built(
        "src/note.types.ts",
        "export interface Note {\n  /** @minLength 1 */\n  title: string;\n}\n",
    );
    assert!(answer.diagnostics.iter().all(|mistake| !mistake.is_error));
    assert_eq!(answer.output_dir, ".kit");
    assert!(names.contains(&".kit".to_owned()));
    assert!(!names.contains(&"Cargo.toml".to_owned()));
    assert!(answer.rust.iter().any(|file| file.path == "Cargo.toml"));
    assert!(!answer.rust.iter().any(|file| file.path.starts_with("runtime/")));
}

#[test]
fn mistakes_have_the_range_of_the_text_that_is_wrong() {
    let text = "export interface Note {\n  /** @format emial */\n  author: string;\n}\n";
    let (answer, names) = built("src/note.types.ts", text);
    let mistake = answer
        .diagnostics
        .iter()
        .find(|mistake| mistake.is_error)
        .unwrap();
    assert_eq!(mistake.code.as_deref(), Some("KIT1302"));
    let place = mistake.place.as_ref().unwrap();
    assert_eq!(&text[place.start..place.end], "@format emial");
    assert_eq!((place.line, place.column), (2, 7));
    assert!(answer.rust.is_empty());
    assert!(!names.contains(&".kit".to_owned()));
}

#[test]
fn a_configuration_that_is_a_program_is_an_error() {
    let (answer, names) = built("kit.config.ts", "export default {};\n");
    assert_eq!(
        answer.diagnostics[0].message,
        "`kit.config.ts` is a program, which the playground does not run"
    );
    assert!(!names.contains(&".kit".to_owned()));
}
