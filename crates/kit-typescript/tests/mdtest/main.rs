//! Literate tests of the evaluator: each page of `resources/` explains a construct of TypeScript's type language, and what
//! it claims is held against kit.
//!
//! A page is Markdown. Code blocks of one heading form a project:
//!
//! - ` ```ts ` is part of `src/page.ts` (several blocks follow one another), ` ```ts file=src/other.ts ` is a file of its own,
//!   and so is ` ```json file=tsconfig.json `.
//! - `// revealed: T` at the end of a line or on a line of its own says what kit makes of the exported type that starts at or
//!   above it, in kit's own spelling. `// revealed: error` says that it is refused.
//! - `` // error: [KIT1306] "part of the message" at `source text` `` at the end of a line says that an error stands on this line;
//!   on a line of its own, on the next one. The message and the text under the label may be left out. `// warning: …`
//!   likewise.
//!
//! What kit says beyond that fails the page. `tests/oracle/pages.test.ts` holds every `revealed:` against TypeScript's checker, so
//! that no page can make kit the judge of itself.
//!
//! `cargo test -p kit-typescript --test mdtest tuples` runs one page; `MDTEST_FILTER="Rest elements"` only headings that contain the text.

mod compare;
mod page;
mod print;

use std::fmt::Write as _;

/// One test a page.
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

/// Runs a page and fails with everything that differs.
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
fn every_page_is_a_test() {
    let resources = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mdtest/resources");
    // Reason: the pages themselves are compiled in; this only asks whether one was forgotten.
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
fn there_is_enough_to_read() {
    let count: usize = PAGES
        .iter()
        .flat_map(|(_, text)| page::sections(text).expect("checked by its own test"))
        .map(|section| section.revealed.len() + section.said.len())
        .sum();
    assert!(count >= 300, "{count} assertions");
}
