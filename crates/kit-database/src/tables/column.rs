//! Creates the column of a property.

use kit_diagnostics::codes;
use kit_ir::{Constraints, DefaultValue, Digits, GeneratedKind, LiteralValue, Property, StoredAs};

use super::Builder;
use super::storage::{Storage, array, storage};
use crate::names;
use crate::{Column, ColumnDefault, ColumnSource, ColumnType, ElementType};

/// A column with the rules of its values.
pub(super) struct ColumnWithRules {
    pub(super) column: Column,
    /// The only values that the column accepts; empty if the type does not list its values.
    pub(super) values: Vec<LiteralValue>,
    pub(super) constraints: Constraints,
    /// Column type that the user selected.
    pub(super) stored_as: Option<StoredAs>,
}

impl Builder<'_> {
    /// Returns the column of a property, or `None` if an error was reported.
    pub(super) fn column(&mut self, entity: &str, property: &Property) -> Option<ColumnWithRules> {
        let place = format!("`{entity}.{}`", property.name);
        let stored = match property.tags.stored_as {
            Some(StoredAs::Array) => array(self.program, property.r#type),
            Some(StoredAs::Enum) => storage(self.program, property.r#type).and_then(|storage| {
                storage.stored_in(property.tags.enum_type.as_deref().unwrap_or_default())
            }),
            chosen => storage(self.program, property.r#type).and_then(|storage| storage.stored_as(chosen)),
        };
        let storage = match stored {
            Ok(storage) => storage,
            Err(reason) => {
                self.error(
                    codes::UNSUPPORTED_COLUMN,
                    property.span,
                    format!("{place} cannot be a column: {reason}"),
                    "change the type of the property, or move the property to an interface without `@table`",
                );
                return None;
            }
        };
        let name = property
            .tags
            .column
            .clone()
            .unwrap_or_else(|| names::column(&property.name));
        let invalid_reason = if names::is_system_column(&name) {
            Some("is a hidden column of every PostgreSQL table".to_owned())
        } else {
            names::invalid_reason(&name)
        };
        if let Some(reason) = invalid_reason {
            self.error(
                codes::UNUSABLE_NAME,
                property.span,
                format!("the column name `{name}` of {place} {reason}"),
                "name the column: `@column other_name`",
            );
            return None;
        }
        if property.tags.id && (property.optional || storage.nullable) {
            self.error(
                codes::UNSUPPORTED_COLUMN,
                property.span,
                format!("{place} is the id, but the type of an id must not be optional or null"),
                "remove the `?` or the `null` from the property",
            );
            return None;
        }
        if property.tags.on_update_now && !storage.r#type.is_time() {
            self.error(
                codes::UNSUPPORTED_COLUMN,
                property.span,
                format!(
                    "{place} has `@onUpdate now`, which needs a column with a time, but is stored as `{}`",
                    storage.r#type
                ),
                "change the type of the property to `Date`",
            );
            return None;
        }
        let default = match default(property, &storage) {
            Ok(default) => default,
            Err(reason) => {
                let is_number = storage.r#type == ColumnType::DoublePrecision;
                let help = if is_number && property.tags.generated == Some(GeneratedKind::Unspecified) {
                    "write `@integer` beside `@generated`: the database then numbers the rows"
                } else {
                    "change the tag or the type so that the tag fits the type"
                };
                self.error(
                    codes::UNSUPPORTED_COLUMN,
                    property.span,
                    format!("{place} {reason}"),
                    help,
                );
                return None;
            }
        };
        let column = Column {
            name,
            r#type: storage.r#type,
            nullable: storage.nullable || property.optional,
            default,
            comment: property.documentation.description.clone(),
            labels: storage.labels,
            source: ColumnSource {
                property: property.name.clone(),
                on_update_now: property.tags.on_update_now,
                value: storage.value,
                renamed_from: property.tags.renamed_from.clone(),
            },
        };
        Some(ColumnWithRules {
            column,
            values: storage.values,
            constraints: storage.constraints,
            stored_as: property.tags.stored_as,
        })
    }
}

fn default(property: &Property, storage: &Storage) -> Result<Option<ColumnDefault>, String> {
    if let Some(generated) = property.tags.generated {
        return match (generated, storage.r#type) {
            (GeneratedKind::Uuid | GeneratedKind::Unspecified, ColumnType::Uuid) => {
                Ok(Some(ColumnDefault::RandomUuid))
            }
            (GeneratedKind::UuidV7, ColumnType::Uuid) => Ok(Some(ColumnDefault::UuidV7)),
            (GeneratedKind::Now | GeneratedKind::Unspecified, r#type) if r#type.is_time() => {
                Ok(Some(ColumnDefault::Now))
            }
            (
                GeneratedKind::Unspecified,
                ColumnType::SmallInt | ColumnType::Integer | ColumnType::BigInt | ColumnType::BigIntExact,
            ) if !property.optional && !storage.nullable => Ok(Some(ColumnDefault::Identity)),
            (kind, r#type) => Err(format!(
                "is `@generated{}`, but PostgreSQL cannot generate a value for a column of type `{type}`",
                match kind {
                    GeneratedKind::Uuid => " uuid",
                    GeneratedKind::UuidV7 => " uuidv7",
                    GeneratedKind::Now => " now",
                    GeneratedKind::Unspecified => "",
                }
            )),
        };
    }
    match (&property.tags.default, storage.r#type) {
        (None | Some(DefaultValue::Null), _) => Ok(None),
        (Some(DefaultValue::Now), r#type) if r#type.is_time() => Ok(Some(ColumnDefault::Now)),
        (Some(DefaultValue::Json(text)), ColumnType::Jsonb) => Ok(Some(ColumnDefault::Json(text.clone()))),
        (Some(DefaultValue::Json(text)), ColumnType::Array { element }) => array_default(text, element)
            .map(|text| Some(ColumnDefault::Array(text)))
            .ok_or_else(|| {
                format!(
                    "has a `@default` that a column of type `{}` cannot store",
                    storage.r#type
                )
            }),
        (Some(DefaultValue::Literal(value)), ColumnType::Jsonb) => json(value)
            .map(|text| Some(ColumnDefault::Json(text)))
            .ok_or_else(|| "has a `@default` that JSON cannot represent".to_owned()),
        (Some(DefaultValue::Literal(value)), r#type) if fits(value, r#type) => {
            Ok(Some(ColumnDefault::Literal(value.clone())))
        }
        (Some(_), r#type) => Err(format!(
            "has a `@default` that a column of type `{type}` cannot store"
        )),
    }
}

/// Returns a JSON array in PostgreSQL's text form: `{a,"b c"}`. Returns `None` if an element does not fit the type.
fn array_default(json: &str, element: ElementType) -> Option<String> {
    let elements: Vec<serde_json::Value> = serde_json::from_str(json).ok()?;
    let texts: Option<Vec<String>> = elements
        .into_iter()
        .map(|value| {
            let value = match value {
                serde_json::Value::String(text) => LiteralValue::String(text),
                serde_json::Value::Number(number) => {
                    LiteralValue::Number(serde_json::from_value(number.into()).ok()?)
                }
                serde_json::Value::Bool(value) => LiteralValue::Boolean(value),
                _ => return None,
            };
            fits(&value, element.column()).then(|| match value {
                LiteralValue::String(text) => array_element(&text),
                LiteralValue::Boolean(true) => "t".to_owned(),
                LiteralValue::Boolean(false) => "f".to_owned(),
                value => crate::sql::literal(&value),
            })
        })
        .collect();
    Some(format!("{{{}}}", texts?.join(",")))
}

/// Returns a text as an element of an array, with quotes if PostgreSQL prints quotes.
fn array_element(text: &str) -> String {
    let is_plain = !text.is_empty()
        && !text.eq_ignore_ascii_case("null")
        && !text.contains(|letter: char| {
            matches!(letter, '{' | '}' | '"' | ',' | '\\' | '\u{b}') || letter.is_ascii_whitespace()
        });
    if is_plain {
        text.to_owned()
    } else {
        format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
    }
}

/// Formats a literal as JSON. Returns `None` for a `bigint`, which JSON cannot represent.
fn json(value: &LiteralValue) -> Option<String> {
    match value {
        LiteralValue::String(text) => Some(serde_json::Value::from(text.as_str()).to_string()),
        LiteralValue::Number(number) => Some(number.to_string()),
        LiteralValue::Boolean(value) => Some(value.to_string()),
        LiteralValue::BigInt(_) => None,
    }
}

/// Returns true if a column of the given type can store the value.
pub(super) fn fits(value: &LiteralValue, r#type: ColumnType) -> bool {
    match value {
        LiteralValue::String(text) => match r#type {
            // The compiler checks that the text is a value of the union.
            ColumnType::Text | ColumnType::Citext | ColumnType::Enum { .. } => true,
            ColumnType::Uuid => is_uuid(text),
            ColumnType::Numeric { precision, scale } => {
                Digits::new(precision, scale).is_some_and(|digits| digits.allow(text))
            }
            ColumnType::Date => is_date(text),
            ColumnType::Varchar { length } => text.chars().count() <= length as usize,
            _ => false,
        },
        LiteralValue::Number(number) => match r#type {
            ColumnType::SmallInt => number.fract() == 0.0 && number.abs() <= f64::from(i16::MAX),
            ColumnType::Integer => number.fract() == 0.0 && number.abs() <= f64::from(i32::MAX),
            ColumnType::BigInt => number.fract() == 0.0,
            ColumnType::DoublePrecision => true,
            _ => false,
        },
        LiteralValue::Boolean(_) => r#type == ColumnType::Boolean,
        LiteralValue::BigInt(digits) => r#type == ColumnType::BigIntExact && digits.parse::<i64>().is_ok(),
    }
}

/// Returns true for a calendar day such as `2026-01-31`. PostgreSQL has no year 0.
fn is_date(text: &str) -> bool {
    let digits = |range: std::ops::Range<usize>| {
        let part = text.get(range)?;
        part.bytes()
            .all(|byte| byte.is_ascii_digit())
            .then(|| part.parse::<u32>().ok())?
    };
    let (Some(year), Some(month), Some(day)) = (digits(0..4), digits(5..7), digits(8..10)) else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    text.len() == 10
        && text.get(4..5) == Some("-")
        && text.get(7..8) == Some("-")
        && year > 0
        && (1..=12).contains(&month)
        && (1..=last).contains(&day)
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.char_indices().all(|(at, char)| {
            if [8, 13, 18, 23].contains(&at) {
                char == '-'
            } else {
                char.is_ascii_hexdigit()
            }
        })
}
