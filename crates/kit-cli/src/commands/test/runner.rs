//! What runs the tests: node:test, or vitest where the project has it.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::RunArguments;
use super::report::{Report, of_node, of_vitest};
use crate::failure::{Problem, Stop};
use crate::project::Project;
use crate::{REPORT, REPORTER};

/// A runner of tests.
pub(super) enum Runner {
    /// Node's own.
    Node,
    /// vitest, and its program.
    Vitest { program: PathBuf },
}

impl Runner {
    /// vitest where package.json names it, else node:test.
    pub(super) fn of(project: &Project) -> Result<Self, Stop> {
        let text = kit_build::read_text(&project.root.join("package.json"))?;
        // One that cannot be read was reported when the configuration was looked for.
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

    /// As it is called in messages.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Node => "node:test",
            Self::Vitest { .. } => "vitest",
        }
    }

    /// Arguments of Node that run these files (vitest: files whose path holds one of these).
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

    /// Reads its report; otherwise why it cannot be read.
    pub(super) fn read(&self, text: &str, root: &Path) -> Result<Report, String> {
        match self {
            Self::Node => of_node(text, root),
            Self::Vitest { .. } => of_vitest(text, root),
        }
    }
}

/// vitest's program, in `node_modules` of the project or of a directory above it. Its launcher in `.bin` is a script of the
/// shell on some systems, which Node cannot run.
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

/// A path as `node --test` has to be told it: it takes globs.
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
