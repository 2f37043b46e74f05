//! Decimal numbers: the Rust type for `Decimal<P, S>` of TypeScript with at most 28 digits. In JSON, they are a string.

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::format::is_decimal;

/// A decimal number of at most 28 digits, with the digits after the point that its text has: `1.50` stays `1.50`.
///
/// The type dereferences to [`rust_decimal::Decimal`], whose methods and operators calculate:
///
/// ```
/// use kit_runtime::{Decimal, rust_decimal};
///
/// let price: Decimal = "19.90".parse()?;
/// let quantity = rust_decimal::Decimal::from(3);
/// let total = Decimal::from(*price * quantity);
/// assert_eq!(total.to_string(), "59.70");
/// assert_eq!(Decimal::from(total.round_dp(1)).to_string(), "59.7");
/// # Ok::<(), kit_runtime::ParseDecimalError>(())
/// ```
///
/// `rust_decimal::Decimal` cannot be the type of a field itself: a crate of the application that turns on the feature
/// `serde-float` of `rust_decimal` would change all responses, and `-0.00` would become `0.00`, which the server on Node
/// passes on.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Decimal(rust_decimal::Decimal);

/// Error for a string that is not a decimal number of at most 28 digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseDecimalError;

impl fmt::Display for ParseDecimalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a decimal number of at most 28 digits")
    }
}

impl std::error::Error for ParseDecimalError {}

impl Decimal {
    /// Creates the number `digits * 10 ^ -scale`. A scale above 28 becomes 28.
    ///
    /// ```
    /// use kit_runtime::Decimal;
    ///
    /// assert_eq!(Decimal::new(150, 2).to_string(), "1.50");
    /// ```
    #[must_use]
    pub fn new(digits: i64, scale: u32) -> Self {
        let scale = scale.min(rust_decimal::Decimal::MAX_SCALE);
        Self(rust_decimal::Decimal::new(digits, scale))
    }
}

impl Deref for Decimal {
    type Target = rust_decimal::Decimal;

    fn deref(&self) -> &rust_decimal::Decimal {
        &self.0
    }
}

impl From<rust_decimal::Decimal> for Decimal {
    fn from(number: rust_decimal::Decimal) -> Self {
        Self(number)
    }
}

impl From<Decimal> for rust_decimal::Decimal {
    fn from(number: Decimal) -> Self {
        number.0
    }
}

impl From<i64> for Decimal {
    fn from(number: i64) -> Self {
        Self(number.into())
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Decimal {
    type Err = ParseDecimalError;

    fn from_str(text: &str) -> Result<Self, ParseDecimalError> {
        // The library would also accept `_`, `+` and exponents.
        if !is_decimal(text) {
            return Err(ParseDecimalError);
        }
        let mut number = rust_decimal::Decimal::from_str_exact(text).map_err(|_| ParseDecimalError)?;
        // The library drops the sign of zero, which the server on Node passes on.
        if text.starts_with('-') {
            number.set_sign_negative(true);
        }
        Ok(Self(number))
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::Decimal;

    #[test]
    fn writes_the_text_that_it_read() {
        let nines = "9".repeat(28);
        let small = format!("-0.{}1", "0".repeat(27));
        for text in [
            "0", "-0", "-0.00", "0.50", "1.5", "1.50", "-12.005", "100", &nines, &small,
        ] {
            let number: Decimal = text.parse().unwrap();
            assert_eq!(number.to_string(), text);
            let json = serde_json::to_string(&number).unwrap();
            assert_eq!(json, format!("\"{text}\""));
            assert_eq!(serde_json::from_str::<Decimal>(&json).unwrap().to_string(), text);
        }
    }

    #[test]
    fn refuses_other_texts_and_numbers_with_more_than_28_digits_after_the_point() {
        let small = format!("0.{}1", "0".repeat(28));
        for text in [
            "",
            "-",
            "+1",
            "1_000",
            "1e3",
            " 1",
            "NaN",
            "Infinity",
            &small,
            &"9".repeat(30),
        ] {
            assert!(text.parse::<Decimal>().is_err(), "{text}");
        }
    }

    #[test]
    fn compares_numbers_by_their_values() {
        let number = |text: &str| text.parse::<Decimal>().unwrap();
        assert_eq!(number("1.5"), number("1.50"));
        assert_eq!(number("-0.00"), number("0"));
        assert!(number("-1.5") < number("-1.4") && number("9.5") < number("10"));
        assert_eq!(Decimal::new(-5, 1), number("-0.5"));
        assert_eq!(Decimal::new(5, 99), Decimal::new(5, 28));
    }
}
