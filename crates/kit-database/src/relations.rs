//! Names of the relations between tables, in both directions, for schema files of query builders.

use std::collections::BTreeSet;

use heck::ToUpperCamelCase;

use crate::typescript::{Names, unique};
use crate::{ForeignKey, Schema, Table};

/// Relation of a table to the rows of another table or of the same table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Relation<'a> {
    /// Name of the relation, unlike all properties of the table.
    pub(crate) name: String,
    /// Table with the related rows.
    pub(crate) other: &'a Table,
    /// Foreign key that connects the tables.
    pub(crate) key: &'a ForeignKey,
    /// Kind of the relation.
    pub(crate) kind: Kind,
    /// Name that both directions share, if more than one foreign key connects the two tables.
    pub(crate) shared: Option<String>,
}

/// Kind of a relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The foreign key belongs to the table: at most one row.
    Referenced,
    /// The foreign key belongs to the other table, and its values are unique: at most one row.
    Referring,
    /// The foreign key belongs to the other table: any number of rows.
    ReferringMany,
}

impl Relation<'_> {
    /// Returns pairs of equal columns: a column of the table, and one of the other table.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        let is_own = self.kind == Kind::Referenced;
        self.key
            .pairs()
            .map(move |(here, there)| if is_own { (here, there) } else { (there, here) })
    }
}

/// Returns the relations of a table. Relations by its own foreign keys come first.
pub(crate) fn of<'a>(schema: &'a Schema, names: &Names, table: &'a Table) -> Vec<Relation<'a>> {
    let mut used: BTreeSet<String> = table
        .columns
        .iter()
        .map(|column| column.source.property.clone())
        .collect();
    let mut found = Vec::new();
    for key in &table.foreign_keys {
        let Some(other) = schema.table(&key.table) else {
            continue;
        };
        found.push(Relation {
            name: String::new(),
            other,
            key,
            kind: Kind::Referenced,
            shared: shared(schema, names, table, key),
        });
    }
    for other in &schema.tables {
        for key in other.foreign_keys.iter().filter(|key| key.table == table.name) {
            found.push(Relation {
                name: String::new(),
                other,
                key,
                kind: if is_unique(other, &key.columns) {
                    Kind::Referring
                } else {
                    Kind::ReferringMany
                },
                shared: shared(schema, names, other, key),
            });
        }
    }
    for relation in &mut found {
        let other = names.variable(relation.other);
        let wanted = match relation.kind {
            Kind::Referenced => name(table, relation.other, relation.key),
            Kind::Referring | Kind::ReferringMany => {
                let stem = if relation.kind == Kind::Referring {
                    decapitalized(&relation.other.entity)
                } else {
                    other.to_owned()
                };
                match &relation.shared {
                    None => stem,
                    Some(_) => format!(
                        "{stem}By{}",
                        name(relation.other, table, relation.key).to_upper_camel_case()
                    ),
                }
            }
        };
        let rows = if relation.kind == Kind::ReferringMany {
            "Rows"
        } else {
            "Row"
        };
        relation.name = if used.insert(wanted.clone()) {
            wanted
        } else {
            unique(format!("{wanted}{rows}"), |name| used.insert(name.to_owned()))
        };
    }
    found
}

/// Returns the name of the row to which a foreign key refers: `author` for `authorId`, which refers to `User.id`.
fn name(table: &Table, target: &Table, key: &ForeignKey) -> String {
    let property = |table: &Table, column: &str| {
        table
            .column(column)
            .map_or_else(String::new, |column| column.source.property.clone())
    };
    let pairs: Vec<(String, String)> = key
        .pairs()
        .map(|(here, there)| (property(table, here), property(target, there)))
        .filter(|(here, there)| here != there)
        .collect();
    let entity = decapitalized(&target.entity);
    // A tenant has the same name in both tables, so it does not name the row.
    let [(here, there)] = pairs.as_slice() else {
        return entity;
    };
    let suffix = there.to_upper_camel_case();
    match here
        .strip_suffix(&suffix)
        .or_else(|| here.strip_suffix(&format!("_{there}")))
    {
        Some("") => entity,
        Some(stem) => stem.to_owned(),
        None => format!("{here}{}", target.entity),
    }
}

/// Returns the name for both directions of a relation if another foreign key connects the same tables.
fn shared(schema: &Schema, names: &Names, table: &Table, key: &ForeignKey) -> Option<String> {
    let connects = |from: &Table, to: &str| from.foreign_keys.iter().filter(|key| key.table == to).count();
    let target = schema.table(&key.table)?;
    let is_self = target.name == table.name;
    let number = connects(table, &target.name) + connects(target, &table.name);
    (number > 1 || is_self).then(|| format!("{}.{}", names.variable(table), key.columns.join("+")))
}

/// Returns true if no two rows have the same values in these columns.
fn is_unique(table: &Table, columns: &[String]) -> bool {
    let contains = |key: &[String]| key.iter().all(|column| columns.contains(column));
    let indexes = table.indexes.iter();
    let is_total = |index: &&crate::Index| index.unique && index.condition.is_none();
    contains(&table.primary_key)
        || table.uniques.iter().any(|unique| contains(&unique.columns))
        || indexes.filter(is_total).any(|index| contains(&index.columns))
}

fn decapitalized(name: &str) -> String {
    let mut letters = name.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}
