//! The documents that go to taps and come back. Their TypeScript side is `packages/cli/src/plugins`.

use kit_diagnostics::codes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::heard::Mistake;
use super::{CodePlace, Plugin};
use crate::ResolvedConfig;

/// What every tap is told of the build.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BuildContext<'a> {
    pub(super) root: &'a str,
    pub(super) mode: &'static str,
    pub(super) plugin: &'a str,
    pub(super) config: Config<'a>,
}

/// The resolved configuration, as far as it concerns plugins.
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
    /// Their names, in order.
    plugins: Vec<&'a str>,
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
            plugins: config
                .plugins
                .iter()
                .map(|Plugin { name, .. }| name.as_str())
                .collect(),
        }
    }
}

/// What every tap may say beyond its own.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Answer {
    /// Files that it read: a change to them can change the output.
    pub(super) watch: Vec<String>,
    /// What it found in the project.
    #[serde(default)]
    pub(super) reports: Vec<Call>,
    /// How it failed, where it did.
    #[serde(default)]
    pub(super) failure: Option<Failure>,
    /// The rest, by hook; null where it failed.
    #[serde(default)]
    pub(super) result: Value,
}

/// Why a tap did not come to its end.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Failure {
    pub(super) kind: FailureKind,
    pub(super) message: String,
    #[serde(default)]
    pub(super) at: Option<CodePlace>,
}

/// In which way.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum FailureKind {
    /// It threw.
    Threw,
    /// It did not settle in time, or cannot any more.
    Unsettled,
    /// It left a value that has no JSON form.
    Unprintable,
}

impl From<Failure> for Mistake {
    fn from(failure: Failure) -> Self {
        let (code, help) = match failure.kind {
            FailureKind::Threw => (codes::PLUGIN_FAILED, None),
            FailureKind::Unsettled => (
                codes::PLUGIN_UNSETTLED,
                Some(
                    "wait for nothing that may never come; a tap that needs longer says so: `{ timeout: 600, handler() { … } }`",
                ),
            ),
            FailureKind::Unprintable => (
                codes::PLUGIN_ANSWER,
                Some("give strings, numbers, booleans, lists and plain objects"),
            ),
        };
        let mistake = Self::new(code, failure.message).at(failure.at);
        match help {
            Some(help) => mistake.help(help),
            None => mistake,
        }
    }
}

/// What a plugin gave to a function of its event, and where it called it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Call {
    #[serde(default)]
    pub(super) at: Option<CodePlace>,
    #[serde(default)]
    pub(super) value: Value,
}

impl Call {
    /// The value in its form; `function` is what got it, `help` how it is called.
    pub(super) fn read<T: DeserializeOwned>(self, function: &str, help: &str) -> Result<T, Mistake> {
        serde_json::from_value(self.value).map_err(|error| {
            Mistake::new(
                codes::PLUGIN_ANSWER,
                format!("`{function}` got what kit cannot use: {error}"),
            )
            .help(help)
            .at(self.at)
        })
    }
}

/// A file that a plugin made.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct File {
    pub(super) path: String,
    pub(super) text: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct BeforeTransform {
    pub(super) types: Vec<Call>,
    pub(super) routes: Vec<Call>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct AfterTypeParse {
    /// Null where it did not change.
    pub(super) program: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct AfterValidators {
    pub(super) added: Vec<Call>,
    pub(super) replaced: Vec<Call>,
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
    /// Null where they did not change.
    pub(super) routes: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Emit {
    pub(super) files: Vec<Call>,
    pub(super) project_files: Vec<Call>,
}

/// A file outside of the output directory.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Owned {
    pub(super) path: String,
    pub(super) text: String,
    pub(super) only_if_missing: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Compile {
    pub(super) handled: bool,
}

/// What `done` is told.
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
