//! Derives check constraints from the rules of a property's type.
//!
//! The validators already enforce every rule. The database repeats the rules that mean exactly the same in SQL, so that
//! writes without kit cannot violate them. The other rules are enforced by the validators only.

use kit_diagnostics::codes;
use kit_ir::{Decimal, LiteralValue};

use super::Builder;
use super::column::{ColumnWithRules, fits};
use super::pattern;
use crate::{
    Check, Column, ColumnDefault, ColumnType, Counts, Elements, Range, Rule, Schema, local_name, names,
};

/// Returns the check constraints of a column, one for each rule that SQL can express.
pub(super) fn of(table: &str, stored: &ColumnWithRules) -> Vec<Check> {
    let ColumnWithRules {
        column,
        values,
        constraints,
        stored_as,
    } = stored;
    let mut checks = Vec::new();
    let mut add = |rule: Rule| {
        checks.push(Check {
            name: names::constraint(&[&local_name(table), &column.name], rule.suffix()),
            column: column.name.clone(),
            rule,
        });
    };
    if let ColumnType::Array { element } = column.r#type {
        add(Rule::Elements(Elements {
            of: element,
            values: values.clone(),
        }));
    } else if !values.is_empty() {
        add(Rule::Values(values.clone()));
    }
    let length = Counts {
        min: constraints.min_length.filter(|least| *least > 0),
        // `varchar(n)` already enforces the maximum.
        max: constraints
            .max_length
            .filter(|_| matches!(column.r#type, ColumnType::Text | ColumnType::Citext)),
    };
    if length != Counts::default() {
        add(Rule::Length(length));
    }
    if let Some(pattern) = constraints.pattern.as_deref().and_then(pattern::translate) {
        add(Rule::Pattern(pattern));
    }
    let items = Counts {
        min: constraints.min_items.filter(|least| *least > 0),
        max: constraints.max_items,
    };
    if items != Counts::default() {
        add(if matches!(column.r#type, ColumnType::Array { .. }) {
            Rule::Cardinality(items)
        } else {
            Rule::Items(items)
        });
    }
    // A type that the user selected needs no check of its own bounds.
    let of_type = stored_as
        .and_then(|_| range_of(column.r#type))
        .unwrap_or_default();
    let narrower = |bound: Option<Decimal>, of_type: Option<Decimal>| bound.filter(|_| bound != of_type);
    let range = Range {
        minimum: narrower(constraints.minimum, of_type.minimum),
        maximum: narrower(constraints.maximum, of_type.maximum),
        exclusive_minimum: constraints.exclusive_minimum,
        exclusive_maximum: constraints.exclusive_maximum,
    };
    if range != Range::default() {
        add(Rule::Range(range));
    }
    if let Some(range) = &constraints.decimal_range {
        add(Rule::Decimals((**range).clone()));
    }
    // JavaScript and PostgreSQL do not agree on multiples of numbers with a fraction.
    if let Some(step) = constraints.multiple_of
        && column.r#type.is_whole()
        && step.get().fract() == 0.0
    {
        add(Rule::MultipleOf(step));
    }
    checks
}

/// Returns the bounds of a type of whole numbers; `None` if JavaScript cannot represent them.
fn range_of(r#type: ColumnType) -> Option<Range> {
    let (minimum, maximum) = match r#type {
        ColumnType::SmallInt => (i16::MIN.into(), i16::MAX.into()),
        ColumnType::Integer => (i32::MIN, i32::MAX),
        _ => return None,
    };
    Some(Range {
        minimum: Decimal::new(f64::from(minimum)),
        maximum: Decimal::new(f64::from(maximum)),
        ..Range::default()
    })
}

/// Removes rules that a column does not need or that do not fit its final type. For example, a text column
/// that refers to a UUID becomes a UUID column, to which no rule for text applies. Reports a default that
/// does not fit the final type.
pub(super) fn fit_final_types(builder: &mut Builder<'_>, schema: &mut Schema) {
    remove_checks_of_references(schema);
    for table in &mut schema.tables {
        let columns = &table.columns;
        table.checks.retain(|check| {
            check.column.is_empty()
                || columns
                    .iter()
                    .find(|column| column.name == check.column)
                    .is_some_and(|column| applies_to(&check.rule, column.r#type))
        });
        for column in columns {
            if let Some(ColumnDefault::Literal(value)) = &column.default
                && !fits(value, column.r#type)
            {
                report_unfit_default(builder, &table.entity, column, value);
            }
        }
    }
}

/// Removes the rules of columns that refer to a column with the same rule, because a foreign key only accepts
/// values that the other column has. Keeps a rule if the other column is a reference too, because the other
/// column may have lost its own rule.
fn remove_checks_of_references(schema: &mut Schema) {
    for at in 0..schema.tables.len() {
        let table = &schema.tables[at];
        let is_held = |check: &Check| {
            if matches!(check.rule, Rule::Sql(_)) {
                return false;
            }
            // PostgreSQL does not look for the other row if one of several columns is null.
            let keys = table.foreign_keys.iter().filter(|key| key.columns.len() == 1);
            let mut keys = keys.filter_map(|key| Some((key, key.target_of(&check.column)?)));
            keys.any(|(key, there)| {
                schema.table(&key.table).is_some_and(|target| {
                    let refers_on = target
                        .foreign_keys
                        .iter()
                        .any(|other| other.target_of(there).is_some());
                    let mut rules = target.checks.iter().filter(|known| known.column == there);
                    let is_of_type = || {
                        let r#type = target.column(there).and_then(|column| range_of(column.r#type));
                        r#type.is_some_and(|range| check.rule == Rule::Range(range))
                    };
                    let has_range = rules.clone().any(|known| matches!(known.rule, Rule::Range(_)));
                    !refers_on && (rules.any(|known| known.rule == check.rule) || !has_range && is_of_type())
                })
            })
        };
        let kept = table
            .checks
            .iter()
            .filter(|check| !is_held(check))
            .cloned()
            .collect();
        schema.tables[at].checks = kept;
    }
}

fn applies_to(rule: &Rule, r#type: ColumnType) -> bool {
    match rule {
        Rule::Sql(_) => true,
        Rule::Values(values) => values.iter().all(|value| fits(value, r#type)),
        Rule::Length(_) => r#type.is_any_text(),
        // PostgreSQL would match a `citext` without case.
        Rule::Pattern(_) => r#type.is_text(),
        Rule::Items(_) => r#type == ColumnType::Jsonb,
        Rule::Cardinality(_) => matches!(r#type, ColumnType::Array { .. }),
        Rule::Elements(elements) => r#type == ColumnType::Array { element: elements.of },
        // A range of a `bigint` property is that of its column type, so it needs no check.
        Rule::Range(_) => {
            matches!(
                r#type,
                ColumnType::SmallInt | ColumnType::Integer | ColumnType::BigInt | ColumnType::DoublePrecision
            )
        }
        Rule::Decimals(_) => matches!(r#type, ColumnType::Numeric { .. }),
        Rule::MultipleOf(_) => r#type.is_whole(),
    }
}

fn report_unfit_default(builder: &mut Builder<'_>, entity: &str, column: &Column, value: &LiteralValue) {
    let Some((_, declaration)) = builder.declaration(entity) else {
        return;
    };
    let span = builder
        .program
        .properties(declaration.r#type)
        .iter()
        .find(|property| property.name == column.source.property)
        .map_or(declaration.span, |property| property.span);
    let shown = match value {
        LiteralValue::String(text) => format!("`{text}`"),
        LiteralValue::Number(number) => format!("`{number}`"),
        LiteralValue::Boolean(value) => format!("`{value}`"),
        LiteralValue::BigInt(digits) => format!("`{digits}`"),
    };
    builder.error(
        codes::UNSUPPORTED_COLUMN,
        span,
        format!(
            "`{entity}.{}` has the default {shown}, and is stored as `{}`, because it refers to a column of that type",
            column.source.property, column.r#type
        ),
        "remove the `@default`, or write a default of that type",
    );
}
