//! Generates `db/<entity>.rs`: the statements of a table, and the functions that run them.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::{Stored, StoredColumn, is_bigint, is_uuid};
use crate::names;
use crate::print::{WIDTH, chain, doc, import, imports, signature};
use crate::types::Types;

/// Types of the runtime that columns may have.
pub(super) const RUNTIME: [&str; 6] = ["BigInt", "Bytes", "IndexMap", "Never", "Timestamp", "Value"];

/// Names of other parameters and variables in functions that have a key. A key parameter with such a name gets a
/// suffix.
const VARIABLES: [&str; 18] = [
    "app",
    "body",
    "changed",
    "changes",
    "data",
    "deleted",
    "done",
    "error",
    "filter",
    "found",
    "input",
    "limit",
    "new",
    "offset",
    "pool",
    "row_owner",
    "rows",
    "owner",
];

/// Names of the structs that the functions of a table accept.
pub(crate) struct StructNames {
    /// Values of a new row.
    pub(crate) new: String,
    /// Values that an update changes.
    pub(crate) changes: String,
    /// Values that filter a list.
    pub(crate) filter: String,
}

impl StructNames {
    /// Chooses the names. A model keeps its name if it is imported together with these structs: as the type of a
    /// column, or as the response of a handler.
    pub(super) fn new(model: &str, columns: &[StoredColumn<'_>], types: &mut Types<'_>) -> Self {
        let answers = types
            .program
            .routes
            .iter()
            .filter_map(|route| route.slots.response);
        let mut imported: BTreeSet<String> = answers.map(|id| types.name(id).to_owned()).collect();
        let columns = columns.iter().flat_map(|stored| words(stored.plain_type()));
        imported.extend(columns.map(str::to_owned));
        let mut free = |wanted: String| {
            let name = names::unique(wanted, |name| imported.contains(name));
            types.taken.insert(name.clone());
            name
        };
        Self {
            new: free(format!("New{model}")),
            changes: free(format!("{model}Changes")),
            filter: free(format!("{model}Filter")),
        }
    }
}

impl Stored<'_> {
    pub(super) fn module_text(&self) -> String {
        let entity = self.entity();
        let mut models = vec![entity.to_owned()];
        let mut runtime: Vec<String> = Vec::new();
        let all = self.columns.iter();
        let is_guarded = self.filters().any(|stored| stored.misfit("").is_some());
        if is_guarded || all.clone().any(StoredColumn::is_read_by_runtime) {
            runtime.push("sql".to_owned());
        }
        let owner = self.owner().map(|(column, _)| column);
        let compared: Vec<_> = self.key().chain(owner).collect();
        let written = self.inserted().chain(self.changed());
        let written: Vec<_> = written.chain(compared.iter().copied()).collect();
        for name in written.iter().flat_map(|stored| words(stored.plain_type())) {
            match name {
                name if self.hiding.contains(name) => models.push(name.to_owned()),
                name if RUNTIME.contains(&name) => runtime.push(name.to_owned()),
                "Vec" | "Option" | "Box" | "String" | "bool" | "i64" | "f64" => {}
                model => models.push(model.to_owned()),
            }
        }
        if compared.iter().any(|column| is_uuid(column)) {
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
        let StructNames { new, changes, filter } = &self.structs;
        let mut text = format!(
            "\n/// What an insert takes. What is left out gets its default.\n#[derive(Clone)]\npub struct {new} {{\n"
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
                "\n/// What an update changes. What is left out stays as it is.\n#[derive(Clone, Default)]\npub struct {changes} {{\n"
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
                "\n/// Which rows a list has. What is left out chooses all.\n#[derive(Clone, Default)]\npub struct {filter} {{\n"
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
        let filter = (!self.filters.is_empty()).then(|| format!("filter: &{}", self.structs.filter));
        let filters: Vec<_> = self
            .filters()
            .map(|stored| stored.bind(&format!("filter.{}", stored.field.name), true))
            .collect();
        let mut given = vec!["pool: &PgPool".to_owned()];
        given.extend(self.owner_given());
        given.extend(filter);
        let (counts, lists) = match self.owner() {
            None => ("How many rows there are.", "Some rows, in order."),
            Some(_) => (
                "Number of rows that belong to this owner.",
                "Some rows that belong to this owner, in order.",
            ),
        };
        let mut text = function(counts, "count", &given, "i64");
        let mut binds: Vec<_> = self.owner_bind().into_iter().collect();
        binds.extend(filters);
        let call = run("sqlx::query_scalar(COUNT)", &binds, ".fetch_one(pool)");
        let _ = write!(text, "{}    {call}\n}}\n", self.list_guard("0"));

        given.extend(["limit: i64", "offset: i64"].map(str::to_owned));
        let list = function(lists, "list", &given, &format!("Vec<{entity}>"));
        let mut paged = [".bind(limit)", ".bind(offset)"].map(str::to_owned).to_vec();
        paged.extend(binds);
        let call = run("sqlx::query_as(LIST)", &paged, ".fetch_all(pool)");
        text = format!("{list}{}    {call}\n}}\n{text}", self.list_guard("Vec::new()"));

        // `_new` avoids a warning if the insert uses no field, because the database generates all values of the row.
        let new = if self.inserted().next().is_none() {
            "_new"
        } else {
            "new"
        };
        let given = [
            "pool: &PgPool".to_owned(),
            format!("{new}: &{}", self.structs.new),
        ];
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

    /// Returns the parameter for each column of the key, with its type.
    pub(crate) fn key_parameters(&self) -> Vec<(String, &'static str)> {
        let is_only = self.key.len() == 1;
        let mut found: Vec<(String, &'static str)> = Vec::new();
        for (stored, r#type) in self.key().filter_map(|stored| Some((stored, stored.key_type()?))) {
            let mut name = if is_only { "id" } else { stored.field.name.as_str() }.to_owned();
            if VARIABLES.contains(&name.as_str()) {
                name.push_str("_key");
            }
            let name = names::unique(name, |taken| found.iter().any(|(known, _)| known == taken));
            found.push((name, r#type));
        }
        found
    }

    /// Returns the functions that read, change or delete one row by its key.
    fn functions_of_a_row(&self) -> String {
        let entity = self.entity();
        let parameters = self.key_parameters();
        let mut given = vec!["pool: &PgPool".to_owned()];
        given.extend(parameters.iter().map(|(name, r#type)| format!("{name}: {type}")));
        given.extend(self.owner_given());
        let mut key: Vec<_> = parameters
            .iter()
            .map(|(name, _)| format!(".bind({name})"))
            .collect();
        key.extend(self.owner_bind());
        let row = format!("Option<{entity}>");
        let whose = self.of_owner();
        let mut text = function(&format!("The row of that key{whose}."), "get", &given, &row);
        text.push_str(&self.guard("None"));
        let call = run("sqlx::query_as(GET)", &key, ".fetch_optional(pool)");
        let _ = write!(text, "    {call}\n}}\n");
        if self.is_updated() {
            let mut given = given.clone();
            given.push(format!("changes: &{}", self.structs.changes));
            let comment = format!("Changes the row of that key{whose}.");
            text.push_str(&function(&comment, "update", &given, &row));
            text.push_str(&self.guard("None"));
            let mut binds = key.clone();
            binds.extend(self.changed().flat_map(|stored| {
                stored.bind_optional(&format!("changes.{}", stored.field.name), stored.update_options())
            }));
            let call = run("sqlx::query_as(UPDATE)", &binds, ".fetch_optional(pool)");
            let _ = write!(text, "    {call}\n}}\n");
        }
        let comment = format!("Deletes the row of that key{whose}. Gives whether there was one.");
        text.push_str(&function(&comment, "delete", &given, "bool"));
        text.push_str(&self.guard("false"));
        let mut calls = key;
        calls.extend([".execute(pool)", ".await?"].map(str::to_owned));
        // The call follows `let done = ` on the same line, and is followed by the semicolon: 12 characters.
        let call = chain(4, "sqlx::query(DELETE)", &calls, 12);
        let _ = write!(
            text,
            "    let done = {call};\n    Ok(done.rows_affected() > 0)\n}}\n"
        );
        text
    }

    /// Returns statements that return early for a key or owner that PostgreSQL would refuse with an error.
    fn guard(&self, nothing: &str) -> String {
        let key: Vec<_> = self.key().zip(self.key_parameters()).collect();
        let uuids = key.iter().filter(|(stored, _)| is_uuid(stored));
        let mut uuids: Vec<_> = uuids.map(|(_, (name, _))| format!("!is_uuid({name})")).collect();
        let numbers = key.iter().filter(|(_, (_, r#type))| is_bigint(r#type));
        let mut numbers: Vec<_> = numbers
            .map(|(_, (name, _))| format!("i64::try_from({name}).is_err()"))
            .collect();
        let (uuid, number) = self.owner_misfits();
        uuids.extend(uuid);
        numbers.extend(number);
        Self::guarded(nothing, uuids, numbers)
    }

    /// Returns the same early returns for a function that accepts the owner and a filter.
    fn list_guard(&self, nothing: &str) -> String {
        let (uuid, number) = self.owner_misfits();
        let mut uuids: Vec<_> = uuid.into_iter().collect();
        let mut numbers: Vec<_> = number.into_iter().collect();
        for stored in self.filters() {
            let conditions = if is_uuid(stored) { &mut uuids } else { &mut numbers };
            conditions.extend(stored.misfit(&format!("filter.{}", stored.field.name)));
        }
        Self::guarded(nothing, uuids, numbers)
    }

    fn guarded(nothing: &str, uuids: Vec<String>, numbers: Vec<String>) -> String {
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
            if conditions.is_empty() {
                continue;
            }
            let flat = format!("    if {} {{\n", conditions.join(" || "));
            let head = if flat.len() <= WIDTH + 1 {
                flat
            } else {
                format!("    if {}\n    {{\n", conditions.join("\n        || "))
            };
            let _ = write!(
                text,
                "    // {comment}\n{head}        return Ok({nothing});\n    }}\n"
            );
        }
        text
    }
}

/// Wraps a type in the given number of `Option`s.
fn options(r#type: &str, count: usize) -> String {
    (0..count).fold(r#type.to_owned(), |inner, _| format!("Option<{inner}>"))
}

/// Returns the head of a function that queries the database.
fn function(comment: &str, name: &str, given: &[String], result: &str) -> String {
    let head = signature(
        0,
        &format!("pub async fn {name}"),
        given,
        &format!("Result<{result}, sqlx::Error>"),
    );
    format!("\n/// {comment}\n{head}\n")
}

/// Returns a query with its bound values and the method that runs it.
fn run(query: &str, binds: &[String], how: &str) -> String {
    let mut calls = binds.to_vec();
    calls.push(how.to_owned());
    calls.push(".await".to_owned());
    chain(4, query, &calls, 0)
}

/// Returns the names in a type that need an import: `IndexMap<String, Size>` has three. Names with a path need no
/// import.
fn words(r#type: &str) -> impl Iterator<Item = &str> {
    r#type
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != ':')
        .filter(|word| !word.is_empty() && !word.contains("::"))
}
