//! Resolves `@references` tags to foreign keys, after all tables are created.

use kit_diagnostics::codes;
use kit_ir::{EntityReference, ReferentialAction, Span};

use super::Builder;
use crate::names;
use crate::{ColumnType, ForeignKey, Schema, Table, local_name};

/// A `@references` tag.
struct Declared {
    reference: EntityReference,
    span: Span,
    /// True for a tag of a property, whose column gets the type of its target.
    of_property: bool,
}

/// Adds the foreign keys, and gives each column of a property with `@references` the type of the column to which it refers.
pub(super) fn resolve(builder: &mut Builder<'_>, schema: &mut Schema) {
    let (mut adopting, mut compared) = (Vec::new(), Vec::new());
    for at in 0..schema.tables.len() {
        for declared in declared(builder, &schema.tables[at].entity) {
            match foreign_key(schema, &schema.tables[at], &declared) {
                Ok(key) => {
                    if declared.of_property {
                        adopting.push((at, key.clone()));
                    } else {
                        compared.push((at, declared));
                    }
                    schema.tables[at].foreign_keys.push(key);
                }
                Err((message, help)) => {
                    builder.error(codes::UNKNOWN_REFERENCE, declared.span, message, help);
                }
            }
        }
    }
    // A referenced column may itself be a reference, so repeat once per table: this reaches the end of every chain.
    for _ in 0..schema.tables.len() {
        if !adopt_types(schema, &adopting) {
            break;
        }
    }
    for (at, declared) in compared {
        if let Some((message, help)) = different_types(schema, &schema.tables[at], &declared) {
            builder.error(codes::UNKNOWN_REFERENCE, declared.span, message, help);
        }
    }
}

/// Gives each referring column the type of its target. Returns true if any type changed.
fn adopt_types(schema: &mut Schema, keys: &[(usize, ForeignKey)]) -> bool {
    let mut changed = false;
    for (at, key) in keys {
        let target = schema
            .table(&key.table)
            .and_then(|table| table.column(&key.targets[0]))
            .map(|column| (column.r#type, column.labels.clone()));
        let here = schema.tables[*at]
            .columns
            .iter_mut()
            .find(|column| column.name == key.columns[0]);
        if let (Some((target, labels)), Some(here)) = (target, here)
            && here.r#type != target
        {
            here.r#type = target;
            here.labels = labels;
            changed = true;
        }
    }
    changed
}

/// Returns the references that an entity declares.
fn declared(builder: &Builder<'_>, entity: &str) -> Vec<Declared> {
    let program = builder.program;
    let Some((id, declaration)) = builder.declaration(entity) else {
        return Vec::new();
    };
    let own = program
        .properties(declaration.r#type)
        .iter()
        .filter_map(|property| {
            let target = property.tags.references.clone()?;
            Some(Declared {
                reference: EntityReference {
                    properties: vec![property.name.clone()],
                    entity: target.entity,
                    targets: vec![target.property],
                    actions: target.actions,
                },
                span: property.span,
                of_property: true,
            })
        });
    let entities = program.entities.iter().filter(|entity| entity.declaration == id);
    let of_interface = entities
        .flat_map(|entity| &entity.references)
        .map(|reference| Declared {
            reference: reference.clone(),
            span: declaration.span,
            of_property: false,
        });
    own.chain(of_interface).collect()
}

/// Returns the names as a tag has them: `User.id`, or `Order (shopId, id)`.
fn written(entity: &str, properties: &[String], of_property: bool) -> String {
    if of_property {
        format!("{entity}.{}", properties.join(", "))
    } else {
        format!("{entity} ({})", properties.join(", "))
    }
}

fn foreign_key(schema: &Schema, table: &Table, declared: &Declared) -> Result<ForeignKey, (String, String)> {
    let Declared {
        reference,
        of_property,
        ..
    } = declared;
    let to = written(&reference.entity, &reference.targets, *of_property);
    let place = format!(
        "`{}`",
        written(&table.entity, &reference.properties, *of_property)
    );
    let target = schema
        .tables
        .iter()
        .find(|table| table.entity == reference.entity)
        .ok_or_else(|| {
            let known: Vec<&str> = schema.tables.iter().map(|table| table.entity.as_str()).collect();
            (
                format!(
                    "{place} refers to `{to}`, and no entity is named `{}`",
                    reference.entity
                ),
                format!("entities are the interfaces with `@table`: {}", known.join(", ")),
            )
        })?;
    let mut key = ForeignKey {
        name: String::new(),
        columns: Vec::new(),
        table: target.name.clone(),
        targets: Vec::new(),
        actions: reference.actions,
    };
    for (property, there) in reference.properties.iter().zip(&reference.targets) {
        let one = format!("{}.{there}", target.entity);
        let there = target.column_of(there).ok_or_else(|| {
            (
                format!(
                    "{place} refers to `{one}`, which is not a column of `{}`",
                    target.entity
                ),
                "name a property of that interface that is stored in a column".to_owned(),
            )
        })?;
        let own = format!("{}.{property}", table.entity);
        let here = table.column_of(property).ok_or_else(|| {
            (
                format!("`{own}` refers to `{one}`, but is not stored in a column of its own"),
                format!("change the type of the property to the type of `{one}`"),
            )
        })?;
        if key.columns.contains(&here.name) || key.targets.contains(&there.name) {
            return Err((
                format!("{place} refers to `{to}`, and one of the two lists has the same property twice"),
                "name each property once".to_owned(),
            ));
        }
        key.columns.push(here.name.clone());
        key.targets.push(there.name.clone());
    }
    let is_same = |columns: &[String]| {
        columns.len() == key.targets.len() && key.targets.iter().all(|column| columns.contains(column))
    };
    let is_distinct =
        is_same(&target.primary_key) || target.uniques.iter().any(|unique| is_same(&unique.columns));
    if !is_distinct {
        let help = if *of_property {
            format!("mark `{to}` with `@id` or `@unique`")
        } else {
            format!(
                "mark these properties of `{}` with `@id`, or add a constraint to the interface: `@unique {}_key ({})`",
                target.entity,
                local_name(&target.name),
                reference.targets.join(", ")
            )
        };
        return Err((
            format!("{place} refers to `{to}`, but several rows may have the same value there"),
            help,
        ));
    }
    for (property, there) in reference.properties.iter().zip(&reference.targets) {
        let (Some(here), Some(there)) = (table.column_of(property), target.column_of(there)) else {
            continue;
        };
        let own = format!("{}.{property}", table.entity);
        let one = format!("{}.{}", target.entity, there.source.property);
        if !may_refer(here.r#type, there.r#type) {
            return Err((
                format!(
                    "`{own}` is stored as `{}` and refers to `{one}`, stored as `{}`",
                    here.r#type, there.r#type
                ),
                if [here.r#type, there.r#type].contains(&ColumnType::Citext) {
                    "add `@storedAs citext` to both properties, or to none of the two".to_owned()
                } else {
                    "give both properties the same type".to_owned()
                },
            ));
        }
        for (event, action) in [
            ("is deleted", reference.actions.on_delete),
            ("changes its value", reference.actions.on_update),
        ] {
            if action == ReferentialAction::SetNull && !here.nullable {
                return Err((
                    format!(
                        "`{own}` would become null when the row of `{}` {event}, but the property does not allow null",
                        target.entity
                    ),
                    format!("allow null, for example `{property}: string | null`"),
                ));
            }
        }
    }
    let (own, other) = (local_name(&table.name), local_name(&target.name));
    let mut parts = vec![own.as_ref()];
    parts.extend(key.columns.iter().map(String::as_str));
    parts.push(&other);
    parts.extend(key.targets.iter().map(String::as_str));
    key.name = names::constraint(&parts, "fk");
    Ok(key)
}

/// Returns the message and the help for a reference by several properties whose columns have other types than their
/// targets. Their types are not adjusted, because the tag of the interface gives a property no rules.
fn different_types(schema: &Schema, table: &Table, declared: &Declared) -> Option<(String, String)> {
    let reference = &declared.reference;
    let target = schema
        .tables
        .iter()
        .find(|table| table.entity == reference.entity)?;
    let mut pairs = reference.properties.iter().zip(&reference.targets);
    pairs.find_map(|(property, other)| {
        let (here, there) = (table.column_of(property)?, target.column_of(other)?);
        let is_different = may_refer(here.r#type, there.r#type) && !here.r#type.is_stored_as(there.r#type);
        let one = format!("{}.{other}", target.entity);
        is_different.then(|| {
            (
                format!(
                    "`{}.{property}` is stored as `{}` and refers to `{one}`, stored as `{}`",
                    table.entity, here.r#type, there.r#type
                ),
                format!("write `{property}: {}[\"{other}\"]`", target.entity),
            )
        })
    })
}

/// Returns true if a column of one type may refer to a column of the other. Text types (with `uuid`), number types and
/// time types form groups, and a reference must stay within its group. A column of any other type refers only to
/// columns of the same type: PostgreSQL refuses a foreign key from `text` to `citext`.
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
            ColumnType::Array { .. } => 9,
            ColumnType::Enum { .. } => 11,
            ColumnType::Citext => 10,
        }
    }
    group(here) == group(there)
}
