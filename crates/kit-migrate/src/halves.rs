//! Migrations in two halves: selects the part that runs, and compares a database between the halves.

use std::collections::HashMap;

use kit_database::{Expansion, Migration, Risk, Snapshot, UndoCheck};
use tokio_postgres::Client;

use crate::MigrateError;
use crate::drift::{Difference, Drift, compare};
use crate::event::{Half, Planned};
use crate::history::{Progress, Record, absent, progress_name};
use crate::run::Run;
use crate::script::{Script, Step};

/// Migrations that a run applies, with the part of them.
pub(crate) struct Work<'a> {
    pub(crate) pending: Vec<&'a Migration>,
    /// Scripts of the migrations.
    pub(crate) scripts: Vec<Script<'a>>,
    pub(crate) half: Half,
    /// Migration whose first half was run before.
    pub(crate) expanded: Option<String>,
    /// Names of migrations that wait for the second half of an earlier migration.
    pub(crate) waiting: Vec<String>,
}

/// State of a migration in two halves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    NotBegun,
    InFirstHalf,
    Between,
    /// The second half has begun, and everything that the first half added is still there.
    Completing,
    InSecondHalf,
    Undoing,
}

/// Returns the state of a migration; `None` if it has no halves.
pub(crate) fn stage(
    migration: &Migration,
    script: &Script<'_>,
    progress: &HashMap<String, Progress>,
) -> Option<Stage> {
    let first_half = script.first_half?;
    if progress.contains_key(&progress_name(&migration.name, Half::Undo)) {
        return Some(Stage::Undoing);
    }
    Some(match progress.get(&migration.name) {
        None => Stage::NotBegun,
        Some(progress) if progress.done < first_half => Stage::InFirstHalf,
        Some(progress) if progress.is_between(Some(first_half)) => Stage::Between,
        Some(progress) => {
            let removal = first_removal(migration, script, first_half);
            if progress.done < removal || progress.done == removal && !progress.running {
                Stage::Completing
            } else {
                Stage::InSecondHalf
            }
        }
    })
}

/// Returns the index of the first step after which the first half can no longer be undone. kit knows the steps of its own SQL
/// only, so any step of the second half of an edited file counts.
fn first_removal(migration: &Migration, script: &Script<'_>, first_half: usize) -> usize {
    let expansion = migration.snapshot.as_ref().and_then(Snapshot::expansion);
    if expansion.is_none_or(|expansion| expansion.sql != migration.checksum()) {
        return first_half;
    }
    let second_half = script.steps.iter().enumerate().skip(first_half);
    let mut removals = second_half.filter(|(_, step)| !keeps_first_half(step));
    removals.next().map_or(script.steps.len(), |(at, _)| at)
}

/// Returns true if a step only checks rows, or completes columns that an abort removes.
fn keeps_first_half(step: &Step<'_>) -> bool {
    let has = |head: &[String], words: [&str; 2]| head.windows(2).any(|pair| pair == words);
    let mut follows_not_null = false;
    step.statements.iter().all(|statement| {
        let head = statement.head.as_slice();
        let sets_not_null = has(head, ["set", "not"]);
        let keeps = statement.begins(&["do"])
            || statement.begins(&["alter", "table"])
                && (has(head, ["add", "constraint"])
                    || has(head, ["validate", "constraint"])
                    || sets_not_null
                    // The check that made `SET NOT NULL` fast.
                    || follows_not_null && has(head, ["drop", "constraint"]));
        follows_not_null = sets_not_null;
        keeps
    })
}

/// Selects the migrations and the parts of them that the options of the run ask for.
pub(crate) async fn select<'a>(
    run: &Run<'_>,
    pending: Vec<&'a Migration>,
    scripts: Vec<Script<'a>>,
    done: &HashMap<String, Record>,
    progress: &HashMap<String, Progress>,
) -> Result<Work<'a>, MigrateError> {
    let all = pending.iter().zip(&scripts);
    let begun = all
        .enumerate()
        .filter_map(|(at, (migration, script))| Some((at, stage(migration, script, progress)?)))
        .find(|(_, stage)| *stage != Stage::NotBegun);
    let begun = begun.map(|(at, stage)| (at, pending[at].name.clone(), stage));
    let work = |pending, scripts, half| Work {
        pending,
        scripts,
        half,
        expanded: None,
        waiting: Vec::new(),
    };
    let stopped = |name: &String, half| MigrateError::StoppedInHalf {
        name: name.clone(),
        half,
    };
    match run.options.half {
        Half::Both => match &begun {
            Some((_, name, Stage::Between)) => Err(MigrateError::Expanded { name: name.clone() }),
            Some((_, name, Stage::Undoing)) => Err(stopped(name, Half::Undo)),
            Some((_, name, Stage::InFirstHalf)) => Err(stopped(name, Half::First)),
            // A pipeline that only applies migrations must not remove columns of a build that may still run.
            Some((_, name, Stage::Completing | Stage::InSecondHalf)) => Err(stopped(name, Half::Second)),
            Some((_, _, Stage::NotBegun)) | None => Ok(work(pending, scripts, Half::Both)),
        },
        Half::First => {
            match &begun {
                Some((_, name, Stage::Undoing)) => return Err(stopped(name, Half::Undo)),
                Some((_, name, Stage::Completing | Stage::InSecondHalf)) => {
                    return Err(stopped(name, Half::Second));
                }
                Some((at, name, Stage::Between)) => {
                    let waiting = pending.iter().enumerate().filter(|(other, _)| other != at);
                    return Ok(Work {
                        expanded: Some(name.clone()),
                        waiting: waiting.map(|(_, migration)| migration.name.clone()).collect(),
                        ..work(Vec::new(), Vec::new(), Half::First)
                    });
                }
                _ => {}
            }
            // No application uses a database without migrations.
            if done.is_empty() && begun.is_none() {
                return Ok(work(pending, scripts, Half::Both));
            }
            let end = scripts
                .iter()
                .position(|script| script.first_half.is_some())
                .map_or(pending.len(), |at| at + 1);
            let waiting = pending[end..].iter().map(|migration| migration.name.clone());
            Ok(Work {
                waiting: waiting.collect(),
                ..work(
                    pending[..end].to_vec(),
                    scripts.into_iter().take(end).collect(),
                    Half::First,
                )
            })
        }
        Half::Second => match &begun {
            Some((_, name, Stage::Undoing)) => Err(stopped(name, Half::Undo)),
            Some((_, name, Stage::InFirstHalf)) => Err(stopped(name, Half::First)),
            Some((at, name, stage)) => {
                if *stage == Stage::Between && !run.options.ignore_sessions {
                    refuse_old_sessions(run, name, progress).await?;
                }
                Ok(work(vec![pending[*at]], vec![scripts[*at].clone()], Half::Second))
            }
            None if run.options.dry_run => Ok(work(Vec::new(), Vec::new(), Half::Second)),
            None => Err(MigrateError::NotExpanded),
        },
        Half::Undo => match &begun {
            Some((_, name, Stage::InSecondHalf)) => Err(MigrateError::ContractBegan { name: name.clone() }),
            Some((at, name, stage)) => {
                if !progress
                    .get(name)
                    .is_none_or(|progress| progress.matches(&scripts[*at]))
                {
                    return Err(MigrateError::EditedWhilePartlyApplied {
                        name: name.clone(),
                        done: progress.get(name).map_or(0, |progress| progress.done),
                    });
                }
                if scripts[*at].abort.is_empty() {
                    return Err(MigrateError::NoAbort { name: name.clone() });
                }
                if !run.options.allow_destructive && *stage != Stage::Undoing {
                    let expansion = pending[*at].snapshot.as_ref().and_then(Snapshot::expansion);
                    let expansion = expansion.cloned().unwrap_or_default();
                    let mut places = expansion.only_new;
                    // Before the end of the first half, new columns of existing rows are empty.
                    if matches!(stage, Stage::Between | Stage::Completing) {
                        places.extend(lost_values(run, &expansion.undo_checks).await?);
                    }
                    if !places.is_empty() {
                        return Err(MigrateError::UndoLoses {
                            name: name.clone(),
                            places,
                        });
                    }
                }
                Ok(work(vec![pending[*at]], vec![scripts[*at].undo()], Half::Undo))
            }
            None => Err(MigrateError::NotExpanded),
        },
    }
}

/// Returns the new columns with values that the old columns do not contain.
async fn lost_values(run: &Run<'_>, checks: &[UndoCheck]) -> Result<Vec<String>, MigrateError> {
    let mut places = Vec::new();
    for check in checks {
        let query = format!("SELECT EXISTS ({})", check.query);
        let row = run
            .connection
            .query_one(&query, &[])
            .await
            .map_err(MigrateError::database(
                "cannot compare the columns of both builds",
            ))?;
        if row.get(0) {
            places.push(format!("some values of {}", check.place));
        }
    }
    Ok(places)
}

/// Records that the first half is being undone, so that no run continues the first half.
pub(crate) async fn begin_undo(run: &Run<'_>, name: &str, before: &Progress) -> Result<(), MigrateError> {
    if before.done > 0 || before.running {
        return Ok(());
    }
    let sql = run.history.record_progress(name, before);
    run.connection
        .batch_execute(&sql)
        .await
        .map_err(MigrateError::database(
            "cannot record the progress of the migration",
        ))
}

/// Refuses to run while a migration of a later release is partly applied. Exactly between the halves, the tables have the
/// columns of both builds.
pub(crate) fn refuse_unknown(
    migrations: &[Migration],
    done: &HashMap<String, Record>,
    progress: &HashMap<String, Progress>,
) -> Result<(), MigrateError> {
    let begun = progress.iter().filter(|(_, progress)| !progress.is_between(None));
    let names: Vec<String> = absent(migrations, begun.map(|(name, _)| name))
        .into_iter()
        .filter(|name| !done.contains_key(*name))
        .map(str::to_owned)
        .collect();
    if names.is_empty() {
        return Ok(());
    }
    Err(MigrateError::LaterReleaseRuns { names })
}

/// Refuses migrations without halves that break the running application.
pub(crate) fn refuse_breaking(planned: &[Planned], pending: &[&Migration]) -> Result<(), MigrateError> {
    let names: Vec<String> = planned
        .iter()
        .zip(pending)
        .filter(|(planned, _)| planned.risks.contains(&Risk::BreaksRunningApp))
        .map(|(planned, _)| planned.name.clone())
        .collect();
    if names.is_empty() {
        Ok(())
    } else {
        Err(MigrateError::BreaksRunningApp { names })
    }
}

/// Refuses the second half of a migration if sessions exist that began before the first half was complete. PostgreSQL hides
/// the beginning of sessions of other roles from most roles, so these sessions may be old too.
async fn refuse_old_sessions(
    run: &Run<'_>,
    name: &str,
    progress: &HashMap<String, Progress>,
) -> Result<(), MigrateError> {
    let since = progress
        .get(name)
        .map_or("", |progress| progress.changed_at.as_str());
    let query = "SELECT format('%s of `%s` by %s, the oldest since %s', \
        CASE count(*) WHEN 1 THEN '1 session' ELSE count(*) || ' sessions' END, \
        coalesce(nullif(application_name, ''), '(without application_name)'), usename, coalesce(to_char(min(backend_start), 'YYYY-MM-DD HH24:MI:SS'), 'a time that only a member of pg_read_all_stats sees')) \
        FROM pg_catalog.pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() \
        AND usename IS NOT NULL AND coalesce(backend_type, 'client backend') = 'client backend' \
        AND coalesce(backend_start < $1::text::timestamptz, true) \
        GROUP BY application_name, usename ORDER BY min(backend_start)";
    let rows = run
        .connection
        .query(query, &[&since])
        .await
        .map_err(MigrateError::database("cannot read the sessions of the database"))?;
    if rows.is_empty() {
        return Ok(());
    }
    Err(MigrateError::OldSessions {
        name: name.to_owned(),
        sessions: rows.iter().map(|row| row.get(0)).collect(),
    })
}

/// Compares a database with the state between the two halves of a migration.
pub(crate) async fn compare_between(client: &Client, expansion: &Expansion) -> Result<Drift, MigrateError> {
    let between = Snapshot::recorded(None, expansion.tables.clone(), expansion.foreign.clone(), None);
    let mut drift = compare(client, &between).await?;
    let mut missing = expansion.objects.clone();
    let mut is_own = |title: &str| {
        let found = missing.iter().position(|known| known == title);
        if let Some(at) = found {
            missing.remove(at);
        }
        found.is_some()
    };
    drift
        .differences
        .retain(|difference| difference.expected.is_some() || !is_own(&difference.object));
    drift.unknown.retain(|title| !is_own(title));
    drift
        .differences
        .extend(missing.into_iter().map(|object| Difference {
            object,
            expected: Some("part of the expanded migration".to_owned()),
            found: None,
            repair: "`kit migrate:contract --abort`, then `kit migrate:expand`".to_owned(),
        }));
    Ok(drift)
}
