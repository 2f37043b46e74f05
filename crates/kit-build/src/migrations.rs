//! Reads and writes the committed migrations of a project: `migrations/<timestamp>_<name>/`. The crate `kit-database`
//! defines the content of the files.

use std::path::{Path, PathBuf};

use kit_database::Migration;
use kit_diagnostics::{Diagnostic, Diagnostics, Label, codes};

use crate::{BuildError, disk, read_text};

/// Name of the directory with the migrations, in the project's root.
pub const MIGRATIONS: &str = "migrations";

/// Reads all migrations, sorted by name. A migration with invalid content is reported and left out. Files in
/// `migrations/`, and directories whose names start with a dot, are ignored.
///
/// # Errors
/// Returns an error if a directory or file cannot be read.
pub fn read_migrations(root: &Path, diagnostics: &mut Diagnostics) -> Result<Vec<Migration>, BuildError> {
    let base = root.join(MIGRATIONS);
    let mut migrations = Vec::new();
    for name in disk::names(&base)? {
        let directory = base.join(&name);
        if name.starts_with('.') || !disk::is_dir(&directory) {
            continue;
        }
        match read_one(&directory, &name)? {
            Ok(migration) => migrations.push(migration),
            Err(diagnostic) => diagnostics.push(*diagnostic),
        }
    }
    Ok(migrations)
}

/// Writes a migration and returns its directory. A crash leaves no partial migration.
///
/// # Errors
/// Returns an error if the migration cannot be written or a migration with this name exists.
pub fn write_migration(root: &Path, migration: &Migration) -> Result<PathBuf, BuildError> {
    let base = root.join(MIGRATIONS);
    let staging = base.join(".staging");
    disk::remove_tree(&staging)?;
    let target = base.join(&migration.name);
    let done = migration
        .files()
        .iter()
        .try_for_each(|file| disk::write(&staging.join(&file.path), file.text.as_bytes()))
        // A rename does not replace a directory with files, so it fails if a migration with this name exists.
        .and_then(|()| disk::rename(&staging.join(&migration.name), &target));
    let removed = disk::remove_tree(&staging);
    done.and(removed).map(|()| target)
}

/// Files of a migration.
const FILES: [&str; 3] = ["migration.sql", "changes.json", "snapshot.json"];

/// Returns the names, sorted, of files and directories in the directory of a migration that are no part of the migration.
///
/// # Errors
/// Returns an error if the directory cannot be read.
pub fn other_files(root: &Path, name: &str) -> Result<Vec<String>, BuildError> {
    let mut names = disk::names(&root.join(MIGRATIONS).join(name))?;
    names.retain(|name| !FILES.contains(&name.as_str()));
    Ok(names)
}

/// Deletes the directory of a migration. A crash leaves the complete directory, or none.
///
/// # Errors
/// Returns an error if the directory cannot be deleted.
pub fn remove_migration(root: &Path, name: &str) -> Result<(), BuildError> {
    let base = root.join(MIGRATIONS);
    let removed = base.join(".removed");
    disk::remove_tree(&removed)?;
    disk::rename(&base.join(name), &removed)?;
    disk::remove_tree(&removed)
}

/// Replaces `snapshot.json` of a migration that exists. A crash leaves the old or the new file.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub fn write_snapshot(root: &Path, migration: &Migration) -> Result<(), BuildError> {
    let base = root.join(MIGRATIONS);
    migration
        .files()
        .iter()
        .filter(|file| file.path.ends_with("/snapshot.json"))
        .try_for_each(|file| disk::write(&base.join(&file.path), file.text.as_bytes()))
}

fn read_one(directory: &Path, name: &str) -> Result<Result<Migration, Box<Diagnostic>>, BuildError> {
    let text = |file: &str| read_text(&directory.join(file));
    let missing = |file: &str| {
        let place = format!("{MIGRATIONS}/{name}");
        Box::new(
            Diagnostic::new(codes::INVALID_MIGRATION, format!("`{place}` has no {file}"))
                .label(Label::primary(place, 0..0))
                .help("restore the file, or delete the directory if no database has the migration"),
        )
    };
    let Some(sql) = text("migration.sql")? else {
        return Ok(Err(missing("migration.sql")));
    };
    let Some(changes) = text("changes.json")? else {
        return Ok(Err(missing("changes.json")));
    };
    let snapshot = text("snapshot.json")?;
    Ok(
        Migration::read(name, &sql, &changes, snapshot.as_deref()).map_err(|error| {
            let place = format!("{MIGRATIONS}/{name}");
            Box::new(
                Diagnostic::new(codes::INVALID_MIGRATION, error.to_string())
                    .label(Label::primary(place, 0..0))
                    .help("restore the files of the migration from version control"),
            )
        }),
    )
}
