//! Finds the configuration: `kit.config.ts` (or `.js`), else the `kit` field of `package.json`, else the defaults.

use std::path::{Path, PathBuf};

use kit_diagnostics::{Diagnostic, Diagnostics, codes};
use kit_emit::{ApiInfo, Contact};
use serde_json::Value;

use super::{
    Adapter, AdapterChoice, AdapterOrigin, Config, ConfigSource, ProjectInfo, ResolvedConfig, TestPackages,
    options,
};
use crate::{BuildError, disk};

/// Names of configuration files, in order of preference.
pub const CONFIG_FILES: [&str; 2] = ["kit.config.ts", "kit.config.js"];

/// A configuration file and its default export, which a JavaScript process has loaded.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadedConfig {
    /// Path of the file, relative to the project's root.
    pub path: String,
    /// The default export as JSON.
    pub value: Value,
}

/// A configuration with values for all options, and its diagnostics.
#[derive(Debug, Clone)]
pub struct Resolution {
    /// The configuration. Do not use it if `diagnostics` contains an error.
    pub config: ResolvedConfig,
    /// Mistakes in the configuration: unknown options, invalid values.
    pub diagnostics: Diagnostics,
    /// Text of the configuration file, into which the diagnostics point.
    pub source: ConfigSource,
}

/// Returns the path of a project's configuration file, or `None` if there is none. The caller loads the file, because it
/// contains JavaScript.
///
/// # Errors
///
/// Returns an error if `root` is not a directory.
pub fn find_config_file(root: &Path) -> Result<Option<PathBuf>, BuildError> {
    if !disk::is_dir(root) {
        return Err(BuildError::NoProject {
            root: root.to_owned(),
        });
    }
    Ok(CONFIG_FILES
        .iter()
        .map(|name| root.join(name))
        .find(|path| disk::is_file(path)))
}

/// Resolves the configuration of a project: reads the options and fills in the defaults.
///
/// # Errors
///
/// Returns an error if `package.json` exists but cannot be read.
pub fn resolve(root: &Path, loaded: Option<&LoadedConfig>) -> Result<Resolution, BuildError> {
    let mut diagnostics = Diagnostics::default();
    let (package, package_text) = read_package(root, &mut diagnostics)?;
    let (config, source) = match (loaded, package.get("kit")) {
        (Some(loaded), _) => {
            // The host has just read the file. If the file no longer exists, the diagnostics only lack their locations.
            let text = disk::read_text(&root.join(&loaded.path)).unwrap_or_default();
            let source = ConfigSource::module(&loaded.path, text);
            (options::read(&loaded.value, &source, &mut diagnostics), source)
        }
        (None, Some(value)) => {
            let source = ConfigSource::package(&package_text);
            (options::read(value, &source, &mut diagnostics), source)
        }
        (None, None) => (Config::default(), ConfigSource::default()),
    };
    let is_compiler_configured = config.compiler.is_some() || config.compiler_args.is_some();
    let defaults = ResolvedConfig::default();
    let config = ResolvedConfig {
        type_files: config.type_files.unwrap_or(defaults.type_files),
        route_files: config.route_files.unwrap_or(defaults.route_files),
        output_dir: config.output_dir.unwrap_or(defaults.output_dir),
        dist_dir: config.dist_dir.unwrap_or(defaults.dist_dir),
        compiler: config.compiler.unwrap_or(defaults.compiler),
        compiler_args: config.compiler_args.unwrap_or(defaults.compiler_args),
        is_compiler_configured,
        adapter: choose_adapter(config.adapter, &package),
        openapi: config.openapi.unwrap_or(defaults.openapi),
        any: config.any.unwrap_or(defaults.any),
        tests: config.tests.unwrap_or(defaults.tests),
        plugins: config.plugins.unwrap_or(defaults.plugins),
        packages: TestPackages {
            testing: depends_on(&package, "@kit/testing"),
            vitest: depends_on(&package, "vitest"),
            vitest_major: range_of(&package, "vitest").and_then(major),
        },
        project: project_info(&package),
        options_file: if source.name.is_empty() {
            defaults.options_file
        } else {
            source.name.clone()
        },
    };
    if nested(&config.output_dir, &config.dist_dir) {
        diagnostics.push(
            Diagnostic::new(
                codes::CONFIGURATION_INVALID,
                format!(
                    "`outputDir` (`{}`) and `distDir` (`{}`) overlap",
                    config.output_dir, config.dist_dir
                ),
            )
            .labels(source.locations.value("outputDir", &source.path))
            .help(
                "choose two separate directories: kit writes `outputDir`, and your compiler writes `distDir`",
            ),
        );
    }
    Ok(Resolution {
        config,
        diagnostics,
        source,
    })
}

fn nested(a: &str, b: &str) -> bool {
    let (a, b) = (format!("{a}/"), format!("{b}/"));
    a.starts_with(&b) || b.starts_with(&a)
}

/// Returns the object in `package.json` and its text. The object is empty if the file does not exist. If the
/// file is invalid, the function reports an error and returns an empty object.
fn read_package(root: &Path, diagnostics: &mut Diagnostics) -> Result<(Value, String), BuildError> {
    let empty = || Value::Object(serde_json::Map::new());
    let Some(text) = disk::read_optional(&root.join("package.json"))? else {
        return Ok((empty(), String::new()));
    };
    // npm accepts a byte order mark, so kit accepts one too.
    let text = String::from_utf8_lossy(&text).into_owned();
    let problem = match serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}')) {
        Ok(value) if value.is_object() => return Ok((value, text)),
        Ok(_) => "it is not an object".to_owned(),
        Err(error) => error.to_string(),
    };
    diagnostics.push(
        Diagnostic::new(
            codes::CONFIGURATION_INVALID,
            format!("package.json cannot be read: {problem}"),
        )
        .help("repair package.json; npm cannot read it either"),
    );
    Ok((empty(), text))
}

/// Returns true if a package lists another package as a dependency of any kind.
fn depends_on(package: &Value, other: &str) -> bool {
    LISTS
        .iter()
        .any(|list| package.get(*list).is_some_and(|list| list.get(other).is_some()))
}

/// Fields of `package.json` that list dependencies.
const LISTS: [&str; 4] = [
    "dependencies",
    "devDependencies",
    "peerDependencies",
    "optionalDependencies",
];

/// Returns the version range that a package requires of another package; `None` if it does not depend on the
/// other package.
fn range_of<'a>(package: &'a Value, other: &str) -> Option<&'a str> {
    LISTS
        .iter()
        .find_map(|list| package.get(*list)?.get(other)?.as_str())
}

/// Returns the major version at the start of a version range: 5 for `^5.1.1` and `>=5`, `None` for `*` and `latest`.
fn major(range: &str) -> Option<u32> {
    let digits = range.trim_start_matches(|mark: char| "^~>=v ".contains(mark));
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().ok()
}

fn choose_adapter(configured: Option<Adapter>, package: &Value) -> AdapterChoice {
    let depends_on = |library: &str| depends_on(package, library);
    let (adapter, origin) = match configured {
        Some(adapter) => (adapter, AdapterOrigin::Configured),
        None if depends_on("drizzle-orm") => (Adapter::Drizzle, AdapterOrigin::Detected),
        None if depends_on("kysely") => (Adapter::Kysely, AdapterOrigin::Detected),
        None => (Adapter::Raw, AdapterOrigin::Default),
    };
    AdapterChoice { adapter, origin }
}

fn project_info(package: &Value) -> ProjectInfo {
    let text = |key: &str| {
        package
            .get(key)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
    };
    let defaults = ProjectInfo::default();
    ProjectInfo {
        name: text("name").unwrap_or(defaults.name),
        version: text("version").unwrap_or(defaults.version),
        api_info: ApiInfo {
            description: text("description"),
            license: text("license"),
            contact: contact(package),
        },
        has_client: depends_on(package, "@kit/client"),
    }
}

/// Returns the author of a package, as an object or as `Name <email> (url)`. If there is no author, returns the address
/// for bug reports.
fn contact(package: &Value) -> Option<Contact> {
    let part = |value: Option<&Value>| {
        let text = value.and_then(Value::as_str).map(str::trim);
        text.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let contact = match package.get("author") {
        Some(Value::String(author)) => {
            let between = |open: char, close: char| {
                let (_, rest) = author.split_once(open)?;
                let (inside, _) = rest.split_once(close)?;
                part(Some(&Value::from(inside)))
            };
            let name = author.split(['<', '(']).next().unwrap_or_default();
            Contact {
                name: part(Some(&Value::from(name))),
                email: between('<', '>'),
                url: between('(', ')'),
            }
        }
        Some(author) => Contact {
            name: part(author.get("name")),
            email: part(author.get("email")),
            url: part(author.get("url")),
        },
        None => Contact {
            name: None,
            email: part(package.pointer("/bugs/email")),
            url: part(package.pointer("/bugs/url")).or_else(|| part(package.get("bugs"))),
        },
    };
    (contact != Contact::default()).then_some(contact)
}
