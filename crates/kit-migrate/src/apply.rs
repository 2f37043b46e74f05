//! Applies migrations to a database.

use std::cell::RefCell;
use std::collections::HashMap;

use kit_database::{
    HISTORY_TABLES, Migration, PlannedChange, Risk, Snapshot, replaced_but_present, squash_problems,
};
use tokio_postgres::Client;

use crate::catalog::literals;
use crate::connect::{block_on, connect};
use crate::destructive::{Loss, losses};
use crate::event::{Applied, Event, Half, Planned};
use crate::history::{Folded, History, Progress, Record};
use crate::interrupt::Interrupt;
use crate::lint::findings;
use crate::migration_run::MigrationRun;
use crate::run::Run;
use crate::script::Script;
use crate::structure::{differs_from_plan, squashed_checksum};
use crate::{MigrateError, Options, halves, history, lock, pooler};

/// Result of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// Migrations that this run applied, in order.
    pub applied: Vec<Applied>,
    /// Migrations that a dry run would have applied, in order.
    pub pending: Vec<Planned>,
    /// Number of migrations that were applied before this run.
    pub already_applied: usize,
    /// Migration whose first half was run before, by a run of first halves.
    pub expanded: Option<String>,
    /// Names of migrations that wait for the second half of an earlier migration.
    pub waiting: Vec<String>,
    /// Warnings for the user that did not make the run fail.
    pub warnings: Vec<String>,
}

/// Applies the migrations that are not applied yet. `migrations` must contain all committed migrations, in the order of
/// their names.
///
/// Blocks until the run is done. The connect timeout is 10 s, unless the URL specifies `connect_timeout`.
///
/// # Errors
/// Returns a [`MigrateError`] if a migration cannot be applied. Each variant documents the state of the database.
pub fn apply(url: &str, migrations: &[Migration], options: &Options) -> Result<Report, MigrateError> {
    apply_watched(url, migrations, options, &|_| {})
}

/// Applies migrations as [`apply`] does, and reports progress to `watch`.
///
/// ```no_run
/// use kit_migrate::{Event, Options, apply_watched};
///
/// let watch = |event: &Event<'_>| {
///     if let Event::Applied(applied) = event {
///         eprintln!("{}", applied.name);
///     }
/// };
/// apply_watched("postgres://localhost/app", &[], &Options::default(), &watch)?;
/// # Ok::<(), kit_migrate::MigrateError>(())
/// ```
///
/// # Errors
/// Returns the errors of [`apply`].
pub fn apply_watched(
    url: &str,
    migrations: &[Migration],
    options: &Options,
    watch: &dyn Fn(&Event<'_>),
) -> Result<Report, MigrateError> {
    in_order(migrations)?;
    let problems = squash_problems(migrations);
    if !problems.is_empty() {
        let problems = problems.iter().map(ToString::to_string).collect();
        return Err(MigrateError::Misplaced { problems });
    }
    block_on(async {
        let interrupt = if options.interruptible {
            Interrupt::listen()
        } else {
            Interrupt::default()
        };
        let open = async {
            let connection = connect(url).await?;
            pooler::refuse_transaction_pooler(url, &connection).await?;
            let history = History::find(&connection).await?;
            Ok((connection, history))
        };
        let (connection, history) = interrupt.run_or_stop(open).await?;
        let run = Run {
            url,
            watcher: RefCell::default(),
            history,
            connection,
            options,
            watch,
            interrupt,
            applied: RefCell::default(),
        };
        let outcome = run
            .interrupt
            // The future of all migrations is too large for the stack of each caller.
            .run_or_cancel(&run.connection, Box::pin(run.all(migrations)))
            .await;
        lock::release(&run).await;
        outcome.map_err(|error| match error {
            MigrateError::Interrupted { name, .. } => MigrateError::Interrupted {
                name,
                applied: run.applied_names(),
            },
            error => error,
        })
    })
}

/// Checks that the migrations are in the order of their names, without duplicates and without those that a squashed
/// migration replaces.
pub(crate) fn in_order(migrations: &[Migration]) -> Result<(), MigrateError> {
    if let Some(pair) = migrations.windows(2).find(|pair| pair[0].name >= pair[1].name) {
        return Err(MigrateError::Order(pair[1].name.clone()));
    }
    match replaced_but_present(migrations) {
        Some((name, present)) => Err(MigrateError::ReplacedButPresent { name, present }),
        None => Ok(()),
    }
}

impl Run<'_> {
    /// Returns true if the schemas of a migration contain no table besides those of kit.
    async fn has_no_tables(&self, migration: &Migration) -> Result<bool, MigrateError> {
        let names = HISTORY_TABLES.map(|name| format!("'{name}'")).join(", ");
        let schemas = migration
            .snapshot
            .as_ref()
            .map(Snapshot::schemas)
            .unwrap_or_default();
        let query = format!(
            "SELECT NOT EXISTS (SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = relnamespace \
             WHERE relkind IN ('r', 'p') AND (nspname = current_schema() AND relname NOT IN ({names}) OR nspname IN ({})))",
            literals(&schemas)
        );
        let row = self
            .connection
            .query_one(&query, &[])
            .await
            .map_err(MigrateError::database("cannot read the tables of the database"))?;
        Ok(row.get(0))
    }

    /// Refuses migrations whose tables have the first schema of the `search_path` in their names: other tables are in this schema
    /// too, and one table would have two names.
    fn refuse_first_schema(&self, pending: &[&Migration]) -> Result<(), MigrateError> {
        let first = &self.history.schema;
        let mut snapshots = pending.iter().filter_map(|migration| migration.snapshot.as_ref());
        if snapshots.any(|snapshot| snapshot.schemas().contains(first)) {
            return Err(MigrateError::SchemaIsFirst {
                schema: first.clone(),
            });
        }
        Ok(())
    }

    async fn all(&self, migrations: &[Migration]) -> Result<Report, MigrateError> {
        if !self.options.dry_run {
            lock::acquire(self).await?;
        }
        let Folded {
            done,
            progress,
            partly,
        } = self.history.read_folded(&self.connection, migrations).await?;
        if let Some(partly) = partly.into_iter().next() {
            return Err(MigrateError::PartlyReplaced {
                name: partly.name,
                missing: partly.missing,
                different: partly.different,
            });
        }
        let pending = pending(migrations, &done)?;
        self.refuse_first_schema(&pending)?;
        halves::refuse_unknown(migrations, &done, &progress)?;
        let scripts = scripts(&pending)?;
        let work = halves::select(self, pending, scripts, &done, &progress).await?;
        let halves::Work {
            pending,
            scripts,
            half,
            ..
        } = &work;
        let planned = plan(&work, &done, &progress)?;
        if *half == Half::First {
            halves::refuse_breaking(&planned, pending)?;
        }
        let mut report = Report {
            already_applied: done.len(),
            expanded: work.expanded.clone(),
            waiting: work.waiting.clone(),
            warnings: warnings(&self.connection, migrations, &planned, &done).await?,
            ..Report::default()
        };
        if self.options.dry_run {
            report.pending = planned;
            return Ok(report);
        }
        if !planned.is_empty() {
            self.report(&Event::Planned(&planned));
        }
        let harmless = match (migrations.first(), planned.first()) {
            (Some(first), Some(planned))
                if first.name == planned.name
                    && defines_functions_only(first, &planned.losses)
                    && self.has_no_tables(first).await? =>
            {
                Some(&first.name)
            }
            _ => None,
        };
        let destructive: Vec<String> = planned
            .iter()
            .filter(|planned| planned.destructive && Some(&planned.name) != harmless)
            .map(|planned| planned.name.clone())
            .collect();
        if !destructive.is_empty() && !self.options.allow_destructive {
            let losses = planned.into_iter().flat_map(|planned| planned.losses).collect();
            return Err(MigrateError::Destructive {
                names: destructive,
                losses,
            });
        }
        if !pending.is_empty() {
            let progress = *half == Half::Undo || scripts.iter().any(|script| !script.is_one_transaction());
            self.history.create(&self.connection, progress).await?;
        }
        for (migration, script) in pending.iter().zip(scripts) {
            let half = if script.first_half.is_none() && *half == Half::First {
                Half::Both
            } else {
                *half
            };
            let name = history::progress_name(&migration.name, half);
            let before = progress.get(&name).cloned().unwrap_or_default();
            if half == Half::Undo {
                halves::begin_undo(self, &name, &before).await?;
            }
            let applied = MigrationRun::new(self, migration, script, half)
                .apply(before)
                .await?;
            self.report(&Event::Applied(&applied));
            self.applied.borrow_mut().push(applied);
        }
        report.applied = self.applied.take();
        Ok(report)
    }
}

/// Returns true for the unchanged SQL of a baseline, and for a squashed migration, if it can lose rows only by the functions
/// that it defines. Such SQL contains all functions of a database and calls none of them.
fn defines_functions_only(first: &Migration, losses: &[Loss]) -> bool {
    let is_unchanged = first.snapshot.as_ref().is_some_and(|snapshot| {
        snapshot.is_baseline() && snapshot.sql_checksum() == Some(first.checksum().as_str())
    }) || !first.replaces().is_empty();
    let defines_function = |loss: &Loss| {
        let statement = loss.statement.to_ascii_lowercase();
        let words = statement.strip_prefix("create ").unwrap_or_default();
        let words = words.strip_prefix("or replace ").unwrap_or(words);
        words.starts_with("function ") || words.starts_with("procedure ")
    };
    is_unchanged && losses.iter().all(defines_function)
}

/// Returns the migrations that the history table does not contain. Checks first that all applied migrations are present
/// and unchanged.
fn pending<'a>(
    migrations: &'a [Migration],
    done: &HashMap<String, Record>,
) -> Result<Vec<&'a Migration>, MigrateError> {
    refuse_later(migrations, done)?;
    let mut pending = Vec::new();
    for migration in migrations {
        match done.get(&migration.name) {
            // Databases with the replaced migrations do not run the file, so an edit would make databases differ.
            None if squashed_checksum(migration).is_some_and(|known| known != migration.checksum()) => {
                return Err(MigrateError::Edited {
                    name: migration.name.clone(),
                });
            }
            None => pending.push(migration),
            Some(record) if record.checksum == migration.checksum() => {}
            Some(_) => {
                return Err(MigrateError::Edited {
                    name: migration.name.clone(),
                });
            }
        }
    }
    Ok(pending)
}

/// Checks that the history has no other migrations than these, except those of a later release with which an application
/// with these migrations can work.
pub(crate) fn refuse_later(
    migrations: &[Migration],
    done: &HashMap<String, Record>,
) -> Result<(), MigrateError> {
    let gone = history::absent(migrations, done.keys());
    let newest = migrations.last().map_or("", |migration| &migration.name);
    let is_later_release = migrations
        .iter()
        .all(|migration| done.contains_key(&migration.name))
        && gone
            .iter()
            .all(|name| *name > newest && done[*name].breaks.is_some());
    if !is_later_release && let Some(name) = gone.first() {
        return Err(MigrateError::Missing {
            name: (*name).to_owned(),
        });
    }
    let breaking = gone.iter().filter_map(|name| {
        let changes = done[*name]
            .breaks
            .as_deref()
            .filter(|changes| !changes.is_empty())?;
        Some(format!("{name}: {changes}"))
    });
    let breaking: Vec<String> = breaking.collect();
    if !breaking.is_empty() {
        return Err(MigrateError::LaterRelease { changes: breaking });
    }
    Ok(())
}

/// Parses the SQL of each migration into steps. Runs before any statement, so that nothing runs if one migration cannot
/// be parsed.
fn scripts<'a>(pending: &[&'a Migration]) -> Result<Vec<Script<'a>>, MigrateError> {
    pending
        .iter()
        .map(|migration| {
            Script::parse(&migration.sql).map_err(|error| MigrateError::Script {
                name: migration.name.clone(),
                message: error.to_string(),
            })
        })
        .collect()
}

fn plan(
    work: &halves::Work<'_>,
    done: &HashMap<String, Record>,
    progress: &HashMap<String, Progress>,
) -> Result<Vec<Planned>, MigrateError> {
    let newest = done.keys().max();
    work.pending
        .iter()
        .zip(&work.scripts)
        .map(|(migration, script)| {
            let name = history::progress_name(&migration.name, work.half);
            let progress = progress.get(&name).cloned().unwrap_or_default();
            if !progress.matches(script) {
                return Err(MigrateError::EditedWhilePartlyApplied {
                    name: migration.name.clone(),
                    done: progress.done,
                });
            }
            // Undoing a first half has its own check of losses.
            let is_undo = work.half == Half::Undo;
            let is_first_half = work.half == Half::First && script.first_half.is_some();
            let judged = if is_first_half {
                &script.without_second_half()
            } else {
                script
            };
            let losses = if is_undo {
                Vec::new()
            } else {
                losses(migration, judged)
            };
            let findings = if is_undo {
                Vec::new()
            } else {
                findings(migration, judged)
            };
            let destructive = !is_undo && (!losses.is_empty() || migration.destructive && !is_first_half);
            let mut risks: Vec<Risk> = destructive.then_some(Risk::Destructive).into_iter().collect();
            if !is_first_half && !is_undo {
                risks.extend(migration.changes.iter().flat_map(PlannedChange::risks));
            }
            risks.extend(findings.iter().map(|finding| finding.risk));
            risks.sort_unstable();
            risks.dedup();
            Ok(Planned {
                name: migration.name.clone(),
                destructive,
                losses,
                findings,
                risks,
                out_of_order: newest.is_some_and(|newest| migration.name < *newest),
                steps_done: progress.done,
                edited: differs_from_plan(migration),
            })
        })
        .collect()
}

async fn warnings(
    client: &Client,
    migrations: &[Migration],
    planned: &[Planned],
    done: &HashMap<String, Record>,
) -> Result<Vec<String>, MigrateError> {
    let newest = done.keys().max().map_or("", String::as_str);
    let later: Vec<&str> = history::absent(migrations, done.keys()).into_iter().collect();
    let later = (!later.is_empty()).then(|| {
        format!(
            "a later release has applied migrations that this release does not have, and this release can work with them: {}",
            later.join(", ")
        )
    });
    let mut warnings: Vec<String> = planned
        .iter()
        .filter(|planned| planned.out_of_order)
        .map(|planned| {
            format!(
                "the name of `{}` is older than `{newest}`, which is already applied",
                planned.name
            )
        })
        .collect();
    warnings.extend(later);
    let row = client
        .query_one("SELECT current_setting('TimeZone')", &[])
        .await
        .map_err(MigrateError::database("cannot read the settings of the database"))?;
    let zone: &str = row.get(0);
    if ![
        "UTC", "Etc/UTC", "GMT", "Etc/GMT", "Etc/Zulu", "Zulu", "UCT", "Etc/UCT",
    ]
    .contains(&zone)
    {
        warnings.push(format!(
            "the time zone of the database is {zone}: `now()` stores local time in columns that kit reads as UTC; \
             run `ALTER DATABASE … SET timezone TO 'UTC'`"
        ));
    }
    Ok(warnings)
}
