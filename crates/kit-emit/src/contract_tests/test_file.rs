//! Emits the test file of a contract group, which imports the tables of requests.

use std::collections::BTreeMap;

use kit_ir::Route;

use crate::context::Context;
use crate::options::{ContractTests, TestRunner};
use crate::text::{Writer, header, literal, unchecked_header};

/// Emits the test file of a group.
pub(super) fn write(context: Context<'_>, tests: &ContractTests, group: &str, routes: &[&Route]) -> String {
    let mut text = unchecked_header(&from(context, group, routes));
    text.push('\n');
    let mut body = Writer::default();
    body.line("import { contractTests } from \"@kit/testing\";");
    body.line(match tests.runner {
        TestRunner::Node => "import { after, before, describe, test } from \"node:test\";",
        TestRunner::Vitest { .. } => {
            "import { afterAll as after, beforeAll as before, describe, test } from \"vitest\";"
        }
    });
    body.line("import contracts from \"./contracts.ts\";");
    body.line(format_args!(
        "import routes from {};",
        literal::string(&format!("./{group}.contract.js"))
    ));
    body.blank();
    let root = format!("../{}", context.options.output_dir_to_root);
    body.block("contractTests({", "});", |body| {
        body.line("runner: { after, before, describe, test },");
        body.line(format_args!("group: {},", literal::string(group)));
        body.line("contracts,");
        let app = literal::string(&format!("{root}/{}", tests.app));
        body.line(format_args!("app: () => import({app}),"));
        if let Some(fixtures) = &tests.fixtures {
            let fixtures = literal::string(&format!("{root}/{fixtures}"));
            body.line(format_args!("fixtures: () => import({fixtures}),"));
        }
        let root = literal::string(&format!("{root}/"));
        body.line(format_args!("root: new URL({root}, import.meta.url),"));
        body.line(format_args!("database: {},", tests.database));
        body.line(format_args!("headers: {},", texts(&tests.headers)));
        body.line("routes,");
    });
    text.push_str(&body.finish());
    text
}

/// Emits the declarations of the tables.
pub(super) fn declarations(context: Context<'_>, group: &str, routes: &[&Route]) -> String {
    format!(
        "{}
import type {{ contractTests }} from \"@kit/testing\";

declare const routes: Parameters<typeof contractTests>[0][\"routes\"];
export default routes;
",
        header(&from(context, group, routes))
    )
}

/// Returns the source of the files of a group.
pub(super) fn from(context: Context<'_>, group: &str, routes: &[&Route]) -> String {
    let source = routes
        .first()
        .map_or("", |route| context.program.path(route.span));
    format!("the contracts of `{group}` in {source}")
}

/// Returns an object literal with these texts.
pub(super) fn texts(entries: &BTreeMap<String, String>) -> String {
    literal::object(
        entries
            .iter()
            .map(|(name, value)| (literal::key(name), literal::string(value))),
    )
}
