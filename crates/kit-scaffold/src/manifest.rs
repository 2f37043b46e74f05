//! `package.json` of a project.

use serde_json::{Map, Value, json};

use crate::Options;

/// kit's own packages, all of one version: that of this compiler.
const KIT: &str = env!("CARGO_PKG_VERSION");

/// Tools, with ranges.
const TOOLS: [(&str, &str); 3] = [
    ("@types/node", "^24.10.1"),
    ("@types/pg", "^8.23.1"),
    ("typescript", "^7.0.2"),
];

/// The text of the file.
pub(crate) fn manifest(options: &Options) -> String {
    let server = format!("@kit/server-{}", options.server.name());
    let own = ["@kit/core", "@kit/errors", &server, "@kit/types"].map(|name| (name, KIT));
    let dependencies = own
        .into_iter()
        .chain(options.server.peers().iter().copied())
        .chain(options.database.packages().iter().copied());
    let development = ["@kit/cli", "@kit/dev-database"]
        .map(|name| (name, KIT))
        .into_iter()
        .chain(TOOLS);
    let value = json!({
        "name": options.name.as_str(),
        "version": "0.1.0",
        "private": true,
        "type": "module",
        "engines": { "node": ">=24" },
        "scripts": {
            "dev": "kit migrate:apply && kit dev",
            "build": "kit build",
            "start": "node src/main.ts",
            "test": "kit generate && node --test \"tests/**/*.test.ts\"",
            "check": "kit generate && tsc -p .",
            "migrate": "kit migrate:apply",
        },
        "dependencies": sorted(dependencies),
        "devDependencies": sorted(development),
    });
    format!("{value:#}\n")
}

/// As npm writes them.
fn sorted<'a>(packages: impl Iterator<Item = (&'a str, &'a str)>) -> Value {
    let mut packages: Vec<_> = packages.collect();
    packages.sort_unstable();
    let entries = packages
        .into_iter()
        .map(|(name, range)| (name.to_owned(), Value::from(range)));
    Value::Object(entries.collect::<Map<_, _>>())
}
