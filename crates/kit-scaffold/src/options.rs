//! Options of a project.

use crate::ProjectName;

/// Version of kit's packages, equal to the version of this compiler.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Options of a new project.
#[derive(Debug, Clone)]
pub struct Options {
    /// Name of the package.
    pub name: ProjectName,
    /// Server on which the application runs.
    pub server: Server,
    /// Library with which the application queries its database.
    pub database: Adapter,
    /// UTC timestamp of the first migration: `20261121090000`.
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
    /// Finds the archives among the file names of a directory. Ignores archives of other versions.
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

/// Server on which an application runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Server {
    /// kit's native server.
    Native,
    /// Express 5.
    Express,
    /// Fastify 5.
    Fastify,
    /// Hono 4.
    Hono,
}

/// Library with which an application queries its database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Adapter {
    /// SQL written by hand, with `pg`.
    Raw,
    /// drizzle-orm.
    Drizzle,
    /// kysely.
    Kysely,
}

impl Server {
    /// All servers, with the recommended one first.
    pub const ALL: [Self; 4] = [Self::Native, Self::Express, Self::Fastify, Self::Hono];

    /// Returns the name, as used on the command line and in the name of the package.
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Express => "express",
            Self::Fastify => "fastify",
            Self::Hono => "hono",
        }
    }

    /// Returns the peer dependencies of the adapter, with version ranges.
    pub(crate) fn peers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Native => &[],
            Self::Express => &[("express", "^5.3.0")],
            Self::Fastify => &[("fastify", "^5.12.8")],
            Self::Hono => &[("@hono/node-server", "^2.1.8"), ("hono", "^4.13.19")],
        }
    }
}

impl Adapter {
    /// All adapters, with the recommended one first.
    pub const ALL: [Self; 3] = [Self::Drizzle, Self::Kysely, Self::Raw];

    /// Returns the name, as used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Drizzle => "drizzle",
            Self::Kysely => "kysely",
        }
    }

    /// Returns the required packages, with version ranges. All adapters connect to PostgreSQL with `pg`.
    pub(crate) fn packages(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Raw => &[("pg", "^8.23.1")],
            Self::Drizzle => &[("drizzle-orm", "^0.45.4"), ("pg", "^8.23.1")],
            Self::Kysely => &[("kysely", "^0.29.9"), ("pg", "^8.23.1")],
        }
    }
}
