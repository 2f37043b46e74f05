//! Generates `db/` (the connection pool and, for each table, the five operations) and `migrations/` (the SQL that
//! creates the tables).

mod column;
mod constraints;
mod finder;
mod finders;
mod guards;
mod keyset;
mod module;
mod order;
mod owner;
mod parameter;
mod related;
mod related_filter;
mod replaced;
mod statements;
mod totals;

use std::collections::BTreeMap;

use kit_database::{
    Change, Column, ColumnDefault, ColumnType, Schema, Snapshot, Table, local_name, plan, sql,
};

use proc_macro2::TokenStream;
use quote::quote;

use crate::source::{allow_lints, declare_module, file_doc, order};
use crate::types::{Definition, Field, RustType, Types};
use crate::{File, Owner, names, settings};

pub(crate) use constraints::{Constraint, Rule};
pub(crate) use finder::ColumnParameter;
use module::StructNames;
use order::Sorted;
pub(crate) use owner::Rows;
pub(crate) use parameter::Parameter;
pub(crate) use related_filter::RelatedColumn;
use related_filter::RelatedFilter;

/// All tables of an application.
pub(crate) struct Database<'a> {
    schema: &'a Schema,
    pub(crate) tables: Vec<Stored<'a>>,
    /// True if options of the application are defaults of environment variables.
    has_settings: bool,
}

/// A table whose entity becomes a Rust struct.
pub(crate) struct Stored<'a> {
    pub(crate) table: &'a Table,
    /// Name of the struct of the entity.
    model: String,
    /// Name of the module below `db` with the statements of this table.
    pub(crate) module: String,
    pub(crate) columns: Vec<StoredColumn<'a>>,
    /// Indexes (into `columns`) of the primary key's columns. Empty if a column has a type that no function parameter
    /// can have.
    key: Vec<usize>,
    /// Columns by which lists filter rows, by their indexes in `columns`. The types of their fields are those of filters.
    filters: BTreeMap<usize, StoredColumn<'a>>,
    /// Columns of other tables by which lists filter rows.
    related_filters: Vec<RelatedFilter<'a>>,
    sorted: Sorted,
    /// True if a list reads the rows in pages with cursors.
    has_cursors: bool,
    /// True if a list reads the rows in pages with the number of all rows.
    has_totals: bool,
    /// True if a handler locks a row before the handler changes the row.
    is_locked: bool,
    /// Indexes of the columns for which a function reads the rows with one of several values.
    listed_by: Vec<usize>,
    /// Indexes of the columns for which a function deletes the rows with a value.
    deleted_by: Vec<usize>,
    /// True if a value of a row is secret, so that logs must not show it.
    has_secrets: bool,
    /// Rows that a request may read and change, as `@owner` of the entity declares.
    pub(crate) rows: Rows<'a>,
    /// Names of the structs in the module of the table. They differ from the names of all models that are
    /// imported in the same file.
    pub(crate) structs: StructNames,
}

/// A column, with the field of the entity's struct that has its values.
#[derive(Clone)]
pub(crate) struct StoredColumn<'a> {
    pub(crate) column: &'a Column,
    pub(crate) field: Field,
    kind: Kind,
    /// Inner type of the field's type if the field's type is a newtype.
    within: Option<RustType>,
    /// Type of the column in the database if hand-written SQL or an adopted database chose another type than kit, such as
    /// `inet` for a `string`.
    foreign_type: Option<String>,
}

/// Conversion between the Rust type of a field and its column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// No conversion: sqlx reads and binds the Rust type.
    Plain,
    /// An enum of strings, which is stored as text.
    Text,
    /// A type that is stored as JSON or in an array, which is read and bound as JSON.
    Json,
    /// A newtype whose inner value needs no conversion.
    Newtype,
}

impl<'a> Database<'a> {
    /// `committed` is the database after all migrations.
    pub(crate) fn new(schema: &'a Schema, committed: Option<&Snapshot>, types: &mut Types<'a>) -> Self {
        let mut tables = Vec::new();
        for table in &schema.tables {
            let Some((declaration, entity)) = types.program.declaration(&table.entity) else {
                continue;
            };
            let properties = types.program.properties(entity.r#type);
            let has_secrets = properties.iter().any(|property| property.tags.sensitive);
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
                    let model = field.r#type.without_option().model();
                    let definition = model.and_then(|model| types.definitions.get(model));
                    let kind = match column.r#type {
                        ColumnType::Jsonb | ColumnType::Array { .. } => Kind::Json,
                        _ if matches!(definition, Some(Definition::Texts(_))) => Kind::Text,
                        _ => Kind::Plain,
                    };
                    let within = match definition {
                        Some(Definition::Newtype(within)) => Some(within.clone()),
                        _ => None,
                    };
                    let kind = match kind {
                        Kind::Plain if within.is_some() => Kind::Newtype,
                        kind => kind,
                    };
                    // sqlx reads and writes the types of times alike.
                    let known = committed.filter(|_| !column.r#type.is_time());
                    Some(StoredColumn {
                        column,
                        field,
                        kind,
                        within,
                        foreign_type: known.and_then(|known| known.foreign_type(&table.name, column)),
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
            let module = names::unique(names::module(&model), |name| {
                tables.iter().any(|stored: &Stored<'_>| stored.module == name)
            });
            let entity = types.entity(declaration);
            let rows = Rows::new(entity.and_then(|entity| entity.owner.as_ref()), &columns);
            let structs = StructNames::new(&model, &columns, types);
            tables.push(Stored {
                has_secrets,
                rows,
                table,
                structs,
                model,
                module,
                columns,
                key: key.unwrap_or_default(),
                filters: BTreeMap::new(),
                related_filters: Vec::new(),
                sorted: Sorted::default(),
                has_cursors: false,
                has_totals: false,
                is_locked: false,
                listed_by: Vec::new(),
                deleted_by: Vec::new(),
            });
        }
        Self {
            schema,
            tables,
            has_settings: settings::has_defaults(types.program),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// Returns the table of the entity whose Rust struct has this name.
    pub(crate) fn of_entity(&self, entity: &str) -> Option<&Stored<'a>> {
        self.tables.iter().find(|stored| stored.entity() == entity)
    }

    /// Returns the table with this name in the database.
    pub(crate) fn table(&self, name: &str) -> Option<&Stored<'a>> {
        self.tables.iter().find(|stored| stored.table.name == name)
    }

    fn table_mut(&mut self, name: &str) -> Option<&mut Stored<'a>> {
        self.tables.iter_mut().find(|stored| stored.table.name == name)
    }

    /// Returns the table with this name, or else the only table with this name in another schema.
    pub(crate) fn table_called(&self, name: &str) -> Option<&Stored<'a>> {
        self.table(name).or_else(|| {
            let mut others = self
                .tables
                .iter()
                .filter(|stored| local_name(&stored.table.name) == name);
            others.next().filter(|_| others.next().is_none())
        })
    }

    /// Adds the columns of these properties to the columns by which lists of the table can filter. `has_cursors` is true
    /// if the list is read with cursors.
    pub(crate) fn filter_by(&mut self, table: &str, properties: &[String], has_cursors: bool) {
        let Some(stored) = self.table_mut(table) else {
            return;
        };
        stored.has_cursors |= has_cursors;
        for (place, column) in stored.columns.iter().enumerate() {
            if properties.contains(&column.field.property) {
                stored.filters.insert(place, column.as_filter());
            }
        }
    }

    /// Adds the columns of these properties to the columns by which lists of the table can be sorted.
    pub(crate) fn sort_by(&mut self, table: &str, properties: &[String]) {
        let Some(stored) = self.table_mut(table) else {
            return;
        };
        let columns = stored.columns.iter().enumerate();
        stored.sorted.add(
            columns
                .filter_map(|(place, column)| properties.contains(&column.field.property).then_some(place)),
        );
    }

    /// Adds the function that reads a row and locks the row.
    pub(crate) fn lock(&mut self, table: &str) {
        if let Some(stored) = self.table_mut(table) {
            stored.is_locked = true;
        }
    }

    pub(crate) fn files(&self) -> Vec<File> {
        if self.is_empty() {
            return Vec::new();
        }
        let mut files = vec![File::output("db/mod.rs", &self.index())];
        for stored in &self.tables {
            let file = stored.module.trim_start_matches("r#");
            files.push(File::output(format!("db/{file}.rs"), &stored.module_file()));
        }
        files.extend(self.migrations());
        files
    }

    fn index(&self) -> TokenStream {
        let mut modules: Vec<&str> = self.tables.iter().map(|stored| stored.module.as_str()).collect();
        modules.sort_by_key(|module| order(module));
        let modules = modules
            .into_iter()
            .map(|name| declare_module(&quote!(pub), "db", name));
        let mut comment = file_doc("The database: its connections, and a module for each table.");
        comment.extend(allow_lints(
            "Functions return the error of their statement. Tables decide comments, names and lengths.",
            &[
                "doc_markdown",
                "missing_errors_doc",
                "similar_names",
                "too_many_lines",
            ],
        ));
        // The timeout of statements is that of requests, so the settings must be known before the first connection.
        let use_defaults = self
            .has_settings
            .then(|| quote!(kit_runtime::set_defaults(&crate::router::SETTINGS);));
        quote! {
            #comment

            #(#modules)*

            use kit_runtime::Error;
            use sqlx::PgPool;

            /// Connects to the database that the variable `DATABASE_URL` names.
            pub async fn connect() -> Result<PgPool, Error> {
                #use_defaults
                let url = std::env::var("DATABASE_URL").unwrap_or_default();
                if url.trim().is_empty() {
                    let message = "DATABASE_URL is not set: name the database, as in postgres://localhost/app";
                    return Err(Error::internal(message));
                }
                kit_runtime::postgres::connect(&url).await
            }
        }
    }

    /// Returns migrations that create all tables in an empty database, one file for each table. A foreign key to a
    /// table that is created later is added in the file of that table.
    fn migrations(&self) -> Vec<File> {
        let Ok(plan) = plan(None, self.schema) else {
            return Vec::new();
        };
        let place = |name: &str| self.schema.tables.iter().position(|table| table.name == name);
        let mut statements = vec![Vec::new(); self.schema.tables.len()];
        for step in &plan.changes {
            let at = match &step.change {
                Change::CreateTable { table } => place(&table.name),
                Change::CreateSchema { .. } | Change::CreateExtension { .. } | Change::CreateEnum { .. } => {
                    Some(0)
                }
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

/// Converts a table name to a file name: characters other than letters and digits are replaced.
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

fn is_uuid(stored: &StoredColumn<'_>) -> bool {
    stored.column.r#type == ColumnType::Uuid
}

impl Stored<'_> {
    pub(crate) fn entity(&self) -> &str {
        &self.model
    }

    /// Returns the columns of the primary key.
    pub(crate) fn key(&self) -> impl Iterator<Item = &StoredColumn<'_>> {
        self.key.iter().map(|place| &self.columns[*place])
    }

    /// Returns the columns by which a list filters rows: first those of the table, then those of other tables.
    pub(crate) fn filters(&self) -> impl Iterator<Item = &StoredColumn<'_>> {
        self.filters.values().chain(self.related_filters())
    }

    /// Returns the columns for which an insert has a parameter.
    pub(crate) fn inserted(&self) -> impl Iterator<Item = &StoredColumn<'_>> {
        self.columns.iter().filter(|stored| {
            stored.column.default != Some(ColumnDefault::Identity) && !stored.column.source.on_update_now
        })
    }

    /// Returns the columns whose value is an expression in the SQL of the insert, such as the current time.
    fn generated_by_insert(&self) -> impl Iterator<Item = &StoredColumn<'_>> {
        self.columns.iter().filter(|stored| {
            let column = stored.column;
            let has_none = column.default.is_none() && !column.nullable;
            column.source.on_update_now && (has_none || column.is_written_now())
        })
    }

    /// Returns the columns that an update may set. The key is excluded, and the owner, so that no update gives a row
    /// to another owner.
    pub(crate) fn changed(&self) -> impl Iterator<Item = &StoredColumn<'_>> {
        self.columns.iter().filter(|stored| {
            !stored.is_generated()
                && !self.table.primary_key.contains(&stored.column.name)
                && !self.is_owner(stored)
        })
    }

    /// Returns true if the table has an `update` function, because an update may set at least one column.
    pub(crate) fn is_updated(&self) -> bool {
        !self.key.is_empty() && self.changed().next().is_some()
    }
}

#[cfg(test)]
mod tests {
    use kit_database::{ForeignObject, ObjectKind, Schema, Snapshot};
    use kit_test_programs::notes;

    use crate::{Committed, Options, generate};

    #[test]
    fn reads_and_writes_columns_of_an_adopted_database_by_their_types() {
        let program = notes::program();
        let (schema, _) = Schema::from_program(&program);
        let column = |name: &str, definition: &str| ForeignObject {
            kind: ObjectKind::Column,
            table: Some("notes".to_owned()),
            name: name.to_owned(),
            definition: Some(definition.to_owned()),
            uses: Vec::new(),
        };
        let foreign = vec![
            column("title", "character(3) NOT NULL"),
            column("content", "character varying NOT NULL"),
            column("author_id", "inet DEFAULT '::1'::inet NOT NULL"),
        ];
        let snapshot = Snapshot::recorded(None, schema.tables.clone(), foreign, None);
        let options = Options {
            name: "notes".to_owned(),
            output_dir: ".kit".to_owned(),
            migrations: vec![Committed {
                name: "20260101000000_baseline".to_owned(),
                snapshot: Some(snapshot.to_json()),
            }],
            ..Options::default()
        };
        let output = generate(&program, &options);
        assert_eq!(output.problems.len(), 0, "{:?}", output.problems);
        let file = output.files.iter().find(|file| file.path.ends_with("db/note.rs"));
        let text = file.map(|file| file.text.as_str()).unwrap_or_default();
        let statements = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in [
            "SELECT id, title, content, abbrev(author_id) AS author_id,",
            // PostgreSQL itself refuses a title with four letters. A cast would cut the title.
            "VALUES (COALESCE($1::uuid, gen_random_uuid()), $2, $3, $4::inet,",
            "author_id = COALESCE($4::inet, author_id)",
        ] {
            assert!(statements.contains(part), "{part} is not in {text}");
        }
    }

    #[test]
    fn generates_functions_and_no_handlers_for_rows_that_belong_to_tenants() {
        let mut program = notes::program();
        program.entities[0.into()].tenant = Some("title".to_owned());
        let options = Options {
            name: "notes".to_owned(),
            output_dir: ".kit".to_owned(),
            ..Options::default()
        };
        let output = generate(&program, &options);
        assert_eq!(output.problems.len(), 0, "{:?}", output.problems);
        let file = |end: &str| {
            let file = output.files.iter().find(|file| file.path.ends_with(end));
            file.map(|file| file.text.as_str()).unwrap_or_default()
        };
        let handlers = file("handlers/notes.rs");
        assert!(handlers.contains("belong to tenants"), "{handlers}");
        assert!(!handlers.contains("self.pool"), "{handlers}");
        let functions = file("db/note.rs");
        assert!(functions.contains("pub async fn"), "{functions}");
    }
}
