//! Checks the environment variables that the application declares with `env`.

use std::collections::BTreeMap;

use super::Check;
use crate::context::Context;
use crate::project::Project;
use crate::{NodeRun, REPORT};

/// Name of these checks in the report of `kit doctor`.
const NAME: &str = "environment";

/// Script for `node`: checks the variables with the generated module, the second argument. Writes the message of the error
/// into the file that the first argument names. The message shows no values of variables with `@sensitive`.
const SCRIPT: &str = r#"
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { env } from "@kit/core";
const [, report, path] = process.argv;
const { default: compiled } = await import(pathToFileURL(path).href);
const message = await env({ compiled }).then(() => "", (error) => error.message);
writeFileSync(report, message);
"#;

/// Returns a warning for each variable that is missing or wrong. Returns an empty list if the last build found no call of
/// `env`.
pub(super) async fn check(project: &Project, context: &Context<'_>) -> Vec<Check> {
    let module = project
        .root
        .join(&project.config.output_dir)
        .join("environment.ts");
    if !module.is_file() {
        return Vec::new();
    }
    let module = module.to_string_lossy();
    let run = NodeRun {
        args: ["--input-type=module", "--eval", SCRIPT, REPORT, &module]
            .map(ToOwned::to_owned)
            .to_vec(),
        directory: project.root.to_string_lossy().into_owned(),
        env: BTreeMap::new(),
    };
    let end = context.host.run_node(&run).await;
    let Some(message) = end.ok().and_then(|end| end.report) else {
        let check = Check::warn(
            NAME,
            "the variables cannot be checked, because the build cannot be loaded",
        );
        return vec![check.help("run `npm install` and `kit build`")];
    };
    let mut mistakes = message
        .lines()
        .filter_map(|line| line.strip_prefix("  - "))
        .map(|mistake| Check::warn(NAME, mistake))
        .peekable();
    if mistakes.peek().is_some() {
        return mistakes
            .map(|check| check.help("set the variable, or write it into .env for development"))
            .collect();
    }
    match message.lines().next() {
        None => vec![Check::ok(NAME, "the variables of `env` are valid")],
        Some(problem) => vec![Check::warn(NAME, problem).help("run `kit build`")],
    }
}
