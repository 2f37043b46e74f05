//! The test runners: node:test, or vitest if the project depends on it.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::RunArguments;
use super::report::{Report, of_node, of_vitest};
use crate::failure::{CommandError, Problem};
use crate::project::Project;
use crate::{REPORT, REPORTER};

/// A test runner.
pub(super) enum Runner {
    /// node:test, the runner of Node.
    Node,
    /// vitest, with the path of its program.
    Vitest { program: PathBuf },
}

impl Runner {
    /// Returns the runner of a project: vitest if package.json depends on it, else node:test.
    pub(super) fn of(project: &Project) -> Result<Self, CommandError> {
        let text = kit_build::read_text(&project.root.join("package.json"))?;
        // An invalid package.json was already reported when the configuration was read.
        let manifest: Value = text
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default();
        let names_it = ["dependencies", "devDependencies"]
            .iter()
            .any(|field| manifest[field].get("vitest").is_some());
        if !names_it {
            return Ok(Self::Node);
        }
        vitest(&project.root).map(|program| Self::Vitest { program }).ok_or_else(|| {
            Problem::testing(format!(
                "package.json names vitest, but it is not installed: there is no node_modules/vitest in {} or above it",
                project.root.display()
            ))
            .help("run `npm install`")
            .into()
        })
    }

    /// Returns the name for messages.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Node => "node:test",
            Self::Vitest { .. } => "vitest",
        }
    }

    /// Returns the arguments for Node to run the tests in these files. For vitest, `files` are strings that the paths of the
    /// files contain.
    pub(super) fn command(&self, files: &[String], arguments: &RunArguments) -> Vec<String> {
        let mut args: Vec<String> = Vec::new();
        let mut add = |words: &[&str]| args.extend(words.iter().map(ToString::to_string));
        match self {
            Self::Node => {
                add(&[
                    "--test",
                    "--test-reporter",
                    "spec",
                    "--test-reporter-destination",
                    "stderr",
                ]);
                add(if arguments.watch {
                    &["--watch"]
                } else {
                    &["--test-reporter", REPORTER, "--test-reporter-destination", REPORT]
                });
            }
            Self::Vitest { program } => {
                add(&[&program.to_string_lossy()]);
                add(if arguments.watch {
                    &["watch"]
                } else {
                    &[
                        "run",
                        "--includeTaskLocation",
                        "--reporter=default",
                        "--reporter=json",
                        "--outputFile.json",
                        REPORT,
                    ]
                });
            }
        }
        args.extend(arguments.rest.iter().cloned());
        args.extend(files.iter().map(|file| match self {
            Self::Node => literal(file),
            Self::Vitest { .. } => file.strip_prefix("./").unwrap_or(file).to_owned(),
        }));
        args
    }

    /// Parses the runner's report. The error describes the mistake in the report.
    pub(super) fn read(&self, text: &str, root: &Path) -> Result<Report, String> {
        match self {
            Self::Node => of_node(text, root),
            Self::Vitest { .. } => of_vitest(text, root),
        }
    }
}

/// Returns the path of vitest's program in `node_modules` of the project or of a parent directory. The launcher in `.bin` is
/// not used: it can be a shell script, which Node cannot run.
fn vitest(root: &Path) -> Option<PathBuf> {
    root.ancestors()
        .map(|directory| directory.join("node_modules/vitest"))
        .find_map(|package| {
            let manifest = kit_build::read_text(&package.join("package.json")).ok()??;
            let manifest: Value = serde_json::from_str(&manifest).ok()?;
            let bin = manifest["bin"]
                .as_str()
                .or_else(|| manifest["bin"]["vitest"].as_str())?;
            Some(package.join(bin))
        })
}

/// Escapes the special characters in a path, because `node --test` treats its arguments as globs.
fn literal(file: &str) -> String {
    let mut text = String::new();
    if file.starts_with('-') {
        text.push_str("./");
    }
    for letter in file.chars() {
        if matches!(letter, '[' | '*' | '?' | '{' | '(') {
            text.extend(['[', letter, ']']);
        } else {
            text.push(letter);
        }
    }
    text
}
