//! Test database of the contract tests.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Variable with the URL of the test database.
pub(super) const VARIABLE: &str = "TEST_DATABASE_URL";

/// Returns the URL of the test database. `None` if the variable is not set.
pub(super) fn url() -> Option<String> {
    env::var(VARIABLE)
        .ok()
        .map(|url| url.trim().to_owned())
        .filter(|url| !url.is_empty())
}

/// Applies the migrations of the project to a database for tests, with the command `kit migrate:apply`. Does nothing if the project
/// has no migrations.
///
/// # Errors
///
/// If kit is not installed, or if a migration fails.
pub(super) fn migrate(root: &Path, url: &str) -> Result<(), String> {
    if !root.join("migrations").exists() {
        return Ok(());
    }
    let kit = kit_of(root).ok_or_else(|| {
        format!(
            "cannot apply the migrations of {}, because the package @kit/cli is not installed\n\
             help: run `npm install` in the project",
            root.display()
        )
    })?;
    let output = command(&kit, root, url)
        .output()
        .map_err(|error| format!("cannot apply the migrations, because node does not start: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    Err(format!(
        "cannot apply the migrations to the test database of {VARIABLE}:\n{}",
        text.trim()
    ))
}

/// Returns the command that applies the migrations. The rows of a database for tests may be lost, so migrations that drop columns
/// need no consent.
fn command(kit: &Path, root: &Path, url: &str) -> Command {
    let mut command = Command::new("node");
    command
        .arg(kit)
        .args(["migrate:apply", "--allow-destructive"])
        .current_dir(root)
        .env("DATABASE_URL", url)
        // A variable of the environment or of `.env` must not select another database.
        .env("MIGRATE_URL", url);
    command
}

/// Returns the program of kit, which is installed in the project or in a directory above it.
fn kit_of(root: &Path) -> Option<PathBuf> {
    root.ancestors()
        .map(|directory| directory.join("node_modules/@kit/cli/bin/kit.js"))
        .find(|path| path.exists())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::command;

    #[test]
    fn applies_migrations_that_drop_columns_without_consent() {
        let command = command(Path::new("kit.js"), Path::new("."), "postgres://h/tests");
        let arguments: Vec<_> = command.get_args().collect();
        assert_eq!(arguments, ["kit.js", "migrate:apply", "--allow-destructive"]);
    }
}
