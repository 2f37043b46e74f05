//! Writes generated projects to disk and runs cargo in them.

#![allow(dead_code, unreachable_pub)]
// each test binary uses its own part, and none has an outside
// Projects are files, and a helper of a test may fail the test.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use kit_ir::Program;
use kit_rust_server::{Output, Owner};

use crate::projects;

/// A generated project on disk. Its directory remains after the test, so that the next run compiles only changes.
pub struct ProjectDirectory {
    root: PathBuf,
}

impl ProjectDirectory {
    /// Writes the generated project of an application. Files that would not change are not written, and files that
    /// are no longer generated are removed.
    pub fn project(name: &str, program: &Program) -> Self {
        Self::named(name, name, program)
    }

    /// Writes the project into a directory with another name than the project, for tests that run at the same time.
    pub fn named(directory: &str, name: &str, program: &Program) -> Self {
        Self::of(directory, name, &projects::generated(name, program))
    }

    /// Writes generated files, and those that the user has written, into a directory with the given name. The project uses the runtime of [`share_runtime`].
    pub fn of(directory: &str, name: &str, output: &Output) -> Self {
        let root = directory_of_all().join(directory);
        let project = Self { root };
        assert_eq!(output.problems, [], "{name}");
        share_runtime(output);
        let mut made = BTreeSet::new();
        for (path, text) in projects::handwritten(name) {
            project.write(path, &text);
            made.insert(path.to_owned());
        }
        for file in &output.files {
            let path = match file.owner {
                Owner::Output if file.path.starts_with(RUNTIME) => continue,
                Owner::Output => format!(".kit/{}", file.path),
                Owner::User if made.contains(&file.path) => continue,
                Owner::Project | Owner::User => file.path.clone(),
            };
            if path == "Cargo.toml" {
                project.write(&path, &with_shared_runtime(&file.text, ".."));
            } else {
                project.write(&path, &file.text);
            }
            made.insert(path);
        }
        // kit-emit writes this file into the same directory in a real build.
        project.write(".kit/schemas/openapi.json", "{}\n");
        made.insert(".kit/schemas/openapi.json".to_owned());
        made.insert("Cargo.toml".to_owned());
        project.lock(name);
        made.insert("Cargo.lock".to_owned());
        project.remove_all_but(&made);
        project
    }

    /// Returns the directory of [`share_runtime`], to run cargo on the runtime itself.
    pub fn runtime(output: &Output) -> Self {
        share_runtime(output);
        let runtime = Self {
            root: directory_of_all().join(RUNTIME),
        };
        // cargo removes the example itself from the copy of its lock file.
        runtime.lock("notes-rust");
        runtime
    }

    /// Copies the lock file of the example, so that cargo uses dependencies that are already compiled.
    fn lock(&self, name: &str) {
        let example = projects::repository().join("examples/notes-rust/Cargo.lock");
        let text = fs::read_to_string(example).unwrap();
        let text = text.replace("name = \"notes-rust\"", &format!("name = \"{name}\""));
        self.write("Cargo.lock", &text);
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

    /// Returns a cargo command that runs in the project.
    pub fn cargo(&self) -> Command {
        self.run(Command::new("cargo"))
    }

    /// Sets the working directory of a command to the project, and its target directory to the one that all generated
    /// projects share.
    pub fn run(&self, mut program: Command) -> Command {
        program.current_dir(&self.root).env("CARGO_TARGET_DIR", target());
        program
    }
}

/// Returns the directory that contains the generated projects.
fn directory_of_all() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("rust-servers")
}

/// Directory of `kit-runtime` in a project's `.kit/`.
const RUNTIME: &str = "runtime/";

/// Writes `kit-runtime` next to the generated projects. All projects have the same runtime, so cargo compiles the runtime
/// once for all of them.
pub fn share_runtime(output: &Output) {
    // Only one thread writes at a time: cargo must not read a file that another test is writing.
    static WRITING: Mutex<()> = Mutex::new(());
    let _guard = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    for file in output.files.iter().filter(|file| file.owner == Owner::Output) {
        let path = directory_of_all().join(&file.path);
        if file.path == "runtime/Cargo.toml" {
            // Without its own workspace, the runtime would belong to the workspace of this repository.
            write(&path, &format!("{}\n[workspace]\n", file.text));
        } else if file.path.starts_with(RUNTIME) {
            write(&path, &file.text);
        }
    }
}

/// Changes the manifest of a project so that the project uses the runtime of [`share_runtime`]. `up` is the path from the
/// project to the directory of all projects.
pub fn with_shared_runtime(manifest: &str, up: &str) -> String {
    let shared = manifest.replace("\".kit/runtime\"", &format!("\"{up}/runtime\""));
    assert_ne!(manifest, shared, "the manifest does not name the runtime");
    shared
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

/// Runs a command to its end and returns its standard error. Panics with its output if it fails.
pub fn succeed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{command:?}\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Returns the content of a file.
pub fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}
