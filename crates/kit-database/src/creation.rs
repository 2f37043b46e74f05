//! SQL that creates tables in an empty schema, in two parts: a caller can change the types of columns in between.

use crate::diff::enums;
use crate::sql::{self, Statement};
use crate::{Change, ForeignObject, ObjectKind, Snapshot, Table};

/// SQL that creates tables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Creation {
    /// Statements that create the tables with columns, primary keys and comments.
    pub tables: String,
    /// Statements for constraints, indexes and policies, in an order in which they can run.
    pub rest: Vec<String>,
}

impl Creation {
    /// Returns the SQL for the tables. Extensions must exist.
    ///
    /// ```
    /// use kit_database::Creation;
    ///
    /// assert_eq!(Creation::of(&[]).tables, "");
    /// ```
    pub fn of(tables: &[Table]) -> Self {
        let mut statements: Vec<Statement> = Vec::new();
        let (mut rest, mut keys) = (Vec::new(), Vec::new());
        for (name, labels) in enums(tables) {
            statements.extend(Change::CreateEnum { name, labels }.statements());
        }
        for table in tables {
            let bare = Table {
                uniques: Vec::new(),
                checks: Vec::new(),
                foreign_keys: Vec::new(),
                indexes: Vec::new(),
                tenant: None,
                ..Snapshot::without_entity(table)
            };
            statements.extend(Change::CreateTable { table: bare }.statements());
            let name = || table.name.clone();
            rest.extend(table.uniques.iter().map(|unique| Change::AddUnique {
                table: name(),
                unique: unique.clone(),
            }));
            rest.extend(table.checks.iter().map(|check| Change::AddCheck {
                table: name(),
                check: check.clone(),
                widens: false,
            }));
            rest.extend(table.indexes.iter().map(|index| Change::CreateIndex {
                table: name(),
                index: index.clone(),
            }));
            rest.extend(table.tenant_column().map(|column| Change::SetTenant {
                table: name(),
                column: column.name.clone(),
                r#type: column.r#type,
                in_use: false,
            }));
            keys.extend(
                table
                    .foreign_keys
                    .iter()
                    .map(|foreign_key| Change::AddForeignKey {
                        table: name(),
                        foreign_key: foreign_key.clone(),
                    }),
            );
        }
        Self {
            tables: sql::print(&statements),
            // A foreign key needs the unique constraint or index of the other table.
            rest: rest
                .iter()
                .chain(&keys)
                .flat_map(Change::statements)
                .map(|statement| sql::print_one(&statement))
                .collect(),
        }
    }
}

/// Returns the statements that change the type of a column to the type that the database stores. The table must have no
/// rows. `modelled` describes the column of the entity, `stored` the column of the database. The column loses its default,
/// which may not fit the new type. Returns `None` if the types are equal.
///
/// ```
/// use kit_database::{ForeignObject, ObjectKind, stored_type};
///
/// let column = |definition: &str| ForeignObject {
///     kind: ObjectKind::Column,
///     table: Some("loans".to_owned()),
///     name: "state".to_owned(),
///     definition: Some(definition.to_owned()),
///     uses: Vec::new(),
/// };
/// let sql = stored_type(&column("text NOT NULL"), &column("loan_state DEFAULT 'open'::loan_state NOT NULL"));
/// assert!(sql.unwrap().ends_with("ALTER TABLE loans ALTER COLUMN state TYPE loan_state USING NULL"));
/// assert_eq!(stored_type(&column("text NOT NULL"), &column("text")), None);
/// ```
pub fn stored_type(modelled: &ForeignObject, stored: &ForeignObject) -> Option<String> {
    let own = type_of(modelled.definition.as_deref()?);
    let wanted = type_of(stored.definition.as_deref()?);
    if stored.kind != ObjectKind::Column || own == wanted {
        return None;
    }
    let place = format!(
        "ALTER TABLE {} ALTER COLUMN {}",
        sql::relation(stored.table.as_deref()?),
        sql::identifier(&stored.name)
    );
    // The default may not fit the type.
    Some(format!(
        "{place} DROP IDENTITY IF EXISTS; {place} DROP DEFAULT; {place} TYPE {wanted} USING NULL"
    ))
}

/// Returns the type and the collation of a column's definition.
fn type_of(definition: &str) -> &str {
    let rest = definition.strip_suffix(" NOT NULL").unwrap_or(definition);
    let end = [" DEFAULT ", " GENERATED "]
        .iter()
        .filter_map(|part| rest.find(part))
        .min();
    &rest[..end.unwrap_or(rest.len())]
}
