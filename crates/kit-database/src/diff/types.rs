//! Conversions from one column type to another.

use crate::ColumnType;

/// Kind of conversion from one column type to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Conversion {
    /// PostgreSQL changes only the definition of the column.
    Free,
    /// PostgreSQL rewrites every value, and the conversion keeps all values intact.
    Rewrite,
    /// PostgreSQL rewrites every value. UTC times in microseconds become times in milliseconds.
    Milliseconds,
    /// The conversion may change values or fail, so the migration checks all values first and stops at an unsafe
    /// value.
    Guarded,
}

/// Returns the kind of conversion, or `None` if kit has no safe conversion. For example, only the user knows how to
/// read a text as a time, or a value as JSON.
#[allow(clippy::unnested_or_patterns)] // each line lists the targets of one kind of source
pub(super) fn conversion(from: ColumnType, to: ColumnType) -> Option<Conversion> {
    use ColumnType::{
        BigInt, BigIntExact, Boolean, Date, DoublePrecision, Integer, Numeric, SmallInt, Text, Timestamp,
        Timestamptz, Uuid, Varchar,
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
            | Boolean,
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
        | (Integer, Boolean)
        | (Boolean, Integer)
        | (
            SmallInt | Integer | BigInt | BigIntExact | DoublePrecision | Numeric { .. } | Date | Boolean,
            Varchar { .. },
        )
        | (Integer, SmallInt)
        | (BigInt | BigIntExact, SmallInt | Integer | DoublePrecision)
        | (DoublePrecision, SmallInt | Integer | BigInt | BigIntExact)
        | (SmallInt | Integer | BigInt | BigIntExact | DoublePrecision, Numeric { .. })
        | (Numeric { .. }, SmallInt | Integer | BigInt | BigIntExact | DoublePrecision) => {
            Some(Conversion::Guarded)
        }
        // `Schema::convert_timestamps` requests this conversion.
        (Timestamp, Timestamptz) => Some(Conversion::Milliseconds),
        // Includes every other conversion from or to a time, JSON or bytes.
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Conversion, conversion};
    use crate::ColumnType;

    #[test]
    fn returns_the_kind_of_conversion_between_two_column_types() {
        let short = ColumnType::Varchar { length: 5 };
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
        ] {
            assert_eq!(conversion(from, to), expected, "{from} to {to}");
        }
    }
}
