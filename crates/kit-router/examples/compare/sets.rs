//! Types of the sets of routes and requests that `bench/router` writes, and of the results that
//! `bench/router` reads.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
pub(crate) struct Set {
    pub(crate) name: String,
    pub(crate) routes: Vec<String>,
    pub(crate) requests: BTreeMap<String, Vec<Request>>,
}

#[derive(Deserialize)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) expected: Expected,
}

#[derive(Deserialize, PartialEq)]
#[serde(untagged)]
pub(crate) enum Expected {
    Route(u32),
    Refused(String),
}

#[derive(Serialize)]
pub(crate) struct Row {
    pub(crate) scenario: String,
    pub(crate) subject: String,
    pub(crate) metric: &'static str,
    pub(crate) value: f64,
    pub(crate) unit: &'static str,
}

#[allow(clippy::disallowed_methods)] // this program is only for this repository
pub(crate) fn read(path: &str) -> Vec<Set> {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}
