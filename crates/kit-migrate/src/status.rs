//! Compares a database with the committed migrations.

use std::collections::HashMap;
use std::time::Duration;

use kit_database::{Migration, Snapshot, latest};

use crate::apply::{in_order, refuse_later};
use crate::connect::{block_on, connect};
use crate::destructive::losses;
use crate::drift::{Drift, compare};
use crate::event::Half;
use crate::halves::Stage;
use crate::history::{self, Folded, History, Progress};
use crate::script::Script;
use crate::{MigrateError, halves, lock, pooler};

/// State of a database compared with the committed migrations.
#[derive(Debug, Clone, PartialEq)]
pub struct Status {
    /// Committed migrations and migrations that only the database contains, in the order of their names.
    pub migrations: Vec<MigrationStatus>,
    /// Differences between the live tables and the applied migrations; `Err` with the reason if they cannot be
    /// compared.
    pub drift: Result<Drift, String>,
    /// Names of committed migrations that were planned on separate branches and that no later migration
    /// merges. Empty if there are none. `Err` with a description and advice if two branches changed the same
    /// thing.
    pub branches: Result<Vec<String>, String>,
    /// Description of the run that currently applies migrations; `None` if no run is active.
    pub running: Option<String>,
}

/// State of one migration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MigrationStatus {
    /// Name of the migration.
    pub name: String,
    /// State of the migration.
    pub state: State,
}

/// State of a migration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// The migration is applied and unchanged.
    Applied {
        /// UTC time of the run: `2026-11-21T01:45:00Z`.
        at: String,
        /// Duration of the migration.
        duration: Duration,
    },
    /// The migration is not applied yet.
    Pending {
        /// True if the migration loses stored values, by its plan or by its statements.
        destructive: bool,
        /// True if a migration with a later name is already applied.
        out_of_order: bool,
    },
    /// The migration was edited after it was applied.
    Edited {
        /// UTC time of the run that applied the migration.
        at: String,
    },
    /// The database contains the migration, but the project does not.
    Missing {
        /// UTC time of the run that applied the migration; `None` if the migration was only partly applied.
        at: Option<String>,
    },
    /// A later release applied the migration, and this release can work with it. The project does not contain the migration.
    Later {
        /// UTC time of the run that applied the migration; `None` if the migration was only partly applied.
        at: Option<String>,
    },
    /// The first half of the migration is applied: the old and the new build of the application can run.
    Expanded {
        /// Time at which the first half was complete, as PostgreSQL prints it.
        since: String,
    },
    /// A run stopped while it undid the first half of the migration.
    PartlyUndone,
    /// A run stopped before all steps of the migration were applied.
    PartlyApplied {
        /// Number of completed steps.
        done: usize,
        /// Total number of steps.
        of: usize,
        /// True if the completed steps were edited afterwards.
        edited: bool,
        /// Half in which the run stopped; `None` if the migration has no halves.
        half: Option<Half>,
    },
    /// The migration is a squashed one, and the database has applied only a part of the migrations that it replaces.
    PartlyReplaced {
        /// Names of replaced migrations that the database has not applied completely.
        missing: Vec<String>,
        /// Names of replaced migrations that the database has applied with another text.
        different: Vec<String>,
    },
}

impl Status {
    /// Returns true if nothing needs to be done. Branches without a conflict need nothing: the next generated
    /// migration merges them. After migrations of a later release, the tables cannot be compared, which needs nothing either.
    pub fn is_up_to_date(&self) -> bool {
        let is_later = |migration: &MigrationStatus| matches!(migration.state, State::Later { .. });
        let is_done = |migration: &MigrationStatus| {
            matches!(migration.state, State::Applied { .. }) || is_later(migration)
        };
        self.branches.is_ok()
            && self.migrations.iter().all(is_done)
            && match &self.drift {
                Ok(drift) => drift.differences.is_empty(),
                Err(_) => self.migrations.iter().any(is_later),
            }
    }
}

/// Compares a database and its history with the committed migrations, which must be in the order of their names. Blocks
/// until done, and changes nothing.
///
/// # Errors
/// Returns a [`MigrateError`] if the database cannot be reached or read, or if the migrations are out of order.
pub fn status(url: &str, migrations: &[Migration]) -> Result<Status, MigrateError> {
    in_order(migrations)?;
    block_on(async {
        let client = connect(url).await?;
        pooler::refuse_transaction_pooler(url, &client).await?;
        let history = History::find(&client).await?;
        let Folded {
            done,
            progress,
            partly,
        } = history.read_folded(&client, migrations).await?;
        let newest = done.keys().max();
        let mut all: Vec<MigrationStatus> = migrations
            .iter()
            .map(|migration| {
                if let Some(found) = partly.iter().find(|found| found.name == migration.name) {
                    return MigrationStatus {
                        name: migration.name.clone(),
                        state: State::PartlyReplaced {
                            missing: found.missing.clone(),
                            different: found.different.clone(),
                        },
                    };
                }
                let state = match (done.get(&migration.name), progress.get(&migration.name)) {
                    (Some(record), _) if record.checksum == migration.checksum() => State::Applied {
                        at: record.applied_at.clone(),
                        duration: record.duration,
                    },
                    (Some(record), _) => State::Edited {
                        at: record.applied_at.clone(),
                    },
                    (None, _)
                        if progress.contains_key(&history::progress_name(&migration.name, Half::Undo)) =>
                    {
                        State::PartlyUndone
                    }
                    (None, Some(begun)) => state_of_begun(migration, begun, &progress),
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
        let accepts_later = refuse_later(migrations, &done).is_ok()
            && halves::refuse_unknown(migrations, &done, &progress).is_ok();
        let newest_here = migrations.last().map_or("", |migration| &migration.name);
        let is_complete = migrations
            .iter()
            .all(|migration| done.contains_key(&migration.name));
        let absent = history::absent(migrations, done.keys().chain(progress.keys()));
        all.extend(absent.into_iter().map(|name| {
            let at = done.get(name).map(|record| record.applied_at.clone());
            MigrationStatus {
                name: name.to_owned(),
                state: if accepts_later && is_complete && name > newest_here {
                    State::Later { at }
                } else {
                    State::Missing { at }
                },
            }
        }));
        all.sort_by(|one, other| one.name.cmp(&other.name));
        let drift = if let Some(reason) = reason_without_comparison(&all) {
            Err(reason.to_owned())
        } else {
            let applied: Vec<Migration> = migrations
                .iter()
                .filter(|migration| done.contains_key(&migration.name))
                .cloned()
                .collect();
            let expanded = migrations.iter().find(|migration| {
                let of_it = |status: &&MigrationStatus| status.name == migration.name;
                all.iter()
                    .find(of_it)
                    .is_some_and(|status| matches!(status.state, State::Expanded { .. }))
            });
            let expansion = expanded
                .and_then(|migration| migration.snapshot.as_ref())
                .and_then(Snapshot::expansion);
            match latest(&applied).map(|latest| latest.snapshot) {
                Ok(_) if expanded.is_some() => match expansion {
                    Some(expansion) => halves::compare_between(&client, expansion)
                        .await
                        .map_err(|error| error.to_string()),
                    None => Err(
                        "the snapshot of the expanded migration does not describe its first half".to_owned(),
                    ),
                },
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

/// Returns the state of a migration that is partly applied. `begun` is its own progress.
fn state_of_begun(migration: &Migration, begun: &Progress, progress: &HashMap<String, Progress>) -> State {
    let Ok(script) = Script::parse(&migration.sql) else {
        return State::PartlyApplied {
            done: begun.done,
            of: 0,
            edited: true,
            half: None,
        };
    };
    let stage = halves::stage(migration, &script, progress);
    let matches = begun.matches(&script);
    if stage == Some(Stage::Between) && matches {
        return State::Expanded {
            since: begun.changed_at.clone(),
        };
    }
    State::PartlyApplied {
        done: begun.done,
        of: script.steps.len(),
        edited: !matches,
        half: match stage {
            Some(Stage::InFirstHalf) => Some(Half::First),
            Some(Stage::Completing | Stage::InSecondHalf) => Some(Half::Second),
            _ => None,
        },
    }
}

/// Returns the reason why the tables cannot be compared: no snapshot describes the expected tables. Returns `None` if
/// they can be compared.
fn reason_without_comparison(all: &[MigrationStatus]) -> Option<&'static str> {
    let any = |wanted: fn(&State) -> bool| all.iter().any(|migration| wanted(&migration.state));
    if any(|state| matches!(state, State::Missing { .. })) {
        Some(
            "the database has migrations that migrations/ does not contain, so kit does not know how the tables should be",
        )
    } else if any(|state| matches!(state, State::PartlyReplaced { .. })) {
        Some("the database has only a part of the migrations that a squashed one replaces")
    } else if any(|state| matches!(state, State::Later { .. })) {
        Some("a later release has changed them, and this release can work with them")
    } else if any(|state| matches!(state, State::PartlyApplied { .. } | State::PartlyUndone)) {
        Some("a migration is only partly applied, so kit does not know how the tables should be")
    } else {
        None
    }
}
