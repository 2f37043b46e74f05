//! The project's configuration: what may be said, what it means when nothing is said, and where it comes from.

mod plugins_option;
mod reader;
mod resolve;
mod source;
#[cfg(test)]
mod tests;
mod tests_option;

use std::fmt;

use kit_emit::ApiInfo;

use crate::Plugin;

pub use source::ConfigSource;
pub use tests_option::TestsConfig;

pub use resolve::{CONFIG_FILES, LoadedConfig, Resolution, find_config_file, resolve};

/// What a configuration file says. Everything may be left out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Config {
    /// Globs of the files that declare types.
    pub type_files: Option<Vec<String>>,
    /// Globs of the files that declare contract groups.
    pub route_files: Option<Vec<String>>,
    /// Where artifacts go, relative to the root.
    pub output_dir: Option<String>,
    /// Where the project's compiler writes, relative to the root.
    pub dist_dir: Option<String>,
    /// The project's compiler.
    pub compiler: Option<Compiler>,
    /// What it is called with.
    pub compiler_args: Option<Vec<String>>,
    /// `database.adapter`.
    pub adapter: Option<Adapter>,
    /// `tests`.
    pub tests: Option<TestsConfig>,
    /// `plugins`, in order.
    pub plugins: Option<Vec<Plugin>>,
}

/// A configuration in which every question is answered.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedConfig {
    /// Globs of the files that declare types.
    pub type_files: Vec<String>,
    /// Globs of the files that declare contract groups.
    pub route_files: Vec<String>,
    /// Where artifacts go, relative to the root, with `/`.
    pub output_dir: String,
    /// Where the project's compiler writes, relative to the root, with `/`.
    pub dist_dir: String,
    /// The project's compiler.
    pub compiler: Compiler,
    /// What it is called with.
    pub compiler_args: Vec<String>,
    /// Whether the project says anything about its compiler. Where it does, one that is not installed is an error.
    pub compiler_given: bool,
    /// What the project reaches its database with.
    pub adapter: AdapterChoice,
    /// What generated tests send besides what the contracts say.
    pub tests: TestsConfig,
    /// Plugins, in order.
    pub plugins: Vec<Plugin>,
    /// What the project tests with.
    pub packages: TestPackages,
    /// Title and version of the OpenAPI document.
    pub project: ProjectInfo,
    /// What the project says its options in, or is to say them in: `kit.config.js`.
    pub place: String,
}

impl Default for ResolvedConfig {
    fn default() -> Self {
        let list = |globs: &[&str]| globs.iter().map(ToString::to_string).collect();
        Self {
            type_files: list(&["src/**/*.types.ts", "src/**/types.ts"]),
            route_files: list(&["src/**/*.routes.ts", "src/**/routes.ts", "src/**/contracts.ts"]),
            output_dir: ".kit".to_owned(),
            dist_dir: "dist".to_owned(),
            compiler: Compiler::Tsc,
            compiler_args: Vec::new(),
            compiler_given: false,
            adapter: AdapterChoice::default(),
            tests: TestsConfig::default(),
            plugins: Vec::new(),
            packages: TestPackages::default(),
            project: ProjectInfo::default(),
            place: CONFIG_FILES[0].to_owned(),
        }
    }
}

/// Which packages for tests `package.json` names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TestPackages {
    /// `@kit/testing`, which contract tests import.
    pub testing: bool,
    /// vitest, which then runs all tests.
    pub vitest: bool,
    /// Its major version, where the range begins with one.
    pub vitest_major: Option<u32>,
}

/// What `package.json` says of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectInfo {
    /// Its name, or `API`. Never the directory's name: output must not depend on where a project lies.
    pub name: String,
    /// Its version, or `0.0.0`.
    pub version: String,
    /// Its description, license and author or where its bugs are told, for the OpenAPI document.
    pub about: ApiInfo,
    /// Whether it has `@kit/client`, and so a client is made for it.
    pub has_client: bool,
}

impl Default for ProjectInfo {
    fn default() -> Self {
        Self {
            name: "API".to_owned(),
            version: "0.0.0".to_owned(),
            about: ApiInfo::default(),
            has_client: false,
        }
    }
}

/// The compiler that makes JavaScript of the project.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Compiler {
    /// TypeScript's own.
    #[default]
    Tsc,
    /// tsup.
    Tsup,
    /// swc.
    Swc,
}

impl Compiler {
    /// Every compiler.
    pub const ALL: [Self; 3] = [Self::Tsc, Self::Tsup, Self::Swc];

    /// The name in a configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tsc => "tsc",
            Self::Tsup => "tsup",
            Self::Swc => "swc",
        }
    }
}

/// How a project talks to its database; decides what schema files look like.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Adapter {
    /// drizzle-orm.
    Drizzle,
    /// kysely.
    Kysely,
    /// SQL by hand.
    #[default]
    Raw,
}

impl Adapter {
    /// Every adapter.
    pub const ALL: [Self; 3] = [Self::Drizzle, Self::Kysely, Self::Raw];

    /// The name in a configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Drizzle => "drizzle",
            Self::Kysely => "kysely",
            Self::Raw => "raw",
        }
    }
}

impl fmt::Display for Adapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An adapter and whether anybody asked for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AdapterChoice {
    /// Which.
    pub adapter: Adapter,
    /// Who said so.
    pub origin: AdapterOrigin,
}

/// Who chose an adapter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AdapterOrigin {
    /// `database.adapter` of the configuration.
    Configured,
    /// The project depends on the library.
    Detected,
    /// Nobody.
    #[default]
    Default,
}
