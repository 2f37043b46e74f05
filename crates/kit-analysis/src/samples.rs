//! Fixed values that satisfy or break a rule, from the file that `@kit/testing` also reads.

use std::sync::LazyLock;

use kit_ir::Format;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::{Map, Value};

static SAMPLES: LazyLock<Samples> = LazyLock::new(|| {
    let file = include_str!("../../../packages/testing/src/values/samples.json");
    serde_json::from_str(file).expect("samples.json has samples of all formats and types")
});

/// Fixed values that satisfy or break a rule.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Samples {
    formats: FxHashMap<Format, Sample>,
    /// Samples of types that are strings in JSON.
    pub types: TypeSamples,
    /// One value of each type of JSON, by the name of the type.
    pub json_types: Map<String, Value>,
    /// Characters that patterns often do not allow.
    pub excluded_characters: Vec<String>,
}

/// Samples of types that are strings in JSON.
#[derive(Debug, Deserialize)]
pub struct TypeSamples {
    /// Samples of `Date`.
    pub date: Sample,
    /// Samples of `Uint8Array`.
    pub bytes: Sample,
    /// Samples of `bigint`.
    pub bigint: Sample,
}

/// Valid value of a format or a type, and invalid values.
#[derive(Debug, Deserialize)]
pub struct Sample {
    /// Valid value, which examples show.
    pub valid: String,
    /// Values that are not valid. People confuse the first of these values most often with a valid value.
    pub broken: Vec<Value>,
}

impl Samples {
    /// Returns the samples of a format.
    pub fn of_format(&self, format: Format) -> &Sample {
        &self.formats[&format]
    }
}

/// Returns the samples.
///
/// ```
/// use kit_ir::Format;
///
/// let email = kit_analysis::samples().of_format(Format::Email);
/// assert_eq!(email.valid, "name@example.com");
/// ```
pub fn samples() -> &'static Samples {
    &SAMPLES
}
