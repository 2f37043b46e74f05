//! List of the tests that follow from the tables.

use std::collections::BTreeSet;

use super::case::{Kind, cases_of, random_cases_of};
use super::document::Table;
use super::random::Randomness;
use super::setup::TestSetup;

/// A test: the index of its table, its kind and its name.
pub(super) struct Test {
    pub(super) table: usize,
    pub(super) kind: Kind,
    pub(super) name: String,
}

/// Returns all tests of the tables.
pub(super) fn tests_of(tables: &[Table], randomness: Option<Randomness>) -> Vec<Test> {
    let tables = tables.iter().enumerate();
    let tests = tables.flat_map(|(index, table)| {
        let title = table.title();
        let random = randomness.map(|randomness| random_cases_of(table, randomness));
        let cases = cases_of(table).into_iter().chain(random.into_iter().flatten());
        cases.map(move |(kind, name)| Test {
            table: index,
            kind,
            name: format!("{title}: {name}"),
        })
    });
    tests.collect()
}

/// Returns an error if the setup names a route that the application does not have.
pub(super) fn check_names(tables: &[Table], setup: &TestSetup) -> Result<(), String> {
    let known: BTreeSet<&str> = tables.iter().map(|table| table.route.as_str()).collect();
    let mut named = setup.fixtures.keys().chain(setup.skipped.keys());
    match named.find(|name| !known.contains(name.as_str())) {
        None => Ok(()),
        Some(name) => {
            let known: Vec<_> = known.into_iter().collect();
            Err(format!(
                "tests/contract.rs names the route `{name}`, but the application has no such route\nhelp: its routes are {}",
                known.join(", ")
            ))
        }
    }
}
