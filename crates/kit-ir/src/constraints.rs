//! Rules that a value must satisfy besides its kind. They come from doc tags.

use std::fmt;
use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

/// Rules for a value. Each rule applies only to some kinds. `kit-typescript` reports a tag on a kind that the tag does
/// not apply to, so an emitter never meets, for example, `max_length` on a number.
#[derive(Debug, Clone, Default, PartialEq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Constraints {
    /// `@minLength`: minimum number of Unicode code points of a string.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_length: Option<u64>,
    /// `@maxLength`: maximum number of Unicode code points of a string.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u64>,
    /// `@format`: format of a string.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// `@pattern`: an ECMA-262 regular expression without implied anchors, as in JSON Schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// `@minimum`: inclusive lower bound of a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum: Option<Decimal>,
    /// `@maximum`: inclusive upper bound of a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maximum: Option<Decimal>,
    /// `@exclusiveMinimum`: exclusive lower bound of a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclusive_minimum: Option<Decimal>,
    /// `@exclusiveMaximum`: exclusive upper bound of a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclusive_maximum: Option<Decimal>,
    /// `@multipleOf`: the number is a multiple of this value, which is greater than zero.
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

/// Maximum length of an email without `@maxLength`, in code points. RFC 5321, section 4.5.3.1.3, allows a path of 256
/// octets, of which two are angle brackets.
pub const MAX_EMAIL_LENGTH: u64 = 254;

/// Maximum length of an email with a greater `@maxLength`, in code points: 64 before the `@`, and 253 of the domain.
pub const MAX_EXPLICIT_EMAIL_LENGTH: u64 = 64 + 1 + 253;

impl Constraints {
    /// Returns the maximum number of Unicode code points of a string: the `@maxLength`, otherwise [`MAX_EMAIL_LENGTH`] if
    /// the format is email.
    pub fn effective_max_length(&self) -> Option<u64> {
        let implied = (self.format == Some(Format::Email)).then_some(MAX_EMAIL_LENGTH);
        self.max_length.or(implied)
    }

    /// Returns true if there are no rules.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the rules of a `bigint` that is stored in a 64-bit column. The upper bound is exclusive, because an
    /// `f64` cannot represent 2^63 - 1.
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

/// 2^63. A `bigint` of PostgreSQL is less than this number.
const COLUMN_LIMIT: f64 = 9_223_372_036_854_775_808.0;

/// A finite number in a doc tag. Prints like JavaScript does: `10` and not `10.0`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Decimal(f64);

impl Decimal {
    /// Wraps a number. Returns `None` for NaN and the infinities, which no tag can contain.
    pub fn new(value: f64) -> Option<Self> {
        value.is_finite().then_some(Self(value))
    }

    /// Returns the number.
    pub fn get(self) -> f64 {
        self.0
    }
}

/// Hashes the bits of the number. `0` and `-0` are equal but have different hashes, so a cache may store an entry
/// twice; results stay correct.
impl Hash for Decimal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Rust prints an `f64` without a fraction as an integer, and otherwise in its shortest form. Both are valid
        // JavaScript.
        write!(f, "{}", self.0)
    }
}

/// String formats of `@format`, with the names and definitions of JSON Schema 2020-12.
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
    /// All formats, in the order in which the documentation lists them.
    pub const ALL: [Self; 7] = [
        Self::Email,
        Self::Uri,
        Self::Uuid,
        Self::Date,
        Self::DateTime,
        Self::Ipv4,
        Self::Ipv6,
    ];

    /// Returns the name that is written after `@format`.
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

    /// Returns the format with the given name; `None` if there is no such format.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}
