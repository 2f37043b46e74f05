//! Assigns a risk class to each change, with a reason and, if there is one, a safer alternative.

use kit_ir::Decimal;

use crate::step::Classification;
use crate::{
    ChangeClass, Check, Column, ColumnDefault, ColumnType, Counts, ForeignKey, Index, Range, Rule, Table,
    Unique,
};

use super::types::Conversion;

pub(super) fn create_table() -> Classification {
    Classification::new(ChangeClass::Safe, "the table is new")
}

pub(super) fn drop_table(table: &Table, successor: Option<&Table>) -> Classification {
    let classification = Classification::new(ChangeClass::Destructive, "all rows are lost for good");
    match successor {
        Some(successor) => classification.with_alternative(
            "a renamed table keeps its rows",
            [format!(
                "write `@renamedFrom {}` on the entity of {}",
                table.name, successor.name
            )],
        ),
        None => classification,
    }
}

pub(super) fn rename() -> Classification {
    Classification::new(
        ChangeClass::Safe,
        "rows stay; programs that use the former name fail until their new versions run",
    )
}

pub(super) fn rename_constraint() -> Classification {
    Classification::new(ChangeClass::Safe, "only the name changes")
}

pub(super) fn create_schema() -> Classification {
    Classification::new(
        ChangeClass::Safe,
        "nothing happens if the schema exists; otherwise the role needs the right CREATE on the database",
    )
}

pub(super) fn create_enum() -> Classification {
    Classification::new(ChangeClass::Safe, "the type is new")
}

pub(super) fn add_enum_value() -> Classification {
    Classification::new(
        ChangeClass::Safe,
        "every row stays valid; the value is added before a later step can use it",
    )
}

pub(super) fn rename_enum() -> Classification {
    Classification::new(
        ChangeClass::Safe,
        "rows stay; programs that name the type in their queries, such as Rust servers, fail until their new versions run",
    )
    .undivided(true)
}

pub(super) fn drop_enum() -> Classification {
    Classification::new(ChangeClass::Safe, "no column has the type any more")
}

pub(super) fn create_extension() -> Classification {
    Classification::new(
        ChangeClass::Safe,
        "nothing happens if the extension exists; otherwise the role needs the right CREATE on the database",
    )
}

pub(super) fn add_column(table: &str, column: &Column) -> Classification {
    match &column.default {
        None if column.nullable => Classification::new(ChangeClass::Safe, "existing rows have null in the column"),
        None => Classification::new(
            ChangeClass::NeedsData,
            "the column is required and has no default: existing rows need a value; write this value at the marked line in migration.sql",
        )
        .with_alternative(
            "rows get their values while the application runs",
            [
                format!("make the property optional, so that {table}.{} may be null", column.name),
                "deploy an application that writes the column, and fill the existing rows".to_owned(),
                "make the property required in a separate migration".to_owned(),
            ],
        ),
        Some(ColumnDefault::Identity | ColumnDefault::RandomUuid | ColumnDefault::UuidV7) => Classification::new(
            ChangeClass::Safe,
            "each row gets its own value, in batches while the application runs",
        ),
        Some(
            ColumnDefault::Now
            | ColumnDefault::Literal(_)
            | ColumnDefault::Json(_)
            | ColumnDefault::Array(_),
        ) => Classification::new(
            ChangeClass::Safe,
            "existing rows get the default without a rewrite of the table",
        ),
    }
}

pub(super) fn drop_column(table: &str, column: &Column, successor: Option<&Column>) -> Classification {
    let classification = Classification::new(ChangeClass::Destructive, "its values are lost for good");
    match successor {
        Some(successor) => classification.with_alternative(
            "a renamed column keeps its values",
            [format!(
                "write `@renamedFrom {}` on the property of {table}.{}",
                column.name, successor.name
            )],
        ),
        None => classification,
    }
}

/// Classifies a change of a type. `is_key` is true if no two rows may have the same value in the column. `is_copied` is true
/// if a copy of the column is filled while the application runs.
pub(super) fn set_type(
    from: ColumnType,
    to: ColumnType,
    conversion: Conversion,
    is_key: bool,
    is_copied: bool,
) -> Classification {
    let way = if is_copied {
        "a second column is filled in batches while the application runs, and then replaces the column"
    } else {
        "the table is rewritten while other sessions cannot read it, because hand-written SQL or the condition of a unique index uses the column"
    };
    let harmless = if is_copied {
        ChangeClass::Safe
    } else {
        ChangeClass::Locks
    };
    match conversion {
        Conversion::Free => Classification::new(
            ChangeClass::Safe,
            format!("every {from} is a valid {to}, and PostgreSQL rewrites no row"),
        ),
        Conversion::Caseless if is_key => Classification::new(
            ChangeClass::NeedsData,
            format!("the migration stops and changes nothing if two values are equal without case; {way}"),
        ),
        Conversion::Rewrite | Conversion::Caseless => {
            Classification::new(harmless, format!("every {from} is a valid {to}; {way}"))
        }
        Conversion::Milliseconds if is_key => Classification::new(
            ChangeClass::NeedsData,
            format!(
                "the migration stops and changes nothing if two values are equal without their digits below a millisecond; {way}"
            ),
        ),
        Conversion::Milliseconds => Classification::new(
            harmless,
            format!("values are read as UTC and lose their digits below a millisecond; {way}"),
        ),
        Conversion::Guarded => Classification::new(
            ChangeClass::NeedsData,
            format!(
                "the migration stops and changes nothing if a value is not a valid {to} or would change; {way}"
            ),
        ),
    }
}

pub(super) fn set_default(counts: bool) -> Classification {
    if counts {
        Classification::new(
            ChangeClass::Locks,
            "the highest number is searched, because the sequence continues after it",
        )
    } else {
        Classification::new(ChangeClass::Safe, "only new rows get the default")
    }
}

/// Classifies the end of a default. `required` is true if the column cannot be null and gets no other default.
pub(super) fn drop_default(required: bool) -> Classification {
    let reason = if required {
        "existing rows keep their values; inserts of the running application that leave out the column fail"
    } else {
        "existing rows keep their values"
    };
    Classification::new(ChangeClass::Safe, reason)
}

pub(super) fn drop_not_null() -> Classification {
    Classification::new(
        ChangeClass::Safe,
        "every row stays valid; an older release may read null",
    )
}

pub(super) fn set_not_null() -> Classification {
    Classification::new(
        ChangeClass::NeedsData,
        "the migration stops and changes nothing if a row has null; rows are checked while the application runs",
    )
}

pub(super) fn add_primary_key() -> Classification {
    Classification::new(
        ChangeClass::NeedsData,
        "the migration stops and changes nothing if two rows have the same values; the index is built while the application runs",
    )
}

pub(super) fn add_unique(table: &Table, unique: &Unique, new: bool) -> Classification {
    if new
        && table.columns.iter().all(|column| {
            !unique.columns.contains(&column.name) || (column.default.is_none() && column.nullable)
        })
    {
        return Classification::new(ChangeClass::Safe, "no row has a value in the column yet");
    }
    Classification::new(
        ChangeClass::NeedsData,
        "the migration stops and changes nothing if two rows have the same values; the index is built while the application runs",
    )
}

/// Classifies a new check. Also returns true if existing rows cannot break the check.
pub(super) fn add_check(check: &Check, former: Option<&Check>, new: bool) -> (Classification, bool) {
    let known = former.is_some_and(|former| widens(&former.rule, &check.rule));
    let reason = match (known, new) {
        (true, _) => "every existing row is valid; rows are checked while the application runs",
        (false, true) => "no existing row has its own value yet; rows are checked while the application runs",
        (false, false) => {
            "the migration stops and changes nothing if a row is not valid; rows are checked while the application runs"
        }
    };
    let class = if known || new {
        ChangeClass::Safe
    } else {
        ChangeClass::NeedsData
    };
    (Classification::new(class, reason), known || new)
}

/// Classifies a new foreign key. `known` is true if a foreign key between the same columns existed before, so
/// that only its actions or the column types differ. `new` contains its columns that have no stored values yet. Also returns
/// true if existing rows cannot break the foreign key.
pub(super) fn add_foreign_key(
    table: &Table,
    key: &ForeignKey,
    new: &[String],
    known: bool,
) -> (Classification, bool) {
    // A foreign key with several columns checks no row in which one of them is null.
    let empty = key.columns.iter().any(|name| {
        new.contains(name)
            && table
                .column(name)
                .is_some_and(|column| column.nullable && column.default.is_none())
    });
    let reason = match (known, empty) {
        (true, _) => "every existing row is valid; rows are checked while the application runs",
        (false, true) => "no row has a reference yet; rows are checked while the application runs",
        (false, false) => {
            "the migration stops and changes nothing if a row refers to a missing row; rows are checked while the application runs"
        }
    };
    let class = if known || empty {
        ChangeClass::Safe
    } else {
        ChangeClass::NeedsData
    };
    (Classification::new(class, reason), known || empty)
}

/// Classifies a new index. `created` is true if the table is new, and `new` if no row has a value of its own in the
/// columns.
pub(super) fn create_index(index: &Index, created: bool, new: bool) -> Classification {
    if created {
        return Classification::new(ChangeClass::Safe, "the table is new");
    }
    if index.unique && !new {
        return Classification::new(
            ChangeClass::NeedsData,
            "the migration stops and changes nothing if rows have equal values; the index is built while the application runs",
        );
    }
    Classification::new(ChangeClass::Safe, "the index is built while the application runs")
}

pub(super) fn drop_constraint() -> Classification {
    Classification::new(ChangeClass::Safe, "every row stays valid")
}

pub(super) fn drop_index() -> Classification {
    Classification::new(
        ChangeClass::Safe,
        "rows stay; queries that use the index become slower",
    )
}

pub(super) fn comment() -> Classification {
    Classification::new(ChangeClass::Safe, "a comment for people")
}

/// Returns true if a change of a rule from `from` to `to` allows more values: every value that satisfies
/// `from` also satisfies `to`.
fn widens(from: &Rule, to: &Rule) -> bool {
    match (from, to) {
        (Rule::Values(from), Rule::Values(to)) => from.iter().all(|value| to.contains(value)),
        (Rule::Length(from), Rule::Length(to))
        | (Rule::Items(from), Rule::Items(to))
        | (Rule::Cardinality(from), Rule::Cardinality(to)) => wider(*from, *to),
        (Rule::Elements(from), Rule::Elements(to)) => {
            from.of == to.of
                && (to.values.is_empty()
                    || !from.values.is_empty() && from.values.iter().all(|value| to.values.contains(value)))
        }
        (Rule::Range(from), Rule::Range(to)) => farther(from, to),
        (Rule::Decimals(from), Rule::Decimals(to)) => from.and(to) == *from,
        _ => from == to,
    }
}

/// Returns true if a column with a list of values may have other values after a change of its rule. `to` is `None` if the
/// rule is removed.
pub(super) fn allows_other_values(from: &Rule, to: Option<&Rule>) -> bool {
    match from {
        Rule::Values(_) => to.is_none_or(|to| !widens(to, from)),
        Rule::Elements(elements) if !elements.values.is_empty() => to.is_none_or(|to| !widens(to, from)),
        _ => false,
    }
}

fn wider(from: Counts, to: Counts) -> bool {
    let least = to.min.is_none_or(|to| from.min.is_some_and(|from| to <= from));
    let most = to.max.is_none_or(|to| from.max.is_some_and(|from| to >= from));
    least && most
}

fn farther(from: &Range, to: &Range) -> bool {
    let least =
        |to: Option<Decimal>, from: Option<Decimal>| to.is_none_or(|to| from.is_some_and(|from| to <= from));
    let most =
        |to: Option<Decimal>, from: Option<Decimal>| to.is_none_or(|to| from.is_some_and(|from| to >= from));
    least(to.minimum, from.minimum)
        && least(to.exclusive_minimum, from.exclusive_minimum)
        && most(to.maximum, from.maximum)
        && most(to.exclusive_maximum, from.exclusive_maximum)
}

/// Classifies a new policy of tenants. `in_use` is true if applications use all rows of the table.
pub(super) fn set_tenant(in_use: bool) -> Classification {
    let reason = if in_use {
        "queries that run outside of a transaction with a tenant find no rows from then on: deploy such transactions first"
    } else {
        "no query sees more or fewer rows than before"
    };
    Classification::new(ChangeClass::Safe, reason)
}

/// Classifies the end of a policy of tenants. `is_replaced` is true if the same migration creates it again.
pub(super) fn drop_tenant(is_replaced: bool) -> Classification {
    let reason = if is_replaced {
        "no tenant sees rows of the table until the same migration creates the policy again"
    } else {
        "rows stay; every tenant sees the rows of all tenants"
    };
    Classification::new(ChangeClass::Safe, reason)
}
