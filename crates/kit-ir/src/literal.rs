//! Values of literal types.

use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

/// Value of a literal type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "type", content = "value")]
pub enum LiteralValue {
    /// A string: `"text"`.
    String(String),
    /// A finite number: `42`.
    Number(f64),
    /// `true` or `false`.
    Boolean(bool),
    /// A bigint such as `42n`, as decimal digits with an optional minus sign.
    BigInt(String),
}

/// Hashes a number by its bits. `0` and `-0` are equal but have different hashes, so a cache may store an
/// entry twice. The results stay correct.
impl Hash for LiteralValue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Self::String(text) | Self::BigInt(text) => text.hash(state),
            Self::Number(number) => number.to_bits().hash(state),
            Self::Boolean(value) => value.hash(state),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LiteralValue;

    #[test]
    fn number_literals_are_the_same_after_a_round_trip_through_json() {
        for number in [
            f64::MAX,
            f64::MIN_POSITIVE,
            5e-324,
            0.1 + 0.2,
            31.245_270_191_439_438,
            121.487_919_511_619_45,
        ] {
            let literal = LiteralValue::Number(number);
            let text = serde_json::to_string(&literal).unwrap();
            assert_eq!(
                serde_json::from_str::<LiteralValue>(&text).unwrap(),
                literal,
                "{text}"
            );
        }
    }
}
