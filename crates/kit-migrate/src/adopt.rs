//! Adopts an existing database: describes it, writes a baseline, and records the baseline as applied.

use std::collections::BTreeMap;
use std::time::Duration;

use kit_database::{ColumnType, ForeignObject, Migration, ObjectKind, Schema, Snapshot, Table};
use tokio_postgres::Client;

use crate::apply::in_order;
use crate::connect::{block_on, connect};
use crate::drift::{
    Difference, Drift, compare, differences, expected_objects, read_expected, read_live, read_used,
};
use crate::dump::dump;
use crate::history::History;
use crate::reconcile::{Mode, foreign, reconcile};
use crate::{Catalog, MigrateError, Options, apply, pooler, with_scratch_database};

/// An existing database.
#[derive(Debug, Clone)]
pub struct ExistingDatabase {
    catalog: Catalog,
    url: String,
    /// Names of the schemas that were read and contain objects, except for the first of the `search_path`.
    schemas: Vec<String>,
    /// Names of schemas that were not read and that contain tables or views, with the number of these objects.
    pub other_schemas: BTreeMap<String, usize>,
}

impl ExistingDatabase {
    /// Describes the first existing schema of the `search_path`, and the given other schemas. Blocks until done, and changes
    /// nothing.
    ///
    /// # Errors
    /// Returns a [`MigrateError`] if the database cannot be reached or read, or has no such schema.
    pub fn read(url: &str, schemas: &[String]) -> Result<Self, MigrateError> {
        block_on(async {
            let client = connect(url).await?;
            pooler::refuse_transaction_pooler(url, &client).await?;
            // The history needs a schema, and so do the tables.
            let history = History::find(&client).await?;
            let mut others = other_schemas(&client).await?;
            let mut read = Vec::new();
            for schema in schemas {
                if others.remove(schema).is_some() {
                    read.push(schema.clone());
                } else if !read.contains(schema) && *schema != history.schema {
                    return Err(MigrateError::UnknownSchema {
                        schema: schema.clone(),
                        known: others.into_keys().collect(),
                    });
                }
            }
            others.retain(|_, count| *count > 0);
            let (catalog, schemas) = read_used(&client, read).await?;
            Ok(Self {
                catalog,
                url: url.to_owned(),
                schemas,
                other_schemas: others,
            })
        })
    }

    /// Returns the objects of the database.
    pub fn objects(&self) -> Vec<ForeignObject> {
        self.catalog.described().cloned().collect()
    }

    /// Returns the SQL that creates the objects of the database in an empty one.
    pub fn sql(&self) -> String {
        dump(&self.catalog)
    }

    /// Returns the snapshot of the database, from which the entities of `schema` need no change. Each object that the
    /// entities do not describe exactly is a foreign object. `checksum` is that of the SQL of the baseline.
    ///
    /// # Errors
    /// Returns a [`MigrateError`] if the tables of the entities cannot be created as temporary tables.
    pub fn snapshot(&self, schema: &Schema, checksum: String) -> Result<Snapshot, MigrateError> {
        let mut tables = schema.tables.clone();
        block_on(async {
            let client = connect(&self.url).await?;
            self.keep_stored_types(&mut tables);
            let expected = read_expected(&client, &tables, self.catalog.described()).await?;
            let waived = reconcile(&mut tables, &expected, &self.catalog, Mode::Adopt);
            let expected = read_expected(&client, &tables, self.catalog.described()).await?;
            let mut objects = foreign(&expected, &self.catalog);
            objects.extend(waived);
            Ok(Snapshot::recorded(None, tables, objects, Some(checksum)).of_baseline())
        })
    }

    /// Gives a `Date` the type `timestamp` if the column is one: kit reads such columns as UTC.
    fn keep_stored_types(&self, tables: &mut [Table]) {
        for table in tables {
            for column in &mut table.columns {
                let is_timestamp = self.catalog.described().any(|object| {
                    object.kind == ObjectKind::Column
                        && object.table.as_deref() == Some(&table.name)
                        && object.name == column.name
                        && object.definition.as_deref().is_some_and(|text| {
                            text.starts_with("timestamp") && text.contains("without time zone")
                        })
                });
                if is_timestamp && column.r#type == ColumnType::Timestamptz {
                    column.r#type = ColumnType::Timestamp;
                }
            }
        }
    }

    /// Runs the SQL of a baseline in a scratch database on the given server, and returns the differences from the
    /// existing database; empty if the SQL creates the same objects.
    ///
    /// # Errors
    /// Returns a [`MigrateError`] if the scratch database cannot be created, or if the SQL fails.
    pub fn try_baseline(&self, server: &str, baseline: &Migration) -> Result<Vec<Difference>, MigrateError> {
        with_scratch_database(server, |url| {
            let options = Options {
                allow_destructive: true,
                ..Options::default()
            };
            apply(url, std::slice::from_ref(baseline), &options)?;
            let made = block_on(async {
                let client = connect(url).await?;
                read_live(&client, &self.schemas).await
            })?;
            Ok(all_differences(&self.catalog, &made))
        })
    }
}

/// Returns the differences between two databases, with the objects that only the second database has.
pub(crate) fn all_differences(wanted: &Catalog, made: &Catalog) -> Vec<Difference> {
    let Drift {
        differences: mut found,
        unknown,
    } = differences(&expected_objects(wanted, &[]), made);
    found.extend(unknown.into_iter().map(|object| Difference {
        object,
        expected: None,
        found: Some("exists".to_owned()),
        repair: String::new(),
    }));
    found
}

/// Returns the names of all schemas except for the first of the `search_path` and those of PostgreSQL and of extensions, with
/// the number of their tables and views.
pub(crate) async fn other_schemas(client: &Client) -> Result<BTreeMap<String, usize>, MigrateError> {
    let query = "SELECT nspname::text, (SELECT count(*) FROM pg_catalog.pg_class c WHERE relnamespace = n.oid AND relkind IN ('r', 'p', 'v', 'm', 'f') \
          AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')) \
        FROM pg_catalog.pg_namespace n WHERE nspname <> current_schema() AND nspname <> 'information_schema' AND nspname NOT LIKE 'pg\\_%' \
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_namespace'::regclass AND d.objid = n.oid AND d.deptype = 'e')";
    let rows = client
        .query(query, &[])
        .await
        .map_err(MigrateError::database("cannot read the schemas of the database"))?;
    Ok(rows
        .iter()
        .map(|row| {
            let count: i64 = row.get(1);
            (row.get(0), usize::try_from(count).unwrap_or_default())
        })
        .collect())
}

/// Records the first migration as applied, without running it. Refuses if the database has a history, or if its objects
/// differ from the snapshot of the migration. Returns the name of the migration; with `dry_run`, writes nothing.
///
/// # Errors
/// Returns a [`MigrateError`] if the migration cannot be recorded. The database is unchanged then.
pub fn baseline(url: &str, migrations: &[Migration], dry_run: bool) -> Result<String, MigrateError> {
    in_order(migrations)?;
    let migration = migrations.first().ok_or(MigrateError::NoBaseline)?;
    let snapshot = migration.snapshot.as_ref().ok_or_else(|| {
        MigrateError::Snapshot(format!("migrations/{} has no snapshot.json", migration.name))
    })?;
    block_on(async {
        let client = connect(url).await?;
        pooler::refuse_transaction_pooler(url, &client).await?;
        let history = History::find(&client).await?;
        let mut done: Vec<String> = history.read(&client).await?.into_keys().collect();
        done.extend(history.read_progress(&client).await?.into_keys());
        done.sort();
        if let Some(name) = done.into_iter().next() {
            return Err(MigrateError::HasHistory { name });
        }
        let drift = compare(&client, snapshot).await?;
        if !drift.differences.is_empty() {
            return Err(MigrateError::NotBaseline {
                name: migration.name.clone(),
                differences: drift
                    .differences
                    .into_iter()
                    .map(|difference| difference.object)
                    .collect(),
            });
        }
        if !dry_run {
            history.create(&client, false).await?;
            let sql = history.record(migration, Duration::ZERO);
            client
                .batch_execute(&sql)
                .await
                .map_err(MigrateError::database("cannot record the baseline"))?;
        }
        Ok(migration.name.clone())
    })
}
