//! The configuration of a project: its options, their defaults, and the files that contain them.

mod options;
mod plugin;
mod plugins_option;
mod reader;
mod resolve;
mod source;
#[cfg(test)]
mod tests;
mod tests_option;

use std::fmt;

use kit_emit::{ApiInfo, OpenApiVersion};
use kit_typescript::AnyMeaning;

pub use plugin::{Plugin, Tap};
pub use source::ConfigSource;
pub use tests_option::TestsConfig;

pub use resolve::{CONFIG_FILES, LoadedConfig, Resolution, find_config_file, resolve};

/// Options of a configuration file. All of them are optional.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Config {
    /// Globs of the files that declare types.
    pub type_files: Option<Vec<String>>,
    /// Globs of the files that declare contract groups.
    pub route_files: Option<Vec<String>>,
    /// Output directory for artifacts, relative to the root.
    pub output_dir: Option<String>,
    /// Output directory of the project's compiler, relative to the root.
    pub dist_dir: Option<String>,
    /// The project's compiler.
    pub compiler: Option<Compiler>,
    /// Arguments of the compiler.
    pub compiler_args: Option<Vec<String>>,
    /// Option `database.adapter`: the library that the project uses for its database.
    pub adapter: Option<Adapter>,
    /// Option `openapi.version`: the version of the OpenAPI documents.
    pub openapi: Option<OpenApiVersion>,
    /// Option `types.any`: the meaning of `any` in types.
    pub any: Option<AnyMeaning>,
    /// Option `tests`: values that the generated contract tests send.
    pub tests: Option<TestsConfig>,
    /// Option `plugins`: the plugins, in order.
    pub plugins: Option<Vec<Plugin>>,
}

/// Configuration with a value for every option.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedConfig {
    /// Globs of the files that declare types.
    pub type_files: Vec<String>,
    /// Globs of the files that declare contract groups.
    pub route_files: Vec<String>,
    /// Output directory for artifacts, relative to the root, with `/`.
    pub output_dir: String,
    /// Output directory of the project's compiler, relative to the root, with `/`.
    pub dist_dir: String,
    /// The project's compiler.
    pub compiler: Compiler,
    /// Arguments of the compiler.
    pub compiler_args: Vec<String>,
    /// True if the configuration sets `compiler` or `compilerArgs`. If so, a missing compiler is an error.
    pub is_compiler_configured: bool,
    /// Library that the project uses for its database.
    pub adapter: AdapterChoice,
    /// Version of the OpenAPI documents.
    pub openapi: OpenApiVersion,
    /// Meaning of `any` in types.
    pub any: AnyMeaning,
    /// Option `tests`: values that the generated contract tests send.
    pub tests: TestsConfig,
    /// Plugins, in order.
    pub plugins: Vec<Plugin>,
    /// Packages for tests on which the project depends.
    pub packages: TestPackages,
    /// Information from `package.json` for the OpenAPI document.
    pub project: ProjectInfo,
    /// File with the project's options, such as `kit.config.js`. If the project has none, the file that a
    /// user should create.
    pub options_file: String,
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
            is_compiler_configured: false,
            adapter: AdapterChoice::default(),
            openapi: OpenApiVersion::default(),
            any: AnyMeaning::default(),
            tests: TestsConfig::default(),
            plugins: Vec::new(),
            packages: TestPackages::default(),
            project: ProjectInfo::default(),
            options_file: CONFIG_FILES[0].to_owned(),
        }
    }
}

/// Packages for tests, if `package.json` lists them as dependencies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TestPackages {
    /// True if the project depends on `@kit/testing`, which generated contract tests import.
    pub testing: bool,
    /// True if the project depends on vitest. If so, vitest runs all tests.
    pub vitest: bool,
    /// Major version of vitest; `None` unless the version range in `package.json` starts with a major
    /// version.
    pub vitest_major: Option<u32>,
}

/// Information about the project from `package.json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectInfo {
    /// Name of the project, or `API`. The name is never the name of the directory, because the output must not depend
    /// on the location of the project.
    pub name: String,
    /// Version of the project, or `0.0.0`.
    pub version: String,
    /// Other information for the OpenAPI document: description, license, and contact.
    pub api_info: ApiInfo,
    /// True if the project depends on `@kit/client`, so a client is generated.
    pub has_client: bool,
}

impl Default for ProjectInfo {
    fn default() -> Self {
        Self {
            name: "API".to_owned(),
            version: "0.0.0".to_owned(),
            api_info: ApiInfo::default(),
            has_client: false,
        }
    }
}

/// Compiler that translates the project's TypeScript to JavaScript.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Compiler {
    /// `tsc`, TypeScript's own compiler.
    #[default]
    Tsc,
    /// `tsup`, a bundler.
    Tsup,
    /// `swc`, a fast compiler without type checks.
    Swc,
}

impl Compiler {
    /// Every compiler.
    pub const ALL: [Self; 3] = [Self::Tsc, Self::Tsup, Self::Swc];

    /// Returns the name as in the option `compiler`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tsc => "tsc",
            Self::Tsup => "tsup",
            Self::Swc => "swc",
        }
    }
}

/// Library that a project uses for its database. The generated schema files are written for this library.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Adapter {
    /// The library drizzle-orm.
    Drizzle,
    /// The library kysely.
    Kysely,
    /// No library: the project contains handwritten SQL.
    #[default]
    Raw,
}

impl Adapter {
    /// Every adapter.
    pub const ALL: [Self; 3] = [Self::Drizzle, Self::Kysely, Self::Raw];

    /// Returns the name as in the option `database.adapter`.
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

/// A database adapter, and the reason why it was chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AdapterChoice {
    /// The adapter.
    pub adapter: Adapter,
    /// Reason of the choice.
    pub origin: AdapterOrigin,
}

/// Reason why an adapter was chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AdapterOrigin {
    /// The option `database.adapter` of the configuration.
    Configured,
    /// The project depends on the library.
    Detected,
    /// The default: neither an option nor a dependency chooses an adapter.
    #[default]
    Default,
}
