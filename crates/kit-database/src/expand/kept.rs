//! Proof that the second half loses no value of the old columns.

use crate::sql::{Statement, identifier, names_in};
use crate::{Check, Column, Rule, Table, local_name, names};

use super::links::{Links, refuse_rows};
use super::values::equal;

impl<'a> Links<'a> {
    /// Returns the old columns of a table that new columns replace, each with the rule that the new columns contain its value.
    fn kept_rules(&self, table: &Table) -> impl Iterator<Item = (&'a Column, String)> {
        let groups = self.groups.iter().filter(|group| group.table.name == table.name);
        groups.flat_map(|group| {
            group.old.iter().map(|old| {
                let rule = equal(old, &identifier(&old.name), &self.value(group.table, old));
                (*old, rule)
            })
        })
    }

    /// Returns the checks that the new columns contain all values of the old ones of a table.
    pub(super) fn losses(&self, table: &Table) -> Vec<Statement> {
        self.kept_rules(table)
            .map(|(old, rule)| refuse_loss(table, old, &rule))
            .collect()
    }

    /// Returns the constraints that let no row lose a value of the old columns of a table.
    pub(super) fn kept_constraints(&self, table: &Table) -> Vec<Check> {
        self.kept_rules(table)
            .filter(|(_, rule)| !has_query(rule))
            .map(|(old, rule)| Check {
                name: names::constraint(&[&local_name(&table.name), &old.name], "kit_kept"),
                column: String::new(),
                rule: Rule::Sql(rule),
            })
            .collect()
    }

    /// Returns the checks of rules that no constraint can have, with a lock: no row may change between the check and the
    /// removal of the columns.
    pub(super) fn losses_in_lock(&self, table: &Table) -> Vec<Statement> {
        let rules = self.kept_rules(table).filter(|(_, rule)| has_query(rule));
        let checks: Vec<Statement> = rules.map(|(old, rule)| refuse_loss(table, old, &rule)).collect();
        if checks.is_empty() {
            return checks;
        }
        let name = table.name.clone();
        std::iter::once(Statement::Lock { name }).chain(checks).collect()
    }
}

/// Returns the check that the new columns contain all values of an old column.
fn refuse_loss(table: &Table, old: &Column, rule: &str) -> Statement {
    let place = format!("{}.{}", table.name, old.name);
    refuse_rows(&place, "the new columns do not contain", rule, &table.name)
}

/// Returns true if an expression may contain a query, which PostgreSQL does not allow in a constraint.
fn has_query(sql: &str) -> bool {
    let words = ["select", "values", "table", "with"];
    names_in(sql).iter().any(|name| words.contains(&name.as_str()))
}
