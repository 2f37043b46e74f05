//! `db/<entity>.rs`: the statements of a table, and the functions that run them.

use std::fmt::Write as _;

use kit_database::{ColumnDefault, ColumnType, sql};

use super::{Kind, Stored, StoredColumn};
use crate::names;
use crate::print::{chain, doc, import, imports};

impl Stored<'_> {
    pub(super) fn module_text(&self) -> String {
        let entity = self.entity();
        let mut models = vec![entity.to_owned()];
        let mut runtime: Vec<String> = Vec::new();
        let all = self.columns.iter();
        if all.clone().any(|stored| stored.kind != Kind::Plain) {
            runtime.push("sql".to_owned());
        }
        let written: Vec<_> = self.inserted().chain(self.changed()).collect();
        for name in written.iter().flat_map(|stored| words(stored.plain_type())) {
            match name {
                "BigInt" | "Bytes" | "IndexMap" | "Never" | "Timestamp" | "Value" => {
                    runtime.push(name.to_owned());
                }
                "Vec" | "Option" | "Box" | "String" | "bool" | "i64" | "f64" => {}
                model => models.push(model.to_owned()),
            }
        }
        let key = self.key.map(|key| &self.columns[key]);
        let is_uuid = key.is_some_and(|key| key.column.r#type == ColumnType::Uuid);
        if is_uuid {
            runtime.push("format::is_uuid".to_owned());
        }
        let mut text = format!("//! The table `{}`.\n\n", self.table.name);
        let mut items: Vec<String> = runtime
            .iter()
            .map(|item| format!("kit_runtime::{item}"))
            .collect();
        items.extend(
            [
                "sqlx::postgres::PgRow",
                "sqlx::FromRow",
                "sqlx::PgPool",
                "sqlx::Row",
            ]
            .map(str::to_owned),
        );
        if all.clone().any(|stored| stored.kind == Kind::Json) {
            items.push("sqlx::types::Json".to_owned());
        }
        text.push_str(&imports(items.iter().map(String::as_str)));
        text.push('\n');
        text.push_str(&import("crate::models", &models));
        text.push_str(&self.statements());
        text.push_str(&self.structs());
        text.push_str(&self.functions());
        text
    }

    fn columns_text(&self) -> String {
        let columns: Vec<_> = self.columns.iter().map(StoredColumn::selected).collect();
        columns.join(", ")
    }

    fn key_condition(&self) -> String {
        self.key.map_or_else(String::new, |key| {
            let key = &self.columns[key];
            format!("{} = {}", sql::identifier(&key.column.name), key.parameter(1))
        })
    }

    /// The newest first where rows know when they were made; the key decides between equal ones, so that no row is on two pages.
    fn order(&self) -> String {
        let made = self.columns.iter().find(|stored| {
            stored.column.r#type == ColumnType::Timestamp
                && stored.column.default == Some(ColumnDefault::Now)
                && !stored.column.source.on_update_now
        });
        let mut order: Vec<_> = made
            .iter()
            .map(|stored| format!("{} DESC", sql::identifier(&stored.column.name)))
            .collect();
        let direction = if made.is_some() { " DESC" } else { "" };
        order.extend(
            self.table
                .primary_key
                .iter()
                .map(|name| format!("{}{direction}", sql::identifier(name))),
        );
        order.join(", ")
    }

    fn statements(&self) -> String {
        let name = sql::identifier(&self.table.name);
        let columns = self.columns_text();
        let mut text = String::new();
        let mut constant = |constant: &str, lines: &[String]| {
            let lines: String = lines
                .iter()
                .map(|line| format!("\n    {}", line.escape_default().to_string().replace("\\'", "'")))
                .collect();
            let _ = write!(text, "\nconst {constant}: &str = \"{lines}\";\n");
        };
        constant(
            "LIST",
            &[
                format!("SELECT {columns}"),
                format!("FROM {name}"),
                format!("ORDER BY {}", self.order()),
                "LIMIT $1 OFFSET $2".to_owned(),
            ],
        );
        let inserted: Vec<_> = self.inserted().collect();
        let names_of: Vec<_> = inserted
            .iter()
            .map(|stored| sql::identifier(&stored.column.name))
            .collect();
        let values: Vec<_> = inserted
            .iter()
            .enumerate()
            .map(|(number, stored)| {
                let parameter = stored.parameter(number + 1);
                match &stored.column.default {
                    Some(default) => format!("COALESCE({parameter}, {})", sql::default(default)),
                    None => parameter,
                }
            })
            .collect();
        constant(
            "INSERT",
            &[
                format!("INSERT INTO {name} ({})", names_of.join(", ")),
                format!("VALUES ({})", values.join(", ")),
                format!("RETURNING {columns}"),
            ],
        );
        if self.key.is_none() {
            return text;
        }
        let condition = self.key_condition();
        constant(
            "GET",
            &[
                format!("SELECT {columns}"),
                format!("FROM {name}"),
                format!("WHERE {condition}"),
            ],
        );
        let mut number = 1;
        let mut sets: Vec<String> = Vec::new();
        for stored in self.changed() {
            let column = sql::identifier(&stored.column.name);
            number += 1;
            if stored.column.nullable {
                sets.push(format!(
                    "{column} = CASE WHEN ${number} THEN {} ELSE {column} END",
                    stored.parameter(number + 1)
                ));
                number += 1;
            } else {
                sets.push(format!(
                    "{column} = COALESCE({}, {column})",
                    stored.parameter(number)
                ));
            }
        }
        for stored in self
            .columns
            .iter()
            .filter(|stored| stored.column.source.on_update_now)
        {
            sets.push(format!("{} = now()", sql::identifier(&stored.column.name)));
        }
        if !sets.is_empty() {
            let mut lines = vec![format!("UPDATE {name}")];
            let last = sets.len() - 1;
            lines.extend(sets.iter().enumerate().map(|(at, set)| {
                let (begin, end) = (
                    if at == 0 { "SET " } else { "    " },
                    if at == last { "" } else { "," },
                );
                format!("{begin}{set}{end}")
            }));
            lines.push(format!("WHERE {condition}"));
            lines.push(format!("RETURNING {columns}"));
            constant("UPDATE", &lines);
        }
        text
    }

    fn structs(&self) -> String {
        let entity = self.entity();
        let mut text = format!(
            "\n/// What an insert takes. What is left out gets its default.\n#[derive(Clone)]\npub struct New{entity} {{\n"
        );
        for stored in self.inserted() {
            text.push_str(&doc(4, stored.column.comment.as_deref()));
            let r#type = stored.plain_type();
            let r#type = if stored.has_default() {
                format!("Option<{type}>")
            } else {
                r#type.to_owned()
            };
            let _ = writeln!(text, "    pub {}: {type},", stored.field.name);
        }
        text.push_str("}\n");
        if self.is_updated() {
            let _ = write!(
                text,
                "\n/// What an update changes. What is left out stays as it is.\n#[derive(Clone, Default)]\npub struct {entity}Changes {{\n"
            );
            for stored in self.changed() {
                text.push_str(&doc(4, stored.column.comment.as_deref()));
                let r#type = stored.plain_type();
                let r#type = if stored.column.nullable {
                    format!("Option<{type}>")
                } else {
                    r#type.to_owned()
                };
                let _ = writeln!(text, "    pub {}: Option<{type}>,", stored.field.name);
            }
            text.push_str("}\n");
        }
        let _ = write!(
            text,
            "\nimpl<'r> FromRow<'r, PgRow> for {entity} {{\n    fn from_row(row: &'r PgRow) -> Result<Self, sqlx::Error> {{\n        Ok(Self {{\n"
        );
        for stored in &self.columns {
            let _ = writeln!(text, "            {}: {},", stored.field.name, stored.read());
        }
        text.push_str("        })\n    }\n}\n");
        text
    }

    /// The type of the key as a parameter, and how it is bound.
    fn key_parameter(&self) -> Option<(&'static str, &'static str)> {
        let key = &self.columns[self.key?];
        Some(match key.plain_type() {
            "String" => ("&str", "id"),
            "i64" => ("i64", "id"),
            "f64" => ("f64", "id"),
            "BigInt" => ("&BigInt", "id"),
            _ => return None,
        })
    }

    fn functions(&self) -> String {
        let entity = self.entity();
        let name = sql::identifier(&self.table.name);
        let mut text = format!(
            "\n/// Some rows, in order.\npub async fn list(pool: &PgPool, limit: i64, offset: i64) -> Result<Vec<{entity}>, sqlx::Error> {{\n    sqlx::query_as(LIST)\n        .bind(limit)\n        .bind(offset)\n        .fetch_all(pool)\n        .await\n}}\n"
        );
        let _ = write!(
            text,
            "\n/// How many rows there are.\npub async fn count(pool: &PgPool) -> Result<i64, sqlx::Error> {{\n    {}\n}}\n",
            chain(
                4,
                &format!(
                    "sqlx::query_scalar({})",
                    names::text(&format!("SELECT count(*) FROM {name}"))
                ),
                &[".fetch_one(pool)".to_owned(), ".await".to_owned()],
                0
            )
        );
        let binds: String = self
            .inserted()
            .map(|stored| {
                format!(
                    "\n        {}",
                    stored.bind(&format!("new.{}", stored.field.name), stored.has_default())
                )
            })
            .collect();
        let _ = write!(
            text,
            "\n/// Makes a row.\npub async fn insert(pool: &PgPool, new: &New{entity}) -> Result<{entity}, sqlx::Error> {{\n    sqlx::query_as(INSERT){binds}\n        .fetch_one(pool)\n        .await\n}}\n"
        );
        let Some((parameter, id)) = self.key_parameter() else {
            return text;
        };
        let is_uuid = self
            .key
            .is_some_and(|key| self.columns[key].column.r#type == ColumnType::Uuid);
        let guard = |nothing: &str| {
            if parameter == "&BigInt" {
                format!(
                    "    // PostgreSQL would call a number that its `bigint` has no room for an error.\n    if i64::try_from(id).is_err() {{\n        return Ok({nothing});\n    }}\n"
                )
            } else if is_uuid {
                format!(
                    "    // Text that is no UUID names no row; PostgreSQL would call it an error.\n    if !is_uuid(id) {{\n        return Ok({nothing});\n    }}\n"
                )
            } else {
                String::new()
            }
        };
        let _ = write!(
            text,
            "\n/// The row of that key.\npub async fn get(pool: &PgPool, id: {parameter}) -> Result<Option<{entity}>, sqlx::Error> {{\n{}    sqlx::query_as(GET).bind({id}).fetch_optional(pool).await\n}}\n",
            guard("None")
        );
        if self.is_updated() {
            let mut binds = String::new();
            for stored in self.changed() {
                let value = format!("changes.{}", stored.field.name);
                if stored.column.nullable {
                    let _ = write!(binds, "\n        .bind({value}.is_some())");
                    let flat = if stored.is_copied() {
                        format!("{value}.flatten()")
                    } else {
                        format!("{value}.clone().flatten()")
                    };
                    let _ = write!(binds, "\n        {}", stored.bind_owned(&flat));
                } else {
                    let _ = write!(binds, "\n        {}", stored.bind(&value, true));
                }
            }
            let _ = write!(
                text,
                "\n/// Changes the row of that key.\npub async fn update(\n    pool: &PgPool,\n    id: {parameter},\n    changes: &{entity}Changes,\n) -> Result<Option<{entity}>, sqlx::Error> {{\n{}    sqlx::query_as(UPDATE)\n        .bind({id}){binds}\n        .fetch_optional(pool)\n        .await\n}}\n",
                guard("None")
            );
        }
        let _ = write!(
            text,
            "\n/// Deletes the row of that key. Gives whether there was one.\npub async fn delete(pool: &PgPool, id: {parameter}) -> Result<bool, sqlx::Error> {{\n{}    let done = sqlx::query({})\n        .bind({id})\n        .execute(pool)\n        .await?;\n    Ok(done.rows_affected() > 0)\n}}\n",
            guard("false"),
            names::text(&format!("DELETE FROM {name} WHERE {}", self.key_condition()))
        );
        text
    }
}

/// The names in a type: `IndexMap<String, Size>` has three. What is written with its path needs no import.
fn words(r#type: &str) -> impl Iterator<Item = &str> {
    r#type
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != ':')
        .filter(|word| !word.is_empty() && !word.contains("::"))
}
