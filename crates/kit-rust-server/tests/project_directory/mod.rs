//! Writes generated projects to disk.

#![allow(dead_code, unreachable_pub)]
// each test binary uses its own part, and none has an outside
// Projects are files, and a helper of a test may fail the test.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use kit_rust_server::{Output, Owner};

/// A generated project on disk. Its directory remains after the test, so that the next run compiles only changes.
pub struct ProjectDirectory {
    root: PathBuf,
}

impl ProjectDirectory {
    /// Writes generated files into a directory with the given name, except the runtime. `written` are files of the user,
    /// which replace generated ones, and `manifest` replaces the generated `Cargo.toml`. Files that would not change are
    /// not written, and files that are no longer generated are removed.
    pub fn of(name: &str, output: &Output, written: Vec<(String, String)>, manifest: &str) -> Self {
        let project = Self {
            root: directory_of_all().join(name),
        };
        assert_eq!(output.problems, [], "{name}");
        let mut made = BTreeSet::new();
        for (path, text) in written {
            project.write(&path, &text);
            made.insert(path);
        }
        for file in &output.files {
            let path = match file.owner {
                Owner::Output if file.path.starts_with(RUNTIME) => continue,
                Owner::Output => format!(".kit/{}", file.path),
                Owner::User if made.contains(&file.path) => continue,
                Owner::Project | Owner::User => file.path.clone(),
            };
            let text = if path == MANIFEST { manifest } else { &file.text };
            project.write(&path, text);
            made.insert(path);
        }
        // kit-emit writes these files into the same directory in a real build.
        for (document, text) in [
            (".kit/schemas/openapi.json", "{}\n"),
            (".kit/schemas/asyncapi.json", "{}\n"),
            (".kit/docs/viewer.js.gz.base64", "H4sIAAAAAAAAAw=="),
            (".kit/docs/start.js", "\n"),
        ] {
            project.write(document, text);
            made.insert(document.to_owned());
        }
        project.remove_all_but(&made);
        project
    }

    /// Returns the directory of the project.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Writes a file if its content differs.
    pub fn write(&self, path: &str, text: &str) {
        write(&self.root.join(path), text);
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap()
    }

    /// Returns the paths of the files in a directory whose names end with `ending`, sorted.
    pub fn files(&self, directory: &str, ending: &str) -> Vec<String> {
        let mut found: Vec<String> = fs::read_dir(self.root.join(directory))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.ends_with(ending))
            .map(|name| format!("{directory}/{name}"))
            .collect();
        found.sort();
        found
    }

    fn remove_all_but(&self, made: &BTreeSet<String>) {
        let mut pending = vec![self.root.clone()];
        while let Some(directory) = pending.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    pending.push(path);
                    continue;
                }
                let relative = path.strip_prefix(&self.root).unwrap().to_str().unwrap();
                if !made.contains(&relative.replace('\\', "/")) {
                    fs::remove_file(path).unwrap();
                }
            }
        }
    }
}

/// Returns the directory that contains the generated projects.
pub fn directory_of_all() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("rust-servers")
}

/// Directory of `kit-runtime` in a project's `.kit/`.
pub const RUNTIME: &str = "runtime/";

const MANIFEST: &str = "Cargo.toml";

/// Returns the generated `Cargo.toml` of a project.
pub fn manifest(output: &Output) -> &str {
    let manifest = output.files.iter().find(|file| file.path == MANIFEST);
    &manifest.expect("a manifest").text
}

/// Writes a file if its content differs.
pub fn write(path: &Path, text: &str) {
    if fs::read_to_string(path).is_ok_and(|there| there == text) {
        return;
    }
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Returns the target directory for generated projects. `cargo xtask test` uses it for the example too, because
/// compiling the dependencies takes most of the time.
pub fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("../generated")
}

/// Runs a command to its end and returns its output. Panics with its output if it fails.
pub fn output(command: &mut Command) -> std::process::Output {
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{command:?}\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// Returns the content of a file.
pub fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}
