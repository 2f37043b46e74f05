//! `db/<entity>.rs`: the statements of a table, and the functions that run them.

use std::fmt::Write as _;

use kit_database::ColumnType;

use super::{Stored, StoredColumn};
use crate::print::{chain, doc, import, imports, signature};

impl Stored<'_> {
    pub(super) fn module_text(&self) -> String {
        let entity = self.entity();
        let mut models = vec![entity.to_owned()];
        let mut runtime: Vec<String> = Vec::new();
        let all = self.columns.iter();
        if all.clone().any(StoredColumn::is_read_by_runtime) {
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
        if self.key().any(is_uuid) {
            runtime.push("format::is_uuid".to_owned());
        }
        let mut text = format!("//! The table `{}`.\n\n", self.table.name);
        let mut items: Vec<String> = runtime
            .iter()
            .map(|item| format!("kit_runtime::{item}"))
            .collect();
        items.extend(["sqlx::postgres::PgRow", "sqlx::FromRow", "sqlx::PgPool"].map(str::to_owned));
        if !all.clone().all(StoredColumn::is_read_by_runtime) {
            items.push("sqlx::Row as _".to_owned());
        }
        text.push_str(&imports(items.iter().map(String::as_str)));
        text.push('\n');
        text.push_str(&import("crate::models", &models));
        text.push_str(&self.statements());
        text.push_str(&self.constraints_text());
        text.push_str(&self.structs());
        text.push_str(&self.functions());
        text
    }

    fn structs(&self) -> String {
        let entity = self.entity();
        let mut text = format!(
            "\n/// What an insert takes. What is left out gets its default.\n#[derive(Clone)]\npub struct New{entity} {{\n"
        );
        for stored in self.inserted() {
            text.push_str(&doc(4, stored.column.comment.as_deref()));
            let r#type = options(stored.plain_type(), stored.insert_options());
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
                let r#type = options(stored.plain_type(), stored.update_options());
                let _ = writeln!(text, "    pub {}: {type},", stored.field.name);
            }
            text.push_str("}\n");
        }
        if !self.filters.is_empty() {
            let _ = write!(
                text,
                "\n/// Which rows a list has. What is left out chooses all.\n#[derive(Clone, Default)]\npub struct {entity}Filter {{\n"
            );
            for stored in self.filters() {
                text.push_str(&doc(4, stored.column.comment.as_deref()));
                let r#type = options(stored.plain_type(), 1);
                let _ = writeln!(text, "    pub {}: {type},", stored.field.name);
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

    fn functions(&self) -> String {
        let entity = self.entity();
        let filter = (!self.filters.is_empty()).then(|| format!("filter: &{entity}Filter"));
        let filters: Vec<_> = self
            .filters()
            .map(|stored| stored.bind(&format!("filter.{}", stored.field.name), true))
            .collect();
        let mut given = vec!["pool: &PgPool".to_owned()];
        given.extend(filter);
        let mut text = function("How many rows there are.", "count", &given, "i64");
        let call = run("sqlx::query_scalar(COUNT)", &filters, ".fetch_one(pool)");
        let _ = write!(text, "    {call}\n}}\n");

        given.extend(["limit: i64", "offset: i64"].map(str::to_owned));
        let list = function("Some rows, in order.", "list", &given, &format!("Vec<{entity}>"));
        let mut binds = [".bind(limit)", ".bind(offset)"].map(str::to_owned).to_vec();
        binds.extend(filters);
        let call = run("sqlx::query_as(LIST)", &binds, ".fetch_all(pool)");
        text = format!("{list}    {call}\n}}\n{text}");

        let given = ["pool: &PgPool".to_owned(), format!("new: &New{entity}")];
        text.push_str(&function("Makes a row.", "insert", &given, entity));
        let binds: Vec<_> = self
            .inserted()
            .flat_map(|stored| {
                stored.bind_optional(&format!("new.{}", stored.field.name), stored.insert_options())
            })
            .collect();
        let call = run("sqlx::query_as(INSERT)", &binds, ".fetch_one(pool)");
        let _ = write!(text, "    {call}\n}}\n");
        if !self.key.is_empty() {
            text.push_str(&self.functions_of_a_row());
        }
        text
    }

    /// The parameter of each column of the key, and its type.
    pub(crate) fn key_parameters(&self) -> Vec<(&str, &'static str)> {
        let is_only = self.key.len() == 1;
        self.key()
            .filter_map(|stored| {
                let name = if is_only { "id" } else { stored.field.name.as_str() };
                Some((name, stored.key_type()?))
            })
            .collect()
    }

    /// What is done with one row, by its key.
    fn functions_of_a_row(&self) -> String {
        let entity = self.entity();
        let parameters = self.key_parameters();
        let mut given = vec!["pool: &PgPool".to_owned()];
        given.extend(parameters.iter().map(|(name, r#type)| format!("{name}: {type}")));
        let key: Vec<_> = parameters
            .iter()
            .map(|(name, _)| format!(".bind({name})"))
            .collect();
        let row = format!("Option<{entity}>");
        let mut text = function("The row of that key.", "get", &given, &row);
        text.push_str(&self.guard("None"));
        let call = run("sqlx::query_as(GET)", &key, ".fetch_optional(pool)");
        let _ = write!(text, "    {call}\n}}\n");
        if self.is_updated() {
            let mut given = given.clone();
            given.push(format!("changes: &{entity}Changes"));
            text.push_str(&function("Changes the row of that key.", "update", &given, &row));
            text.push_str(&self.guard("None"));
            let mut binds = key.clone();
            binds.extend(self.changed().flat_map(|stored| {
                stored.bind_optional(&format!("changes.{}", stored.field.name), stored.update_options())
            }));
            let call = run("sqlx::query_as(UPDATE)", &binds, ".fetch_optional(pool)");
            let _ = write!(text, "    {call}\n}}\n");
        }
        let comment = "Deletes the row of that key. Gives whether there was one.";
        text.push_str(&function(comment, "delete", &given, "bool"));
        text.push_str(&self.guard("false"));
        let mut calls = key;
        calls.extend([".execute(pool)", ".await?"].map(str::to_owned));
        // `let done = ` and the semicolon stand on the line too.
        let call = chain(4, "sqlx::query(DELETE)", &calls, 12);
        let _ = write!(
            text,
            "    let done = {call};\n    Ok(done.rows_affected() > 0)\n}}\n"
        );
        text
    }

    /// What keeps from the database what it would call an error.
    fn guard(&self, nothing: &str) -> String {
        let key: Vec<_> = self.key().zip(self.key_parameters()).collect();
        let uuids = key.iter().filter(|(stored, _)| is_uuid(stored));
        let uuids: Vec<_> = uuids.map(|(_, (name, _))| format!("!is_uuid({name})")).collect();
        let numbers = key.iter().filter(|(_, (_, r#type))| r#type.ends_with("BigInt"));
        let numbers: Vec<_> = numbers
            .map(|(_, (name, _))| format!("i64::try_from({name}).is_err()"))
            .collect();
        let mut text = String::new();
        for (comment, conditions) in [
            (
                "Text that is no UUID names no row; PostgreSQL would call it an error.",
                uuids,
            ),
            (
                "PostgreSQL would call a number that its `bigint` has no room for an error.",
                numbers,
            ),
        ] {
            if !conditions.is_empty() {
                let conditions = conditions.join(" || ");
                let _ = write!(
                    text,
                    "    // {comment}\n    if {conditions} {{\n        return Ok({nothing});\n    }}\n"
                );
            }
        }
        text
    }
}

fn is_uuid(stored: &StoredColumn<'_>) -> bool {
    stored.column.r#type == ColumnType::Uuid
}

/// A type behind so many `Option`s.
fn options(r#type: &str, count: usize) -> String {
    (0..count).fold(r#type.to_owned(), |inner, _| format!("Option<{inner}>"))
}

/// The head of a function that asks the database.
fn function(comment: &str, name: &str, given: &[String], result: &str) -> String {
    let head = signature(
        0,
        &format!("pub async fn {name}"),
        given,
        &format!("Result<{result}, sqlx::Error>"),
    );
    format!("\n/// {comment}\n{head}\n")
}

/// A query, what is bound to it, and how it is run.
fn run(query: &str, binds: &[String], how: &str) -> String {
    let mut calls = binds.to_vec();
    calls.push(how.to_owned());
    calls.push(".await".to_owned());
    chain(4, query, &calls, 0)
}

/// The names in a type: `IndexMap<String, Size>` has three. What is written with its path needs no import.
fn words(r#type: &str) -> impl Iterator<Item = &str> {
    r#type
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != ':')
        .filter(|word| !word.is_empty() && !word.contains("::"))
}
