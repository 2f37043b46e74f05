//! Reads all options of a configuration and reports unknown options.

use kit_diagnostics::Diagnostics;
use kit_emit::OpenApiVersion;
use kit_typescript::AnyMeaning;
use serde_json::Value;

use super::reader::Reader;
use super::source::ConfigSource;
use super::{Adapter, Compiler, Config, plugins_option, tests_option};

/// Every option at the top level.
const OPTIONS: [&str; 11] = [
    "typeFiles",
    "routeFiles",
    "outputDir",
    "distDir",
    "compiler",
    "compilerArgs",
    "database",
    "openapi",
    "types",
    "tests",
    "plugins",
];

/// Reads a configuration.
pub(super) fn read(value: &Value, source: &ConfigSource, diagnostics: &mut Diagnostics) -> Config {
    let mut reader = Reader { source, diagnostics };
    let Some(options) = reader.object("", value) else {
        return Config::default();
    };
    reader.known_keys("", options, &OPTIONS);
    let database = options
        .get("database")
        .and_then(|value| reader.object("database", value));
    if let Some(database) = database {
        reader.known_keys("database", database, &["adapter"]);
    }
    let openapi = options
        .get("openapi")
        .and_then(|value| reader.object("openapi", value));
    if let Some(openapi) = openapi {
        reader.known_keys("openapi", openapi, &["version"]);
    }
    let types = options
        .get("types")
        .and_then(|value| reader.object("types", value));
    if let Some(types) = types {
        reader.known_keys("types", types, &["any"]);
    }
    let globs = |reader: &mut Reader<'_>, key: &str| {
        let globs = options.get(key).and_then(|value| reader.strings(key, value))?;
        reader.globs(key, &globs).then_some(globs)
    };
    Config {
        type_files: globs(&mut reader, "typeFiles"),
        route_files: globs(&mut reader, "routeFiles"),
        output_dir: options
            .get("outputDir")
            .and_then(|value| reader.directory("outputDir", value)),
        dist_dir: options
            .get("distDir")
            .and_then(|value| reader.directory("distDir", value)),
        compiler: options
            .get("compiler")
            .and_then(|value| reader.choice("compiler", value, &Compiler::ALL, Compiler::name)),
        compiler_args: options
            .get("compilerArgs")
            .and_then(|value| reader.strings("compilerArgs", value)),
        adapter: database
            .and_then(|database| database.get("adapter"))
            .and_then(|value| reader.choice("database.adapter", value, &Adapter::ALL, Adapter::name)),
        openapi: openapi
            .and_then(|openapi| openapi.get("version"))
            .and_then(|value| {
                reader.choice(
                    "openapi.version",
                    value,
                    &OpenApiVersion::ALL,
                    OpenApiVersion::name,
                )
            }),
        any: types
            .and_then(|types| types.get("any"))
            .and_then(|value| reader.choice("types.any", value, &AnyMeaning::ALL, AnyMeaning::name)),
        tests: options
            .get("tests")
            .and_then(|value| tests_option::read(value, &mut reader)),
        plugins: options
            .get("plugins")
            .and_then(|value| plugins_option::read(value, &mut reader)),
    }
}
