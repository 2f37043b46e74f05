//! How a database stands to the committed migrations.

use std::time::Duration;

use kit_database::{Migration, latest};

use crate::apply::in_order;
use crate::connect::{block_on, connect};
use crate::destructive::losses;
use crate::drift::{Drift, compare};
use crate::history::History;
use crate::script::Script;
use crate::{MigrateError, lock, pooler};

/// How a database stands to the committed migrations.
#[derive(Debug, Clone, PartialEq)]
pub struct Status {
    /// Those that are committed and those that only the database knows, by name.
    pub migrations: Vec<MigrationStatus>,
    /// How the live tables differ from what the applied migrations say; `Err` with the reason where that cannot be told.
    pub drift: Result<Drift, String>,
    /// The committed migrations that stand side by side since branches were merged, and that no migration brings together yet;
    /// `Err` where both changed the same thing, with what that is and how it is repaired.
    pub branches: Result<Vec<String>, String>,
    /// Who is applying migrations now.
    pub running: Option<String>,
}

/// One migration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MigrationStatus {
    /// Its name.
    pub name: String,
    /// How it stands.
    pub state: State,
}

/// How a migration stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// It is applied, and is what was applied.
    Applied {
        /// When: `2026-11-21T01:45:00Z`.
        at: String,
        /// How long it took.
        duration: Duration,
    },
    /// It is to be applied.
    Pending {
        /// True if the migration loses stored values, by its plan or by its statements.
        destructive: bool,
        /// Whether one that comes after it by name is applied.
        out_of_order: bool,
    },
    /// It is applied, and is not what was applied.
    Edited {
        /// When it was applied.
        at: String,
    },
    /// The database has it, and it is not committed here.
    Missing {
        /// When it was applied; nothing where only a part was.
        at: Option<String>,
    },
    /// A run broke off in it.
    HalfWay {
        /// Steps that are done.
        done: usize,
        /// How many there are.
        of: usize,
        /// Whether what is done was edited since.
        edited: bool,
    },
}

impl Status {
    /// Whether nothing is to be done. Branches that fit together are no reason: the next migration that is generated
    /// brings them together.
    pub fn is_up_to_date(&self) -> bool {
        self.branches.is_ok()
            && self
                .migrations
                .iter()
                .all(|migration| matches!(migration.state, State::Applied { .. }))
            && self
                .drift
                .as_ref()
                .is_ok_and(|drift| drift.differences.is_empty())
    }
}

/// Compares a database, its history and the committed migrations, which are in the order of their names. Blocks until done,
/// and changes nothing.
pub fn status(url: &str, migrations: &[Migration]) -> Result<Status, MigrateError> {
    in_order(migrations)?;
    block_on(async {
        let client = connect(url).await?;
        pooler::refuse(url, &client).await?;
        let history = History::locate(&client).await?;
        let done = history.read(&client).await?;
        let progress = history.read_progress(&client).await?;
        let newest = done.keys().max();
        let mut all: Vec<MigrationStatus> = migrations
            .iter()
            .map(|migration| {
                let state = match (done.get(&migration.name), progress.get(&migration.name)) {
                    (Some(record), _) if record.checksum == migration.checksum() => State::Applied {
                        at: record.applied_at.clone(),
                        duration: record.duration,
                    },
                    (Some(record), _) => State::Edited {
                        at: record.applied_at.clone(),
                    },
                    (None, Some(progress)) => {
                        let script = Script::parse(&migration.sql);
                        State::HalfWay {
                            done: progress.done,
                            of: script.as_ref().map_or(0, |script| script.steps.len()),
                            edited: !script.is_ok_and(|script| progress.fits(&script)),
                        }
                    }
                    (None, None) => State::Pending {
                        destructive: migration.destructive
                            || Script::parse(&migration.sql)
                                .is_ok_and(|script| !losses(migration, &script).is_empty()),
                        out_of_order: newest.is_some_and(|newest| migration.name < *newest),
                    },
                };
                MigrationStatus {
                    name: migration.name.clone(),
                    state,
                }
            })
            .collect();
        let unknown = |name: &&String| !migrations.iter().any(|migration| migration.name == **name);
        all.extend(
            done.iter()
                .filter(|(name, _)| unknown(name))
                .map(|(name, record)| MigrationStatus {
                    name: name.clone(),
                    state: State::Missing {
                        at: Some(record.applied_at.clone()),
                    },
                }),
        );
        all.extend(progress.keys().filter(unknown).map(|name| MigrationStatus {
            name: name.clone(),
            state: State::Missing { at: None },
        }));
        all.sort_by(|one, other| one.name.cmp(&other.name));
        let drift = if let Some(reason) = incomparable(&all) {
            Err(reason.to_owned())
        } else {
            let applied: Vec<Migration> = migrations
                .iter()
                .filter(|migration| done.contains_key(&migration.name))
                .cloned()
                .collect();
            match latest(&applied).map(|latest| latest.snapshot) {
                Ok(None) => Ok(Drift::default()),
                Ok(Some(snapshot)) => compare(&client, &snapshot)
                    .await
                    .map_err(|error| error.to_string()),
                Err(error) => Err(error.to_string()),
            }
        };
        Ok(Status {
            migrations: all,
            drift,
            branches: latest(migrations)
                .map(|latest| latest.side_by_side)
                .map_err(|error| error.to_string()),
            running: lock::holder(&client).await,
        })
    })
}

/// Why no snapshot says what the tables should be.
fn incomparable(all: &[MigrationStatus]) -> Option<&'static str> {
    let any = |wanted: fn(&State) -> bool| all.iter().any(|migration| wanted(&migration.state));
    if any(|state| matches!(state, State::Missing { .. })) {
        Some("the database has migrations that are not here, so what its tables should be is not known")
    } else if any(|state| matches!(state, State::HalfWay { .. })) {
        Some("a migration is applied half way, so what the tables should be is not known")
    } else {
        None
    }
}
