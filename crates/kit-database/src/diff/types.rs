//! From one column type to another.

use crate::ColumnType;

/// How values get from one type to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// The type is only described differently.
    Free,
    /// Every value is written anew, and none changes.
    Rewrite,
    /// Values that would change, or that cannot change, stop it.
    Guarded,
}

/// The way, or nothing where there is none that kit could know: what a text means as a time, or a value as JSON, is for
/// people to say.
pub(super) fn way(from: ColumnType, to: ColumnType) -> Option<Way> {
    use ColumnType::{BigInt, BigIntExact, Boolean, DoublePrecision, Integer, Text, Uuid, Varchar};
    /// Characters of a UUID.
    const UUID: u32 = 36;
    match (from, to) {
        _ if from.is_stored_as(to) => Some(Way::Free),
        (Varchar { .. }, Text) => Some(Way::Free),
        (Varchar { length: before }, Varchar { length: after }) if before <= after => Some(Way::Free),
        (Uuid, Varchar { length }) => (length >= UUID).then_some(Way::Rewrite),
        (Uuid | Integer | BigInt | BigIntExact | DoublePrecision | Boolean, Text)
        | (Integer, BigInt | BigIntExact | DoublePrecision) => Some(Way::Rewrite),
        (
            Text | Varchar { .. },
            Text | Varchar { .. } | Uuid | Integer | BigInt | BigIntExact | DoublePrecision | Boolean,
        )
        | (Integer, Boolean)
        | (Boolean, Integer)
        | (Integer | BigInt | BigIntExact | DoublePrecision | Boolean, Varchar { .. })
        | (BigInt | BigIntExact, Integer | DoublePrecision)
        | (DoublePrecision, Integer | BigInt | BigIntExact) => Some(Way::Guarded),
        // Among them all that is to be a time, JSON or bytes, or was.
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Way, way};
    use crate::ColumnType;

    #[test]
    fn every_way_is_known_or_refused() {
        let short = ColumnType::Varchar { length: 5 };
        let long = ColumnType::Varchar { length: 50 };
        for (from, to, expected) in [
            (short, long, Some(Way::Free)),
            (long, short, Some(Way::Guarded)),
            (long, ColumnType::Text, Some(Way::Free)),
            (ColumnType::BigInt, ColumnType::BigIntExact, Some(Way::Free)),
            (ColumnType::Uuid, short, None),
            (ColumnType::Uuid, long, Some(Way::Rewrite)),
            (ColumnType::Uuid, ColumnType::Integer, None),
            (
                ColumnType::DoublePrecision,
                ColumnType::Integer,
                Some(Way::Guarded),
            ),
            (ColumnType::Boolean, ColumnType::BigInt, None),
            (ColumnType::Text, ColumnType::Timestamptz, None),
            (ColumnType::Timestamp, ColumnType::Timestamptz, None),
            (ColumnType::Jsonb, ColumnType::Text, None),
        ] {
            assert_eq!(way(from, to), expected, "{from} to {to}");
        }
    }
}
