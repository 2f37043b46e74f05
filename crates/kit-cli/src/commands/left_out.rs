//! Lists the artifacts that a build did not generate, with reasons such as a package that the project does not depend on.

use kit_build::{BuildReport, NoContractTests};
use serde::Serialize;

use crate::compiler::NotCompiled;
use crate::project::Project;

/// An artifact that a build did not generate.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct LeftOut {
    what: &'static str,
    reason: String,
}

/// Returns the artifacts that a build did not generate. `not_compiled` is the reason why the project's compiler did not
/// run, or `None` if it ran or was not requested.
pub(crate) fn left_out(
    project: &Project,
    report: &BuildReport,
    not_compiled: Option<&NotCompiled>,
) -> Vec<LeftOut> {
    let mut parts = Vec::new();
    let mut add = |what, reason: &str| {
        parts.push(LeftOut {
            what,
            reason: reason.to_owned(),
        });
    };
    let has_routes = report.counts.routes > 0;
    if has_routes && !project.config.project.has_client {
        add("client", "package.json does not list @kit/client");
    }
    match &report.contract_tests {
        Err(NoContractTests::NoPackage) if has_routes => {
            add("contract tests", "package.json does not list @kit/testing");
        }
        Err(NoContractTests::NoApplication) => {
            add(
                "contract tests",
                "no file calls `createApp`; name the module that exports the application in `tests.app` of the configuration",
            );
        }
        Err(NoContractTests::DeclaredApi) => {
            add(
                "contract tests",
                "the project declares its API with `declareApi`; name a module that starts the server in `tests.app` of the configuration",
            );
        }
        // A project without routes has nothing to test.
        Err(NoContractTests::NoPackage | NoContractTests::NoRoutes) | Ok(_) => {}
    }
    if let Some(reason) = not_compiled {
        add("compiled code", reason.text());
    }
    parts
}

/// Formats a line such as `left out: client (package.json does not list @kit/client)`; `None` if nothing was left out.
pub(crate) fn line(parts: &[LeftOut]) -> Option<String> {
    let parts: Vec<String> = parts
        .iter()
        .map(|LeftOut { what, reason }| format!("{what} ({reason})"))
        .collect();
    (!parts.is_empty()).then(|| format!("left out: {}", parts.join(", ")))
}
