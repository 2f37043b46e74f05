//! What may be chosen of a project.

use crate::ProjectName;

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
