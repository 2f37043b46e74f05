//! Columns of the two builds that have the same meaning, and the SQL that computes each from the other.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use kit_ir::LiteralValue;

use crate::expansion::UndoCheck;
use crate::online::{all_satisfy, converted};
use crate::sql::{
    Statement, condition, identifier, is_timestamp_conversion, names_in, relation, string_literal,
};
use crate::{Column, ColumnDefault, ColumnType, Problem, Rule, Table, local_name};

use super::Using;
use super::pair::Pair;
use super::refuse::{own_migration, refuse_fill};
use super::shape::Shape;
use super::values::{differ, equal, plain_default, unbounded};

/// Columns of the old build, and the columns of the new build that replace them.
pub(super) struct Group<'a> {
    /// Table before the migration.
    pub(super) table: &'a Table,
    /// Table after the migration.
    after: &'a Table,
    pub(super) old: Vec<&'a Column>,
    pub(super) new: Vec<&'a Column>,
    /// True if the type stays and kit wrote both expressions, so that the column only gets another name.
    is_rename: bool,
    /// True if kit wrote the expressions of both columns.
    has_own_expressions: bool,
}

impl Group<'_> {
    /// Returns true if an inserted row shows which build inserted the row, or if the answer makes no difference.
    fn shows_writer(&self) -> bool {
        let is_given = |columns: &[&Column]| {
            columns.iter().all(|column| column.default.is_none())
                && columns.iter().any(|column| !column.nullable)
        };
        let mut all = self.old.iter().chain(&self.new);
        let same_default = (self.is_rename || self.has_enum() && self.has_own_expressions)
            && self.old[0].default == self.new[0].default
            || self.has_own_expressions
                && (all.clone().all(|column| column.default.is_none())
                    || all.all(|column| column.default == Some(ColumnDefault::Now)));
        same_default || is_given(&self.old) || is_given(&self.new)
    }

    /// Returns true if a column has an enum type. A type that the migration creates does not exist when the checks run.
    fn has_enum(&self) -> bool {
        let mut all = self.old.iter().chain(&self.new);
        all.any(|column| matches!(column.r#type, ColumnType::Enum { .. }))
    }

    /// Returns a text such as `people.name: first_name, last_name`, which identifies the group.
    pub(super) fn title(&self) -> String {
        let list = |columns: &[&Column]| {
            let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
            names.join(", ")
        };
        format!("{}.{}: {}", self.table.name, list(&self.old), list(&self.new))
    }
}

/// Column that only one build uses, and that gets a value if the other build inserts a row.
pub(super) struct Fill<'a> {
    pub(super) table: &'a Table,
    after: &'a Table,
    pub(super) column: &'a Column,
    /// True if the column is new, so that existing rows need a value.
    is_new: bool,
}

/// Name of a table before the migration, and name of a column.
type Place = (String, String);

/// All groups and fills of a migration.
pub(super) struct Links<'a> {
    pub(super) groups: Vec<Group<'a>>,
    pub(super) fills: Vec<Fill<'a>>,
    expressions: BTreeMap<Place, String>,
    /// Columns whose expression kit wrote, which has the type of the column.
    typed: BTreeSet<Place>,
}

impl<'a> Links<'a> {
    /// Finds the columns that belong together. Adds a problem for each column without an expression that it needs.
    pub(super) fn new(shape: &Shape<'a>, using: &[Using], problems: &mut Vec<Problem>) -> Self {
        let mut links = Self {
            groups: Vec::new(),
            fills: Vec::new(),
            expressions: BTreeMap::new(),
            typed: BTreeSet::new(),
        };
        for using in using {
            let pair = shape.pairs.iter().find(|pair| {
                let named = pair.before.name == using.table || pair.after.name == using.table;
                let mut own = pair.added().chain(pair.removed());
                named && own.any(|column| column.name == using.column)
            });
            match pair {
                Some(pair) => {
                    let place = (pair.before.name.clone(), using.column.clone());
                    links.expressions.insert(place, using.sql.clone());
                }
                None => problems.push(Problem {
                    place: format!("{}.{}", using.table, using.column),
                    message: "`--using` names a column that the migration neither adds nor removes"
                        .to_owned(),
                    help: "name a new column, or one that the types no longer have".to_owned(),
                }),
            }
        }
        for pair in &shape.pairs {
            links.pair(pair, problems);
        }
        for group in &links.groups {
            refuse_own_values(group, problems);
            if group.has_enum() && !group.shows_writer() {
                problems.push(own_migration(
                    &format!("{}.{}", group.after.name, group.new[0].name),
                    "its default changes together with an enum type",
                ));
            }
        }
        links
    }

    fn pair(&mut self, pair: &Pair<'a>, problems: &mut Vec<Problem>) {
        let table = &pair.before.name;
        let mut renamed = Vec::new();
        for (from, to) in &pair.renamed {
            let (Some(old), Some(new)) = (pair.before.column(from), pair.after.column(to)) else {
                continue;
            };
            let is_rename = old.r#type.is_stored_as(new.r#type);
            let mut set = |column: &Column, sql: String| {
                let place = (table.clone(), column.name.clone());
                if let Entry::Vacant(entry) = self.expressions.entry(place.clone()) {
                    entry.insert(sql);
                    self.typed.insert(place);
                }
            };
            // Texts of any length are converted by the assignment to the column.
            if is_rename || old.r#type.is_text() && new.r#type.is_text() {
                set(new, identifier(from));
                set(old, identifier(to));
            } else {
                set(
                    new,
                    converted(old.r#type, unbounded(new.r#type), &identifier(from)),
                );
                set(
                    old,
                    if is_timestamp_conversion(old.r#type, new.r#type) {
                        format!("{} AT TIME ZONE 'UTC'", identifier(to))
                    } else {
                        converted(new.r#type, unbounded(old.r#type), &identifier(to))
                    },
                );
            }
            renamed.extend([*from, *to]);
            let has_own_expressions = self.is_typed(table, old) && self.is_typed(table, new);
            self.groups.push(Group {
                table: pair.before,
                after: pair.after,
                old: vec![old],
                new: vec![new],
                is_rename: is_rename && has_own_expressions,
                has_own_expressions,
            });
        }
        let is_free = |column: &&Column| !renamed.contains(&column.name.as_str());
        let old: Vec<&Column> = pair.removed().filter(is_free).collect();
        let new: Vec<&Column> = pair.added().filter(is_free).collect();
        for (old, new) in self.components(table, &old, &new) {
            if !old.is_empty() && !new.is_empty() {
                for column in old.iter().chain(&new) {
                    if self.expression(table, &column.name).is_none() {
                        problems.push(missing(table, column, "columns of the other build replace it"));
                    }
                }
                self.groups.push(Group {
                    table: pair.before,
                    after: pair.after,
                    old,
                    new,
                    is_rename: false,
                    has_own_expressions: false,
                });
                continue;
            }
            let is_new = old.is_empty();
            for column in old.into_iter().chain(new) {
                if self.expression(table, &column.name).is_some() {
                    refuse_fill(table, column, problems);
                    self.fills.push(Fill {
                        table: pair.before,
                        after: pair.after,
                        column,
                        is_new,
                    });
                } else if !column.nullable && column.default.is_none() {
                    let why = if is_new {
                        "the old build inserts rows without it"
                    } else {
                        "the new build inserts rows without it"
                    };
                    problems.push(missing(table, column, why));
                }
            }
        }
    }

    /// Returns the columns in groups. Two columns belong together if the expression of one names the other.
    fn components(
        &self,
        table: &str,
        old: &[&'a Column],
        new: &[&'a Column],
    ) -> Vec<(Vec<&'a Column>, Vec<&'a Column>)> {
        let mut components: Vec<(Vec<&Column>, Vec<&Column>)> = old
            .iter()
            .map(|column| (vec![*column], Vec::new()))
            .chain(new.iter().map(|column| (Vec::new(), vec![*column])))
            .collect();
        for column in old.iter().chain(new) {
            let used = self
                .expression(table, &column.name)
                .map_or_else(Vec::new, names_in);
            let other = if old.iter().any(|known| known.name == column.name) {
                new
            } else {
                old
            };
            for target in other.iter().filter(|target| used.contains(&target.name)) {
                let find = |wanted: &str, components: &[(Vec<&Column>, Vec<&Column>)]| {
                    components
                        .iter()
                        .position(|(old, new)| old.iter().chain(new).any(|one| one.name == wanted))
                };
                let (Some(one), Some(two)) =
                    (find(&column.name, &components), find(&target.name, &components))
                else {
                    continue;
                };
                if one != two {
                    let (first, last) = (one.min(two), one.max(two));
                    let (old, new) = components.remove(last);
                    components[first].0.extend(old);
                    components[first].1.extend(new);
                }
            }
        }
        components
    }

    fn expression(&self, table: &str, column: &str) -> Option<&str> {
        self.expressions
            .get(&(table.to_owned(), column.to_owned()))
            .map(String::as_str)
    }

    /// Returns true if kit wrote the expression of a column.
    fn is_typed(&self, table: &str, column: &Column) -> bool {
        self.typed.contains(&(table.to_owned(), column.name.clone()))
    }

    /// Returns the expression of a column, converted to the type of the column.
    pub(super) fn value(&self, table: &Table, column: &Column) -> String {
        let sql = self.expression(&table.name, &column.name).unwrap_or("NULL");
        if self.is_typed(&table.name, column) {
            sql.to_owned()
        } else {
            format!("({sql})::{}", unbounded(column.r#type))
        }
    }

    /// Returns the expression of a new column for the checks, before the enum types of the migration exist.
    fn value_in_check(&self, group: &Group<'_>, column: &Column) -> String {
        if !matches!(column.r#type, ColumnType::Enum { .. }) {
            return self.value(group.table, column);
        }
        let sql = if group.has_own_expressions {
            identifier(&group.old[0].name)
        } else {
            self.expression(&group.table.name, &column.name)
                .unwrap_or("NULL")
                .to_owned()
        };
        format!("({sql})::text")
    }

    /// Returns the group of a column. `table` is the name of the table after the migration.
    pub(super) fn group_of(&self, table: &str, column: &str) -> Option<&Group<'a>> {
        self.groups.iter().find(|group| {
            let mut all = group.old.iter().chain(&group.new);
            group.after.name == table && all.any(|one| one.name == column)
        })
    }

    /// Returns the expression for a column that only one build uses. `table` is the name of the table after the migration.
    pub(super) fn fill(&self, table: &str, column: &str) -> Option<&str> {
        let mut fills = self.fills.iter();
        let fill = fills.find(|fill| fill.after.name == table && fill.column.name == column)?;
        self.expression(&fill.table.name, column)
    }

    /// Returns true if the table needs a trigger. `table` is the name of the table before the migration.
    pub(super) fn is_synchronized(&self, table: &str) -> bool {
        self.groups.iter().any(|group| group.table.name == table)
            || self.fills.iter().any(|fill| fill.table.name == table)
    }

    /// Returns the checks that no old value is lost by a conversion to the new columns and back.
    pub(super) fn checks(&self) -> Vec<Statement> {
        let groups = self.groups.iter().filter(|group| !group.is_rename);
        groups
            .flat_map(|group| {
                let table = group.table;
                let is_old = |column: &&Column| !group.old.iter().any(|old| old.name == column.name);
                let kept = table
                    .columns
                    .iter()
                    .filter(is_old)
                    .map(|column| identifier(&column.name));
                let new = group.new.iter().map(|column| {
                    format!(
                        "{} AS {}",
                        self.value_in_check(group, column),
                        identifier(&column.name)
                    )
                });
                let row: Vec<String> = kept.chain(new).collect();
                let row = row.join(", ");
                let enums = group.new.iter().filter(|column| !column.labels.is_empty());
                let labels = enums.map(move |column| {
                    let values = column.labels.iter().cloned().map(LiteralValue::String);
                    let rule = condition(
                        &Rule::Values(values.collect()),
                        &self.value_in_check(group, column),
                    );
                    let place = format!("{}.{}", table.name, column.name);
                    refuse_rows(&place, "the enum type does not have", &rule, &table.name)
                });
                labels.chain(group.old.iter().map(move |old| {
                    let there = format!(
                        "(SELECT {} FROM (SELECT {row}) AS {})",
                        self.value(table, old),
                        identifier(&local_name(&table.name))
                    );
                    let rule = equal(old, &identifier(&old.name), &there);
                    let place = format!("{}.{}", table.name, old.name);
                    refuse_rows(&place, "the new columns cannot give back", &rule, &table.name)
                }))
            })
            .collect()
    }

    /// Returns the checks that a return to the old columns loses no value of the new ones.
    pub(super) fn undo_checks(&self) -> Vec<UndoCheck> {
        let groups = self.groups.iter();
        groups
            .flat_map(|group| {
                group.new.iter().map(|new| UndoCheck {
                    place: format!("{}.{}", group.table.name, new.name),
                    query: format!(
                        "SELECT FROM {} WHERE {}",
                        relation(&group.table.name),
                        differ(new, &identifier(&new.name), &self.value(group.table, new))
                    ),
                })
            })
            .collect()
    }

    /// Returns the checks of groups for which a row cannot show which build inserted the row. If a row has the defaults of
    /// both builds, the values must have the same meaning.
    pub(super) fn default_checks(&self) -> Vec<Statement> {
        let unclear = self.groups.iter().filter(|group| !group.shows_writer());
        unclear.map(|group| self.default_check(group)).collect()
    }

    fn default_check(&self, group: &Group<'_>) -> Statement {
        let rules = |from: &[&Column], to: &[&Column]| {
            let is_kept = |column: &&Column| !group.old.iter().any(|old| old.name == column.name);
            let kept = group.table.columns.iter().filter(is_kept);
            let row: Vec<String> = kept
                .chain(from.iter().copied())
                .map(|column| format!("{} AS {}", plain_default(column), identifier(&column.name)))
                .collect();
            let differs: Vec<String> = to
                .iter()
                .map(|column| differ(column, &plain_default(column), &self.value(group.table, column)))
                .collect();
            format!(
                "(SELECT {} FROM (SELECT {}) AS {})",
                differs.join(" OR "),
                row.join(", "),
                identifier(&local_name(&group.table.name))
            )
        };
        let message = format!(
            "the defaults of the old and the new columns differ ({}), so a row with these defaults does not show which build inserted the row",
            group.title()
        );
        let hint = "Give the columns defaults that the expressions convert to each other, or make a new column required without a default";
        Statement::Text(format!(
            "DO $kit$\nBEGIN\n  IF {} OR {} THEN\n    RAISE EXCEPTION USING MESSAGE = {}, HINT = {};\n  END IF;\nEND\n$kit$",
            rules(&group.old, &group.new),
            rules(&group.new, &group.old),
            string_literal(&message),
            string_literal(hint)
        ))
    }

    /// Returns the statements that give existing rows the values of new columns.
    pub(super) fn updates(&self) -> Vec<String> {
        let mut updates: Vec<String> = Vec::new();
        for group in &self.groups {
            let set = |column: &&Column| {
                format!(
                    "{} = {}",
                    identifier(&column.name),
                    self.value(group.table, column)
                )
            };
            let differs = |column: &&Column| {
                differ(
                    column,
                    &identifier(&column.name),
                    &self.value(group.table, column),
                )
            };
            let sets: Vec<String> = group.new.iter().map(set).collect();
            let changed: Vec<String> = group.new.iter().map(differs).collect();
            updates.push(format!(
                "UPDATE {} SET {} WHERE {}",
                relation(&group.table.name),
                sets.join(", "),
                changed.join(" OR ")
            ));
        }
        for fill in self.fills.iter().filter(|fill| fill.is_new) {
            let name = identifier(&fill.column.name);
            updates.push(format!(
                "UPDATE {} SET {name} = {} WHERE {name} IS NULL",
                relation(&fill.table.name),
                self.value(fill.table, fill.column)
            ));
        }
        updates
    }
}

/// Adds a problem for each column of a group to which the database gives a value of its own.
fn refuse_own_values(group: &Group<'_>, problems: &mut Vec<Problem>) {
    for column in group.old.iter().chain(&group.new) {
        if let Some(ColumnDefault::Identity | ColumnDefault::RandomUuid | ColumnDefault::UuidV7) =
            column.default
        {
            problems.push(own_migration(
                &format!("{}.{}", group.after.name, column.name),
                "the database gives each row its own value of this column, so the columns of the two builds would get different values",
            ));
        }
    }
}

/// Returns the check that all rows satisfy a rule. `why` is the part of the message between the place and the values.
pub(super) fn refuse_rows(place: &str, why: &str, rule: &str, table: &str) -> Statement {
    match all_satisfy(place, rule, table) {
        Statement::Guard {
            table,
            condition,
            hint,
            ..
        } => Statement::Guard {
            table,
            condition,
            message: format!("{why} some values of {place}"),
            hint,
        },
        other => other,
    }
}

fn missing(table: &str, column: &Column, why: &str) -> Problem {
    Problem {
        place: format!("{table}.{}", column.name),
        message: format!("{why}, so kit needs the SQL of its value"),
        help: format!(
            "add `--using \"{table}.{}=<SQL>\"`, such as `--using \"people.first_name=split_part(name, ' ', 1)\"`",
            column.name
        ),
    }
}
