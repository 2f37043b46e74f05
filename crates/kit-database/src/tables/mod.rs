//! Creates tables from entities.

mod checks;
mod column;
mod enums;
mod indexes;
pub(crate) mod pattern;
mod references;
mod storage;
mod unindexed;
mod unique_names;

use std::collections::{BTreeSet, HashMap};

use kit_diagnostics::{Code, Diagnostic, Diagnostics, Label, codes};
use kit_ir::{Declaration, DeclarationId, Entity, Program, Span};

use crate::{ColumnType, Index, Schema, Table, Unique, local_name, names, qualified};

impl Schema {
    /// Creates a table for every entity. A property that cannot be stored is reported and left out. If the diagnostics
    /// contain errors, the schema must not be written to files.
    pub fn from_program(program: &Program) -> (Self, Diagnostics) {
        let mut builder = Builder {
            program,
            by_name: program
                .declarations
                .iter_ids()
                .map(|(id, declaration)| (declaration.name.as_str(), id))
                .collect(),
            diagnostics: Diagnostics::default(),
        };
        let mut schema = Self {
            tables: builder.tables(),
        };
        references::resolve(&mut builder, &mut schema);
        checks::fit_final_types(&mut builder, &mut schema);
        unique_names::assign(&mut builder, &mut schema);
        enums::check_names(&mut builder, &schema);
        unindexed::warn(&mut builder, &schema);
        (schema, builder.diagnostics)
    }
}

/// State that all passes of [`Schema::from_program`] share.
struct Builder<'a> {
    program: &'a Program,
    /// Declarations by their names. Passes look up the declaration of each table.
    by_name: HashMap<&'a str, DeclarationId>,
    diagnostics: Diagnostics,
}

impl<'a> Builder<'a> {
    /// Returns the declaration with the given name.
    fn declaration(&self, name: &str) -> Option<(DeclarationId, &'a Declaration)> {
        let id = *self.by_name.get(name)?;
        Some((id, &self.program.declarations[id]))
    }

    fn tables(&mut self) -> Vec<Table> {
        let mut seen: HashMap<&str, Span> = HashMap::new();
        let mut tables = Vec::new();
        for entity in &self.program.entities {
            let declaration = &self.program.declarations[entity.declaration];
            if let Some(first) = seen.insert(&entity.table, declaration.span) {
                let diagnostic = self
                    .diagnostic(
                        codes::DUPLICATE_TABLE,
                        declaration.span,
                        format!("two entities are stored in the table `{}`", entity.table),
                    )
                    .label(self.secondary(first, "the first one"))
                    .help("give one of the entities another table name: `@table other_name`");
                self.diagnostics.push(diagnostic);
                continue;
            }
            self.check_table_name(&entity.table, declaration.span);
            tables.push(self.table(entity));
        }
        tables
    }

    /// Reports a schema or table name that PostgreSQL refuses or that has another meaning.
    fn check_table_name(&mut self, table: &str, span: Span) {
        let (schema, name) = qualified::parts(table);
        if let Some(reason) = names::invalid_reason(&name) {
            self.error(
                codes::UNUSABLE_NAME,
                span,
                format!("the table name `{name}` {reason}"),
                "name it: `@table shorter_name`",
            );
        }
        let Some(schema) = schema else {
            if names::HISTORY_TABLES.contains(&name.as_ref()) {
                self.error(
                    codes::UNUSABLE_NAME,
                    span,
                    format!(
                        "the table name `{name}` belongs to kit, which keeps its history of migrations there"
                    ),
                    "choose another name, or a schema: `@table app.other_name`",
                );
            }
            return;
        };
        let problem = if schema == "public" {
            // Tables without a schema may be in another one, and the same table must not have two names.
            Some((
                "is the one of tables without a schema".to_owned(),
                format!(
                    "write `@table {name}`, which means the first schema of the search_path: usually `public`"
                ),
            ))
        } else if schema.starts_with("pg_") || schema == "information_schema" {
            Some((
                "belongs to PostgreSQL".to_owned(),
                "choose another schema".to_owned(),
            ))
        } else {
            names::invalid_reason(&schema).map(|reason| (reason, "choose a shorter name".to_owned()))
        };
        if let Some((reason, help)) = problem {
            self.error(
                codes::UNUSABLE_NAME,
                span,
                format!("the schema `{schema}` of the table `{table}` {reason}"),
                help,
            );
        }
    }

    fn table(&mut self, entity: &'a Entity) -> Table {
        let program = self.program;
        let declaration = &program.declarations[entity.declaration];
        let mut table = Table {
            name: entity.table.clone(),
            entity: declaration.name.clone(),
            renamed_from: entity.renamed_from.clone(),
            comment: declaration.documentation.description.clone(),
            columns: Vec::new(),
            primary_key: Vec::new(),
            key_name: None,
            kept_names: BTreeSet::new(),
            uniques: Vec::new(),
            checks: Vec::new(),
            foreign_keys: Vec::new(),
            tenant: None,
            indexes: Vec::new(),
        };
        for property in program.properties(declaration.r#type) {
            let Some(stored) = self.column(&declaration.name, property) else {
                continue;
            };
            let column = &stored.column;
            if let Some(other) = table.column(&column.name) {
                let message = format!(
                    "`{}` and `{}` would both be the column `{}`",
                    other.source.property, property.name, column.name
                );
                self.error(
                    codes::UNUSABLE_NAME,
                    property.span,
                    message,
                    "name one of the columns: `@column other_name`",
                );
                continue;
            }
            if property.tags.id {
                table.primary_key.push(column.name.clone());
            }
            if property.tags.unique {
                table.uniques.push(Unique {
                    name: names::constraint(&[&local_name(&table.name), &column.name], "unique"),
                    columns: vec![column.name.clone()],
                });
            }
            if property.tags.index {
                table.indexes.push(Index {
                    name: names::constraint(&[&local_name(&table.name), &column.name], "idx"),
                    columns: vec![column.name.clone()],
                    ..Index::default()
                });
            }
            let place = format!("`{}.{}`", declaration.name, property.name);
            for condition in &property.tags.checks {
                let name = names::constraint(&[&local_name(&table.name), &column.name], "check");
                table.checks.extend(self.check(
                    (&place, &table.name),
                    property.span,
                    name,
                    &column.name,
                    condition,
                ));
            }
            table.checks.extend(checks::of(&table.name, &stored));
            table.columns.push(stored.column);
        }
        // A key without a column already has an error of its own.
        let has_id = || {
            let mut properties = program.properties(declaration.r#type).iter();
            properties.any(|property| property.tags.id)
        };
        if table.primary_key.is_empty() && !has_id() {
            self.error(
                codes::MISSING_ID,
                declaration.span,
                format!("the entity `{}` has no `@id`", declaration.name),
                "put `@id` on the property that identifies a row: `/** @id @generated uuid */ id: string;`",
            );
        }
        if let Some(property) = &entity.tenant {
            table.tenant = self.tenant(&table, property, declaration.span);
        }
        // An index may include columns of later properties.
        for property in program.properties(declaration.r#type) {
            for index in &property.tags.indexes {
                let of_property = [property.name.clone()];
                table
                    .indexes
                    .extend(self.index(entity, &table, index, &of_property, property.span));
            }
        }
        for index in &entity.indexes {
            let columns = index.columns.iter().map(|column| column.property.clone());
            let properties: Vec<String> = columns.collect();
            table
                .indexes
                .extend(self.index(entity, &table, index, &properties, declaration.span));
        }
        for (name, condition) in &entity.checks {
            let place = format!("`{}`", declaration.name);
            if self.is_usable("check", name, declaration.span) {
                table.checks.extend(self.check(
                    (&place, &table.name),
                    declaration.span,
                    name.clone(),
                    "",
                    condition,
                ));
            }
        }
        for (name, properties) in &entity.uniques {
            if let Some(columns) = self.composite(entity, &table, "unique constraint", name, properties) {
                let name = name.clone();
                table.uniques.push(Unique { name, columns });
            }
        }
        table.leave_out_key();
        table
    }

    /// Returns the columns of an index or constraint that is declared on the interface, or `None` if an error was
    /// reported.
    fn composite(
        &mut self,
        entity: &Entity,
        table: &Table,
        what: &str,
        name: &str,
        properties: &[String],
    ) -> Option<Vec<String>> {
        let span = self.program.declarations[entity.declaration].span;
        if !self.is_usable(what, name, span) {
            return None;
        }
        let mut columns = Vec::new();
        for property in properties {
            match table.column_of(property) {
                Some(column) if columns.contains(&column.name) => self.error(
                    codes::UNKNOWN_REFERENCE,
                    span,
                    format!("the {what} `{name}` names `{property}` twice"),
                    "name each property once",
                ),
                Some(column) => columns.push(column.name.clone()),
                None => self.error(
                    codes::UNKNOWN_REFERENCE,
                    span,
                    format!(
                        "the {what} `{name}` names `{property}`, but `{}` has no property with this name",
                        table.entity
                    ),
                    "write the names of properties of the interface, not of columns",
                ),
            }
        }
        (columns.len() == properties.len() && !columns.is_empty()).then_some(columns)
    }

    /// Returns the column of a `@tenant`, or `None` if an error was reported.
    fn tenant(&mut self, table: &Table, property: &str, span: Span) -> Option<String> {
        let column = table.column_of(property)?;
        let fits = column.r#type == ColumnType::Uuid || column.r#type.is_text() || column.r#type.is_whole();
        if fits && !column.nullable {
            return Some(column.name.clone());
        }
        let found = if column.nullable {
            "may be null".to_owned()
        } else {
            format!("is stored as `{}`", column.r#type)
        };
        self.error(
            codes::UNSUPPORTED_COLUMN,
            span,
            format!("`{}.{property}` {found}, but it is the `@tenant`", table.entity),
            "each row needs one tenant: use a `string`, a `bigint` or a number with `@integer`, without `?` and `null`",
        );
        None
    }

    /// Returns true if PostgreSQL accepts a name from the user. Otherwise reports the name.
    fn is_usable(&mut self, what: &str, name: &str, span: Span) -> bool {
        let reason = names::invalid_reason(name);
        if let Some(reason) = &reason {
            self.error(
                codes::UNUSABLE_NAME,
                span,
                format!("the name `{name}` of the {what} {reason}"),
                "choose a shorter name",
            );
        }
        reason.is_none()
    }

    fn diagnostic(&self, code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, message).label(
            Label::primary(self.program.path(span), span.start as usize..span.end as usize)
                .at(span.line, span.column),
        )
    }

    fn secondary(&self, span: Span, message: &str) -> Label {
        Label::secondary(self.program.path(span), span.start as usize..span.end as usize)
            .at(span.line, span.column)
            .message(message)
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>, help: impl Into<String>) {
        let diagnostic = self.diagnostic(code, span, message).help(help);
        self.diagnostics.push(diagnostic);
    }
}
