//! Tests of functions that create a directory in one step.
#![allow(clippy::disallowed_methods)] // Reason: tests read the created files.
#![allow(clippy::unwrap_used)] // Reason: helpers of tests may panic like tests.

use std::fs;
use std::path::PathBuf;

use kit_build::{TargetState, check_target, create_tree, fill_directory};

/// An empty temporary directory, removed when the test ends.
struct Home(PathBuf);

impl Home {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("kit-place-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn creates_a_directory_with_all_its_files() {
    let home = Home::new("whole");
    let target = home.0.join("project");
    assert_eq!(check_target(&target).unwrap(), TargetState::Free);
    create_tree(&target, [("a.txt", "one"), ("b/c.txt", "two")]).unwrap();
    assert_eq!(fs::read_to_string(target.join("b/c.txt")).unwrap(), "two");
    assert_eq!(
        check_target(&target).unwrap(),
        TargetState::NotEmpty("a.txt".to_owned())
    );
    assert_eq!(home.names(), ["project"]);
}

#[test]
fn leaves_no_file_if_one_of_the_files_cannot_be_written() {
    let home = Home::new("half");
    let target = home.0.join("project");
    // This fails: `a/b` needs a directory `a`, but the first file is named `a`.
    create_tree(&target, [("a", "one"), ("a/b", "two")]).unwrap_err();
    assert!(home.names().is_empty());
}

#[test]
fn fails_if_the_target_is_a_directory_with_files_and_keeps_the_files() {
    let home = Home::new("meanwhile");
    let target = home.0.join("project");
    fs::create_dir(&target).unwrap();
    fs::write(target.join("mine"), "kept").unwrap();
    create_tree(&target, [("a", "one")]).unwrap_err();
    assert_eq!(fs::read_to_string(target.join("mine")).unwrap(), "kept");
    assert_eq!(home.names(), ["project"]);
}

#[test]
fn adds_all_files_to_an_existing_directory() {
    let home = Home::new("filled");
    fs::create_dir(home.0.join(".git")).unwrap();
    fill_directory(&home.0, [("a.txt", "one"), ("b/c.txt", "two")]).unwrap();
    assert_eq!(home.names(), [".git", "a.txt", "b"]);
    assert_eq!(fs::read_to_string(home.0.join("b/c.txt")).unwrap(), "two");
}

#[test]
fn adds_no_file_to_a_directory_that_has_an_entry_of_the_same_name() {
    let home = Home::new("taken");
    fs::write(home.0.join("b"), "mine").unwrap();
    fill_directory(&home.0, [("a.txt", "one"), ("b/c.txt", "two")]).unwrap_err();
    assert_eq!(home.names(), ["b"]);
    assert_eq!(fs::read_to_string(home.0.join("b")).unwrap(), "mine");
}

#[test]
fn adds_no_file_to_a_directory_if_one_of_the_files_cannot_be_written() {
    let home = Home::new("half-filled");
    fill_directory(&home.0, [("a", "one"), ("a/b", "two")]).unwrap_err();
    assert!(home.names().is_empty());
}
