//! Rows and positions of sequences that migrations leave in an empty database.

use std::collections::BTreeMap;

use kit_database::sql::{identifier, relation, string_literal};
use kit_database::{HISTORY_TABLES, ObjectKind};
use tokio_postgres::{Client, SimpleQueryMessage};

use crate::catalog::literals;
use crate::{Catalog, MigrateError};

/// Maximum number of rows that a squashed migration inserts. More rows belong into a program that fills a database.
pub(crate) const MOST_ROWS: u64 = 10_000;

/// Rows of the tables and positions of the sequences.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Contents {
    /// Number of rows by table, without empty tables.
    pub(crate) counts: BTreeMap<String, u64>,
    /// Statements that insert the rows, by table. Empty if there are more than [`MOST_ROWS`].
    pub(crate) inserts: BTreeMap<String, Vec<String>>,
    /// Statements that set the sequences which are not at their start.
    pub(crate) sequences: Vec<String>,
    /// Owners and privileges of objects, by the descriptions of the objects.
    pub(crate) privileges: BTreeMap<String, String>,
}

impl Contents {
    /// Returns the number of rows of all tables.
    pub(crate) fn rows(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Reads the contents of the first schema of the `search_path` and of the other given schemas. `catalog` has the objects of
    /// these schemas.
    pub(crate) async fn read(
        client: &Client,
        catalog: &Catalog,
        others: &[String],
    ) -> Result<Self, MigrateError> {
        let schemas = format!(
            "(SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema() OR nspname IN ({}))",
            literals(others)
        );
        // The text of a time must not depend on the settings of the database.
        query(
            client,
            "SET datestyle = 'ISO'; SET intervalstyle = 'postgres'; SET timezone = 'UTC'",
        )
        .await?;
        let mut contents = Self::default();
        let tables: Vec<&str> = catalog
            .described()
            .filter(|object| object.kind == ObjectKind::Table)
            .map(|object| object.name.as_str())
            .collect();
        for table in &tables {
            let sql = format!("SELECT count(*) FROM ONLY {}", relation(table));
            let count = query(client, &sql)
                .await?
                .first()
                .and_then(|row| row.first()?.as_deref()?.parse().ok());
            let count: u64 = count.unwrap_or_default();
            if count > 0 {
                contents.counts.insert((*table).to_owned(), count);
            }
        }
        if contents.rows() <= MOST_ROWS {
            for table in contents.counts.keys() {
                let inserts = inserts(client, catalog, table).await?;
                contents.inserts.insert(table.clone(), inserts);
            }
        }
        contents.sequences = sequences(client, &schemas).await?;
        let ours = HISTORY_TABLES.map(|name| format!("'{name}'")).join(", ");
        let privileges = PRIVILEGES.replace("{ours}", &ours).replace("{schemas}", &schemas);
        for row in query(client, &privileges).await? {
            if let [Some(object), Some(list)] = row.as_slice() {
                contents.privileges.insert(object.clone(), list.clone());
            }
        }
        Ok(contents)
    }
}

/// Query for the owners and privileges of the objects in the schemas, of the schemas, and of future objects. `{schemas}` are the
/// schemas, and `{ours}` has the names of kit's own tables, which are in the first schema.
const PRIVILEGES: &str = "SELECT title, coalesce((SELECT string_agg(item::text, ', ' ORDER BY item::text) FROM unnest(acl) item), '') || ' ' || owner::regrole FROM ( \
    SELECT 'privileges of ' || oid::regclass AS title, coalesce(relacl, acldefault(CASE relkind WHEN 'S' THEN 's' ELSE 'r' END::\"char\", relowner)) AS acl, relowner AS owner \
      FROM pg_catalog.pg_class WHERE relnamespace IN {schemas} AND relkind IN ('r', 'p', 'v', 'm', 'S') \
      AND NOT (relnamespace = current_schema()::regnamespace AND relname IN ({ours})) \
    UNION ALL SELECT 'privileges of column ' || attrelid::regclass || '.' || quote_ident(attname), attacl, relowner FROM pg_catalog.pg_attribute JOIN pg_catalog.pg_class c ON c.oid = attrelid \
      WHERE relnamespace IN {schemas} AND attacl IS NOT NULL AND NOT attisdropped \
    UNION ALL SELECT 'privileges of ' || oid::regprocedure, coalesce(proacl, acldefault('f', proowner)), proowner FROM pg_catalog.pg_proc WHERE pronamespace IN {schemas} \
    UNION ALL SELECT 'privileges of type ' || oid::regtype, coalesce(typacl, acldefault('T', typowner)), typowner FROM pg_catalog.pg_type \
      WHERE typnamespace IN {schemas} AND typtype IN ('e', 'd', 'r') \
    UNION ALL SELECT 'privileges of schema ' || nspname, coalesce(nspacl, acldefault('n', nspowner)), nspowner FROM pg_catalog.pg_namespace WHERE oid IN {schemas} \
    UNION ALL SELECT 'default privileges ' || defaclobjtype::text || ' ' || defaclnamespace::regnamespace || ' ' || defaclrole::regrole, defaclacl, defaclrole FROM pg_catalog.pg_default_acl) found";

/// Returns the statements that insert the rows of a table, in the order in which the table stores them.
async fn inserts(client: &Client, catalog: &Catalog, table: &str) -> Result<Vec<String>, MigrateError> {
    let columns: Vec<(String, &str)> = catalog
        .described()
        .filter(|object| object.kind == ObjectKind::Column && object.table.as_deref() == Some(table))
        .map(|object| {
            (
                identifier(&object.name),
                object.definition.as_deref().unwrap_or_default(),
            )
        })
        // PostgreSQL computes these.
        .filter(|(_, definition)| !definition.contains(" GENERATED ALWAYS AS ("))
        .collect();
    let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
    let names = names.join(", ");
    let table = relation(table);
    let is_always = columns
        .iter()
        .any(|(_, definition)| definition.contains(" GENERATED ALWAYS AS IDENTITY"));
    let overriding = if is_always { " OVERRIDING SYSTEM VALUE" } else { "" };
    let rows = query(client, &format!("SELECT {names} FROM ONLY {table} ORDER BY ctid")).await?;
    Ok(rows
        .into_iter()
        .map(|row| {
            if columns.is_empty() {
                return format!("INSERT INTO {table} DEFAULT VALUES");
            }
            let literal =
                |value: Option<String>| value.map_or_else(|| "NULL".to_owned(), |text| string_literal(&text));
            let values: Vec<String> = row.into_iter().map(literal).collect();
            format!(
                "INSERT INTO {table} ({names}){overriding} VALUES ({})",
                values.join(", ")
            )
        })
        .collect())
}

/// Returns the statements that set the sequences of the schemas which are not at their start. A sequence of a column is named
/// by its column, because a renamed table keeps the name of the sequence.
async fn sequences(client: &Client, schemas: &str) -> Result<Vec<String>, MigrateError> {
    const ALL: &str = "SELECT s.oid::regclass::text, CASE WHEN refobjid IS NULL THEN quote_literal(s.oid::regclass::text) \
        ELSE 'pg_catalog.pg_get_serial_sequence(' || quote_literal(refobjid::regclass::text) || ', ' || quote_literal(attname) || ')' END, seqstart \
        FROM pg_catalog.pg_class s JOIN pg_catalog.pg_sequence ON seqrelid = s.oid \
        LEFT JOIN pg_catalog.pg_depend ON classid = 'pg_class'::regclass AND objid = s.oid AND refclassid = 'pg_class'::regclass AND refobjsubid > 0 AND deptype IN ('a', 'i') \
        LEFT JOIN pg_catalog.pg_attribute ON attrelid = refobjid AND attnum = refobjsubid \
        WHERE relnamespace IN {schemas} \
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend e WHERE e.classid = 'pg_class'::regclass AND e.objid = s.oid AND e.deptype = 'e') ORDER BY 2";
    let mut statements = Vec::new();
    for row in query(client, &ALL.replace("{schemas}", schemas)).await? {
        let [Some(sequence), Some(place), Some(start)] = row.as_slice() else {
            continue;
        };
        let sql = format!("SELECT last_value, is_called FROM {sequence}");
        let position = query(client, &sql).await?;
        let Some([Some(value), Some(called)]) = position.first().map(Vec::as_slice) else {
            continue;
        };
        let called = called == "t";
        if called || value != start {
            statements.push(format!("SELECT pg_catalog.setval({place}, {value}, {called})"));
        }
    }
    Ok(statements)
}

/// Runs a query with the simple protocol, which returns all values as text.
async fn query(client: &Client, sql: &str) -> Result<Vec<Vec<Option<String>>>, MigrateError> {
    let messages = client.simple_query(sql).await.map_err(MigrateError::database(
        "cannot read the rows that the migrations insert",
    ))?;
    let row = |message| match message {
        SimpleQueryMessage::Row(row) => {
            Some((0..row.len()).map(|at| row.get(at).map(str::to_owned)).collect())
        }
        _ => None,
    };
    Ok(messages.into_iter().filter_map(row).collect())
}
