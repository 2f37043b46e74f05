//! The command `kit inspect dependencies`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::built_project::Built;
use super::table::{EMPTY_CELL, table};
use crate::console::Console;
use crate::failure::{CommandError, Problem};

/// The fields of a package's `package.json` that this command needs.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Manifest {
    name: Option<String>,
    dependencies: BTreeMap<String, serde_json::Value>,
    dev_dependencies: BTreeMap<String, serde_json::Value>,
    optional_dependencies: BTreeMap<String, serde_json::Value>,
}

impl Manifest {
    /// Returns the names of the `@kit/*` packages on which the package depends. If `development` is true, includes
    /// `devDependencies`.
    fn packages(&self, development: bool) -> Vec<String> {
        let mut names: Vec<String> = [
            Some(&self.dependencies),
            Some(&self.optional_dependencies),
            development.then_some(&self.dev_dependencies),
        ]
        .into_iter()
        .flatten()
        .flat_map(BTreeMap::keys)
        .filter(|name| name.starts_with("@kit/"))
        .cloned()
        .collect();
        names.sort();
        names.dedup();
        names
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    name: String,
    depends_on: Vec<String>,
}

pub(super) fn run(built: &Built, console: &Console<'_>) -> Result<(), CommandError> {
    let root = &built.project.root;
    let rows = find(root)?;
    console.json(&rows);
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let names = row.depends_on.join(", ");
            vec![
                row.name.clone(),
                if names.is_empty() {
                    EMPTY_CELL.to_owned()
                } else {
                    names
                },
            ]
        })
        .collect();
    console.result(&table(&["PACKAGE", "DEPENDS ON"], &cells));
    Ok(())
}

/// Returns the project, followed by all `@kit/*` packages that it depends on directly or indirectly, sorted by name.
fn find(root: &Path) -> Result<Vec<Row>, CommandError> {
    let own = read(&root.join("package.json"))?.unwrap_or_default();
    let first = own.packages(true);
    let mut open: Vec<(String, PathBuf)> = first.iter().map(|name| (name.clone(), root.to_owned())).collect();
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    while let Some((name, from)) = open.pop() {
        if found.contains_key(&name) {
            continue;
        }
        let Some((directory, manifest)) = locate(&name, &from)? else {
            // The package is not installed. The package manager reports this, so kit does not.
            found.insert(name, Vec::new());
            continue;
        };
        let names = manifest.packages(false);
        open.extend(names.iter().map(|name| (name.clone(), directory.clone())));
        found.insert(name, names);
    }
    let project = Row {
        name: own.name.unwrap_or_else(|| "(project)".to_owned()),
        depends_on: first,
    };
    let others = found
        .into_iter()
        .map(|(name, depends_on)| Row { name, depends_on });
    Ok([project].into_iter().chain(others).collect())
}

/// Returns the directory and the manifest of a package that files in the directory `from` would import.
fn locate(name: &str, from: &Path) -> Result<Option<(PathBuf, Manifest)>, CommandError> {
    for directory in from.ancestors() {
        let package = directory.join("node_modules").join(name);
        if let Some(manifest) = read(&package.join("package.json"))? {
            // Resolve the symbolic link of a workspace package: its own dependencies are installed near its real path.
            return Ok(Some((package.canonicalize().unwrap_or(package), manifest)));
        }
    }
    Ok(None)
}

fn read(path: &Path) -> Result<Option<Manifest>, CommandError> {
    let Some(text) = kit_build::read_text(path)? else {
        return Ok(None);
    };
    serde_json::from_str(&text)
        .map(Some)
        .map_err(|error| Problem::inspection(format!("{} cannot be read: {error}", path.display())).into())
}
