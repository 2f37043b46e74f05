//! Servers and database libraries among which a project chooses, with the packages that each needs.

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

    /// Returns the packages that the adapter needs, with version ranges. All adapters connect to PostgreSQL
    /// with `pg`.
    pub(crate) fn packages(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Raw => &[("pg", "^8.23.1")],
            Self::Drizzle => &[("drizzle-orm", "^0.45.4"), ("pg", "^8.23.1")],
            Self::Kysely => &[("kysely", "^0.29.9"), ("pg", "^8.23.1")],
        }
    }
}
