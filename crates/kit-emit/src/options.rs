//! Options of the emitters.

use std::collections::{BTreeMap, BTreeSet};

use kit_ir::Route;
use serde::{Deserialize, Serialize};

/// Options for the generation of all artifacts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmitOptions {
    /// Time to write into artifacts, such as `2026-01-01T00:00:00.000Z`.
    pub generated_at: String,
    /// Path from the output directory to the project's root, such as `..`. Generated modules use this path to import a source.
    /// All other paths of sources in generated modules are relative to the root.
    pub output_dir_to_root: String,
    /// `info.title` of the OpenAPI document: the project's name.
    pub title: String,
    /// `info.version` of the OpenAPI document: the project's version.
    pub version: String,
    /// Other information on the project for the OpenAPI document.
    pub about: ApiInfo,
    /// Version of the OpenAPI documents.
    pub openapi: OpenApiVersion,
    /// True to generate `client/`, which needs the package `@kit/client`.
    pub client: bool,
    /// Paths of validators that a plugin replaces. Other modules import these files, and contain no copies of
    /// their functions.
    pub replaced: BTreeSet<String>,
    /// Options of contract tests; `None` if no contract tests are generated.
    pub tests: Option<ContractTests>,
}

/// Information about the project for the OpenAPI document, without name and version. A field is `None` if the project does not
/// specify its value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApiInfo {
    /// `info.description`.
    pub description: Option<String>,
    /// `info.license.name`: an SPDX expression or other text.
    pub license: Option<String>,
    /// `info.contact`.
    pub contact: Option<Contact>,
}

/// Version of OpenAPI.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum OpenApiVersion {
    /// OpenAPI 3.0, for tools that cannot read newer versions.
    V3_0,
    /// OpenAPI 3.1.
    #[default]
    V3_1,
    /// OpenAPI 3.2.
    V3_2,
}

impl OpenApiVersion {
    /// All versions.
    pub const ALL: [Self; 3] = [Self::V3_0, Self::V3_1, Self::V3_2];

    /// Returns the value of the option `openapi.version` in `kit.config.ts`.
    pub fn name(self) -> &'static str {
        match self {
            Self::V3_0 => "3.0",
            Self::V3_1 => "3.1",
            Self::V3_2 => "3.2",
        }
    }
}

/// Contact for questions about the API.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Contact {
    /// Name of a person or a team.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// URL of a page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Email address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
}

/// Options for the contract tests of a project.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ContractTests {
    /// Test runner.
    pub runner: TestRunner,
    /// Module that exports the application, such as `src/app.ts`, relative to the project's root.
    pub app: String,
    /// True if the application needs the project's database.
    pub database: bool,
    /// Module that exports the fixtures, relative to the project's root.
    pub fixtures: Option<String>,
    /// Headers of every request.
    pub headers: BTreeMap<String, String>,
    /// Options for individual routes, by method and path: `GET /notes/:id`.
    pub routes: BTreeMap<String, RouteTests>,
}

impl ContractTests {
    /// Returns the options of a route.
    pub(crate) fn of(&self, route: &Route) -> Option<&RouteTests> {
        own_options(&self.routes, route)
    }
}

/// Options for the tests of one route.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(default)]
pub struct RouteTests {
    /// Headers of the requests to this route. They override headers of the same name in [`ContractTests::headers`].
    pub headers: BTreeMap<String, String>,
    /// Values of path parameters, by parameter name.
    pub params: BTreeMap<String, String>,
    /// Reason to skip the tests of the route; `None` to run them.
    pub skip: Option<String>,
}

/// Option `tests` of the configuration, for runners of contract tests outside of JavaScript.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(default)]
pub struct TestValues {
    /// Module that exports the application. Other runners cannot import the module.
    pub app: Option<String>,
    /// Module that exports the fixtures. Other runners cannot import the module.
    pub fixtures: Option<String>,
    /// Headers of every request.
    pub headers: BTreeMap<String, String>,
    /// Options for individual routes, by method and path: `GET /notes/:id`.
    pub routes: BTreeMap<String, RouteTests>,
}

impl TestValues {
    /// Returns the options of a route.
    pub(crate) fn of(&self, route: &Route) -> Option<&RouteTests> {
        own_options(&self.routes, route)
    }
}

fn own_options<'o>(routes: &'o BTreeMap<String, RouteTests>, route: &Route) -> Option<&'o RouteTests> {
    let own = routes.get(&route.reference());
    own.or_else(|| routes.get(&route.key))
}

/// Test runner.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum TestRunner {
    /// node:test.
    #[default]
    Node,
    /// vitest.
    Vitest {
        /// Major version, if known.
        major: Option<u32>,
    },
}
