//! Emits `tests/<group>.contract.test.ts` for each contract group, and `tests/<group>.contract.js` with tables of requests that
//! the contracts accept, and of requests that they refuse. `@kit/testing` contains the code that runs these tables.
//! `tests/routes.js` lists the routes with their slots, statuses and errors.
//!
//! Data flow: [`Samples`](crate::samples::Samples) creates a valid value of each slot. [`Rules`](rules::Rules) traverses the
//! same type and creates for every rule a value that satisfies it, or that breaks only this rule. [`table`] makes a table of
//! requests with these values, which [`file`] prints as JavaScript and [`document`] as JSON. `kit_analysis::fit` decides if a
//! value is valid, so a row cannot contradict the type.

mod auth;
mod bodies;
mod boundaries;
mod contracts;
mod data;
mod document;
mod file;
mod lists;
mod rule;
mod rules;
mod scalars;
mod sent_headers;
mod table;
mod test_file;
mod unions;
mod unique;

use std::sync::Arc;

pub use document::{ContractDocument, contract_document};
use kit_ir::{Route, Slot};

use crate::context::Context;
use crate::fingerprint::{Fingerprint, fingerprint};
use crate::job::Job;
use crate::options::ContractTests;
use crate::routes::route_key;

/// Returns the path of a contract group's tests, relative to the output directory.
///
/// ```
/// assert_eq!(kit_emit::contract_test_path("NoteRoutes"), "tests/NoteRoutes.contract.test.ts");
/// ```
pub fn contract_test_path(group: &str) -> String {
    format!("tests/{group}.contract.test.ts")
}

/// Path of the file that lists all contracts, relative to the output directory.
pub const CONTRACTS: &str = "tests/contracts.ts";

/// Returns one job per contract group, in the order of their first routes, and a job for the file that lists all contracts.
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
    // The test of a wrong method needs the methods of all routes with the same path, from all groups.
    let paths: Vec<_> = all.iter().map(|route| (route.method, &route.path)).collect();
    let paths = fingerprint(paths);
    let shared =
        Job::new(CONTRACTS, move || contracts::write(context)).keyed(key(context, tests, paths, &all));
    let declarations = Job::new("tests/routes.d.ts", contracts::declarations);
    let list = Job::new("tests/routes.js", move || contracts::write_routes(context, tests))
        .keyed(key(context, tests, paths, &all));
    let files = groups.into_iter().flat_map(|(group, routes)| {
        let key = key(context, tests, paths, &routes);
        let (routes, path): (Arc<[&Route]>, _) = (routes.into(), format!("tests/{group}.contract"));
        let (of_tables, of_declarations) = (Arc::clone(&routes), Arc::clone(&routes));
        let jobs = [
            Job::new(contract_test_path(group), move || {
                test_file::write(context, tests, group, &routes)
            }),
            Job::new(format!("{path}.js"), move || {
                file::write(context, tests, group, &of_tables)
            }),
            Job::new(format!("{path}.d.ts"), move || {
                test_file::declarations(context, group, &of_declarations)
            }),
        ];
        jobs.map(|job| job.keyed(key))
    });
    [shared, list, declarations].into_iter().chain(files).collect()
}

/// Returns the fingerprint of all inputs of the tests of some routes. `paths` is the fingerprint of the methods and paths of all
/// routes.
fn key(context: Context<'_>, tests: &ContractTests, paths: Fingerprint, routes: &[&Route]) -> Fingerprint {
    let routes: Vec<_> = routes
        .iter()
        .map(|route| {
            let types = Slot::ALL.map(|slot| route.slots.get(slot).map(|id| context.module_key(id)));
            let bodies: Vec<_> = route
                .body_types()
                .into_iter()
                .map(|id| context.module_key(id))
                .collect();
            let written = route.written();
            let headers = route.declared_replies().filter_map(|reply| reply.headers);
            let outputs: Vec<_> = written.chain(headers).map(|id| context.module_key(id)).collect();
            (
                route_key(context, route),
                types,
                bodies,
                outputs,
                &route.throws,
                &route.security,
                route.is_list,
            )
        })
        .collect();
    let options = context.options;
    fingerprint((
        tests,
        &options.output_dir_to_root,
        &options.replaced,
        paths,
        routes,
    ))
}
