//! The documents that go to taps and come back. Their TypeScript side is `packages/cli/src/plugins`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What every tap is told of the build.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BuildContext<'a> {
    pub(super) root: &'a str,
    pub(super) mode: &'static str,
    pub(super) output_dir: &'a str,
    pub(super) dist_dir: &'a str,
    pub(super) plugin: &'a str,
}

/// What every tap may say beyond its own.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Answer {
    /// Files that it read: a change to them can change the output.
    pub(super) watch: Vec<String>,
    /// The rest, by hook.
    pub(super) result: Value,
}

/// A file that a plugin made.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct File {
    pub(super) path: String,
    pub(super) text: String,
}

/// A file on the disk, or one that only the build sees.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Source {
    Path(String),
    Virtual(File),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct BeforeTransform {
    pub(super) types: Vec<Source>,
    pub(super) routes: Vec<Source>,
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
    pub(super) added: Vec<File>,
    pub(super) replaced: Vec<Replaced>,
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
    pub(super) files: Vec<File>,
    pub(super) project_files: Vec<Owned>,
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
