//! JSON documents that kit and the hook functions of plugins exchange. `packages/cli/src/plugins` contains
//! their TypeScript types.

use std::collections::BTreeMap;

use kit_diagnostics::codes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::CodeLocation;
use super::mistake::Mistake;
use crate::ResolvedConfig;
use crate::config::{Plugin, TestsConfig};

/// Information on the build that every hook function gets.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BuildContext<'a> {
    pub(super) root: &'a str,
    pub(super) mode: &'static str,
    pub(super) plugin: &'a str,
    pub(super) config: Config<'a>,
}

/// Options of the configuration that plugins can see.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Config<'a> {
    type_files: &'a [String],
    route_files: &'a [String],
    output_dir: &'a str,
    dist_dir: &'a str,
    compiler: &'static str,
    compiler_args: &'a [String],
    database: Database,
    tests: Tests<'a>,
    /// Names of the plugins, in order.
    plugins: Vec<&'a str>,
}

/// Values for the requests of contract tests.
#[derive(Serialize)]
struct Tests<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    app: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fixtures: Option<&'a str>,
    headers: &'a BTreeMap<String, String>,
    routes: BTreeMap<&'a str, RouteTests<'a>>,
}

#[derive(Serialize)]
struct RouteTests<'a> {
    headers: &'a BTreeMap<String, String>,
    params: &'a BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skip: Option<&'a str>,
}

#[derive(Serialize)]
struct Database {
    adapter: &'static str,
}

impl<'a> Config<'a> {
    pub(super) fn new(config: &'a ResolvedConfig) -> Self {
        Self {
            type_files: &config.type_files,
            route_files: &config.route_files,
            output_dir: &config.output_dir,
            dist_dir: &config.dist_dir,
            compiler: config.compiler.name(),
            compiler_args: &config.compiler_args,
            database: Database {
                adapter: config.adapter.adapter.name(),
            },
            tests: Tests::new(&config.tests),
            plugins: config
                .plugins
                .iter()
                .map(|Plugin { name, .. }| name.as_str())
                .collect(),
        }
    }
}

impl<'a> Tests<'a> {
    fn new(tests: &'a TestsConfig) -> Self {
        let routes = tests.routes.iter().map(|(route, own)| {
            let own = RouteTests {
                headers: &own.headers,
                params: &own.params,
                skip: own.skip.as_deref(),
            };
            (route.as_str(), own)
        });
        Self {
            app: tests.app.as_deref(),
            fixtures: tests.fixtures.as_deref(),
            headers: &tests.headers,
            routes: routes.collect(),
        }
    }
}

/// Result of every hook function.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct TapResult {
    /// Files that the hook function read. A change to them can change the output.
    pub(super) watch: Vec<String>,
    /// Errors and warnings about the project that the hook function reported.
    #[serde(default)]
    pub(super) reports: Vec<FunctionCall>,
    /// Reason why the hook function failed; `None` if it succeeded.
    #[serde(default)]
    pub(super) failure: Option<Failure>,
    /// Result of the hook, which differs for each hook. The result is null if the function failed.
    #[serde(default)]
    pub(super) result: Value,
}

/// Reason why a hook function failed.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Failure {
    pub(super) kind: FailureKind,
    pub(super) message: String,
    #[serde(default)]
    pub(super) at: Option<CodeLocation>,
}

/// Kind of failure of a hook function.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum FailureKind {
    /// The function threw an error.
    Threw,
    /// The function returned a promise that was not settled in time or can never be settled.
    Unsettled,
    /// The function left a value that JSON cannot represent.
    Unprintable,
}

impl From<Failure> for Mistake {
    fn from(failure: Failure) -> Self {
        let (code, help) = match failure.kind {
            FailureKind::Threw => (codes::PLUGIN_FAILED, None),
            FailureKind::Unsettled => (
                codes::PLUGIN_UNSETTLED,
                Some(
                    "do not wait for events that may never occur; if a tap needs more time, set a timeout for the tap: `{ timeout: 600, handler() { … } }`",
                ),
            ),
            FailureKind::Unprintable => (
                codes::INVALID_PLUGIN_RESULT,
                Some("use only strings, numbers, booleans, lists and plain objects"),
            ),
        };
        let mistake = Self::new(code, failure.message).at(failure.at);
        match help {
            Some(help) => mistake.help(help),
            None => mistake,
        }
    }
}

/// A plugin's call of a function of the event, such as `replaceValidator`: the argument, and the location in
/// the plugin's code.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct FunctionCall {
    #[serde(default)]
    pub(super) at: Option<CodeLocation>,
    #[serde(default)]
    pub(super) value: Value,
}

impl FunctionCall {
    /// Converts the argument. If it is invalid, the error names `function`, the called function, and shows
    /// `help`, a correct call.
    pub(super) fn read<T: DeserializeOwned>(self, function: &str, help: &str) -> Result<T, Mistake> {
        serde_json::from_value(self.value).map_err(|error| {
            Mistake::new(
                codes::INVALID_PLUGIN_RESULT,
                format!("invalid argument of `{function}`: {error}"),
            )
            .help(help)
            .at(self.at)
        })
    }
}

/// File that a plugin added.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct File {
    pub(super) path: String,
    pub(super) text: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct BeforeTransform {
    pub(super) types: Vec<FunctionCall>,
    pub(super) routes: Vec<FunctionCall>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct AfterTypeParse {
    /// The program if the hook function changed it, else null.
    pub(super) program: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct AfterValidators {
    pub(super) added: Vec<FunctionCall>,
    pub(super) replaced: Vec<FunctionCall>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Replaced {
    pub(super) r#type: String,
    pub(super) text: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct AfterRouteTable {
    /// The routes if the hook function changed them, else null.
    pub(super) routes: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Emit {
    pub(super) files: Vec<FunctionCall>,
    pub(super) project_files: Vec<FunctionCall>,
}

/// File outside of the output directory that a plugin writes.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct AddedProjectFile {
    pub(super) path: String,
    pub(super) text: String,
    pub(super) only_if_missing: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Compile {
    pub(super) handled: bool,
}

/// Event of the hook `done`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Done<'a> {
    pub(super) status: &'static str,
    pub(super) written: &'a [String],
    pub(super) removed: &'a [String],
    pub(super) unchanged: usize,
    pub(super) counts: Counts,
}

#[derive(Serialize)]
pub(super) struct Counts {
    pub(super) sources: usize,
    pub(super) types: usize,
    pub(super) entities: usize,
    pub(super) routes: usize,
}
