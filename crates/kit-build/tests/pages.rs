//! Tests of the pages in `docs/errors/`. A page shows a project with a mistake, kit's messages on it, and the project
//! without the mistake:
//!
//! ````text
//! # KIT1302: `@format` with an unknown name
//! …
//! ## Example
//! ```ts file=src/users.types.ts
//! …
//! ```
//! ```text
//! error[KIT1302]: …
//! ```
//! ## Solution
//! ```ts file=src/users.types.ts
//! …
//! ```
//! ````
//!
//! This test skips pages with a configuration file, because these need JavaScript; `packages/cli/test/pages.test.ts` runs
//! them. A block ` ```hex ` contains the bytes of a file that is not UTF-8.
//! `KIT_BLESS=1 cargo test -p kit-build --test pages` rewrites the messages and the list in `docs/errors.md`; review the
//! changes.
#![allow(clippy::disallowed_methods)] // Reason: pages and the projects that they show are files.
#![allow(clippy::unwrap_used)] // Reason: helpers of tests may panic like tests.

mod support;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kit_build::{BuildRequest, BuildTime, Disk, analyze, resolve};
use kit_diagnostics::{Code, Diagnostics, Sources, Style, codes, render};
use support::{Project, bless};

const SOLUTION: &str = "\n## Solution\n";

/// Files that make a project complete. Without types and routes, kit would warn of missing sources, which is the subject of
/// another page.
const BASE: [(&str, &str); 2] = [
    ("src/kit.types.ts", "export {};\n"),
    ("src/kit.routes.ts", "export {};\n"),
];

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

#[test]
fn every_error_code_has_a_page_and_every_page_has_an_error_code() {
    let pages: BTreeSet<String> = fs::read_dir(docs().join("errors"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    let codes: BTreeSet<String> = codes::ALL.iter().map(|code| format!("{code}.md")).collect();
    assert_eq!(pages, codes);
}

#[test]
fn pages_of_error_codes_show_the_actual_messages_of_kit() {
    let mut wrong = String::new();
    for code in codes::ALL {
        if let Err(reason) = check(*code) {
            writeln!(wrong, "docs/errors/{code}.md: {reason}\n").unwrap();
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}KIT_BLESS=1 rewrites the messages");
}

#[test]
fn list_in_errors_md_contains_all_error_codes() {
    let path = docs().join("errors.md");
    let text = fs::read_to_string(&path).unwrap();
    let (head, rest) = text.split_once("| code |").expect("a table");
    let (_, foot) = rest.split_once("\n\n").expect("text after the table");
    let mut fresh = format!("{head}| code | title |\n|---|---|\n");
    for code in codes::ALL {
        writeln!(fresh, "| [{code}](errors/{code}.md) | {} |", code.title()).unwrap();
    }
    write!(fresh, "\n{foot}").unwrap();
    if bless() {
        fs::write(&path, &fresh).unwrap();
    }
    assert_eq!(fresh, if bless() { fresh.clone() } else { text });
}

fn check(code: Code) -> Result<(), String> {
    let path = docs().join(format!("errors/{code}.md"));
    let page = fs::read_to_string(&path).unwrap();
    if page.contains(" file=kit.config.") {
        return Ok(());
    }
    let (example, solution) = page
        .split_once(SOLUTION)
        .ok_or_else(|| format!("there is no heading `{}`", SOLUTION.trim()))?;

    let wrong = Outcome::of(code, &blocks(example));
    let shown = blocks(example)
        .into_iter()
        .find(|block| block.file.is_none() && block.language == "text")
        .ok_or("there is no block `text` with the messages")?;
    if wrong.codes != BTreeSet::from([code]) {
        return Err(format!("the example causes {:?}:\n{}", wrong.codes, wrong.said));
    }
    if shown.text != wrong.said {
        if !bless() {
            return Err(format!(
                "the page shows\n{}kit reports\n{}",
                shown.text, wrong.said
            ));
        }
        let fresh = example.replacen(
            &format!("```text\n{}```\n", shown.text),
            &format!("```text\n{}```\n", wrong.said),
            1,
        );
        fs::write(&path, format!("{fresh}{SOLUTION}{solution}")).unwrap();
    }

    let right = blocks(solution);
    if !right.iter().any(|block| block.file.is_some()) {
        return Err("the solution has no files".to_owned());
    }
    let right = Outcome::of(code, &right);
    if !right.codes.is_empty() {
        return Err(format!("the solution causes diagnostics:\n{}", right.said));
    }
    Ok(())
}

/// kit's messages on a project.
struct Outcome {
    codes: BTreeSet<Code>,
    said: String,
}

impl Outcome {
    fn of(code: Code, blocks: &[Block<'_>]) -> Self {
        let project = Project::new(BASE.into_iter().filter(|_| code != codes::NO_SOURCES));
        if !blocks.iter().any(|block| block.file == Some("package.json")) {
            project.write(
                "package.json",
                "{ \"name\": \"example\", \"type\": \"module\" }\n",
            );
        }
        for block in blocks {
            let Some(file) = block.file else { continue };
            project.write(file, &block.text);
            if block.language == "hex" {
                let bytes: Vec<u8> = block
                    .text
                    .split_whitespace()
                    .map(|byte| u8::from_str_radix(byte, 16).unwrap())
                    .collect();
                fs::write(project.root.join(file), bytes).unwrap();
            }
        }
        let time = BuildTime::new(Some("0"), std::time::SystemTime::UNIX_EPOCH).unwrap();
        let resolution = resolve(&project.root, None).unwrap();
        if resolution.diagnostics.has_errors() {
            return Self::new(&resolution.diagnostics, &resolution.source, &project);
        }
        let request = BuildRequest {
            root: &project.root,
            config: &resolution.config,
            files: Arc::new(Disk),
            time: &time,
        };
        let analysis = analyze(&request, &()).unwrap();
        Self::new(&analysis.diagnostics, &analysis.sources, &project)
    }

    fn new(diagnostics: &Diagnostics, sources: &dyn Sources, project: &Project) -> Self {
        let said: Vec<String> = diagnostics
            .iter()
            .map(|diagnostic| {
                let text = render(diagnostic, sources, Style::Plain);
                text.replace(&project.root.display().to_string(), "<root>") + "\n"
            })
            .collect();
        Self {
            codes: diagnostics.iter().map(|diagnostic| diagnostic.code).collect(),
            said: said.join("\n"),
        }
    }
}

/// A fenced code block of a page.
struct Block<'a> {
    language: &'a str,
    file: Option<&'a str>,
    text: String,
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.strip_prefix("```") else {
            continue;
        };
        let (language, file) = match info.split_once(" file=") {
            Some((language, file)) => (language, Some(file)),
            None => (info, None),
        };
        let text = lines
            .by_ref()
            .take_while(|line| *line != "```")
            .fold(String::new(), |text, line| text + line + "\n");
        found.push(Block { language, file, text });
    }
    found
}
