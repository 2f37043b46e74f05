//! Making a directory as a whole.
#![allow(clippy::disallowed_methods)] // Reason: tests look at what is made.
#![allow(clippy::unwrap_used)] // Reason: a helper of tests fails as a test does.

use std::fs;
use std::path::PathBuf;

use kit_build::{Place, create_tree, place};

/// An empty directory, gone when the test ends.
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
fn a_directory_appears_with_all_its_files() {
    let home = Home::new("whole");
    let target = home.0.join("project");
    assert_eq!(place(&target).unwrap(), Place::Free);
    create_tree(&target, [("a.txt", "one"), ("b/c.txt", "two")]).unwrap();
    assert_eq!(fs::read_to_string(target.join("b/c.txt")).unwrap(), "two");
    assert_eq!(place(&target).unwrap(), Place::Taken("a.txt".to_owned()));
    assert_eq!(home.names(), ["project"]);
}

#[test]
fn what_fails_half_way_leaves_nothing() {
    let home = Home::new("half");
    let target = home.0.join("project");
    // The second file needs a directory where the first one is.
    create_tree(&target, [("a", "one"), ("a/b", "two")]).unwrap_err();
    assert!(home.names().is_empty());
}

#[test]
fn what_came_meanwhile_is_kept() {
    let home = Home::new("meanwhile");
    let target = home.0.join("project");
    fs::create_dir(&target).unwrap();
    fs::write(target.join("mine"), "kept").unwrap();
    create_tree(&target, [("a", "one")]).unwrap_err();
    assert_eq!(fs::read_to_string(target.join("mine")).unwrap(), "kept");
    assert_eq!(home.names(), ["project"]);
}
