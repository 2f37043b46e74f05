//! Tests of the evaluator, written as pages: each page of `resources/` explains a construct of TypeScript's
//! types and makes claims, which are compared with the output of kit.
//!
//! A page is a Markdown file. The code blocks below one heading are the files of a project:
//!
//! - A ` ```ts ` block is a part of `src/page.ts`; several blocks are joined. A ` ```ts file=src/other.ts `
//!   block is another file, and so is ` ```json file=tsconfig.json `. A file `*.routes.ts` is a route file.
//! - `// revealed: T` after an exported type, on its last line or a line of its own, claims that kit
//!   evaluates the type to `T`. `// revealed: error` claims that kit refuses the type.
//! - `` // error: [KIT1306] "part of the message" at `source text` `` claims an error: on the line that it
//!   ends, or on the next line if it has its own line. The message and the source text are optional.
//!   `// warning: …` claims a warning.
//!
//! A page fails if kit reports anything else. `tests/oracle/pages.test.ts` compares every `revealed:` with
//! the type that TypeScript gives, so that a page cannot confirm a mistake of kit.
//!
//! `cargo test -p kit-typescript --test mdtest tuples` runs one page. `MDTEST_FILTER="Rest elements"` limits
//! the run to headings that contain this text.

mod compare;
mod page;
mod print;

use std::fmt::Write as _;

/// Declares one test for each page in `resources/`.
macro_rules! pages {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                check(stringify!($name), include_str!(concat!("resources/", stringify!($name), ".md")));
            }
        )*

        const PAGES: &[(&str, &str)] = &[
            $((stringify!($name), include_str!(concat!("resources/", stringify!($name), ".md")))),*
        ];
    };
}

pages! {
    arrays
    brands
    classes
    conditional
    contracts
    doc_tags
    enums
    generics
    index_signatures
    indexed_access
    infer
    interfaces
    intersections
    keyof
    libraries
    limits
    literals
    mapped
    modules
    programs
    recursion
    templates
    tuples
    unions
    utility_types
    values
}

/// Compares the claims of a page with the output of kit, and fails with a list of all differences.
#[track_caller]
fn check(name: &str, text: &str) {
    let filter = std::env::var("MDTEST_FILTER").unwrap_or_default();
    let path = format!("crates/kit-typescript/tests/mdtest/resources/{name}.md");
    let sections = page::sections(text).unwrap_or_else(|mistake| panic!("{path}:{mistake}"));
    let mut report = String::new();
    for section in sections.iter().filter(|section| section.title.contains(&filter)) {
        for (line, what) in compare::differences(section) {
            writeln!(report, "{path}:{line}: {what}").expect("a string takes everything");
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

#[test]
fn every_page_in_the_directory_resources_has_a_test() {
    let resources = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mdtest/resources");
    // Reason: the pages themselves are compiled in; this test only checks that no page is missing.
    #[allow(clippy::disallowed_methods)]
    let entries = std::fs::read_dir(resources).expect("the pages stand beside their test");
    let mut found: Vec<String> = entries
        .map(|entry| entry.expect("a directory can be listed").file_name())
        .filter_map(|name| Some(name.to_str()?.strip_suffix(".md")?.to_owned()))
        .collect();
    found.sort();
    let listed: Vec<&str> = PAGES.iter().map(|(name, _)| *name).collect();
    assert_eq!(found, listed, "list the pages in main.rs, in this order");
}

#[test]
fn the_pages_check_at_least_300_statements_about_types() {
    let count: usize = PAGES
        .iter()
        .flat_map(|(_, text)| page::sections(text).expect("checked by its own test"))
        .map(|section| section.revealed.len() + section.said.len())
        .sum();
    assert!(count >= 300, "{count} assertions");
}
