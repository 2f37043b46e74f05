//! Generates the SQL statements of a table.

use kit_database::{ColumnDefault, sql};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::finder::Finder;
use super::{Stored, StoredColumn};
use crate::source::ident;

/// Maximum width of a line of SQL, if the line can be broken.
const WIDTH: usize = 100;

impl Stored<'_> {
    /// Returns the constants that contain the SQL statements.
    pub(super) fn statements(&self, finders: &[Finder<'_>]) -> TokenStream {
        let name = sql::relation(&self.table.name);
        let mut list = self.select();
        list.extend(self.chosen(3));
        if !self.has_chosen_order() {
            list.push(format!("ORDER BY {}", self.order()));
            list.push("LIMIT $1 OFFSET $2".to_owned());
        }
        let mut count = vec!["SELECT count(*)".to_owned(), format!("FROM {name}")];
        count.extend(self.chosen(1));
        let mut constants = constant("LIST", &list);
        constants.extend(self.total_statement());
        constants.extend(self.page_statements());
        constants.extend(constant("COUNT", &count));
        constants.extend(self.insert());
        constants.extend(self.finder_statements(finders));
        constants.extend(self.related_statements());
        constants.extend(self.deletion_statements());
        if self.key.is_empty() {
            return constants;
        }
        let mut get = self.select();
        get.push(self.condition());
        constants.extend(constant("GET", &get));
        if self.is_locked {
            get.push("FOR UPDATE".to_owned());
            constants.extend(constant("GET_FOR_UPDATE", &get));
        }
        constants.extend(self.update());
        let delete = [format!("DELETE FROM {name}"), self.condition()];
        constants.extend(constant("DELETE", &delete));
        constants
    }

    /// Returns the lines `SELECT … FROM …` without a condition.
    pub(super) fn select(&self) -> Vec<String> {
        let mut lines = listed("SELECT ", &self.selected(), "");
        lines.push(format!("FROM {}", sql::relation(&self.table.name)));
        lines
    }

    pub(super) fn selected(&self) -> Vec<String> {
        self.columns.iter().map(StoredColumn::selected).collect()
    }

    /// Returns the condition that selects one row by its key and its owner: `WHERE id = $1 AND owner = $2`.
    fn condition(&self) -> String {
        let mut parts: Vec<_> = self
            .key()
            .enumerate()
            .map(|(number, key)| {
                let name = sql::identifier(&key.column.name);
                format!("{name} = {}", key.compared(number + 1))
            })
            .collect();
        parts.extend(self.owner_condition(parts.len() + 1));
        format!("WHERE {}", parts.join(" AND "))
    }

    /// Returns the lines with the conditions of a list: first the owner, then the filters. `first` is the
    /// number of the first parameter: 3 for `$3`.
    pub(super) fn chosen(&self, first: usize) -> Vec<String> {
        let owner = self.owner_condition(first);
        let before = usize::from(owner.is_some());
        let mut lines: Vec<String> = owner
            .map(|condition| format!("WHERE {condition}"))
            .into_iter()
            .collect();
        for (number, condition) in self.filter_conditions(first + before).into_iter().enumerate() {
            let word = if before + number == 0 { "WHERE" } else { "  AND" };
            lines.extend(format!("{word} {condition}").lines().map(str::to_owned));
        }
        lines
    }

    /// Returns the columns of `ORDER BY` of a list whose request chooses no order. Rows with a creation time are sorted from
    /// newest to oldest, and rows with equal times by their key, so that no row is on two pages.
    pub(super) fn order(&self) -> String {
        self.usual_order(self.creation_time().is_some())
    }

    /// Returns the column with the time at which a row was created.
    pub(super) fn creation_time(&self) -> Option<&StoredColumn<'_>> {
        self.columns.iter().find(|stored| {
            stored.column.r#type.is_time()
                && stored.column.default == Some(ColumnDefault::Now)
                && !stored.column.source.on_update_now
        })
    }

    fn insert(&self) -> TokenStream {
        let mut number = 0;
        let mut names = Vec::new();
        let mut values = Vec::new();
        for stored in self.inserted() {
            names.push(sql::identifier(&stored.column.name));
            number += 1;
            values.push(match &stored.column.default {
                None => stored.parameter(number),
                Some(default) if stored.insert_options() < 2 => {
                    format!(
                        "COALESCE({}, {})",
                        stored.parameter(number),
                        stored.default(default)
                    )
                }
                Some(default) => {
                    number += 1;
                    let value = stored.parameter(number);
                    format!(
                        "CASE WHEN ${} THEN {value} ELSE {} END",
                        number - 1,
                        stored.default(default)
                    )
                }
            });
        }
        for stored in self.generated_by_insert() {
            names.push(sql::identifier(&stored.column.name));
            values.push(sql::now(stored.column.r#type).to_owned());
        }
        let table = sql::relation(&self.table.name);
        let mut lines = if names.is_empty() {
            vec![format!("INSERT INTO {table} DEFAULT VALUES")]
        } else {
            let mut lines = listed(&format!("INSERT INTO {table} ("), &names, ")");
            lines.extend(listed("VALUES (", &values, ")"));
            lines
        };
        let returned = listed("RETURNING ", &self.selected(), "");
        let mut constants = constant("INSERT", &[lines.clone(), returned.clone()].concat());
        if self.has_conflicts() {
            lines.push("ON CONFLICT DO NOTHING".to_owned());
            constants.extend(constant("INSERT_IF_ABSENT", &[lines, returned].concat()));
        }
        constants
    }

    fn update(&self) -> TokenStream {
        if !self.is_updated() {
            return TokenStream::new();
        }
        let mut number = self.key.len() + usize::from(self.owner().is_some());
        let mut sets: Vec<String> = Vec::new();
        for stored in self.changed() {
            let column = sql::identifier(&stored.column.name);
            number += 1;
            if stored.column.nullable {
                number += 1;
                let value = stored.parameter(number);
                sets.push(format!(
                    "{column} = CASE WHEN ${} THEN {value} ELSE {column} END",
                    number - 1
                ));
            } else {
                sets.push(format!(
                    "{column} = COALESCE({}, {column})",
                    stored.parameter(number)
                ));
            }
        }
        let updated = self
            .columns
            .iter()
            .filter(|stored| stored.column.source.on_update_now);
        sets.extend(updated.map(|stored| {
            let column = stored.column;
            format!("{} = {}", sql::identifier(&column.name), sql::now(column.r#type))
        }));
        let mut lines = vec![format!("UPDATE {}", sql::relation(&self.table.name))];
        let last = sets.len() - 1;
        lines.extend(sets.iter().enumerate().map(|(at, set)| {
            let begin = if at == 0 { "SET " } else { "    " };
            let end = if at == last { "" } else { "," };
            format!("{begin}{set}{end}")
        }));
        lines.push(self.condition());
        lines.extend(listed("RETURNING ", &self.selected(), ""));
        constant("UPDATE", &lines)
    }
}

/// Returns a constant with a SQL statement, in several lines.
pub(super) fn constant(name: &str, lines: &[String]) -> TokenStream {
    let lines = lines
        .iter()
        .map(|line| format!("\n    {}", line.escape_default().to_string().replace("\\'", "'")));
    let text = lines.collect::<String>();
    let literal = format!("\"{text}\"");
    let (name, literal) = (
        ident(name),
        literal.parse().unwrap_or_else(|_| Literal::string(&text)),
    );
    quote!(const #name: &str = #literal;)
}

/// Joins items with commas. If the line is too long, it is broken after a comma.
pub(super) fn listed(begin: &str, items: &[String], end: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = begin.to_owned();
    for (number, item) in items.iter().enumerate() {
        let after = if number + 1 == items.len() { end } else { "," };
        let is_first = line.trim_start().is_empty() || number == 0;
        if !is_first && line.len() + item.len() + after.len() + 5 > WIDTH {
            lines.push(line);
            line = String::from("    ");
        } else if number > 0 {
            line.push(' ');
        }
        line.push_str(item);
        line.push_str(after);
    }
    lines.push(line);
    lines
}
