//! Resolves `@references` tags to foreign keys, after all tables are created.

use kit_diagnostics::codes;
use kit_ir::{ReferenceTarget, ReferentialAction, Span};

use super::Builder;
use crate::names;
use crate::{ColumnType, ForeignKey, Schema, Table};

/// Adds the foreign keys, and gives each referring column the type of the column to which it refers.
pub(super) fn resolve(builder: &mut Builder<'_>, schema: &mut Schema) {
    for at in 0..schema.tables.len() {
        for (property, reference, span) in declared(builder, &schema.tables[at].entity) {
            match foreign_key(schema, &schema.tables[at], &property, &reference) {
                Ok(key) => schema.tables[at].foreign_keys.push(key),
                Err((message, help)) => builder.error(codes::UNKNOWN_REFERENCE, span, message, help),
            }
        }
    }
    // A referenced column may itself be a reference, so repeat once per table: this reaches the end of every chain.
    for _ in 0..schema.tables.len() {
        if !adopt_types(schema) {
            break;
        }
    }
}

/// Gives each referring column the type of its target. Returns true if any type changed.
fn adopt_types(schema: &mut Schema) -> bool {
    let mut changed = false;
    for at in 0..schema.tables.len() {
        for key in schema.tables[at].foreign_keys.clone() {
            let target = schema
                .table(&key.table)
                .and_then(|table| table.column(&key.target))
                .map(|column| column.r#type);
            let here = schema.tables[at]
                .columns
                .iter_mut()
                .find(|column| column.name == key.column);
            if let (Some(target), Some(here)) = (target, here)
                && here.r#type != target
            {
                here.r#type = target;
                changed = true;
            }
        }
    }
    changed
}

/// Returns the references that an entity declares.
fn declared(builder: &Builder<'_>, entity: &str) -> Vec<(String, ReferenceTarget, Span)> {
    let Some((_, declaration)) = builder.program.declaration(entity) else {
        return Vec::new();
    };
    builder
        .program
        .properties(declaration.r#type)
        .iter()
        .filter_map(|property| {
            let reference = property.tags.references.clone()?;
            Some((property.name.clone(), reference, property.span))
        })
        .collect()
}

fn foreign_key(
    schema: &Schema,
    table: &Table,
    property: &str,
    reference: &ReferenceTarget,
) -> Result<ForeignKey, (String, String)> {
    let written = format!("{}.{}", reference.entity, reference.property);
    let place = format!("`{}.{property}`", table.entity);
    let target = schema
        .tables
        .iter()
        .find(|table| table.entity == reference.entity)
        .ok_or_else(|| {
            let known: Vec<&str> = schema.tables.iter().map(|table| table.entity.as_str()).collect();
            (
                format!(
                    "{place} refers to `{written}`, and no entity is named `{}`",
                    reference.entity
                ),
                format!("entities are the interfaces with `@table`: {}", known.join(", ")),
            )
        })?;
    let there = target.column_of(&reference.property).ok_or_else(|| {
        (
            format!(
                "{place} refers to `{written}`, which is not a column of `{}`",
                target.entity
            ),
            "name a property of that interface that is stored in a column".to_owned(),
        )
    })?;
    let distinct = target.primary_key == [there.name.as_str()]
        || target
            .uniques
            .iter()
            .any(|unique| unique.columns == [there.name.as_str()]);
    if !distinct {
        return Err((
            format!("{place} refers to `{written}`, but several rows may have the same value there"),
            format!("mark `{written}` with `@id` or `@unique`"),
        ));
    }
    let here = table.column_of(property).ok_or_else(|| {
        (
            format!("{place} refers to `{written}`, but is not stored in a column of its own"),
            "change the type of the property to the type of `{written}`".to_owned(),
        )
    })?;
    if !may_refer(here.r#type, there.r#type) {
        return Err((
            format!(
                "{place} is stored as `{}` and refers to `{written}`, stored as `{}`",
                here.r#type, there.r#type
            ),
            "give both properties the same type".to_owned(),
        ));
    }
    if reference.on_delete == ReferentialAction::SetNull && !here.nullable {
        return Err((
            format!(
                "{place} would become null when the row of `{}` is deleted, but the property does not allow null",
                target.entity
            ),
            format!("allow null, for example `{property}: string | null`"),
        ));
    }
    Ok(ForeignKey {
        name: names::constraint(&[&table.name, &here.name, &target.name, &there.name], "fk"),
        column: here.name.clone(),
        table: target.name.clone(),
        target: there.name.clone(),
        on_delete: reference.on_delete,
    })
}

/// Returns true if a column of one type may refer to a column of the other. Text types (with `uuid`), number types and
/// time types form groups, and a reference must stay within its group. A column of any other type refers only to
/// columns of the same type.
fn may_refer(here: ColumnType, there: ColumnType) -> bool {
    fn group(r#type: ColumnType) -> u8 {
        match r#type {
            ColumnType::Uuid | ColumnType::Varchar { .. } | ColumnType::Text => 0,
            ColumnType::SmallInt | ColumnType::Integer | ColumnType::BigInt | ColumnType::DoublePrecision => {
                1
            }
            ColumnType::BigIntExact => 2,
            ColumnType::Boolean => 3,
            ColumnType::Timestamp | ColumnType::Timestamptz => 4,
            ColumnType::Jsonb => 5,
            ColumnType::Bytes => 6,
            ColumnType::Numeric { .. } => 7,
            ColumnType::Date => 8,
        }
    }
    group(here) == group(there)
}
