//! Creation and removal of indexes while the table is in use (`CONCURRENTLY`), which no transaction can roll back.
//!
//! A `CREATE INDEX CONCURRENTLY` that fails or is killed leaves an invalid index: every write has to update it, no
//! query uses it, and its name stays occupied. Therefore kit checks the result of an interrupted run before it starts
//! the statement again.

use tokio_postgres::{Client, SimpleQueryMessage};

use crate::blockers::DESCRIPTION;
use crate::script::Statement;

/// Kind of a statement, by its effect on an index.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Concurrent {
    /// `CREATE INDEX CONCURRENTLY name ON table`. The two names are as written in the statement.
    Create { name: String, table: String },
    /// `DROP INDEX CONCURRENTLY name`.
    Drop { name: String },
    /// Any other statement.
    Other,
}

/// State of an index in the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum IndexState {
    Nothing,
    Valid,
    /// The index is invalid. Contains its qualified name.
    Invalid(String),
}

impl Concurrent {
    /// Classifies a statement. Returns `Err` with the reason if kit could not safely repeat the statement after a
    /// crash.
    pub(crate) fn of(statement: &Statement<'_>) -> Result<Self, &'static str> {
        let head = &statement.head;
        let Some(at) = head.iter().position(|word| word == "concurrently") else {
            return Ok(Self::Other);
        };
        let mut rest = head[at + 1..].iter().map(String::as_str).peekable();
        while matches!(rest.peek(), Some(&("if" | "not" | "exists"))) {
            rest.next();
        }
        if statement.begins(&["drop", "index"]) {
            let name: String = rest
                .take_while(|word| *word != "cascade" && *word != "restrict")
                .collect();
            return if name.contains(',') {
                Err(
                    "write one DROP INDEX statement for each index: after a crash, kit must know which index was dropped",
                )
            } else {
                Ok(Self::Drop { name })
            };
        }
        if !(statement.begins(&["create", "index"]) || statement.begins(&["create", "unique", "index"])) {
            return Ok(Self::Other);
        }
        let name: String = rest.by_ref().take_while(|word| *word != "on").collect();
        if name.is_empty() {
            return Err("give the index a name: after a crash, kit finds the index by its name");
        }
        let table: String = rest
            .filter(|word| *word != "only")
            .take_while(|word| *word != "(" && *word != "using")
            .collect();
        Ok(Self::Create { name, table })
    }

    /// Reads the state of the index. Uses the simple protocol and qualified names of catalogs, so that the query works
    /// with any `search_path`.
    pub(crate) async fn state(&self, client: &Client) -> Result<IndexState, tokio_postgres::Error> {
        let condition = match self {
            Self::Other => return Ok(IndexState::Nothing),
            Self::Drop { name } => {
                format!(
                    "indexrelid = to_regclass({})",
                    kit_database::sql::string_literal(name)
                )
            }
            Self::Create { name, table } => format!(
                "indrelid = to_regclass({}) AND relname = (parse_ident({}))[1]",
                kit_database::sql::string_literal(table),
                kit_database::sql::string_literal(name)
            ),
        };
        let query = format!(
            "SELECT indisvalid AND indisready, quote_ident(nspname) || '.' || quote_ident(relname) \
             FROM pg_catalog.pg_index JOIN pg_catalog.pg_class ON pg_class.oid = indexrelid \
             JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace WHERE {condition}"
        );
        for message in client.simple_query(&query).await? {
            if let SimpleQueryMessage::Row(row) = message {
                return Ok(if row.get(0) == Some("t") {
                    IndexState::Valid
                } else {
                    IndexState::Invalid(row.get(1).unwrap_or_default().to_owned())
                });
            }
        }
        Ok(IndexState::Nothing)
    }

    /// Describes the other sessions that create or change an index of the same table: PostgreSQL gives `CREATE INDEX CONCURRENTLY`
    /// and statements like it a lock that excludes all others. `VALIDATE CONSTRAINT`, `CREATE STATISTICS` and an `ANALYZE` in an open
    /// transaction have this lock too. So does a vacuum, which is left out.
    pub(crate) async fn other_sessions(&self, client: &Client) -> Result<Vec<String>, tokio_postgres::Error> {
        let table = match self {
            Self::Other => return Ok(Vec::new()),
            Self::Create { table, .. } => format!(
                "pg_catalog.to_regclass({})",
                kit_database::sql::string_literal(table)
            ),
            Self::Drop { name } => format!(
                "(SELECT indrelid FROM pg_catalog.pg_index WHERE indexrelid = pg_catalog.to_regclass({}))",
                kit_database::sql::string_literal(name)
            ),
        };
        // A role without rights sees of another session only its process.
        let query = format!(
            "SELECT coalesce((SELECT {DESCRIPTION} FROM pg_catalog.pg_stat_activity AS session WHERE session.pid = kit_lock.pid), \
             'server process ' || pid) FROM pg_catalog.pg_locks AS kit_lock \
             WHERE locktype = 'relation' AND mode = 'ShareUpdateExclusiveLock' AND granted AND pid <> pg_catalog.pg_backend_pid() \
             AND database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()) \
             AND relation = {table} \
             AND NOT EXISTS (SELECT FROM pg_catalog.pg_stat_progress_vacuum AS vacuum WHERE vacuum.pid = kit_lock.pid) \
             AND NOT EXISTS (SELECT FROM pg_catalog.pg_stat_progress_analyze AS sample WHERE sample.pid = kit_lock.pid)"
        );
        let messages = client.simple_query(&query).await?;
        let rows = messages.iter().filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        });
        Ok(rows.collect())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // a test
mod tests {
    use super::Concurrent;
    use crate::script::Script;

    fn of(sql: &str) -> Result<Concurrent, &'static str> {
        let script = Script::parse(sql).unwrap();
        Concurrent::of(&script.steps[0].statements[0])
    }

    fn create(name: &str, table: &str) -> Concurrent {
        Concurrent::Create {
            name: name.to_owned(),
            table: table.to_owned(),
        }
    }

    #[test]
    fn reads_the_index_and_table_names_of_a_concurrently_statement() {
        for (sql, expected) in [
            ("CREATE INDEX CONCURRENTLY a ON t (c)", create("a", "t")),
            (
                "create unique index concurrently if not exists \"A b\" on only s.\"T\" using btree (c)",
                create("\"A b\"", "s.\"T\""),
            ),
            (
                "drop index concurrently if exists s.a cascade",
                Concurrent::Drop {
                    name: "s.a".to_owned(),
                },
            ),
            ("alter type t add value 'x'", Concurrent::Other),
            ("reindex table concurrently t", Concurrent::Other),
        ] {
            assert_eq!(of(sql), Ok(expected), "{sql}");
        }
        assert!(of("create index concurrently on t (c)").is_err());
        assert!(of("drop index concurrently a, b").is_err());
    }
}
