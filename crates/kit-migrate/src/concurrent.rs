//! Indexes that are made or dropped while the table is in use, which no transaction can take back.
//!
//! A `CREATE INDEX CONCURRENTLY` that fails or is killed leaves an index that is not valid: it costs every write and serves
//! no query, and its name is taken. So what an earlier run began is looked at before it is begun again.

use tokio_postgres::Client;

use crate::script::Statement;

/// What a statement does to an index.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Concurrent {
    /// `CREATE INDEX CONCURRENTLY name ON table`; both as they are written.
    Create { name: String, table: String },
    /// `DROP INDEX CONCURRENTLY name`.
    Drop { name: String },
    /// Something else.
    Other,
}

/// What is there of an index.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Nothing,
    Valid,
    /// With its qualified name.
    Invalid(String),
}

impl Concurrent {
    /// What a statement does; `Err` with the reason where it could not be begun again after a crash.
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
                Err("drop one index a statement: a crash in between could not be told")
            } else {
                Ok(Self::Drop { name })
            };
        }
        if !(statement.begins(&["create", "index"]) || statement.begins(&["create", "unique", "index"])) {
            return Ok(Self::Other);
        }
        let name: String = rest.by_ref().take_while(|word| *word != "on").collect();
        if name.is_empty() {
            return Err("give the index a name: without one it could not be found again after a crash");
        }
        let table: String = rest
            .filter(|word| *word != "only")
            .take_while(|word| *word != "(" && *word != "using")
            .collect();
        Ok(Self::Create { name, table })
    }

    /// What is there of the index. By the simple protocol, whatever `search_path` says.
    pub(crate) async fn look(&self, client: &Client) -> Result<Found, tokio_postgres::Error> {
        let condition = match self {
            Self::Other => return Ok(Found::Nothing),
            Self::Drop { name } => {
                format!("indexrelid = to_regclass({})", kit_database::sql::text(name))
            }
            Self::Create { name, table } => format!(
                "indrelid = to_regclass({}) AND relname = (parse_ident({}))[1]",
                kit_database::sql::text(table),
                kit_database::sql::text(name)
            ),
        };
        let query = format!(
            "SELECT indisvalid AND indisready, quote_ident(nspname) || '.' || quote_ident(relname) \
             FROM pg_catalog.pg_index JOIN pg_catalog.pg_class ON pg_class.oid = indexrelid \
             JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace WHERE {condition}"
        );
        for message in client.simple_query(&query).await? {
            if let tokio_postgres::SimpleQueryMessage::Row(row) = message {
                return Ok(if row.get(0) == Some("t") {
                    Found::Valid
                } else {
                    Found::Invalid(row.get(1).unwrap_or_default().to_owned())
                });
            }
        }
        Ok(Found::Nothing)
    }

    /// Takes away what a run that broke off left of an index; the name of what was taken away.
    pub(crate) async fn clear(&self, client: &Client) -> Result<Option<String>, tokio_postgres::Error> {
        if !matches!(self, Self::Create { .. }) {
            return Ok(None);
        }
        let Found::Invalid(name) = self.look(client).await? else {
            return Ok(None);
        };
        client
            .batch_execute(&format!("DROP INDEX CONCURRENTLY IF EXISTS {name}"))
            .await?;
        Ok(Some(name))
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
    fn names_are_found() {
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
