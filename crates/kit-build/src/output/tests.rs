//! Tests of the output directory on a real disk.
#![allow(clippy::disallowed_methods)] // Reason: tests access files directly, without the code under test.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::{FileChanges, OutputDirectory, OutputFile};
use crate::BuildError;

/// A directory for one test, removed when the test ends.
struct Place(PathBuf);

impl Place {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("kit-output-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path.join(".kit"))
    }

    fn replace(&self, files: &[(&str, &str)]) -> Result<FileChanges, BuildError> {
        self.open()?
            .replace(files.iter().map(|(path, text)| file(path, text)).collect(), None)
    }

    fn open(&self) -> Result<OutputDirectory, BuildError> {
        OutputDirectory::open(self.0.clone(), Duration::from_millis(50), None)
    }

    /// Returns every file with its text, except the lock.
    fn contents(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        let mut open = vec![self.0.clone()];
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(&directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else if !path.ends_with(".lock") {
                    let name = path.strip_prefix(&self.0).unwrap().to_string_lossy().into_owned();
                    found.push((name, fs::read_to_string(&path).unwrap()));
                }
            }
        }
        found.sort();
        found
    }

    fn names(&self) -> Vec<String> {
        self.contents().into_iter().map(|(name, _)| name).collect()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(self.0.parent().unwrap());
    }
}

fn file(path: &str, text: &str) -> OutputFile {
    OutputFile {
        path: path.to_owned(),
        text: Arc::new(text.to_owned()),
        generated_at: None,
    }
}

fn modified(path: &Path) -> std::time::SystemTime {
    fs::metadata(path).unwrap().modified().unwrap()
}

#[test]
fn writes_only_files_with_changed_bytes() {
    let place = Place::new();
    let first = place.replace(&[("a.ts", "1"), ("deep/b.ts", "2")]).unwrap();
    assert_eq!(first.written, [".gitignore", "a.ts", "deep/b.ts"]);
    let (before, untouched) = (place.contents(), modified(&place.0.join("a.ts")));

    let second = place.replace(&[("a.ts", "1"), ("deep/b.ts", "2")]).unwrap();
    assert_eq!(
        (second.written.len(), second.unchanged, second.removed.len()),
        (0, 3, 0)
    );
    assert_eq!(place.contents(), before);

    let third = place.replace(&[("a.ts", "1"), ("deep/b.ts", "3")]).unwrap();
    assert_eq!(third.written, ["deep/b.ts"]);
    assert_eq!(modified(&place.0.join("a.ts")), untouched);
}

#[test]
fn removes_stale_generated_files_and_keeps_foreign_files() {
    let place = Place::new();
    place
        .replace(&[("a.ts", "1"), ("deep/er/b.ts", "2"), ("kept/c.ts", "3")])
        .unwrap();
    fs::write(place.0.join("kept/mine.txt"), "mine").unwrap();

    let changes = place.replace(&[("a.ts", "1")]).unwrap();
    assert_eq!(changes.removed, ["deep/er/b.ts", "kept/c.ts"]);
    assert_eq!(
        place.names(),
        [".gitignore", ".manifest.json", "a.ts", "kept/mine.txt"]
    );
    assert!(!place.0.join("deep").exists());
}

#[test]
fn restores_a_generated_file_that_was_edited() {
    let place = Place::new();
    place.replace(&[("a.ts", "1")]).unwrap();
    fs::write(place.0.join("a.ts"), "edited").unwrap();
    assert_eq!(place.replace(&[("a.ts", "1")]).unwrap().written, ["a.ts"]);
}

#[test]
fn refuses_a_directory_with_sources_without_changing_it() {
    let place = Place::new();
    fs::create_dir_all(&place.0).unwrap();
    fs::write(place.0.join("types.ts"), "mine").unwrap();
    let error = place.replace(&[("types.ts", "1")]).unwrap_err();
    assert!(matches!(error, BuildError::ForeignOutput { .. }), "{error}");
    assert_eq!(place.contents(), [("types.ts".to_owned(), "mine".to_owned())]);
}

#[test]
fn cleans_up_after_a_build_that_crashed() {
    let place = Place::new();
    place.replace(&[("a.ts", "1"), ("old.ts", "1")]).unwrap();
    // State after a crash: the manifest lists the files of both builds, one file is moved and one is still staged.
    let manifest = fs::read_to_string(place.0.join(".manifest.json")).unwrap();
    let both = manifest.replace(
        "\"old.ts\"",
        "\"half.ts\"\n    },\n    {\n      \"path\": \"old.ts\"",
    );
    assert_ne!(both, manifest);
    fs::write(place.0.join(".manifest.json"), both).unwrap();
    fs::write(place.0.join("half.ts"), "2").unwrap();
    fs::create_dir_all(place.0.join(".staging")).unwrap();
    fs::write(place.0.join(".staging/other.ts"), "2").unwrap();

    let changes = place.replace(&[("a.ts", "1"), ("old.ts", "1")]).unwrap();
    assert_eq!(changes.removed, ["half.ts"]);
    assert_eq!(place.names(), [".gitignore", ".manifest.json", "a.ts", "old.ts"]);
}

#[test]
fn accepts_the_directory_of_a_first_build_that_crashed() {
    let place = Place::new();
    fs::create_dir_all(place.0.join(".staging")).unwrap();
    fs::write(place.0.join(".lock"), "").unwrap();
    assert_eq!(
        place.replace(&[("a.ts", "1")]).unwrap().written,
        [".gitignore", "a.ts"]
    );
}

#[test]
fn refuses_a_damaged_manifest() {
    let place = Place::new();
    place.replace(&[("a.ts", "1")]).unwrap();
    for damaged in ["{", r#"{"version":1,"files":[{"path":"../../victim"}]}"#] {
        fs::write(place.0.join(".manifest.json"), damaged).unwrap();
        let error = place.replace(&[]).unwrap_err();
        assert!(matches!(error, BuildError::Manifest { .. }), "{error}");
        assert!(place.0.join("a.ts").exists());
    }
}

#[test]
fn refuses_a_directory_that_another_build_has_locked() {
    let place = Place::new();
    let first = place.open().unwrap();
    let error = place.open().map(|_| ()).unwrap_err();
    assert!(matches!(error, BuildError::Busy { .. }), "{error}");
    drop(first);
    assert!(place.open().is_ok());
}

#[test]
fn refuses_paths_that_leave_or_collide_before_it_writes() {
    let place = Place::new();
    for files in [
        vec![file("../out.ts", "")],
        vec![file("/out.ts", "")],
        vec![file(".manifest.json", "")],
        vec![file("Note.ts", ""), file("note.ts", "")],
    ] {
        let error = place.open().unwrap().replace(files, None).unwrap_err();
        assert!(matches!(error, BuildError::Artifact { .. }), "{error}");
    }
    assert_eq!(place.names(), Vec::<String>::new());
}
