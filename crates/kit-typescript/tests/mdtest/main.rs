//! Literate tests of the evaluator: each page of `resources/` explains a construct of TypeScript's type language, and its
//! claims are compared with kit.
//!
//! A page is Markdown. Code blocks of one heading form a project:
//!
//! - A ` ```ts ` block is part of `src/page.ts` (several blocks are concatenated). A ` ```ts file=src/other.ts ` block is a
//!   file of its own, and so is ` ```json file=tsconfig.json `.
//! - `// revealed: T`, at the end of a line or on a line of its own, specifies the type that kit evaluates for the exported
//!   type that starts at this line or above, in kit's own notation. `// revealed: error` means that kit refuses the type.
//! - `` // error: [KIT1306] "part of the message" at `source text` `` at the end of a line specifies an error on this line;
//!   on a line of its own, an error on the next line. The message and the text under the label may be left out.
//!   `// warning: …` works in the same way.
//!
//! A page fails if kit reports anything else. `tests/oracle/pages.test.ts` compares every `revealed:` with TypeScript's
//! checker, so a page cannot only confirm kit's own mistakes.
//!
//! `cargo test -p kit-typescript --test mdtest tuples` runs one page. `MDTEST_FILTER="Rest elements"` runs only headings
//! that contain the text.

mod compare;
mod page;
mod print;

use std::fmt::Write as _;

/// Declares one test for each page.
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

/// Runs a page and fails with all differences.
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
fn every_page_of_the_directory_has_a_test() {
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
fn the_pages_have_at_least_300_claims() {
    let count: usize = PAGES
        .iter()
        .flat_map(|(_, text)| page::sections(text).expect("checked by its own test"))
        .map(|section| section.revealed.len() + section.said.len())
        .sum();
    assert!(count >= 300, "{count} assertions");
}
