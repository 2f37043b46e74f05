//! Options of a project.

use crate::{Adapter, PackageManager, ProjectName, Server, Template};

/// Version of kit's packages, equal to the version of this compiler.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Options of a new project.
#[derive(Debug, Clone)]
pub struct Options {
    /// Name of the package.
    pub name: ProjectName,
    /// Kind of the project.
    pub template: Template,
    /// Server on which the application runs. Ignored if the template has none.
    pub server: Server,
    /// Library with which the application queries its database. Ignored if the template has no choice.
    pub database: Adapter,
    /// Package manager whose commands and files the project has.
    pub manager: PackageManager,
    /// Timestamp of the first migration in UTC, such as `20261121090000`.
    pub timestamp: String,
    /// Archives from which npm installs kit's packages; `None` for the registry.
    pub archives: Option<Archives>,
}

/// A directory with kit's packages, in archives created by `npm pack`.
#[derive(Debug, Clone)]
pub struct Archives {
    /// Absolute path, with `/` as the separator.
    directory: String,
    /// Sorted names of the packages whose archives have the current version.
    packages: Vec<String>,
}

impl Archives {
    /// Finds the archives of this version among the file names of a directory.
    pub fn new<'a>(directory: &str, names: impl IntoIterator<Item = &'a str>) -> Self {
        let ending = format!("-{VERSION}.tgz");
        let mut packages: Vec<String> = names
            .into_iter()
            .filter_map(|name| name.strip_prefix("kit-")?.strip_suffix(&ending))
            .map(|name| format!("@kit/{name}"))
            .collect();
        packages.sort_unstable();
        Self {
            directory: directory.to_owned(),
            packages,
        }
    }

    /// Returns the names of the packages.
    pub fn packages(&self) -> &[String] {
        &self.packages
    }

    /// Returns the version specifier of a package for `package.json`.
    pub(crate) fn specifier(&self, package: &str) -> String {
        let directory = &self.directory;
        format!("file:{directory}/{}", file_name(package))
    }
}

/// Returns the file name of a package's archive: `kit-core-0.1.0.tgz` for `@kit/core`.
pub(crate) fn file_name(package: &str) -> String {
    let name = package.trim_start_matches('@').replace('/', "-");
    format!("{name}-{VERSION}.tgz")
}
