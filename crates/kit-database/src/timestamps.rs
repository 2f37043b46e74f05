//! Column types that store a `Date`: keeps `timestamp` columns of earlier migrations, and converts them on request.

use std::collections::BTreeSet;

use crate::{ColumnType, PlanError, Problem, Schema, Snapshot, renames_from};

impl Schema {
    /// Restores the type `timestamp` of columns that committed migrations created with it.
    ///
    /// [`Schema::from_program`] knows only the types and maps every `Date` to `timestamptz(3)`. A column that already
    /// exists in databases keeps its type, even if it is renamed.
    pub fn keep_timestamps(&mut self, committed: &Snapshot) {
        let before = committed.tables();
        let tables = renames_from::tables(before, &self.tables);
        for table in &mut self.tables {
            let known = |name: &str| before.iter().any(|table| table.name == name);
            let was = tables.name(&table.name, known);
            let Some(was) = before.iter().find(|table| Some(table.name.as_str()) == was) else {
                continue;
            };
            let columns = renames_from::columns(&was.columns, &table.columns);
            for column in &mut table.columns {
                let former = columns.name(&column.name, |name| was.column(name).is_some());
                let former = former.and_then(|name| was.column(name));
                let stays = former.is_some_and(|former| former.r#type == ColumnType::Timestamp);
                if stays && column.r#type == ColumnType::Timestamptz {
                    column.r#type = ColumnType::Timestamp;
                }
            }
        }
        self.adopt_timestamps();
    }

    /// Changes `timestamp` columns to `timestamptz(3)`, which the next migration converts.
    ///
    /// `columns` are names of columns such as `books.added_at`. An empty list means all columns. A foreign
    /// key requires equal types, so columns that refer to a changed column, and columns to which a changed
    /// column refers, change too. A column that already is a `timestamptz(3)` does not change.
    ///
    /// # Errors
    /// Returns a [`PlanError`] with each name that is not a column with times. After an error, the schema is
    /// unchanged.
    pub fn convert_timestamps(&mut self, columns: &[String]) -> Result<(), PlanError> {
        let mut times = Vec::new();
        for table in &self.tables {
            let columns = table.columns.iter().filter(|column| column.r#type.is_time());
            times.extend(columns.map(|column| (format!("{}.{}", table.name, column.name), column.r#type)));
        }
        let problems: Vec<Problem> = columns
            .iter()
            .filter(|wanted| !times.iter().any(|(name, _)| name == *wanted))
            .map(|wanted| Problem {
                place: wanted.clone(),
                message: "this column does not exist, or its type is not one of times".to_owned(),
                help: convertible(&times),
            })
            .collect();
        if !problems.is_empty() {
            return Err(PlanError { problems });
        }
        let mut requested: BTreeSet<String> = times
            .iter()
            .filter(|(name, r#type)| {
                *r#type == ColumnType::Timestamp && (columns.is_empty() || columns.contains(name))
            })
            .map(|(name, _)| name.clone())
            .collect();
        // Follow the foreign keys in both directions, until no column is added.
        loop {
            let before = requested.len();
            for table in &self.tables {
                for key in &table.foreign_keys {
                    for (here, there) in key.pairs() {
                        let ends = [format!("{}.{here}", table.name), format!("{}.{there}", key.table)];
                        if ends.iter().any(|end| requested.contains(end)) {
                            requested.extend(ends);
                        }
                    }
                }
            }
            if requested.len() == before {
                break;
            }
        }
        for table in &mut self.tables {
            for column in &mut table.columns {
                let is_requested = requested.contains(&format!("{}.{}", table.name, column.name));
                if is_requested && column.r#type == ColumnType::Timestamp {
                    column.r#type = ColumnType::Timestamptz;
                }
            }
        }
        Ok(())
    }

    /// Gives columns that refer to a `timestamp` column the same type.
    fn adopt_timestamps(&mut self) {
        let is_old = |table: &str, column: &str, schema: &Self| {
            let column = schema.table(table).and_then(|table| table.column(column));
            column.is_some_and(|column| column.r#type == ColumnType::Timestamp)
        };
        // A referenced column may itself be a reference.
        loop {
            let mut places = Vec::new();
            for table in &self.tables {
                for key in &table.foreign_keys {
                    for (here, there) in key.pairs() {
                        let new = table
                            .column(here)
                            .is_some_and(|column| column.r#type == ColumnType::Timestamptz);
                        if new && is_old(&key.table, there, self) {
                            places.push((table.name.clone(), here.to_owned()));
                        }
                    }
                }
            }
            if places.is_empty() {
                break;
            }
            for (table, name) in places {
                let table = self.tables.iter_mut().find(|candidate| candidate.name == table);
                let columns = table.into_iter().flat_map(|table| &mut table.columns);
                for column in columns.filter(|column| column.name == name) {
                    column.r#type = ColumnType::Timestamp;
                }
            }
        }
    }
}

/// Returns advice that lists the columns that can be converted.
fn convertible(times: &[(String, ColumnType)]) -> String {
    let names: Vec<&str> = times
        .iter()
        .filter(|(_, r#type)| *r#type == ColumnType::Timestamp)
        .map(|(name, _)| name.as_str())
        .collect();
    if names.is_empty() {
        "every column with times already has the type `timestamptz(3)`".to_owned()
    } else {
        format!(
            "name a column as `table.column`; these can be converted: {}",
            names.join(", ")
        )
    }
}
