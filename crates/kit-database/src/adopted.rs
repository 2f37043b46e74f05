//! Types of columns and names of constraints that hand-written SQL or an adopted database chose, for code that runs on the
//! database.

use crate::definitions::{base_type, type_name};
use crate::diff::{keep_names, keep_unique_indexes};
use crate::pulled::domains;
use crate::{Column, ObjectKind, Schema, Snapshot};

/// Maximum number of domains, each of which is the base type of the next one.
const MOST_DOMAINS: usize = 8;

impl Snapshot {
    /// Returns the type of a column in the database, as PostgreSQL prints the type, if it differs from the type that the
    /// entity describes. The type of a domain is its base type.
    ///
    /// ```
    /// use kit_database::{Column, ForeignObject, ObjectKind, Snapshot};
    ///
    /// let address = ForeignObject {
    ///     kind: ObjectKind::Column,
    ///     table: Some("visits".to_owned()),
    ///     name: "address".to_owned(),
    ///     definition: Some("inet NOT NULL".to_owned()),
    ///     uses: Vec::new(),
    /// };
    /// let snapshot = Snapshot::recorded(None, Vec::new(), vec![address], None);
    /// let column = Column::of_definition("address", "text NOT NULL").unwrap();
    /// assert_eq!(snapshot.foreign_type("visits", &column).as_deref(), Some("inet"));
    /// assert_eq!(snapshot.foreign_type("users", &column), None);
    /// ```
    pub fn foreign_type(&self, table: &str, column: &Column) -> Option<String> {
        let object = self.foreign().iter().find(|object| {
            object.kind == ObjectKind::Column
                && object.table.as_deref() == Some(table)
                && object.name == column.name
        })?;
        let mut found = base_type(object.definition.as_deref()?);
        let domains = domains(self.foreign());
        for _ in 0..MOST_DOMAINS {
            match domains.get(found) {
                Some(base) => found = base,
                None => break,
            }
        }
        (found != type_name(column.r#type)).then(|| found.to_owned())
    }
}

impl Schema {
    /// Gives constraints and indexes the names that hand-written SQL or an adopted database chose. A unique constraint becomes
    /// a unique index if the database has only an index.
    ///
    /// ```
    /// use kit_database::{Schema, Snapshot, Table};
    ///
    /// let notes = r#"{ "name": "notes", "columns": [], "primaryKey": ["id"] }"#;
    /// let table: Table = serde_json::from_str(notes)?;
    /// let was = Table { key_name: Some("note".to_owned()), ..table.clone() };
    /// let mut schema = Schema { tables: vec![table] };
    /// assert_eq!(schema.tables[0].primary_key_name(), "notes_pkey");
    /// schema.keep_names(&Snapshot::recorded(None, vec![was], Vec::new(), None));
    /// assert_eq!(schema.tables[0].primary_key_name(), "note");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn keep_names(&mut self, committed: &Snapshot) {
        for table in &mut self.tables {
            let was = committed.tables().iter().find(|was| was.name == table.name);
            if let Some(was) = was {
                keep_unique_indexes(was, table);
                keep_names(was, table);
            }
        }
    }
}
