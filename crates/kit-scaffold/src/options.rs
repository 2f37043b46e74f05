//! What may be chosen of a project.

use crate::ProjectName;

/// kit's own packages, all of one version: that of this compiler.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A new project.
#[derive(Debug, Clone)]
pub struct Options {
    /// Its package name.
    pub name: ProjectName,
    /// What it runs on.
    pub server: Server,
    /// How it asks its database.
    pub database: Adapter,
    /// When its first migration was made: `20261121090000`, in UTC.
    pub timestamp: String,
    /// Where npm takes kit's own packages from; otherwise its registry.
    pub archives: Option<Archives>,
}

/// A directory of kit's packages, as `npm pack` makes them.
#[derive(Debug, Clone)]
pub struct Archives {
    /// With `/`, absolute.
    directory: String,
    /// Packages of this version in it, by name; in order.
    packages: Vec<String>,
}

impl Archives {
    /// Reads the names of the files of a directory. An archive of another version is none.
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

    /// The names of the packages.
    pub fn packages(&self) -> &[String] {
        &self.packages
    }

    /// What stands in `package.json` for a package.
    pub(crate) fn specifier(&self, package: &str) -> String {
        let directory = &self.directory;
        format!("file:{directory}/{}", file_name(package))
    }
}

/// The archive of a package of kit: `kit-core-0.1.0.tgz` of `@kit/core`.
pub(crate) fn file_name(package: &str) -> String {
    let name = package.trim_start_matches('@').replace('/', "-");
    format!("{name}-{VERSION}.tgz")
}

/// What an application runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Server {
    /// kit's own.
    Native,
    /// Express 5.
    Express,
    /// Fastify 5.
    Fastify,
    /// Hono 4.
    Hono,
}

/// How an application asks its database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Adapter {
    /// SQL by hand, with `pg`.
    Raw,
    /// drizzle-orm.
    Drizzle,
    /// kysely.
    Kysely,
}

impl Server {
    /// All, the one to recommend first.
    pub const ALL: [Self; 4] = [Self::Native, Self::Express, Self::Fastify, Self::Hono];

    /// As on the command line, and in the name of its package.
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Express => "express",
            Self::Fastify => "fastify",
            Self::Hono => "hono",
        }
    }

    /// The packages that the adapter expects beside it, with ranges.
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
    /// All, the one to recommend first.
    pub const ALL: [Self; 3] = [Self::Drizzle, Self::Kysely, Self::Raw];

    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Drizzle => "drizzle",
            Self::Kysely => "kysely",
        }
    }

    /// What it needs, with ranges; `pg` speaks to PostgreSQL for all of them.
    pub(crate) fn packages(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Raw => &[("pg", "^8.23.1")],
            Self::Drizzle => &[("drizzle-orm", "^0.45.4"), ("pg", "^8.23.1")],
            Self::Kysely => &[("kysely", "^0.29.9"), ("pg", "^8.23.1")],
        }
    }
}
