//! Tags for unique constraints, indexes and checks of a table.

use std::collections::{BTreeMap, BTreeSet};

use super::literals::listed;
use super::names::is_name;
use super::{PulledColumn, PulledTable, indexes, rules};
use crate::{local_name, names};

/// Tags of a table.
#[derive(Default)]
pub(super) struct Tags<'a> {
    /// Tags of the interface.
    pub(super) own: Vec<String>,
    /// Tags of properties, by the names of their columns.
    pub(super) on_columns: BTreeMap<&'a str, Vec<String>>,
}

impl<'a> Tags<'a> {
    fn add(&mut self, column: &PulledColumn<'a>, tag: String) {
        self.on_columns.entry(column.name).or_default().push(tag);
    }
}

/// Returns the tags for the unique constraints, indexes and checks of a table. A constraint or an index that no tag can
/// express has no tag.
pub(super) fn tags<'a>(table: &PulledTable<'a>) -> Tags<'a> {
    let mut found = Tags::default();
    // kit derives a name for a tag of a property, so a property has at most one tag of each kind.
    let mut named: BTreeSet<(&str, bool)> = BTreeSet::new();
    let mut uniques: BTreeSet<Vec<String>> = BTreeSet::new();
    for (name, columns) in table.uniques() {
        // The columns of `@id` are unique without a tag.
        if columns == table.key || !uniques.insert(columns.clone()) {
            continue;
        }
        let Some(parts) = table.columns_of(&columns) else {
            continue;
        };
        if let [column] = parts.as_slice() {
            named.insert((column.name, true));
            found.add(column, "@unique".to_owned());
        } else if is_name(name) && parts.iter().all(|column| is_name(&column.property)) {
            let properties: Vec<&str> = parts.iter().map(|column| column.property.as_str()).collect();
            found
                .own
                .push(format!("@unique {name} ({})", properties.join(", ")));
        }
    }
    if !table.has_all_tags {
        return found;
    }
    let mut indexed: BTreeSet<&str> = BTreeSet::new();
    for (name, definition) in &table.indexes {
        let Some(index) = indexes::index(table.name, name, definition) else {
            continue;
        };
        let is_possible = (!index.unique || index.condition.is_some())
            && indexes::fits(&index, |column| table.column(column))
            && index
                .condition
                .as_deref()
                .is_none_or(|condition| table.has_columns_of(condition));
        if !is_possible || !indexed.insert(definition) {
            continue;
        }
        let property = |column: &str| table.column(column).map(|column| column.property.clone());
        let single = match index.columns.as_slice() {
            [column] => table.column(column),
            _ => None,
        };
        match single.filter(|column| named.insert((column.name, index.unique))) {
            Some(column) => {
                if let Some(tag) = indexes::tag(&index, "", property) {
                    found.add(column, tag);
                }
            }
            None => found.own.extend(indexes::tag(&index, name, property)),
        }
    }
    checks(table, &mut found);
    found
}

fn checks<'a>(table: &PulledTable<'a>, found: &mut Tags<'a>) {
    // A check that lists the values of a text is the type of its property.
    let is_union = |definition: &str| {
        table
            .columns
            .iter()
            .any(|column| column.is_union() && listed(definition, column.name).is_some())
    };
    let rule = |definition: &str| {
        table
            .columns
            .iter()
            .find_map(|column| Some((column, rules::rule(definition, column)?)))
    };
    // kit makes one check of all bounds of a column.
    let has_one_rule = |wanted: &PulledColumn<'_>| {
        let all = table
            .constraints
            .iter()
            .filter_map(|(_, definition)| rule(definition));
        all.filter(|(column, _)| column.name == wanted.name).count() == 1
    };
    for (name, definition) in &table.constraints {
        if is_union(definition) {
            continue;
        }
        if let Some((column, tag)) = rule(definition)
            && has_one_rule(column)
        {
            // Rules stand before the indexes.
            found.on_columns.entry(column.name).or_default().insert(0, tag);
            continue;
        }
        let Some(condition) =
            indexes::condition_of(definition).filter(|condition| table.has_columns_of(condition))
        else {
            continue;
        };
        let of_column = |column: &&PulledColumn<'_>| {
            names::constraint(&[&local_name(table.name), column.name], "check") == *name
        };
        match table.columns.iter().find(of_column) {
            Some(column) => found.add(column, format!("@check {condition}")),
            None if indexes::is_word(name) => found.own.push(format!("@check {name} ({condition})")),
            None => {}
        }
    }
}
