//! Integers of any size: the Rust type for `bigint` of TypeScript. On the wire they are a string of decimal digits, or
//! a JSON number that a double represents exactly.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use num_bigint::ToBigInt as _;
use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Maximum length of an integer in its wire form, in bytes. No database column or protocol needs more digits.
pub(crate) const MAX_CHARACTERS: usize = 1000;

/// An integer of any size.
///
/// The type dereferences to [`num_bigint::BigInt`], whose methods and operators calculate. Convert with `i64::try_from` or
/// `i128::try_from` if the number is small enough.
///
/// ```
/// use kit_runtime::BigInt;
///
/// let number: BigInt = "12345678901234567890".parse()?;
/// assert_eq!(BigInt::from(&*number * 2), "24691357802469135780".parse()?);
/// assert!(number.pow(2).bits() > 64);
/// assert_eq!(i128::try_from(&number), Ok(12_345_678_901_234_567_890));
/// assert!(i64::try_from(&number).is_err());
/// assert!(BigInt::from(7) < number);
/// # Ok::<(), kit_runtime::ParseBigIntError>(())
/// ```
///
/// `num_bigint::BigInt` cannot be the type of a field itself, because serde would write it as a list of digits.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BigInt(num_bigint::BigInt);

/// Error for a string that is not an integer in decimal digits, or that has more than 1,000 characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseBigIntError;

impl fmt::Display for ParseBigIntError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not an integer of at most 1000 decimal digits")
    }
}

impl std::error::Error for ParseBigIntError {}

/// Error for a [`BigInt`] that does not fit into the target type of a conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutOfRange;

impl fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the number is beyond the range of its type")
    }
}

impl std::error::Error for OutOfRange {}

impl BigInt {
    /// Parses the form that a bigint has in JSON: an optional `-` and decimal digits. Returns `None` for every other
    /// string.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number || text.len() > MAX_CHARACTERS {
            return None;
        }
        // The library would also accept `+` and `_`.
        text.parse().ok().map(Self)
    }

    /// Converts a JSON number. Returns `None` if the number is not an integer, or if it is beyond 2^53 - 1, because a
    /// double does not represent all larger integers.
    pub(crate) fn exact(number: f64) -> Option<Self> {
        const MAX_SAFE: f64 = 9_007_199_254_740_991.0;
        #[allow(clippy::cast_possible_truncation)] // Reason: converted only within the exact range.
        (number.fract() == 0.0 && number.abs() <= MAX_SAFE).then(|| Self::from(number as i64))
    }

    /// Compares the number with a double, without rounding. An infinite bound is beyond all integers.
    pub(crate) fn compare(&self, bound: f64) -> Ordering {
        let whole = bound.floor();
        let order = match whole.to_bigint() {
            Some(whole) => self.0.cmp(&whole),
            None if bound > 0.0 => Ordering::Less,
            None => Ordering::Greater,
        };
        // An integer that equals the floor of the bound is less than the bound if the bound has a fraction.
        order.then(if bound > whole {
            Ordering::Less
        } else {
            Ordering::Equal
        })
    }

    /// Returns true if the number is an integer multiple of `digits * 10 ^ exponent`.
    pub(crate) fn is_multiple_of(&self, digits: u128, exponent: i32) -> bool {
        let power = num_bigint::BigInt::from(10).pow(exponent.unsigned_abs());
        let (number, divisor) = if exponent > 0 {
            (self.0.clone(), power * digits)
        } else {
            (&self.0 * power, digits.into())
        };
        divisor != num_bigint::BigInt::ZERO && number % divisor == num_bigint::BigInt::ZERO
    }
}

impl fmt::Display for BigInt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for BigInt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for BigInt {
    type Err = ParseBigIntError;

    fn from_str(text: &str) -> Result<Self, ParseBigIntError> {
        Self::read(text).ok_or(ParseBigIntError)
    }
}

impl Deref for BigInt {
    type Target = num_bigint::BigInt;

    fn deref(&self) -> &num_bigint::BigInt {
        &self.0
    }
}

impl From<num_bigint::BigInt> for BigInt {
    fn from(number: num_bigint::BigInt) -> Self {
        Self(number)
    }
}

impl From<BigInt> for num_bigint::BigInt {
    fn from(number: BigInt) -> Self {
        number.0
    }
}

impl From<i128> for BigInt {
    fn from(number: i128) -> Self {
        Self(number.into())
    }
}

impl From<i64> for BigInt {
    fn from(number: i64) -> Self {
        Self::from(i128::from(number))
    }
}

impl From<u64> for BigInt {
    fn from(number: u64) -> Self {
        Self::from(i128::from(number))
    }
}

impl From<i32> for BigInt {
    fn from(number: i32) -> Self {
        Self::from(i128::from(number))
    }
}

impl TryFrom<&BigInt> for i128 {
    type Error = OutOfRange;

    fn try_from(number: &BigInt) -> Result<Self, OutOfRange> {
        Self::try_from(&number.0).map_err(|_| OutOfRange)
    }
}

impl TryFrom<&BigInt> for i64 {
    type Error = OutOfRange;

    fn try_from(number: &BigInt) -> Result<Self, OutOfRange> {
        Self::try_from(i128::try_from(number)?).map_err(|_| OutOfRange)
    }
}

/// Serializes to a string, because most parsers of JSON numbers would lose digits.
impl Serialize for BigInt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for BigInt {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(BigIntVisitor)
    }
}

struct BigIntVisitor;

impl Visitor<'_> for BigIntVisitor {
    type Value = BigInt;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an integer as a string of digits")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<BigInt, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_i64<E>(self, number: i64) -> Result<BigInt, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<BigInt, E> {
        Ok(number.into())
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<BigInt, E> {
        BigInt::exact(number).ok_or_else(|| E::custom(ParseBigIntError))
    }
}

#[cfg(test)]
mod tests {
    use super::BigInt;

    fn big(text: &str) -> BigInt {
        text.parse().unwrap()
    }

    #[test]
    fn formats_equal_numbers_as_the_same_string_and_refuses_other_syntax() {
        let greatest = "9".repeat(1000);
        for (text, shown) in [
            ("0", "0"),
            ("-0", "0"),
            ("007", "7"),
            ("-12", "-12"),
            (
                "-170141183460469231731687303715884105728",
                "-170141183460469231731687303715884105728",
            ),
            (
                "000170141183460469231731687303715884105728",
                "170141183460469231731687303715884105728",
            ),
            (greatest.as_str(), greatest.as_str()),
        ] {
            assert_eq!(big(text).to_string(), shown);
        }
        assert_eq!(big(&format!("{}1", "0".repeat(900))), BigInt::from(1));
        for bad in [
            "",
            "-",
            "+1",
            "-+1",
            "1_000",
            "1.0",
            " 1",
            "0x1",
            "1n",
            "9".repeat(1001).as_str(),
        ] {
            assert!(bad.parse::<BigInt>().is_err(), "{bad}");
        }
    }

    #[test]
    fn compares_a_bigint_with_a_double_without_rounding() {
        let ascending = [
            format!("-1{}", "0".repeat(60)),
            format!("-{}", "9".repeat(50)),
            "-5".to_owned(),
            "0".to_owned(),
            "9007199254740993".to_owned(),
            "9".repeat(50),
            format!("1{}", "0".repeat(60)),
        ];
        let ascending: Vec<_> = ascending.iter().map(|text| big(text)).collect();
        assert!(ascending.is_sorted() && ascending.windows(2).all(|pair| pair[0] != pair[1]));
        assert!(big("9007199254740993").compare(9_007_199_254_740_992.0).is_gt());
        assert!(big("2").compare(2.5).is_lt() && big("3").compare(2.5).is_gt());
        assert!(big("-2").compare(-2.5).is_gt() && big("-3").compare(-2.5).is_lt());
        assert!(big("5").compare(5.0).is_eq());
        assert!(big(&"9".repeat(400)).compare(f64::MAX).is_gt());
        assert!(big("1").compare(f64::INFINITY).is_lt());
    }

    #[test]
    fn finds_multiples_of_decimal_steps_without_rounding() {
        assert!(big("15").is_multiple_of(5, 0) && !big("12").is_multiple_of(5, 0));
        // Every integer is a multiple of 0.25. Every third integer is a multiple of 1.5.
        assert!(big("7").is_multiple_of(25, -2) && big("3").is_multiple_of(15, -1));
        assert!(!big("4").is_multiple_of(15, -1));
        assert!(big(&format!("3{}", "0".repeat(300))).is_multiple_of(3, 300));
        assert!(!big(&format!("3{}", "0".repeat(299))).is_multiple_of(3, 300));
        assert!(big("0").is_multiple_of(3, 300) && !big("0").is_multiple_of(0, 0));
    }
}
