//! Finds the result of hand-written and of edited SQL: runs the migrations in an empty database and describes it.

use kit_database::{Migration, Snapshot, latest};

use crate::adopt::other_schemas;
use crate::connect::{block_on, connect};
use crate::drift::{read_expected, read_used};
use crate::reconcile::{Mode, foreign, reconcile};
use crate::structure::{structure_checksum, was_edited};
use crate::{MigrateError, Options, apply, with_scratch_database};

/// Returns the index of the first migration whose snapshot does not describe the result of its SQL, because the SQL is
/// hand-written or was edited. Returns `None` if all snapshots are up to date.
pub fn first_unrecorded(migrations: &[Migration]) -> Option<usize> {
    migrations.iter().position(|migration| {
        let recorded = migration.snapshot.as_ref().and_then(Snapshot::sql_checksum);
        recorded.is_some_and(|recorded| recorded != migration.checksum()) || was_edited(migration)
    })
}

/// Runs the migrations in a scratch database, and updates the snapshots of the migration `first` and of all later
/// migrations. `server` is the URL of any database of a server on which kit may create databases.
///
/// The tables of a migration that kit planned stay as they are; only its foreign objects are updated. The snapshot of a
/// hand-written migration follows from the snapshot of the migrations before it and from the database, and that of an edited
/// migration from its plan and from the database.
///
/// # Errors
/// Returns a [`MigrateError`] if the scratch database cannot be created, or if a migration cannot be applied to it.
pub fn record(server: &str, migrations: &mut [Migration], first: usize) -> Result<(), MigrateError> {
    with_scratch_database(server, |url| {
        for at in first..migrations.len() {
            if migrations[at].snapshot.is_none() {
                continue;
            }
            let options = Options {
                // The database is empty, so nothing is lost.
                allow_destructive: true,
                ..Options::default()
            };
            apply(url, &migrations[..=at], &options)?;
            let recorded = snapshot_after(url, &migrations[..at], &migrations[at])?;
            migrations[at].snapshot = Some(recorded);
        }
        Ok(())
    })
}

fn snapshot_after(url: &str, earlier: &[Migration], migration: &Migration) -> Result<Snapshot, MigrateError> {
    let unreadable = |error: kit_database::PlanError| MigrateError::Snapshot(error.to_string());
    let own = migration.snapshot.as_ref();
    let is_hand_written = own.and_then(Snapshot::sql_checksum).is_some();
    // The tables of a baseline come from the entities of the adopted database.
    let is_baseline = own.is_some_and(Snapshot::is_baseline);
    let previous = latest(earlier).map_err(unreadable)?.snapshot;
    let source = if is_hand_written && !is_baseline {
        previous.as_ref()
    } else {
        own
    };
    let mut tables = source.map_or_else(Vec::new, |snapshot| snapshot.tables().to_vec());
    block_on(async {
        let client = connect(url).await?;
        // All schemas are the work of migrations.
        let schemas = other_schemas(&client).await?.into_keys().collect();
        let (found, _) = read_used(&client, schemas).await?;
        if is_hand_written || was_edited(migration) {
            let expected = read_expected(&client, &tables, found.described()).await?;
            reconcile(&mut tables, &expected, &found, Mode::Record);
        }
        let expected = read_expected(&client, &tables, found.described()).await?;
        let mut objects = foreign(&expected, &found);
        let waived = source.map_or(&[][..], Snapshot::foreign);
        objects.extend(
            waived
                .iter()
                .filter(|object| object.kind == kit_database::ObjectKind::Waived)
                .cloned(),
        );
        let checksum = is_hand_written.then(|| migration.checksum());
        let expansion = own.and_then(Snapshot::expansion).cloned();
        let generated =
            own.and_then(Snapshot::generated_checksum)
                .and_then(|known| match migration.replaces() {
                    [] => structure_checksum(&migration.sql),
                    // The proof of a squash is valid for the whole text that kit wrote.
                    _ => Some(known.to_owned()),
                });
        let recorded = Snapshot::recorded(previous.as_ref(), tables, objects, checksum);
        let recorded = match migration.replaces() {
            [] if is_baseline => recorded.of_baseline(),
            [] => recorded.with_expansion(expansion),
            replaced => recorded.squashed(replaced.to_vec()),
        };
        let recorded = recorded.with_generated(generated);
        Ok(match own {
            Some(own) => recorded.edited_from(own),
            None => recorded,
        })
    })
}
