//! Decides if a project gets contract tests, and collects their options from the configuration.

use kit_diagnostics::{Diagnostic, Diagnostics, closest, codes};
use kit_emit::{ContractTests, TestRunner, contract_test_path};
use kit_ir::{Program, RouteId};

use crate::ResolvedConfig;

/// Reason why a project gets no contract tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoContractTests {
    /// The project does not depend on `@kit/testing`, which contract tests import.
    NoPackage,
    /// The project has no contracts.
    NoRoutes,
    /// The module that exports the application was not found.
    NoApplication,
    /// The project declares its API with `declareApi`, and the configuration names no module that starts the server.
    DeclaredApi,
}

/// Returns the options of the contract tests of a project.
///
/// # Errors
///
/// Returns the reason if the project gets no contract tests.
pub fn contract_tests(program: &Program, config: &ResolvedConfig) -> Result<ContractTests, NoContractTests> {
    if !config.packages.testing {
        return Err(NoContractTests::NoPackage);
    }
    if program.routes.is_empty() {
        return Err(NoContractTests::NoRoutes);
    }
    let application = &program.application;
    let app = match (&config.tests.app, application.span) {
        (Some(app), _) => app.clone(),
        // The module of `declareApi` exports no application that could run.
        (None, Some(_)) if application.is_declared => return Err(NoContractTests::DeclaredApi),
        (None, Some(span)) => program.path(span).to_owned(),
        (None, None) => return Err(NoContractTests::NoApplication),
    };
    Ok(ContractTests {
        runner: if config.packages.vitest {
            TestRunner::Vitest {
                major: config.packages.vitest_major,
            }
        } else {
            TestRunner::Node
        },
        app,
        database: !program.entities.is_empty(),
        fixtures: config.tests.fixtures.clone(),
        headers: config.tests.headers.clone(),
        routes: config.tests.routes.clone(),
    })
}

/// Records the path of its contract test in every route.
pub(crate) fn record_contract_tests(program: &mut Program, config: &ResolvedConfig) {
    let Ok(tests) = contract_tests(program, config) else {
        return;
    };
    for index in 0..program.routes.len() {
        let route = &mut program.routes[RouteId::from(index)];
        let own = tests.routes.get(&route.reference());
        if own.is_some_and(|own| own.skip.is_some()) {
            continue;
        }
        let path = contract_test_path(&route.group);
        route.tests.push(format!("{}/{path}", config.output_dir));
    }
}

/// Reports routes that the option `tests.routes` names but the application does not have.
pub(crate) fn check(program: &Program, config: &ResolvedConfig, diagnostics: &mut Diagnostics) {
    let routes: Vec<String> = program.routes.iter().map(kit_ir::Route::reference).collect();
    for named in config.tests.routes.keys().filter(|named| !routes.contains(named)) {
        let message = format!("`tests.routes` has `{named}`, which is not a route of the application");
        let help = match closest(named, routes.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "write routes with their final path; `kit inspect routes` lists them".to_owned(),
        };
        diagnostics.push(Diagnostic::new(codes::CONFIGURATION_INVALID, message).help(help));
    }
}
