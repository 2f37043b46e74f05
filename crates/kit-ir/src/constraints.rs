//! Rules from doc tags, such as a maximum length, that a value must satisfy in addition to its type.

use std::fmt::{self, Write as _};
use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

use crate::{DecimalRange, Digits};

/// Rules for a value, from doc tags. Each rule applies only to some kinds of types. `kit-typescript` reports
/// a tag on any other type, so an emitter never meets, for example, `max_length` on a number.
#[derive(Debug, Clone, Default, PartialEq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Constraints {
    /// `@minLength`: minimum length of a string, in Unicode code points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_length: Option<u64>,
    /// `@maxLength`: maximum length of a string, in Unicode code points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u64>,
    /// `@format`: format of a string, such as an email address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// `@pattern`: an ECMA-262 regular expression that must match anywhere in a string, as in JSON Schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Digits of a string that is a decimal number, from `Decimal<P, S>`. The type also has the `pattern` of
    /// [`Digits::pattern_in`], which checks the string.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digits: Option<Digits>,
    /// Bounds of a string that is a decimal number, from `@minimum` and similar tags. The `pattern` checks the bounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decimal_range: Option<Box<DecimalRange>>,
    /// `@minimum`: lower bound of a number. The bound itself is allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum: Option<Decimal>,
    /// `@maximum`: upper bound of a number. The bound itself is allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maximum: Option<Decimal>,
    /// `@exclusiveMinimum`: lower bound of a number. The bound itself is not allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclusive_minimum: Option<Decimal>,
    /// `@exclusiveMaximum`: upper bound of a number. The bound itself is not allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclusive_maximum: Option<Decimal>,
    /// `@multipleOf`: number greater than zero of which a value must be a multiple.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multiple_of: Option<Decimal>,
    /// True with `@integer`: the number has no fraction and is between -(2^53 - 1) and 2^53 - 1.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub integer: bool,
    /// `@minItems`: minimum number of items of an array.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_items: Option<u64>,
    /// `@maxItems`: maximum number of items of an array.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_items: Option<u64>,
    /// True with `@uniqueItems`: no two items of an array are equal.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unique_items: bool,
}

/// Maximum length in code points of an email address whose property has no `@maxLength`. RFC 5321, section
/// 4.5.3.1.3, allows a path of 256 octets, and two of them are angle brackets.
pub const MAX_EMAIL_LENGTH: u64 = 254;

/// Longest possible email address in code points: 64 before the `@`, the `@`, and 253 for the domain. No property
/// accepts a longer address, even with a greater `@maxLength`.
pub const MAX_EXPLICIT_EMAIL_LENGTH: u64 = 64 + 1 + 253;

impl Constraints {
    /// Returns the maximum length of a string in code points: the value of `@maxLength`, otherwise
    /// [`MAX_EMAIL_LENGTH`] for an email address, otherwise `None`.
    ///
    /// ```
    /// use kit_ir::{Constraints, Format, MAX_EMAIL_LENGTH};
    ///
    /// let email = Constraints { format: Some(Format::Email), ..Constraints::default() };
    /// assert_eq!(email.effective_max_length(), Some(MAX_EMAIL_LENGTH));
    /// ```
    pub fn effective_max_length(&self) -> Option<u64> {
        let implied = (self.format == Some(Format::Email)).then_some(MAX_EMAIL_LENGTH);
        self.max_length.or(implied)
    }

    /// Returns true if the length of a string is within the bounds.
    ///
    /// ```
    /// use kit_ir::Constraints;
    ///
    /// let code = Constraints { min_length: Some(2), max_length: Some(3), ..Constraints::default() };
    /// assert!(code.allows_length("äöü"));
    /// assert!(!code.allows_length("a"));
    /// ```
    pub fn allows_length(&self, text: &str) -> bool {
        let length = text.chars().count() as u64;
        self.min_length.is_none_or(|least| length >= least)
            && self.effective_max_length().is_none_or(|most| length <= most)
    }

    /// Returns true if there are no rules, so that every value satisfies them.
    ///
    /// ```
    /// use kit_ir::Constraints;
    ///
    /// assert!(Constraints::default().is_empty());
    /// assert!(!Constraints { integer: true, ..Constraints::default() }.is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the rules of a `bigint` that is stored in a 64-bit column of the database. The upper bound is
    /// exclusive, because an `f64` cannot represent 2^63 - 1.
    ///
    /// ```
    /// use kit_ir::Constraints;
    ///
    /// let rules = Constraints::bigint_column();
    /// assert_eq!(rules.minimum.unwrap().get(), -(2_f64.powi(63)));
    /// assert_eq!(rules.exclusive_maximum.unwrap().get(), 2_f64.powi(63));
    /// ```
    pub fn bigint_column() -> Self {
        Self {
            minimum: Some(Decimal(-COLUMN_LIMIT)),
            exclusive_maximum: Some(Decimal(COLUMN_LIMIT)),
            ..Self::default()
        }
    }

    /// Returns true if a text is a decimal number that satisfies the rules. Returns `None` if the rules are not those of a
    /// decimal number.
    ///
    /// ```
    /// use kit_ir::{Constraints, Digits};
    ///
    /// let price = Constraints::of_digits(Digits::new(4, 2).unwrap());
    /// assert_eq!(price.allows_decimal("12.50"), Some(true));
    /// assert_eq!(price.allows_decimal("12.505"), Some(false));
    /// assert_eq!(Constraints::default().allows_decimal("12.50"), None);
    /// ```
    pub fn allows_decimal(&self, text: &str) -> Option<bool> {
        let digits = self.digits?;
        let Some(range) = &self.decimal_range else {
            return Some(digits.allow(text));
        };
        let limits = digits.limits(range).zip(digits.scaled(text));
        Some(limits.is_some_and(|((least, most), number)| (least..=most).contains(&number)))
    }

    /// Returns a decimal number that satisfies the rules, with all digits after the point. Calls with different `nth` return
    /// different numbers, as long as there are enough. Returns `None` if the rules are not those of a decimal number.
    ///
    /// ```
    /// use kit_ir::{Constraints, DecimalRange, Digits};
    ///
    /// let mut price = Constraints::of_digits(Digits::new(4, 2).unwrap());
    /// assert_eq!(price.decimal_example(1).as_deref(), Some("2.00"));
    /// let range = DecimalRange { minimum: Some("50".to_owned()), ..Default::default() };
    /// price.decimal_range = Some(Box::new(range));
    /// assert_eq!(price.decimal_example(1).as_deref(), Some("50.01"));
    /// ```
    pub fn decimal_example(&self, nth: usize) -> Option<String> {
        let digits = self.digits?;
        let example = digits.example(nth);
        if self.allows_decimal(&example) == Some(true) {
            return Some(example);
        }
        let (least, most) = digits.limits(self.decimal_range.as_ref()?)?;
        let count = most.checked_sub(least)?.checked_add(1)?;
        Some(digits.text(least + (nth as i128).checked_rem(count)?))
    }

    /// Returns the rules of a decimal number in words, as a phrase after "string". Returns `None` if the rules are not those of
    /// a decimal number.
    ///
    /// ```
    /// use kit_ir::{Constraints, DecimalRange, Digits};
    ///
    /// let mut price = Constraints::of_digits(Digits::new(4, 2).unwrap());
    /// let range = DecimalRange { minimum: Some("0.50".to_owned()), ..Default::default() };
    /// price.decimal_range = Some(Box::new(range));
    /// assert_eq!(
    ///     price.decimal_words().unwrap(),
    ///     "with a decimal number, at most 2 digits before and 2 after the point, at least 0.50"
    /// );
    /// ```
    pub fn decimal_words(&self) -> Option<String> {
        let digits = self.digits?;
        let (before, after) = (digits.precision - digits.scale, digits.scale);
        let noun = |count: u32| if count == 1 { "digit" } else { "digits" };
        let mut words = if after == 0 {
            format!("with a whole number, at most {before} {}", noun(before))
        } else {
            format!(
                "with a decimal number, at most {before} {} before and {after} after the point",
                noun(before)
            )
        };
        for (tag, bound) in self.decimal_range.iter().flat_map(|range| range.bounds()) {
            let relation = match tag {
                "minimum" => "at least",
                "exclusiveMinimum" => "greater than",
                "maximum" => "at most",
                _ => "less than",
            };
            let _ = write!(words, ", {relation} {bound}");
        }
        Some(words)
    }

    /// Returns the rules of a decimal number as text: its digits and their pattern.
    ///
    /// ```
    /// use kit_ir::{Constraints, Digits};
    ///
    /// let digits = Digits::new(4, 2).unwrap();
    /// assert_eq!(Constraints::of_digits(digits).pattern, Some(digits.pattern()));
    /// ```
    pub fn of_digits(digits: Digits) -> Self {
        Self {
            pattern: Some(digits.pattern()),
            digits: Some(digits),
            ..Self::default()
        }
    }

    /// Returns true if the minimum and the exclusive maximum equal the bounds of
    /// [`Constraints::bigint_column`].
    pub fn is_bigint_column(&self) -> bool {
        let column = Self::bigint_column();
        self.minimum == column.minimum && self.exclusive_maximum == column.exclusive_maximum
    }

    /// Returns true if each `bigint` that satisfies the rules fits a 64-bit column of the database.
    ///
    /// ```
    /// use kit_ir::{Constraints, Decimal};
    ///
    /// let mut rules = Constraints::bigint_column();
    /// rules.minimum = Decimal::new(0.0);
    /// assert!(rules.is_within_bigint_column());
    /// rules.exclusive_maximum = None;
    /// assert!(!rules.is_within_bigint_column());
    /// ```
    pub fn is_within_bigint_column(&self) -> bool {
        let at_least = |bound: Option<Decimal>| bound.is_some_and(|bound| bound.0 >= -COLUMN_LIMIT);
        (at_least(self.minimum) || at_least(self.exclusive_minimum))
            && (self
                .exclusive_maximum
                .is_some_and(|bound| bound.0 <= COLUMN_LIMIT)
                || self.maximum.is_some_and(|bound| bound.0 < COLUMN_LIMIT))
    }
}

/// Exclusive upper bound of a 64-bit `bigint` column of PostgreSQL: 2^63.
const COLUMN_LIMIT: f64 = 9_223_372_036_854_775_808.0;

/// A finite number from a doc tag. The number is displayed as JavaScript prints it: `10` and not `10.0`. A large integer is
/// displayed with all digits: `18446744073709551616`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Decimal(f64);

impl Decimal {
    /// Wraps a number. Returns `None` for NaN and infinity, which a doc tag cannot contain.
    ///
    /// ```
    /// use kit_ir::Decimal;
    ///
    /// assert_eq!(Decimal::new(10.0).unwrap().to_string(), "10");
    /// assert_eq!(Decimal::new(f64::NAN), None);
    /// ```
    pub fn new(value: f64) -> Option<Self> {
        value.is_finite().then_some(Self(value))
    }

    /// Returns the number.
    ///
    /// ```
    /// use kit_ir::Decimal;
    ///
    /// assert_eq!(Decimal::new(0.5).map(Decimal::get), Some(0.5));
    /// ```
    pub fn get(self) -> f64 {
        self.0
    }
}

/// Hashes the bits of the number. `0` and `-0` are equal but have different hashes, so a cache may store an
/// entry twice. The results stay correct.
impl Hash for Decimal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

/// Bounds of the absolute values that are displayed with all digits: from 2^53, each double is an integer.
const EXACT_FROM: f64 = 9_007_199_254_740_992.0;
const EXACT_BELOW: f64 = 1e30;

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Rust prints an integer with zeros in place of the digits that its shortest form does not need. A bound of a bigint
        // needs all digits.
        if (EXACT_FROM..EXACT_BELOW).contains(&self.0.abs()) {
            #[allow(clippy::cast_possible_truncation)]
            // a double of this size is an integer within the range
            return write!(f, "{}", self.0 as i128);
        }
        // Rust prints an `f64` without a fraction as an integer, and otherwise in its shortest form. Both are valid
        // JavaScript.
        write!(f, "{}", self.0)
    }
}

/// String formats that `@format` accepts, with the names and definitions of JSON Schema 2020-12.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Email address: a mailbox of RFC 5321.
    Email,
    /// URI of RFC 3986 with a scheme.
    Uri,
    /// UUID of RFC 4122 in its canonical form: 36 characters with four hyphens.
    Uuid,
    /// Date without a time: `full-date` of RFC 3339, such as `2026-01-31`.
    Date,
    /// Date and time: `date-time` of RFC 3339, such as `2026-01-31T12:00:00Z`.
    DateTime,
    /// IPv4 address: four numbers with dots, as in RFC 2673.
    Ipv4,
    /// IPv6 address, as in RFC 4291.
    Ipv6,
}

impl Format {
    /// All formats, in the order of the documentation.
    pub const ALL: [Self; 7] = [
        Self::Email,
        Self::Uri,
        Self::Uuid,
        Self::Date,
        Self::DateTime,
        Self::Ipv4,
        Self::Ipv6,
    ];

    /// Returns the name of the format in `@format`, such as `date-time`.
    ///
    /// ```
    /// use kit_ir::Format;
    ///
    /// assert_eq!(Format::DateTime.name(), "date-time");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::Email => "email",
            Self::Uri => "uri",
            Self::Uuid => "uuid",
            Self::Date => "date",
            Self::DateTime => "date-time",
            Self::Ipv4 => "ipv4",
            Self::Ipv6 => "ipv6",
        }
    }

    /// Returns the format with the given name in `@format`; `None` if there is no such format.
    ///
    /// ```
    /// use kit_ir::Format;
    ///
    /// assert_eq!(Format::from_name("uuid"), Some(Format::Uuid));
    /// assert_eq!(Format::from_name("phone"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}
