//! Conversions from one column type to another.

use crate::{ColumnType, ElementType};

/// Kind of conversion from one column type to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Conversion {
    /// PostgreSQL changes only the definition of the column.
    Free,
    /// PostgreSQL rewrites every value, and the conversion keeps all values intact.
    Rewrite,
    /// PostgreSQL rewrites every value. UTC times in microseconds become times in milliseconds.
    Milliseconds,
    /// PostgreSQL rewrites every value. Texts that differ only by case become equal.
    Caseless,
    /// The conversion may change values or fail, so the migration checks all values first and stops at an unsafe
    /// value.
    Guarded,
}

/// Returns the kind of conversion, or `None` if kit has no safe conversion. For example, only the user knows how to
/// read a text as a time, or a value as JSON.
#[allow(clippy::unnested_or_patterns)] // each line lists the targets of one kind of source
pub(super) fn conversion(from: ColumnType, to: ColumnType) -> Option<Conversion> {
    use ColumnType::{
        Array, BigInt, BigIntExact, Boolean, Citext, Date, DoublePrecision, Enum, Integer, Jsonb, Numeric,
        SmallInt, Text, Timestamp, Timestamptz, Uuid, Varchar,
    };
    /// Number of characters of a UUID.
    const UUID: u32 = 36;
    match (from, to) {
        _ if from.is_stored_as(to) => Some(Conversion::Free),
        (Varchar { .. }, Text) => Some(Conversion::Free),
        (Varchar { length: before }, Varchar { length: after }) if before <= after => Some(Conversion::Free),
        (Uuid, Varchar { length }) => (length >= UUID).then_some(Conversion::Rewrite),
        (
            Numeric {
                precision: before,
                scale,
            },
            Numeric {
                precision: after,
                scale: new,
            },
        ) => Some(if before - scale > after - new || scale > new {
            Conversion::Guarded
        } else if scale == new {
            Conversion::Free
        } else {
            Conversion::Rewrite
        }),
        (
            Uuid
            | SmallInt
            | Integer
            | BigInt
            | BigIntExact
            | DoublePrecision
            | Numeric { .. }
            | Date
            | Boolean
            | Citext
            | Enum { .. },
            Text,
        )
        | (SmallInt, Integer)
        | (SmallInt | Integer, BigInt | BigIntExact | DoublePrecision) => Some(Conversion::Rewrite),
        (
            Text | Varchar { .. },
            Text
            | Varchar { .. }
            | Uuid
            | SmallInt
            | Integer
            | BigInt
            | BigIntExact
            | DoublePrecision
            | Numeric { .. }
            | Date
            | Boolean,
        )
        | (Text | Varchar { .. } | Citext | Enum { .. }, Enum { .. })
        | (Enum { .. }, Varchar { .. })
        | (Integer, Boolean)
        | (Boolean, Integer)
        | (
            SmallInt
            | Integer
            | BigInt
            | BigIntExact
            | DoublePrecision
            | Numeric { .. }
            | Date
            | Boolean
            | Citext,
            Varchar { .. },
        )
        | (Integer, SmallInt)
        | (BigInt | BigIntExact, SmallInt | Integer | DoublePrecision)
        | (DoublePrecision, SmallInt | Integer | BigInt | BigIntExact)
        | (SmallInt | Integer | BigInt | BigIntExact | DoublePrecision, Numeric { .. })
        | (Numeric { .. }, SmallInt | Integer | BigInt | BigIntExact | DoublePrecision) => {
            Some(Conversion::Guarded)
        }
        (Text | Varchar { .. }, Citext) => Some(Conversion::Caseless),
        // JSON has no form of a `Date` or a `bigint` that the database could tell from a text.
        (Jsonb, Array { element }) if is_in_json(element) => Some(Conversion::Guarded),
        (Array { element }, Jsonb) => is_in_json(element).then_some(Conversion::Rewrite),
        // The texts of booleans differ within arrays.
        (Array { element: from }, Array { element: to })
            if from != ElementType::Boolean && to != ElementType::Boolean =>
        {
            match conversion(from.column(), to.column())? {
                Conversion::Free | Conversion::Rewrite => Some(Conversion::Rewrite),
                Conversion::Guarded => Some(Conversion::Guarded),
                Conversion::Caseless | Conversion::Milliseconds => None,
            }
        }
        // `Schema::convert_timestamps` requests this conversion.
        (Timestamp, Timestamptz) => Some(Conversion::Milliseconds),
        // Includes every other conversion from or to a time, JSON or bytes.
        _ => None,
    }
}

/// Returns true if JSON has values of this type.
fn is_in_json(element: ElementType) -> bool {
    !matches!(element, ElementType::BigIntExact | ElementType::Timestamptz)
}

#[cfg(test)]
mod tests {
    use super::{Conversion, conversion};
    use crate::{ColumnType, ElementType};

    #[test]
    fn returns_the_kind_of_conversion_between_two_column_types() {
        let short = ColumnType::Varchar { length: 5 };
        let array = |element| ColumnType::Array {
            element: ElementType::of(element).expect("an array has elements of this type"),
        };
        let texts = array(ColumnType::Text);
        let numeric = |precision, scale| ColumnType::Numeric { precision, scale };
        let long = ColumnType::Varchar { length: 50 };
        for (from, to, expected) in [
            (short, long, Some(Conversion::Free)),
            (long, short, Some(Conversion::Guarded)),
            (long, ColumnType::Text, Some(Conversion::Free)),
            (
                ColumnType::BigInt,
                ColumnType::BigIntExact,
                Some(Conversion::Free),
            ),
            (ColumnType::Uuid, short, None),
            (ColumnType::Uuid, long, Some(Conversion::Rewrite)),
            (ColumnType::Uuid, ColumnType::Integer, None),
            (
                ColumnType::DoublePrecision,
                ColumnType::Integer,
                Some(Conversion::Guarded),
            ),
            (ColumnType::Boolean, ColumnType::BigInt, None),
            (numeric(10, 2), numeric(12, 2), Some(Conversion::Free)),
            (numeric(10, 2), numeric(12, 4), Some(Conversion::Rewrite)),
            (numeric(10, 2), numeric(11, 4), Some(Conversion::Guarded)),
            (numeric(10, 2), numeric(10, 1), Some(Conversion::Guarded)),
            (ColumnType::Text, numeric(10, 2), Some(Conversion::Guarded)),
            (
                ColumnType::SmallInt,
                ColumnType::Integer,
                Some(Conversion::Rewrite),
            ),
            (
                ColumnType::Integer,
                ColumnType::SmallInt,
                Some(Conversion::Guarded),
            ),
            (ColumnType::Date, ColumnType::Timestamptz, None),
            (ColumnType::Text, ColumnType::Timestamptz, None),
            (
                ColumnType::Timestamp,
                ColumnType::Timestamptz,
                Some(Conversion::Milliseconds),
            ),
            (ColumnType::Timestamptz, ColumnType::Timestamp, None),
            (ColumnType::Jsonb, ColumnType::Text, None),
            (ColumnType::Text, ColumnType::Citext, Some(Conversion::Caseless)),
            (ColumnType::Citext, long, Some(Conversion::Guarded)),
            (ColumnType::Jsonb, texts, Some(Conversion::Guarded)),
            (texts, ColumnType::Jsonb, Some(Conversion::Rewrite)),
            (ColumnType::Jsonb, array(ColumnType::Timestamptz), None),
            (array(ColumnType::Uuid), texts, Some(Conversion::Rewrite)),
            (texts, array(ColumnType::Uuid), Some(Conversion::Guarded)),
            (array(short), array(long), Some(Conversion::Rewrite)),
            (texts, array(ColumnType::Boolean), None),
            (ColumnType::Text, texts, None),
        ] {
            assert_eq!(conversion(from, to), expected, "{from} to {to}");
        }
    }
}
