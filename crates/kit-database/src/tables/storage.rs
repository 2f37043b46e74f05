//! Chooses the PostgreSQL column type for a TypeScript type.

use kit_ir::{Constraints, DeclarationId, Digits, Format, LiteralValue, Program, StoredAs, TypeId, TypeKind};

use crate::{ColumnType, ElementType, TypeName, ValueType};

/// Column type and rules with which the values of a property are stored.
pub(super) struct Storage {
    pub(super) r#type: ColumnType,
    /// True if the type includes `null`.
    pub(super) nullable: bool,
    pub(super) value: ValueType,
    /// The only values of the type; empty if the type does not list its values.
    pub(super) values: Vec<LiteralValue>,
    /// Values of an enum type; empty for other types.
    pub(super) labels: Vec<String>,
    /// Other rules of the values, if all non-null values have one type.
    pub(super) constraints: Constraints,
}

impl Storage {
    fn plain(r#type: ColumnType) -> Self {
        Self {
            r#type,
            nullable: false,
            value: ValueType::Inferred,
            values: Vec::new(),
            labels: Vec::new(),
            constraints: Constraints::default(),
        }
    }

    /// Returns the storage in an enum type with the given name.
    pub(super) fn stored_in(self, name: &str) -> Result<Self, String> {
        let (ColumnType::Text, ValueType::OneOf(labels), Some(name)) =
            (self.r#type, &self.value, TypeName::new(name))
        else {
            return Err("`@storedAs enum` needs a union of texts and a name of at most 63 bytes".to_owned());
        };
        if let Some(long) = labels.iter().find(|label| label.len() > crate::names::LONGEST) {
            return Err(format!(
                "the value `{long}` is longer than the 63 bytes of a value of an enum type; remove `@storedAs`"
            ));
        }
        Ok(Self {
            r#type: ColumnType::Enum { name },
            labels: labels.clone(),
            values: Vec::new(),
            ..self
        })
    }

    /// Returns the storage with the type that `@storedAs` selects.
    pub(super) fn stored_as(self, chosen: Option<StoredAs>) -> Result<Self, String> {
        // The compiler derives rules from the tag, so that the values fit.
        let r#type = match (chosen, self.r#type) {
            (None, r#type) => r#type,
            (Some(StoredAs::SmallInt), ColumnType::Integer) => ColumnType::SmallInt,
            (Some(StoredAs::Integer), ColumnType::Integer) => ColumnType::Integer,
            (Some(StoredAs::Date), ColumnType::Text | ColumnType::Varchar { .. }) => ColumnType::Date,
            // A check enforces `@maxLength`.
            (Some(StoredAs::Citext), ColumnType::Text | ColumnType::Varchar { .. }) => ColumnType::Citext,
            (Some(chosen), r#type) => {
                return Err(format!(
                    "`@storedAs {}` does not fit values that are stored as `{type}`",
                    chosen.name()
                ));
            }
        };
        Ok(Self { r#type, ..self })
    }

    fn declared(r#type: ColumnType) -> Self {
        Self {
            value: ValueType::Declared,
            ..Self::plain(r#type)
        }
    }
}

/// Returns the column type and rules for a type, or the reason why no column can store its values.
pub(super) fn storage(program: &Program, id: TypeId) -> Result<Storage, String> {
    let mut members = Vec::new();
    flatten(program, id, &mut members, &mut Vec::new());
    let before = members.len();
    members.retain(|member| program.types[*member].kind != TypeKind::Null);
    let nullable = members.len() < before;
    let mut storage = match members.as_slice() {
        [] => return Err("a column that allows only `null` has nothing to store".to_owned()),
        [member] => Storage {
            constraints: program.types[*member].constraints.clone(),
            ..single(program, *member)?
        },
        members => union(program, members)?,
    };
    storage.nullable = nullable;
    Ok(storage)
}

/// Returns an array of PostgreSQL for an array type, or the reason why no such column can store its values.
pub(super) fn array(program: &Program, id: TypeId) -> Result<Storage, String> {
    let mut members = Vec::new();
    flatten(program, id, &mut members, &mut Vec::new());
    let before = members.len();
    members.retain(|member| program.types[*member].kind != TypeKind::Null);
    let (&[member], nullable) = (members.as_slice(), members.len() < before) else {
        return Err("`@storedAs array` needs one array type".to_owned());
    };
    let r#type = &program.types[member];
    let TypeKind::Array { element } = r#type.kind else {
        return Err("`@storedAs array` needs an array type".to_owned());
    };
    let inner = storage(program, element)?;
    let advice = "remove `@storedAs array`, then the column is `jsonb`";
    if inner.nullable {
        return Err(format!(
            "its elements may be null, and drivers read null elements of `@storedAs array` in different ways; {advice}"
        ));
    }
    let Some(element) = ElementType::of(inner.r#type) else {
        return Err(format!(
            "its elements are stored as `{}`, and `@storedAs array` is for texts, numbers, booleans, dates, `bigint` and `Decimal`; {advice}",
            inner.r#type
        ));
    };
    let value = match inner.value {
        ValueType::Inferred => ValueType::Inferred,
        ValueType::OneOf(_) | ValueType::Declared => ValueType::Declared,
    };
    Ok(Storage {
        r#type: ColumnType::Array { element },
        nullable,
        value,
        values: inner.values,
        labels: Vec::new(),
        constraints: r#type.constraints.clone(),
    })
}

/// Collects the members of a union and of the unions that it refers to. For a type that is not a union, the type
/// itself is the only member.
fn flatten(program: &Program, id: TypeId, members: &mut Vec<TypeId>, seen: &mut Vec<DeclarationId>) {
    match &program.types[id].kind {
        TypeKind::Union { members: inner } => {
            for member in inner {
                flatten(program, *member, members, seen);
            }
        }
        TypeKind::Reference { declaration } if !seen.contains(declaration) => {
            let target = program.declarations[*declaration].r#type;
            // An object keeps its reference, so that a recursive type is recognized.
            if matches!(program.types[target].kind, TypeKind::Object(_)) {
                members.push(id);
            } else {
                seen.push(*declaration);
                flatten(program, target, members, seen);
                seen.pop();
            }
        }
        _ => members.push(id),
    }
}

fn single(program: &Program, id: TypeId) -> Result<Storage, String> {
    let r#type = &program.types[id];
    Ok(match &r#type.kind {
        TypeKind::String => match text(&r#type.constraints)? {
            // The text of a decimal number has a type of its own.
            numeric @ ColumnType::Numeric { .. } => Storage::declared(numeric),
            text => Storage::plain(text),
        },
        TypeKind::Number => Storage::plain(number(&r#type.constraints)),
        TypeKind::Boolean => Storage::plain(ColumnType::Boolean),
        TypeKind::BigInt => Storage::plain(ColumnType::BigIntExact),
        TypeKind::Date => Storage::plain(ColumnType::Timestamptz),
        TypeKind::Literal { value } => literals(std::slice::from_ref(value))?,
        TypeKind::Template { .. } => Storage::declared(text(&r#type.constraints)?),
        TypeKind::Unknown
        | TypeKind::Array { .. }
        | TypeKind::Tuple { .. }
        | TypeKind::Object(_)
        | TypeKind::Reference { .. } => {
            json_alike(program, id, &mut Vec::new())?;
            Storage::declared(ColumnType::Jsonb)
        }
        TypeKind::Bytes => Storage::plain(ColumnType::Bytes),
        TypeKind::Never => return Err("`never` has no value to store".to_owned()),
        TypeKind::Null | TypeKind::Union { .. } => {
            return Err("a union inside a union cannot be stored".to_owned());
        }
    })
}

fn union(program: &Program, members: &[TypeId]) -> Result<Storage, String> {
    let mut values = Vec::new();
    for member in members {
        if let TypeKind::Literal { value } = &program.types[*member].kind {
            values.push(value.clone());
        }
    }
    if values.len() == members.len() {
        return literals(&values);
    }
    for member in members {
        json_alike(program, *member, &mut Vec::new())?;
    }
    Ok(Storage::declared(ColumnType::Jsonb))
}

/// Returns the column type and rules for a literal type or a union of literals, such as `"draft" | "done"`.
fn literals(values: &[LiteralValue]) -> Result<Storage, String> {
    let texts: Vec<String> = values
        .iter()
        .filter_map(|value| match value {
            LiteralValue::String(text) => Some(text.clone()),
            _ => None,
        })
        .collect();
    if texts.len() == values.len() {
        return Ok(Storage {
            value: ValueType::OneOf(texts),
            values: values.to_vec(),
            ..Storage::plain(ColumnType::Text)
        });
    }
    if values
        .iter()
        .all(|value| matches!(value, LiteralValue::Boolean(_)))
    {
        let every =
            values.contains(&LiteralValue::Boolean(true)) && values.contains(&LiteralValue::Boolean(false));
        return Ok(if every {
            Storage::plain(ColumnType::Boolean)
        } else {
            Storage {
                values: values.to_vec(),
                ..Storage::declared(ColumnType::Boolean)
            }
        });
    }
    if values
        .iter()
        .all(|value| matches!(value, LiteralValue::BigInt(_)))
    {
        return Ok(Storage {
            values: values.to_vec(),
            ..Storage::declared(ColumnType::BigIntExact)
        });
    }
    let mut whole = true;
    for value in values {
        let LiteralValue::Number(number) = value else {
            return Err(
                "literals of different types, such as a string and a number, cannot be stored in one column"
                    .to_owned(),
            );
        };
        whole &= number.fract() == 0.0 && number.abs() <= f64::from(i32::MAX);
    }
    let r#type = if whole {
        ColumnType::Integer
    } else {
        ColumnType::DoublePrecision
    };
    Ok(Storage {
        values: values.to_vec(),
        ..Storage::declared(r#type)
    })
}

/// Maximum length of a `varchar` in PostgreSQL, in characters.
const LONGEST_VARCHAR: u64 = 10_485_760;

fn text(constraints: &Constraints) -> Result<ColumnType, String> {
    if let Some(Digits { precision, scale }) = constraints.digits {
        return Ok(ColumnType::Numeric { precision, scale });
    }
    if constraints.format == Some(Format::Uuid) {
        return Ok(ColumnType::Uuid);
    }
    match constraints.max_length {
        None => Ok(ColumnType::Text),
        Some(0) => {
            Err("`@maxLength 0` allows only the empty string, so there is nothing to store".to_owned())
        }
        Some(length) => Ok(match u32::try_from(length) {
            Ok(short) if length <= LONGEST_VARCHAR => ColumnType::Varchar { length: short },
            // The length is greater than the maximum of `varchar`, so only the validator enforces it.
            _ => ColumnType::Text,
        }),
    }
}

/// Returns the column type of a number. A whole number is stored in 32 bits only if its minimum and its
/// maximum fit. Without bounds, validators accept numbers up to 2^53 - 1.
fn number(constraints: &Constraints) -> ColumnType {
    if !constraints.integer {
        return ColumnType::DoublePrecision;
    }
    let bits = f64::from(i32::MIN)..=f64::from(i32::MAX);
    let within = |limit: Option<kit_ir::Decimal>| limit.is_some_and(|limit| bits.contains(&limit.get()));
    let least = within(constraints.minimum) || within(constraints.exclusive_minimum);
    let most = within(constraints.maximum) || within(constraints.exclusive_maximum);
    if least && most {
        ColumnType::Integer
    } else {
        ColumnType::BigInt
    }
}

/// Returns an error if JSON would change the type of a value: a `Date`, a `bigint` or a `Uint8Array` would be read back
/// as another type, and an entity would become a copy of a row.
fn json_alike(program: &Program, id: TypeId, seen: &mut Vec<DeclarationId>) -> Result<(), String> {
    let refuse = |what: &str| {
        Err(format!(
            "a `{what}` inside a JSON column would be read back as text; store the value in a separate column, or use the type `string`"
        ))
    };
    match &program.types[id].kind {
        TypeKind::Date => refuse("Date"),
        TypeKind::BigInt => refuse("bigint"),
        TypeKind::Bytes => refuse("Uint8Array"),
        TypeKind::Array { element } => json_alike(program, *element, seen),
        TypeKind::Tuple { elements } => elements
            .iter()
            .try_for_each(|element| json_alike(program, element.r#type, seen)),
        TypeKind::Union { members } => members
            .iter()
            .try_for_each(|member| json_alike(program, *member, seen)),
        TypeKind::Object(object) => object
            .properties
            .iter()
            .map(|property| property.r#type)
            .chain(object.index.iter().map(|signature| signature.value))
            .try_for_each(|inner| json_alike(program, inner, seen)),
        TypeKind::Reference { declaration }
            if program
                .entities
                .iter()
                .any(|entity| entity.declaration == *declaration) =>
        {
            let name = &program.declarations[*declaration].name;
            Err(format!(
                "`{name}` has a table of its own, and JSON would be a second copy of its rows; refer to a row: `@references {name}.id`, or leave columns out on purpose: `Pick<{name}, \"id\">`"
            ))
        }
        TypeKind::Reference { declaration } if !seen.contains(declaration) => {
            seen.push(*declaration);
            json_alike(program, program.declarations[*declaration].r#type, seen)
        }
        _ => Ok(()),
    }
}
