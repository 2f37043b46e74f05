//! Keeps the older of the two column types that store a `Date`.

use crate::{ColumnType, Schema, Snapshot, renames_from};

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
                    let new = table
                        .column(&key.column)
                        .is_some_and(|column| column.r#type == ColumnType::Timestamptz);
                    if new && is_old(&key.table, &key.target, self) {
                        places.push((table.name.clone(), key.column.clone()));
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
