//! Tests of diagnostics: each file in `errors/` contains a project with mistakes and kit's messages on it, as text for
//! people and as JSON for programs.
//!
//! ```text
//! === src/notes.types.ts
//! export interface Note …
//! === for people
//! error[KIT1302]: …
//! === for programs
//! { "code": "BUILD_ERROR", … }
//! ```
//!
//! `KIT_BLESS=1 cargo test -p kit-build --test errors` rewrites the messages; review the changes.
#![allow(clippy::disallowed_methods)] // Reason: the cases are files.
#![allow(clippy::unwrap_used)] // Reason: helpers of tests may panic like tests.

mod support;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use kit_diagnostics::{BuildFailure, Style, render};
use support::{Files, Project, beside, bless};

const PEOPLE: &str = "for people";
const PROGRAMS: &str = "for programs";

#[test]
fn build_with_mistakes_reports_all_of_them_and_writes_no_file() {
    let mut cases: Vec<_> = fs::read_dir(beside("errors"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    cases.sort();
    assert!(!cases.is_empty());
    for case in cases {
        check(&case);
    }
}

fn check(case: &Path) {
    let name = case.file_name().unwrap().to_string_lossy();
    let text = fs::read_to_string(case).unwrap();
    let mut sections = sections(&text);
    let expected = (sections.remove(PEOPLE), sections.remove(PROGRAMS));
    let project = Project::new(&sections);
    // This file stands for the output of an earlier build, which must not change.
    project.write(".kit/.manifest.json", "{ \"version\": 1, \"files\": [] }\n");
    let before = project.output();
    let report = project.build_at(1_790_000_000, true);
    assert!(!report.succeeded(), "{name}: there is no error");
    assert_eq!(
        project.output(),
        before,
        "{name}: a build with an error wrote something"
    );

    let mut people = String::new();
    for diagnostic in &report.diagnostics {
        writeln!(people, "{}\n", render(diagnostic, &report.sources, Style::Plain)).unwrap();
    }
    let people = people.replace(&project.root.display().to_string(), "<root>");
    let programs = serde_json::to_string_pretty(&BuildFailure::new(&report.diagnostics)).unwrap();
    let said = (format!("{}\n", people.trim_end()), format!("{programs}\n"));
    if bless() {
        let mut fresh = String::new();
        let end = text.find(&format!("=== {PEOPLE}")).unwrap_or(text.len());
        write!(
            fresh,
            "{}=== {PEOPLE}\n{}=== {PROGRAMS}\n{}",
            &text[..end],
            said.0,
            said.1
        )
        .unwrap();
        fs::write(case, fresh).unwrap();
    } else {
        assert_eq!(
            (Some(said.0), Some(said.1)),
            expected,
            "{name}; KIT_BLESS=1 rewrites it"
        );
    }
}

fn sections(text: &str) -> Files {
    let mut sections = Files::new();
    let mut current: Option<String> = None;
    for line in text.split_inclusive('\n') {
        if let Some(name) = line.strip_prefix("=== ") {
            current = Some(name.trim_end().to_owned());
            sections.insert(name.trim_end().to_owned(), String::new());
        } else if let Some(name) = &current {
            sections.get_mut(name).unwrap().push_str(line);
        }
    }
    sections
}
