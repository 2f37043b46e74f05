//! Creates `package.json` of a project.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::options::{VERSION, file_name};
use crate::package_manager::WITHOUT_SCRIPTS;
use crate::template::Own;
use crate::{Archives, Options, PackageManager, Template};

impl Options {
    /// Returns the file names of the archives that the project needs and that are missing. Empty if kit's packages come
    /// from the registry.
    pub fn missing_archives(&self) -> Vec<String> {
        let Some(archives) = &self.archives else {
            return Vec::new();
        };
        let Own { runs, develops } = self.template.own(self.server);
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
    let own = options.template.own(options.server);
    let with_version = |name: &String| (name.clone(), version(name));
    let dependencies = own
        .runs
        .iter()
        .map(with_version)
        .chain(
            options
                .template
                .packages(options.server, options.database)
                .map(owned),
        )
        .chain(library(options));
    let development = own
        .develops
        .iter()
        .map(with_version)
        .chain(options.template.tools().iter().copied().map(owned));
    let mut value = json!({
        "name": options.name.as_str(),
        "version": "0.1.0",
        "private": true,
        "type": "module",
        "engines": { "node": ">=24.4.1" },
        "scripts": scripts(options),
        "dependencies": sorted(dependencies),
        "devDependencies": sorted(development),
    });
    if options.template == Template::Library && options.manager != PackageManager::Pnpm {
        value["workspaces"] = json!(["packages/*"]);
    }
    if options.template.has_database() {
        match options.manager {
            PackageManager::Npm => {
                value["allowScripts"] = json!(for_each(WITHOUT_SCRIPTS, || json!(false)));
            }
            PackageManager::Yarn => {
                value["dependenciesMeta"] = json!(for_each(WITHOUT_SCRIPTS, || json!({ "built": false })));
            }
            // pnpm reads this setting from `pnpm-workspace.yaml`, and Bun runs no scripts by default.
            PackageManager::Pnpm | PackageManager::Bun => {}
        }
    }
    if let Some(fields) = value.as_object_mut()
        && fields["dependencies"] == json!({})
    {
        fields.shift_remove("dependencies");
    }
    if let Some(archives) = &options.archives {
        value["overrides"] = overrides(archives, &own);
    }
    format!("{value:#}\n")
}

/// Returns the package of the workspace that the application of the template `library` depends on.
fn library(options: &Options) -> Option<(String, String)> {
    let range = match options.manager {
        // Without this range, pnpm would search the package in the registry.
        PackageManager::Pnpm => "workspace:*",
        PackageManager::Npm | PackageManager::Yarn | PackageManager::Bun => "0.1.0",
    };
    (options.template == Template::Library).then(|| (format!("@{}/todos", options.name), range.to_owned()))
}

/// Returns the scripts.
fn scripts(options: &Options) -> Value {
    let scripts = options.template.scripts().iter();
    if options.manager != PackageManager::Yarn {
        return Value::Object(
            scripts
                .map(|(name, command)| ((*name).to_owned(), json!(command)))
                .collect(),
        );
    }
    // Yarn runs no scripts before others.
    let before: BTreeMap<&str, &str> = scripts
        .clone()
        .filter_map(|(name, command)| Some((name.strip_prefix("pre")?, *command)))
        .collect();
    let joined = scripts
        .filter(|(name, _)| !name.starts_with("pre"))
        .map(|(name, command)| {
            let command = match before.get(name) {
                Some(before) => format!("{before} && {command}"),
                None => (*command).to_owned(),
            };
            ((*name).to_owned(), json!(command))
        });
    Value::Object(joined.collect())
}

/// Returns an object with a value for each name.
fn for_each(names: [&str; 5], value: impl Fn() -> Value) -> BTreeMap<String, Value> {
    names.iter().map(|name| ((*name).to_owned(), value())).collect()
}

/// Packages on which other packages of kit depend, without the packages of single platforms.
const TAKEN_ALONG: [&str; 6] = [
    "@kit/cli",
    "@kit/core",
    "@kit/errors",
    "@kit/server-node",
    "@kit/transform-native",
    "@kit/types",
];

/// Returns the `overrides` for the packages of kit that the project needs only through other packages. With
/// these entries npm installs them from the archives, because the registry does not have them. Other packages have no
/// entry, because npm refuses to add a package with an entry: `npm install kit-otel-0.1.0.tgz`.
fn overrides(archives: &Archives, own: &Own) -> Value {
    let taken_along = archives
        .packages()
        .iter()
        .filter(|name| TAKEN_ALONG.contains(&name.as_str()) || name.contains("-native-"))
        .filter(|name| !own.runs.contains(name) && !own.develops.contains(name))
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use serde_json::Value;

    use super::{TAKEN_ALONG, manifest};
    use crate::{Adapter, Archives, Options, PackageManager, ProjectName, Server, Template};

    #[test]
    fn packages_that_users_add_have_no_override() {
        let names = [
            "core",
            "otel",
            "server-fastify",
            "server-native-linux-x64-gnu",
            "server-node",
        ];
        let files = names.map(|name| format!("kit-{name}-{}.tgz", crate::options::VERSION));
        let text = manifest(&Options {
            name: ProjectName::parse("shelf").unwrap(),
            template: Template::Minimal,
            server: Server::Native,
            database: Adapter::Raw,
            manager: PackageManager::Npm,
            timestamp: "20261121090000".to_owned(),
            archives: Some(Archives::new("/kit", files.iter().map(String::as_str))),
        });
        let project: Value = serde_json::from_str(&text).unwrap();
        let overrides: Vec<&String> = project["overrides"].as_object().unwrap().keys().collect();
        assert_eq!(
            overrides,
            ["@kit/server-native-linux-x64-gnu", "@kit/server-node"]
        );
    }

    #[test]
    #[allow(clippy::disallowed_methods)] // Reason: the packages are files.
    fn overrides_are_the_packages_on_which_packages_of_kit_depend() {
        let packages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packages");
        let mut needed = BTreeSet::new();
        for directory in fs::read_dir(packages).unwrap() {
            // A directory without a manifest is no package.
            let Ok(text) = fs::read_to_string(directory.unwrap().path().join("package.json")) else {
                continue;
            };
            let manifest: Value = serde_json::from_str(&text).unwrap();
            let dependencies = manifest["dependencies"].as_object();
            needed.extend(
                dependencies
                    .into_iter()
                    .flat_map(|entries| entries.keys())
                    .filter(|name| name.starts_with("@kit/"))
                    .cloned(),
            );
        }
        assert_eq!(needed, TAKEN_ALONG.map(str::to_owned).into());
    }
}
