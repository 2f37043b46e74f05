//! Constraints of a table that an insert or an update can violate. Handlers refer to them by generated constants.

use kit_database::{ForeignKey, Unique};
use kit_ir::ReferentialAction;
use proc_macro2::TokenStream;
use quote::quote;

use super::{Database, Stored};
use crate::names;
use crate::source::{doc, ident, string_literal};

/// The condition that a constraint enforces.
#[derive(Clone, Copy)]
pub(crate) enum Rule<'a> {
    /// No two rows have the same values in these columns.
    Unique(&'a [String]),
    /// Columns refer to a row of another table or of the same table.
    Reference(&'a ForeignKey),
}

/// A constraint of a table, and the constant that generated code has for it.
pub(crate) struct Constraint<'a> {
    /// Name of the constant in the table's module.
    pub(crate) constant: String,
    /// Name of the constraint in the database.
    name: String,
    pub(crate) rule: Rule<'a>,
}

impl Constraint<'_> {
    /// Returns the columns of the constraint.
    pub(crate) fn columns(&self) -> Vec<&String> {
        match self.rule {
            Rule::Unique(columns) => columns.iter().collect(),
            Rule::Reference(key) => key.columns.iter().collect(),
        }
    }
}

impl Stored<'_> {
    /// Returns the constraints of the table that an insert or an update can violate.
    pub(crate) fn constraints(&self) -> Vec<Constraint<'_>> {
        let mut found: Vec<Constraint<'_>> = Vec::new();
        let mut add = |wanted: String, name: String, rule| {
            let constant = names::unique(wanted, |taken| found.iter().any(|known| known.constant == taken));
            found.push(Constraint { constant, name, rule });
        };
        if self.key().any(|stored| !stored.is_generated()) || self.key.is_empty() {
            let name = self.table.primary_key_name();
            add(
                "PRIMARY_KEY".to_owned(),
                name,
                Rule::Unique(&self.table.primary_key),
            );
        }
        for Unique { name, columns } in &self.table.uniques {
            let wanted = format!("{}_UNIQUE", constant(&columns.join("_")));
            add(wanted, name.clone(), Rule::Unique(columns));
        }
        for index in self.table.indexes.iter().filter(|index| index.unique) {
            let wanted = format!("{}_UNIQUE", constant(&index.columns.join("_")));
            add(wanted, index.name.clone(), Rule::Unique(&index.columns));
        }
        for key in &self.table.foreign_keys {
            let wanted = format!("{}_REFERENCE", constant(&key.columns.join("_")));
            add(wanted, key.name.clone(), Rule::Reference(key));
        }
        found
    }

    /// Returns generated code: a constant for each constraint, whose value is the name of the constraint.
    pub(super) fn constraint_names(&self) -> TokenStream {
        let constraints = self.constraints();
        let constants = constraints.iter().map(|Constraint { constant, name, rule }| {
            let comment = match rule {
                Rule::Unique([only]) => format!("No two rows have the same `{only}`."),
                Rule::Unique(columns) => format!("No two rows have the same `{}`.", columns.join("` and `")),
                Rule::Reference(key) => {
                    let verb = if key.columns.len() == 1 { "is" } else { "are" };
                    format!(
                        "`{}` {verb} the `{}` of a row of `{}`.",
                        key.columns.join("` and `"),
                        key.targets.join("` and `"),
                        key.table
                    )
                }
            };
            let (comment, constant, name) = (doc(&comment), ident(constant), string_literal(name));
            quote!(#comment pub const #constant: &str = #name;)
        });
        constants.collect()
    }
}

impl Database<'_> {
    /// Returns the foreign keys that prevent the deletion of a row of a table, each with the table that declares it.
    /// If PostgreSQL deletes further rows together with the row (`cascade`), the result includes the foreign keys to
    /// these rows.
    pub(crate) fn restricting(&self, table: &str) -> Vec<(&Stored<'_>, Constraint<'_>)> {
        let mut deleted = vec![table];
        let mut next = 0;
        let mut found = Vec::new();
        while let Some(table) = deleted.get(next).copied() {
            next += 1;
            for stored in &self.tables {
                for constraint in stored.constraints() {
                    let Rule::Reference(key) = constraint.rule else {
                        continue;
                    };
                    if key.table != table {
                        continue;
                    }
                    match key.actions.on_delete {
                        ReferentialAction::NoAction | ReferentialAction::Restrict => {
                            found.push((stored, constraint));
                        }
                        ReferentialAction::Cascade if !deleted.contains(&stored.table.name.as_str()) => {
                            deleted.push(&stored.table.name);
                        }
                        ReferentialAction::Cascade | ReferentialAction::SetNull => {}
                    }
                }
            }
        }
        found
    }

    /// Returns the foreign keys of other tables that can prevent an update of the table: they refer to `@unique`
    /// columns, and PostgreSQL refuses new values there while a row refers to the old values. Foreign keys to columns of the
    /// primary key are not included, because no update changes them.
    pub(crate) fn referring_to_changeable(&self, target: &Stored<'_>) -> Vec<(&Stored<'_>, Constraint<'_>)> {
        let mut found = Vec::new();
        for stored in &self.tables {
            if stored.table.name == target.table.name {
                continue;
            }
            for constraint in stored.constraints() {
                if let Rule::Reference(key) = constraint.rule
                    && key.table == target.table.name
                    && !key
                        .targets
                        .iter()
                        .all(|column| target.table.primary_key.contains(column))
                    && matches!(
                        key.actions.on_update,
                        ReferentialAction::NoAction | ReferentialAction::Restrict
                    )
                {
                    found.push((stored, constraint));
                }
            }
        }
        found
    }
}

fn constant(column: &str) -> String {
    names::plain_field(column).to_uppercase()
}
