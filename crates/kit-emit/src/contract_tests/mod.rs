//! `tests/<group>.contract.test.ts`: for each contract group the requests that its contracts take and those that they refuse, as
//! tables. What is done with them is said once, in `@kit/testing`. `tests/contracts.ts` has the parts of all contracts.
//!
//! The way of data: [`Samples`](crate::samples::Samples) makes a valid value of each slot; [`Rules`](rules::Rules) walks the same type and names
//! every rule with a value that keeps it (at and inside of a bound) or breaks it and nothing else; [`file`] prints both. Whether a
//! value fits is always asked of `kit_analysis::fit`, so that a row can only say what the type says.

mod contracts;
mod file;
mod rule;
mod rules;
mod scalars;
mod unions;

use std::collections::BTreeMap;

use kit_ir::{Route, Slot};

use crate::Context;
use crate::fingerprint::{Fingerprint, fingerprint};
use crate::job::Job;
use crate::routes::route_key;

/// What contract tests need to know beyond the contracts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ContractTests {
    /// What runs them.
    pub runner: TestRunner,
    /// The module that exports the application, from the project's root.
    pub app: String,
    /// Whether the application needs the project's database.
    pub database: bool,
    /// A module with fixtures, from the project's root.
    pub fixtures: Option<String>,
    /// Headers of every request.
    pub headers: BTreeMap<String, String>,
    /// What single routes need, by `<METHOD> <path>`.
    pub routes: BTreeMap<String, RouteTests>,
}

impl ContractTests {
    /// What is said of one route.
    fn of(&self, route: &Route) -> Option<&RouteTests> {
        let own = self.routes.get(&route.reference());
        own.or_else(|| self.routes.get(&route.key))
    }
}

/// What the tests of one route need.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct RouteTests {
    /// Headers, which win over those of every request.
    pub headers: BTreeMap<String, String>,
    /// Values of path parameters.
    pub params: BTreeMap<String, String>,
    /// Why the route is not tested.
    pub skip: Option<String>,
}

/// A runner of tests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum TestRunner {
    /// node:test.
    #[default]
    Node,
    /// vitest.
    Vitest {
        /// The major version, where it is known.
        major: Option<u32>,
    },
}

/// Where the tests of a contract group are, from the output directory.
pub fn contract_test_path(group: &str) -> String {
    format!("tests/{group}.contract.test.ts")
}

/// Where the parts of all contracts are, from the output directory.
pub const CONTRACTS: &str = "tests/contracts.ts";

/// One file for each group, in the order of their first routes, and what they share.
pub(crate) fn emit<'a>(context: Context<'a>) -> Vec<Job<'a>> {
    let Some(tests) = &context.options.tests else {
        return Vec::new();
    };
    let mut groups: Vec<(&str, Vec<&'a Route>)> = Vec::new();
    for route in &context.program.routes {
        match groups.iter_mut().find(|(group, _)| *group == route.group) {
            Some((_, routes)) => routes.push(route),
            None => groups.push((&route.group, vec![route])),
        }
    }
    if groups.is_empty() {
        return Vec::new();
    }
    let all: Vec<&Route> = context.program.routes.iter().collect();
    let shared =
        Job::new(CONTRACTS, move || contracts::write(context, tests)).keyed(key(context, tests, &all));
    let files = groups.into_iter().map(|(group, routes)| {
        let key = key(context, tests, &routes);
        Job::new(contract_test_path(group), move || {
            file::write(context, tests, group, &routes)
        })
        .keyed(key)
    });
    std::iter::once(shared).chain(files).collect()
}

fn key(context: Context<'_>, tests: &ContractTests, routes: &[&Route]) -> Fingerprint {
    // Which methods a path answers depends on all routes.
    let all: Vec<_> = context
        .program
        .routes
        .iter()
        .map(|route| (route.method, &route.path))
        .collect();
    let routes: Vec<_> = routes
        .iter()
        .map(|route| {
            let types = Slot::ALL.map(|slot| route.slots.get(slot).map(|id| context.module_key(id)));
            (route_key(context, route), types, &route.throws)
        })
        .collect();
    fingerprint((tests, &context.options.output_dir_to_root, all, routes))
}
