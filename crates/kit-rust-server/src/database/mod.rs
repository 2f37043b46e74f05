//! `db/`: the pool, and for each table the five operations; `migrations/`: what makes the tables.

mod constraints;
mod module;
mod statements;

use std::fmt::Write as _;

use kit_database::{Change, Column, ColumnDefault, ColumnType, Schema, Table, plan, sql};

use crate::types::{Definition, Field, Types};
use crate::{File, Owner, names};

pub(crate) use constraints::{Constraint, Rule};

/// The tables of a program.
pub(crate) struct Database<'a> {
    schema: &'a Schema,
    pub(crate) tables: Vec<Stored<'a>>,
}

/// A table whose entity has a struct.
pub(crate) struct Stored<'a> {
    pub(crate) table: &'a Table,
    /// The entity's name in Rust.
    model: String,
    /// The module below `db`.
    pub(crate) module: String,
    pub(crate) columns: Vec<StoredColumn<'a>>,
    /// The columns of the primary key; none where a function cannot take their values.
    key: Vec<usize>,
    /// The columns by which routes choose rows.
    filters: Vec<usize>,
}

/// A column and the field that it stores.
pub(crate) struct StoredColumn<'a> {
    pub(crate) column: &'a Column,
    pub(crate) field: Field,
    kind: Kind,
    /// What a named type is around.
    within: Option<String>,
}

/// How a value goes into the database.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// As it is.
    Plain,
    /// An enum of texts.
    Text,
    /// JSON.
    Json,
    /// A named type around one that goes as it is.
    Newtype,
}

impl<'a> Database<'a> {
    pub(crate) fn new(schema: &'a Schema, types: &mut Types<'_>) -> Self {
        let mut tables = Vec::new();
        for table in &schema.tables {
            let Some((declaration, _)) = types.program.declaration(&table.entity) else {
                continue;
            };
            let model = types.name(declaration).to_owned();
            let Some(fields) = types.structs.get(&model).cloned() else {
                continue;
            };
            let columns: Vec<_> = table
                .columns
                .iter()
                .filter_map(|column| {
                    let field = fields
                        .iter()
                        .find(|field| field.property == column.source.property)?
                        .clone();
                    let inner = inner(&field.r#type);
                    let kind = match column.r#type {
                        ColumnType::Jsonb => Kind::Json,
                        _ if matches!(types.definitions.get(inner), Some(Definition::Texts(_))) => Kind::Text,
                        _ => Kind::Plain,
                    };
                    let within = match types.definitions.get(inner) {
                        Some(Definition::Newtype(within)) => Some(within.clone()),
                        _ => None,
                    };
                    let kind = match kind {
                        Kind::Plain if within.is_some() => Kind::Newtype,
                        kind => kind,
                    };
                    Some(StoredColumn {
                        column,
                        field,
                        kind,
                        within,
                    })
                })
                .collect();
            let key: Option<Vec<usize>> = table
                .primary_key
                .iter()
                .map(|name| {
                    let place = columns.iter().position(|stored| stored.column.name == *name)?;
                    columns[place].key_type().map(|_| place)
                })
                .collect();
            let module = names::module(&model);
            tables.push(Stored {
                table,
                model,
                module,
                columns,
                key: key.unwrap_or_default(),
                filters: Vec::new(),
            });
        }
        Self { schema, tables }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// The table of an entity.
    pub(crate) fn of_entity(&self, entity: &str) -> Option<&Stored<'a>> {
        self.tables.iter().find(|stored| stored.entity() == entity)
    }

    /// The table of that name.
    pub(crate) fn table(&self, name: &str) -> Option<&Stored<'a>> {
        self.tables.iter().find(|stored| stored.table.name == name)
    }

    /// Lets lists of a table choose rows by the columns of these properties.
    pub(crate) fn filter_by(&mut self, table: &str, properties: &[String]) {
        let Some(stored) = self.tables.iter_mut().find(|stored| stored.table.name == table) else {
            return;
        };
        for (place, column) in stored.columns.iter().enumerate() {
            if properties.contains(&column.field.property) && !stored.filters.contains(&place) {
                stored.filters.push(place);
            }
        }
        stored.filters.sort_unstable();
    }

    pub(crate) fn files(&self) -> Vec<File> {
        if self.is_empty() {
            return Vec::new();
        }
        let mut files = vec![File::output("db/mod.rs", &self.index())];
        for stored in &self.tables {
            let file = stored.module.trim_start_matches("r#");
            files.push(File::output(format!("db/{file}.rs"), &stored.module_text()));
        }
        files.extend(self.migrations());
        files
    }

    fn index(&self) -> String {
        let mut text = String::from("//! The database: its connections, and a module for each table.\n\n");
        let mut modules: Vec<&str> = self.tables.iter().map(|stored| stored.module.as_str()).collect();
        modules.sort_unstable_by_key(|module| module.trim_start_matches("r#"));
        for module in modules {
            let _ = writeln!(text, "pub mod {module};");
        }
        text.push_str(
            "\nuse kit_runtime::Error;\nuse sqlx::PgPool;\nuse sqlx::postgres::PgPoolOptions;\n\n/// How many connections there are at most.\nconst CONNECTIONS: u32 = 10;\n\n/// Connects to the database that `DATABASE_URL` names.\npub async fn connect() -> Result<PgPool, Error> {\n    let url = std::env::var(\"DATABASE_URL\").unwrap_or_default();\n    if url.is_empty() {\n        let message = \"DATABASE_URL is not set: name the database, as in postgres://localhost/app\";\n        return Err(Error::internal(message));\n    }\n    let pool = PgPoolOptions::new()\n        .max_connections(CONNECTIONS)\n        .connect(&url)\n        .await?;\n    Ok(pool)\n}\n",
        );
        text
    }

    /// What makes the tables of an empty database, a file a table. A reference to a table that is made later stands in that one's file.
    fn migrations(&self) -> Vec<File> {
        let Ok(plan) = plan(None, self.schema) else {
            return Vec::new();
        };
        let place = |name: &str| self.schema.tables.iter().position(|table| table.name == name);
        let mut statements = vec![Vec::new(); self.schema.tables.len()];
        for step in &plan.changes {
            let at = match &step.change {
                Change::CreateTable { table } => place(&table.name),
                Change::AddForeignKey { table, foreign_key } => place(table).max(place(&foreign_key.table)),
                Change::AddUnique { table, .. }
                | Change::AddCheck { table, .. }
                | Change::CreateIndex { table, .. }
                | Change::SetComment { table, .. } => place(table),
                _ => Some(statements.len() - 1),
            };
            if let Some(list) = at.and_then(|at| statements.get_mut(at)) {
                list.extend(step.change.statements());
            }
        }
        let tables = self.schema.tables.iter().zip(statements).enumerate();
        tables
            .map(|(number, (table, statements))| File {
                path: format!(
                    "migrations/{:012}_create_{}.sql",
                    number + 1,
                    file_name(&table.name)
                ),
                text: format!(
                    "-- Generated by @kit/plugin-rust-server. Do not edit.\n\n{}",
                    sql::print(&statements)
                ),
                owner: Owner::Output,
            })
            .collect()
    }
}

/// A table's name as a part of a file's.
fn file_name(table: &str) -> String {
    let plain = |letter: char| {
        if letter.is_ascii_alphanumeric() {
            letter
        } else {
            '_'
        }
    };
    table.chars().map(plain).collect()
}

/// Whether values of a type are copied where others are borrowed.
fn is_copied(r#type: &str) -> bool {
    let name = r#type.trim_start_matches("kit_runtime::");
    matches!(name, "bool" | "i64" | "f64" | "Timestamp")
}

/// The type within an `Option`.
fn inner(r#type: &str) -> &str {
    r#type
        .strip_prefix("Option<")
        .and_then(|rest| rest.strip_suffix('>'))
        .unwrap_or(r#type)
}

impl StoredColumn<'_> {
    /// The column in a list of what a query gives.
    fn selected(&self) -> String {
        let name = sql::identifier(&self.column.name);
        match self.column.r#type {
            // A whole number is 64 bits wide in Rust, and any other one a double, however narrow its column is.
            ColumnType::Integer | ColumnType::BigInt | ColumnType::DoublePrecision => {
                match (self.scalar(), self.column.r#type) {
                    ("i64", ColumnType::BigInt) | ("f64", ColumnType::DoublePrecision) => name,
                    ("i64", _) => format!("{name}::int8 AS {name}"),
                    _ => format!("{name}::float8 AS {name}"),
                }
            }
            _ => name,
        }
    }

    /// What stands for a parameter, of the column's type.
    fn parameter(&self, number: usize) -> String {
        match self.column.r#type {
            ColumnType::Uuid => format!("${number}::uuid"),
            ColumnType::Integer => format!("${number}::int4"),
            _ => format!("${number}"),
        }
    }

    /// What stands for a parameter that a column is compared with. A whole number of any size is no match at worst.
    fn compared(&self, number: usize) -> String {
        match self.column.r#type {
            ColumnType::Integer => format!("${number}"),
            _ => self.parameter(number),
        }
    }

    /// Whether a function of the runtime reads it, which knows more than PostgreSQL's type says.
    fn is_read_by_runtime(&self) -> bool {
        matches!(self.kind, Kind::Text | Kind::Json) || self.column.r#type == ColumnType::Uuid
    }

    /// The field's value in a row.
    fn read(&self) -> String {
        let name = names::text(&self.column.name);
        let is_option = self.field.optional || self.field.r#type.starts_with("Option<");
        let is_uuid = self.column.r#type == ColumnType::Uuid;
        let uuid = format!(
            "sql::{}uuid(row, {name})?",
            if is_option { "optional_" } else { "" }
        );
        let value = match self.kind {
            Kind::Plain if is_uuid => uuid,
            Kind::Plain => format!("row.try_get({name})?"),
            Kind::Text => format!("sql::text(row, {name})?"),
            Kind::Json => format!("sql::json(row, {name})?"),
            Kind::Newtype if is_uuid && is_option => format!("{uuid}.map({})", self.plain_type()),
            Kind::Newtype if is_uuid => format!("{}({uuid})", self.plain_type()),
            Kind::Newtype if is_option => {
                let (outer, within) = (self.plain_type(), self.scalar());
                format!("row.try_get::<Option<{within}>, _>({name})?.map({outer})")
            }
            Kind::Newtype => format!("{}(row.try_get({name})?)", self.plain_type()),
        };
        // Null is a value of such a property, and not its absence.
        if self.field.optional && self.field.r#type.starts_with("Option<") {
            format!("Some({value})")
        } else {
            value
        }
    }

    /// The type of a parameter by which a row is named.
    pub(crate) fn key_type(&self) -> Option<&'static str> {
        match self.field.r#type.as_str() {
            "String" if self.kind == Kind::Plain => Some("&str"),
            "i64" => Some("i64"),
            "f64" => Some("f64"),
            "BigInt" if self.kind == Kind::Plain => Some("&BigInt"),
            "kit_runtime::BigInt" => Some("&kit_runtime::BigInt"),
            _ => None,
        }
    }

    /// The type that PostgreSQL's is read as.
    fn scalar(&self) -> &str {
        self.within.as_deref().unwrap_or(self.plain_type())
    }

    /// The type of a value that a statement takes, where null cannot be meant.
    pub(crate) fn plain_type(&self) -> &str {
        inner(&self.field.r#type)
    }

    /// Binds a value, which is behind an `Option` or not.
    fn bind(&self, value: &str, optional: bool) -> String {
        match (self.kind, optional) {
            (Kind::Plain, _) if self.is_copied() => format!(".bind({value})"),
            (Kind::Plain, _) => format!(".bind(&{value})"),
            (Kind::Text, false) => format!(".bind({value}.as_str())"),
            (Kind::Text, true) => format!(".bind({value}.map({}::as_str))", self.plain_type()),
            (Kind::Json, false) => format!(".bind(sqlx::types::Json(&{value}))"),
            (Kind::Json, true) => format!(".bind({value}.as_ref().map(sqlx::types::Json))"),
            (Kind::Newtype, false) => format!(".bind({}{value}.0)", self.borrowed()),
            (Kind::Newtype, true) => {
                format!(".bind({value}.as_ref().map(|value| {}value.0))", self.borrowed())
            }
        }
    }

    /// What stands before a value within a named type that is bound.
    fn borrowed(&self) -> &'static str {
        if is_copied(self.scalar()) { "" } else { "&" }
    }

    /// Whether its values are copied where others are borrowed.
    fn is_copied(&self) -> bool {
        match self.kind {
            Kind::Plain => is_copied(self.plain_type()),
            Kind::Text => true,
            Kind::Json | Kind::Newtype => false,
        }
    }

    /// How many `Option`s an insert has around its value: one where it may be left out, two where null is more than that.
    pub(crate) fn insert_options(&self) -> usize {
        usize::from(self.column.nullable) + usize::from(self.column.default.is_some())
    }

    /// The same for an update, which may leave out everything.
    pub(crate) fn update_options(&self) -> usize {
        1 + usize::from(self.column.nullable)
    }

    /// Whether a list can choose rows by it.
    pub(crate) fn is_comparable(&self) -> bool {
        self.kind != Kind::Json
    }

    /// Binds a value that is behind so many `Option`s, and before it whether it is there at all where null is a value.
    fn bind_optional(&self, value: &str, options: usize) -> Vec<String> {
        if options < 2 {
            return vec![self.bind(value, options == 1)];
        }
        let flat = if self.is_copied() {
            format!("{value}.flatten()")
        } else {
            format!("{value}.clone().flatten()")
        };
        let bound = match self.kind {
            Kind::Plain => format!(".bind({flat})"),
            Kind::Text => format!(".bind({flat}.map({}::as_str))", self.plain_type()),
            Kind::Json => format!(".bind({flat}.map(sqlx::types::Json))"),
            Kind::Newtype => format!(".bind({flat}.map(|value| value.0))"),
        };
        vec![format!(".bind({value}.is_some())"), bound]
    }

    /// Whether the database makes its values, and nobody changes them.
    pub(crate) fn is_made(&self) -> bool {
        self.column.source.on_update_now
            || matches!(
                self.column.default,
                Some(ColumnDefault::Now | ColumnDefault::RandomUuid | ColumnDefault::Identity)
            )
    }
}

impl Stored<'_> {
    pub(crate) fn entity(&self) -> &str {
        &self.model
    }

    /// The columns of the primary key.
    pub(crate) fn key(&self) -> impl Iterator<Item = &StoredColumn<'_>> {
        self.key.iter().map(|place| &self.columns[*place])
    }

    /// The columns by which a list chooses rows.
    pub(crate) fn filters(&self) -> impl Iterator<Item = &StoredColumn<'_>> {
        self.filters.iter().map(|place| &self.columns[*place])
    }

    /// The columns that an insert may name.
    pub(crate) fn inserted(&self) -> impl Iterator<Item = &StoredColumn<'_>> {
        self.columns.iter().filter(|stored| {
            stored.column.default != Some(ColumnDefault::Identity) && !stored.column.source.on_update_now
        })
    }

    /// The columns that an insert has to make itself.
    fn made_by_insert(&self) -> impl Iterator<Item = &StoredColumn<'_>> {
        self.columns.iter().filter(|stored| {
            let column = stored.column;
            column.source.on_update_now && column.default.is_none() && !column.nullable
        })
    }

    /// The columns that an update may name.
    pub(crate) fn changed(&self) -> impl Iterator<Item = &StoredColumn<'_>> {
        self.columns
            .iter()
            .filter(|stored| !stored.is_made() && !self.table.primary_key.contains(&stored.column.name))
    }

    /// Whether there is something to update.
    pub(crate) fn is_updated(&self) -> bool {
        !self.key.is_empty() && self.changed().next().is_some()
    }
}
