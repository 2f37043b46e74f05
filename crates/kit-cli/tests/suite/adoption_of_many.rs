//! Adopts the databases in a directory with all their schemas, and migrates pairs of databases.
//!
//! `KIT_ADOPT` names the directory. It contains SQL files, one for each database, or directories with `current.sql` and
//! `desired.sql`; `KIT_ADOPT_BY_HAND` runs `up.sql` as hand-written SQL instead of a plan. `KIT_ADOPT_ONLY` selects names
//! that contain a text. `setup.sql` runs first. The test prints a table and fails if kit made a mistake.
#![allow(clippy::disallowed_methods)] // schemas are files
#![allow(clippy::unwrap_used)] // helpers of tests may panic like tests
#![allow(clippy::print_stdout)] // prints the table of the verdicts

use std::collections::BTreeMap;
use std::path::PathBuf;

use kit_database::{ForeignObject, Migration, ObjectKind, Snapshot, plan};
use kit_migrate::{
    Drift, ExistingDatabase, MigrateError, Options, apply, baseline, drift, record, split_statements,
};
use kit_test_postgres::{Database, database, execute, with_client};

use crate::adoption::{Adopted, all_schemas};

/// Result of a pair of databases.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    /// The planned migration makes the first database equal to the second.
    Equal,
    /// The planned migration makes the tables of the entities equal. Other objects need hand-written SQL.
    NeedsSql(String),
    /// kit refuses the plan.
    Refused(String),
    /// The SQL of the case does not run on this server.
    NoSetup(String),
    /// kit made a mistake.
    Wrong(String),
}

impl Verdict {
    fn title(&self) -> String {
        match self {
            Self::Equal => "equal".to_owned(),
            Self::NeedsSql(kinds) => format!("entities equal, SQL by hand for: {kinds}"),
            Self::Refused(reason) => format!("refused: {reason}"),
            Self::NoSetup(reason) => format!("does not run: {reason}"),
            Self::Wrong(reason) => format!("WRONG: {reason}"),
        }
    }
}

/// Runs the statements of a file one by one, and returns the message of PostgreSQL if one fails.
fn run_sql(url: &str, sql: &str) -> Result<(), String> {
    let statements = split_statements(sql)?;
    with_client(url, async |client| {
        for statement in &statements {
            client.batch_execute(statement.text).await.map_err(|error| {
                error
                    .as_db_error()
                    .map_or_else(|| error.to_string(), |error| error.message().to_owned())
            })?;
        }
        Ok(())
    })
}

fn options() -> Options {
    Options {
        allow_destructive: true,
        ..Options::default()
    }
}

/// Returns the verdict on a pair: the first database is adopted, and a migration to the entities of the second is planned
/// and applied.
fn planned_pair(first: &Database, second: &Database, current: &str, desired: &str) -> Verdict {
    for (database, sql) in [(first, current), (second, desired)] {
        if let Err(reason) = run_sql(&database.url, sql) {
            return Verdict::NoSetup(reason);
        }
    }
    let adopted = |database: &Database| -> Result<Adopted, Verdict> {
        let adopted = Adopted::with_all_schemas(&database.url).map_err(Verdict::Wrong)?;
        let mistakes = adopted.mistakes(&database.url);
        if mistakes.is_empty() {
            Ok(adopted)
        } else {
            Err(Verdict::Wrong(format!("adoption: {}", mistakes.join("; "))))
        }
    };
    let (one, other) = match (adopted(first), adopted(second)) {
        (Ok(one), Ok(other)) => (one, other),
        (Err(verdict), _) | (_, Err(verdict)) => return verdict,
    };
    migrate_pair(first, &one, &other).unwrap_or_else(|verdict| verdict)
}

fn migrate_pair(first: &Database, one: &Adopted, other: &Adopted) -> Result<Verdict, Verdict> {
    let wrong = |what: &str, error: &dyn std::fmt::Display| Verdict::Wrong(format!("{what}: {error}"));
    let mut migrations = vec![one.baseline.clone()];
    baseline(&first.url, &migrations, false).map_err(|error| wrong("baseline", &error))?;
    let mut schema = other.schema.clone();
    schema.keep_timestamps(one.snapshot());
    let plan = match plan(Some(one.snapshot()), &schema) {
        Ok(plan) => plan,
        Err(error) => {
            let reasons: Vec<String> = error
                .problems
                .iter()
                .map(|problem| {
                    let end = problem.message.find(['`', '(']).unwrap_or(problem.message.len());
                    problem.message[..end].trim().to_owned()
                })
                .collect();
            return Err(Verdict::Refused(reasons.join(" + ")));
        }
    };
    if !plan.is_empty() {
        let next =
            Migration::create("20260102000000", "next", &plan, Some(one.snapshot())).expect("a migration");
        migrations.push(next);
        if plan.changes_foreign() {
            record(&first.url, &mut migrations, 1).map_err(|error| wrong("record", &error))?;
        }
        if let Err(error) = apply(&first.url, &migrations, &options()) {
            return Err(needs_sql_first(first, one.snapshot(), &error)
                .unwrap_or_else(|| wrong(&format!("apply\n{}\n", migrations[1].sql), &error)));
        }
    }
    let after = migrations
        .last()
        .and_then(|last| last.snapshot.as_ref())
        .expect("a snapshot");
    let found = drift(&first.url, after).map_err(|error| wrong("drift", &error))?;
    if !found.differences.is_empty() {
        let titles: Vec<String> = found.differences.iter().map(|one| one.object.clone()).collect();
        return Err(Verdict::Wrong(format!(
            "drift after the migration: {}",
            titles.join(", ")
        )));
    }
    let live = all_schemas(&first.url)
        .and_then(|schemas| ExistingDatabase::read(&first.url, &schemas).map_err(|error| error.to_string()))
        .map_err(|error| wrong("read", &error))?;
    Ok(compare_with(
        &live.objects(),
        &other.existing.objects(),
        after,
        other,
    ))
}

/// Returns the verdict on a migration that PostgreSQL refused, because a condition of the types uses a function, an operator or a
/// type of a column that only hand-written SQL creates. Returns `None` for another failure, or if a migration that was rolled
/// back has changed the database.
fn needs_sql_first(first: &Database, snapshot: &Snapshot, error: &MigrateError) -> Option<Verdict> {
    let MigrateError::Statement { source, before, .. } = error else {
        return None;
    };
    let is_missing = matches!(source.code.as_deref(), Some("42883" | "42704"));
    let unchanged = || drift(&first.url, snapshot).is_ok_and(|found| found.differences.is_empty());
    let begin = match before {
        0 if unchanged() => "rolled back by PostgreSQL",
        0 => return None,
        _ => "stopped by PostgreSQL after completed steps",
    };
    let message = source.message.split([':', '"', '(']).next().unwrap_or_default();
    is_missing.then(|| Verdict::Refused(format!("{begin}: {}", message.trim())))
}

/// Compares the migrated database with the wanted one. Differences in objects that no entity describes need SQL by hand.
fn compare_with(
    live: &[ForeignObject],
    wanted: &[ForeignObject],
    after: &Snapshot,
    other: &Adopted,
) -> Verdict {
    let mut by_hand: Vec<String> = Vec::new();
    let has = |objects: &[ForeignObject], object: &ForeignObject| {
        objects.iter().any(|known| {
            let same_name = known.name == object.name
                || matches!(object.kind, ObjectKind::Constraint | ObjectKind::Index);
            known.kind == object.kind
                && known.table == object.table
                && same_name
                && known.definition == object.definition
        })
    };
    let foreign = || after.foreign().iter().chain(other.snapshot().foreign());
    // PostgreSQL prints a check of a column with the type of the column.
    let is_foreign = |object: &ForeignObject| {
        foreign().any(|known| {
            known.is_same_object(object)
                || known.kind == ObjectKind::Column && object.uses.contains(&known.title())
        })
    };
    let has_entity = |object: &ForeignObject| {
        let table = object.table.as_ref().unwrap_or(&object.name);
        other.schema.table(table).is_some()
    };
    // `@unique` of a new column is a constraint, also if the wanted database has an index for the same rule.
    let has_same_rule = |objects: &[ForeignObject], object: &ForeignObject| {
        let columns = unique_columns(object);
        let same = |known: &ForeignObject| known.table == object.table && unique_columns(known) == columns;
        columns.is_some() && objects.iter().any(same)
    };
    for object in wanted.iter().filter(|object| !has(live, object)) {
        if has_same_rule(live, object) {
            by_hand.push("index that is a constraint".to_owned());
        } else if is_foreign(object) || !has_entity(object) {
            by_hand.push(object.kind.to_string());
        } else {
            return Verdict::Wrong(format!(
                "{} is missing or differs: {:?}",
                object.title(),
                object.definition
            ));
        }
    }
    for object in live.iter().filter(|object| !has(wanted, object)) {
        if is_foreign(object) || !has_entity(object) || has_same_rule(wanted, object) {
            by_hand.push(object.kind.to_string());
        } else if !wanted.iter().any(|known| known.is_same_object(object)) {
            // kit adds checks for the rules of a new property.
            let is_rule = object.kind == ObjectKind::Constraint
                && object
                    .definition
                    .as_deref()
                    .is_some_and(|text| text.starts_with("CHECK"));
            if is_rule {
                by_hand.push("checks of kit".to_owned());
            } else {
                return Verdict::Wrong(format!(
                    "{} should not exist: {:?}",
                    object.title(),
                    object.definition
                ));
            }
        }
    }
    if by_hand.is_empty() {
        return Verdict::Equal;
    }
    by_hand.sort();
    by_hand.dedup();
    Verdict::NeedsSql(by_hand.join(", "))
}

/// Returns the list of columns whose values are unique by a constraint, or by an index without a condition.
fn unique_columns(object: &ForeignObject) -> Option<&str> {
    let definition = object.definition.as_deref()?;
    let is_unique = definition.starts_with("UNIQUE (")
        || definition.starts_with("CREATE UNIQUE INDEX ON ") && definition.contains(" USING btree (");
    is_unique.then(|| &definition[definition.find('(').unwrap_or_default()..])
}

/// Returns the verdict on SQL by hand: the first database is adopted, `up` is a hand-written migration, and afterwards the
/// entities of the second database need no change.
fn hand_written_pair(first: &Database, second: &Database, current: &str, desired: &str, up: &str) -> Verdict {
    for (database, sql) in [(first, current), (second, desired)] {
        if let Err(reason) = run_sql(&database.url, sql) {
            return Verdict::NoSetup(reason);
        }
    }
    let (one, other) = match (
        Adopted::with_all_schemas(&first.url),
        Adopted::with_all_schemas(&second.url),
    ) {
        (Ok(one), Ok(other)) => (one, other),
        (Err(reason), _) | (_, Err(reason)) => return Verdict::Wrong(reason),
    };
    hand_written(first, &one, &other, up).unwrap_or_else(|verdict| verdict)
}

fn hand_written(first: &Database, one: &Adopted, other: &Adopted, up: &str) -> Result<Verdict, Verdict> {
    let wrong = |what: &str, error: &dyn std::fmt::Display| Verdict::Wrong(format!("{what}: {error}"));
    let mut migrations = vec![one.baseline.clone()];
    baseline(&first.url, &migrations, false).map_err(|error| wrong("baseline", &error))?;
    let mut sql = String::new();
    for line in up.lines() {
        if line.to_ascii_uppercase().contains(" CONCURRENTLY ") {
            sql.push_str("-- kit: outside transaction\n");
        }
        sql.push_str(line);
        sql.push('\n');
    }
    let mut next =
        Migration::by_hand("20260102000000", "next", None, Some(one.snapshot())).expect("a migration");
    next.sql.push_str(&sql);
    migrations.push(next);
    record(&first.url, &mut migrations, 1).map_err(|error| Verdict::Refused(format!("record: {error}")))?;
    apply(&first.url, &migrations, &options())
        .map_err(|error| Verdict::Refused(format!("apply: {error}")))?;
    let after = migrations[1].snapshot.as_ref().expect("a snapshot");
    let Drift { differences, unknown } = drift(&first.url, after).map_err(|error| wrong("drift", &error))?;
    if !differences.is_empty() || !unknown.is_empty() {
        let titles: Vec<String> = differences
            .iter()
            .map(|one| one.object.clone())
            .chain(unknown)
            .collect();
        return Err(Verdict::Wrong(format!(
            "drift after the SQL: {}",
            titles.join(", ")
        )));
    }
    let mut schema = other.schema.clone();
    schema.keep_timestamps(after);
    Ok(match plan(Some(after), &schema) {
        Ok(plan) => {
            let steps: Vec<String> = plan
                .changes
                .iter()
                .map(|step| step.change.summary())
                .filter(|summary| !summary.starts_with("rename "))
                .collect();
            if steps.is_empty() {
                Verdict::Equal
            } else {
                Verdict::NeedsSql(steps.join("; "))
            }
        }
        Err(error) => Verdict::Refused(error.to_string()),
    })
}

/// SQL that removes everything from a database. This is faster than a new database for each case.
const EMPTY: &str = "DO $$ DECLARE name text; BEGIN \
    FOR name IN SELECT evtname FROM pg_event_trigger LOOP EXECUTE format('DROP EVENT TRIGGER %I', name); END LOOP; \
    FOR name IN SELECT extname FROM pg_extension WHERE extname <> 'plpgsql' LOOP EXECUTE format('DROP EXTENSION IF EXISTS %I CASCADE', name); END LOOP; \
    FOR name IN SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema' LOOP \
    EXECUTE format('DROP SCHEMA %I CASCADE', name); END LOOP; END $$; CREATE SCHEMA public; RESET ALL;";

#[test]
fn adopts_the_databases_in_a_directory() {
    const TEST: &str = "adopts_the_databases_in_a_directory";
    let Some(directory) = std::env::var_os("KIT_ADOPT").map(PathBuf::from) else {
        println!("SKIPPED {TEST}: KIT_ADOPT names no directory");
        return;
    };
    let only = std::env::var("KIT_ADOPT_ONLY").unwrap_or_default();
    let by_hand = std::env::var_os("KIT_ADOPT_BY_HAND").is_some();
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&directory)
        .expect("the directory of KIT_ADOPT")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.to_string_lossy().contains(&only))
        .collect();
    paths.sort();
    let mut table: BTreeMap<Verdict, Vec<String>> = BTreeMap::new();
    let (Some(first), Some(second)) = (database(TEST), database(TEST)) else {
        return;
    };
    if let Ok(setup) = std::fs::read_to_string(directory.join("setup.sql")) {
        // Roles belong to the server, so a case may find them from an earlier one.
        run_sql(&first.url, &setup).expect("setup.sql");
    }
    for path in paths {
        if path.ends_with("setup.sql") {
            continue;
        }
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let read = |file: &str| std::fs::read_to_string(path.join(file)).unwrap_or_default();
        for database in [&first, &second] {
            execute(&database.url, EMPTY);
        }
        let verdict = if !path.is_dir() {
            single(&first, &std::fs::read_to_string(&path).expect("SQL"), &name)
        } else if by_hand {
            hand_written_pair(
                &first,
                &second,
                &read("current.sql"),
                &read("desired.sql"),
                &read("up.sql"),
            )
        } else {
            planned_pair(&first, &second, &read("current.sql"), &read("desired.sql"))
        };
        println!("{name}: {}", verdict.title());
        table.entry(verdict).or_default().push(name);
    }
    println!();
    for (verdict, names) in &table {
        println!("{:4}  {}", names.len(), verdict.title());
    }
    let wrong: Vec<&String> = table
        .iter()
        .filter(|(verdict, _)| matches!(verdict, Verdict::Wrong(_)))
        .flat_map(|(_, names)| names)
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// Adopts a database, and runs the SQL of its baseline in an empty database.
fn single(database: &Database, sql: &str, name: &str) -> Verdict {
    if let Err(reason) = run_sql(&database.url, sql) {
        return Verdict::NoSetup(reason);
    }
    let adopted = match Adopted::with_all_schemas(&database.url) {
        Ok(adopted) => adopted,
        Err(reason) => return Verdict::Wrong(reason),
    };
    let mistakes = adopted.mistakes(&database.url);
    if !mistakes.is_empty() {
        return Verdict::Wrong(mistakes.join("; "));
    }
    let tables = adopted
        .existing
        .objects()
        .iter()
        .filter(|object| object.kind == ObjectKind::Table)
        .count();
    println!(
        "{name}: {tables} tables, {} entities, {} objects, {} foreign",
        adopted.pulled.entities.len(),
        adopted.existing.objects().len(),
        adopted.snapshot().foreign().len()
    );
    let mut kinds: BTreeMap<ObjectKind, usize> = BTreeMap::new();
    for object in adopted.snapshot().foreign() {
        *kinds.entry(object.kind).or_default() += 1;
    }
    let kinds: Vec<String> = kinds
        .iter()
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    println!("  foreign: {}", kinds.join(", "));
    for left_out in &adopted.pulled.left_out {
        println!("  {}: {}", left_out.object, left_out.reason);
    }
    match adopted.existing.try_baseline(&database.url, &adopted.baseline) {
        Ok(differences) if differences.is_empty() => {}
        Ok(differences)
            if differences
                .iter()
                .all(|one| is_other(adopted.existing.objects(), &one.object)) =>
        {
            let titles: Vec<String> = differences.into_iter().map(|one| one.object).collect();
            return Verdict::NeedsSql(titles.join(", "));
        }
        Ok(differences) => {
            let titles: Vec<String> = differences
                .iter()
                .map(|one| format!("{}: {:?} -> {:?}", one.object, one.expected, one.found))
                .collect();
            return Verdict::Wrong(format!("the baseline differs: {}", titles.join("\n  ")));
        }
        Err(error) => return Verdict::Wrong(format!("the baseline fails: {error}")),
    }
    match baseline(&database.url, std::slice::from_ref(&adopted.baseline), false) {
        Ok(_) => Verdict::Equal,
        Err(error) => Verdict::Wrong(error.to_string()),
    }
}

/// Returns true for an object for which kit writes no SQL.
fn is_other(objects: Vec<ForeignObject>, title: &str) -> bool {
    objects
        .into_iter()
        .any(|object| object.kind == ObjectKind::Other && object.title() == title)
}
