//! What a value must satisfy beyond its kind. Doc tags become these.

use std::fmt;
use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

/// Rules on a value. Each applies only to kinds it fits; `kit-typescript` reports a tag on a kind that it does not fit,
/// so an emitter never meets, say, `max_length` on a number.
#[derive(Debug, Clone, Default, PartialEq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Constraints {
    /// `@minLength`: least number of Unicode code points of a string.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_length: Option<u64>,
    /// `@maxLength`: greatest number of Unicode code points of a string.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u64>,
    /// `@format` of a string.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// `@pattern`: an ECMA-262 regular expression, unanchored, as JSON Schema has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// `@minimum`, inclusive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum: Option<Decimal>,
    /// `@maximum`, inclusive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maximum: Option<Decimal>,
    /// `@exclusiveMinimum`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclusive_minimum: Option<Decimal>,
    /// `@exclusiveMaximum`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclusive_maximum: Option<Decimal>,
    /// `@multipleOf`, greater than zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multiple_of: Option<Decimal>,
    /// `@integer`: no fraction, and safe (at most 2^53 - 1 either way).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub integer: bool,
    /// `@minItems` of an array.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_items: Option<u64>,
    /// `@maxItems` of an array.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_items: Option<u64>,
    /// `@uniqueItems` of an array.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unique_items: bool,
}

/// Greatest length of an email without `@maxLength`: RFC 5321, section 4.5.3.1.3, has a path of 256 octets, of which two are its angle brackets.
pub const LONGEST_EMAIL: u64 = 254;

/// Greatest length of an email with a greater `@maxLength`: 64 characters before the `@`, and 253 of a domain.
pub const LONGEST_FORMATTED_EMAIL: u64 = 64 + 1 + 253;

impl Constraints {
    /// Greatest number of Unicode code points of a string: that of `@maxLength`, else [`LONGEST_EMAIL`] of an email.
    pub fn longest(&self) -> Option<u64> {
        let implied = (self.format == Some(Format::Email)).then_some(LONGEST_EMAIL);
        self.max_length.or(implied)
    }

    /// Whether there is no rule at all.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The rules of a `bigint` that a column stores, which has 64 bits. The upper bound is exclusive, since 2^63 - 1 is no `f64`.
    pub fn bigint_column() -> Self {
        Self {
            minimum: Some(Decimal(-COLUMN_LIMIT)),
            exclusive_maximum: Some(Decimal(COLUMN_LIMIT)),
            ..Self::default()
        }
    }

    /// Returns true if the bounds are those of [`Constraints::bigint_column`].
    pub fn is_bigint_column(&self) -> bool {
        let column = Self::bigint_column();
        self.minimum == column.minimum && self.exclusive_maximum == column.exclusive_maximum
    }
}

/// 2^63, which a `bigint` of PostgreSQL stays below.
const COLUMN_LIMIT: f64 = 9_223_372_036_854_775_808.0;

/// A finite number of a doc tag. Prints as JavaScript prints it, so `10` stays `10` and not `10.0`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Decimal(f64);

impl Decimal {
    /// Wraps a number; nothing for NaN and the infinities, which no tag can mean.
    pub fn new(value: f64) -> Option<Self> {
        value.is_finite().then_some(Self(value))
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

/// By its bits: two zeros that are equal have two hashes, which costs a cache an entry and nobody a wrong answer.
impl Hash for Decimal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Rust prints an f64 without a fraction as an integer and otherwise in its shortest form: valid JavaScript.
        write!(f, "{}", self.0)
    }
}

/// The string formats of `@format`, as JSON Schema 2020-12 names and defines them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// RFC 5321 mailbox.
    Email,
    /// RFC 3986 URI with a scheme.
    Uri,
    /// RFC 4122 UUID in its canonical form.
    Uuid,
    /// RFC 3339 `full-date`.
    Date,
    /// RFC 3339 `date-time`.
    DateTime,
    /// RFC 2673 dotted quad.
    Ipv4,
    /// RFC 4291 address.
    Ipv6,
}

impl Format {
    /// Every format, in the order the documentation lists them.
    pub const ALL: [Self; 7] = [
        Self::Email,
        Self::Uri,
        Self::Uuid,
        Self::Date,
        Self::DateTime,
        Self::Ipv4,
        Self::Ipv6,
    ];

    /// The name as written after `@format`.
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

    /// The format of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}
