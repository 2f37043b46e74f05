//! Types of columns.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::names;

/// Type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum ColumnType {
    /// `uuid`.
    Uuid,
    /// `varchar(n)`: at most n characters (code points).
    Varchar {
        /// Maximum number of characters.
        length: u32,
    },
    /// `text`.
    Text,
    /// `boolean`.
    Boolean,
    /// `integer`: 32 bits.
    Integer,
    /// `bigint`: 64 bits, for a whole `number` whose bounds do not fit in 32 bits.
    BigInt,
    /// `bigint`, for a `bigint` of TypeScript.
    BigIntExact,
    /// `double precision`: 64-bit floating point, the same as a JavaScript number.
    DoublePrecision,
    /// `smallint`: 16 bits.
    SmallInt,
    /// `numeric(precision, scale)`: an exact decimal number, a string in TypeScript.
    Numeric {
        /// Maximum number of digits before and after the point together.
        precision: u32,
        /// Number of digits after the point.
        scale: u32,
    },
    /// `date`: a calendar day, a string in TypeScript.
    Date,
    /// `timestamp`: UTC without a time zone, in microseconds. Only columns that an earlier version of kit created have
    /// this type.
    Timestamp,
    /// `timestamptz(3)`: a point in time in milliseconds, as in a `Date`.
    Timestamptz,
    /// `jsonb`.
    Jsonb,
    /// `bytea`.
    Bytes,
    /// `citext`: text that PostgreSQL compares without case. A type of the extension `citext`.
    Citext,
    /// An array of one dimension, such as `text[]`.
    Array {
        /// Type of the elements, which are never null.
        element: ElementType,
    },
    /// An enum type. The column has its values.
    Enum {
        /// Name of the type.
        name: TypeName,
    },
}

/// Name of a type in the database: at most 63 bytes, so that a [`ColumnType`] can be copied.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TypeName {
    bytes: [u8; names::LONGEST],
    length: u8,
}

impl TypeName {
    /// Returns the name, or `None` if it is longer than PostgreSQL allows.
    ///
    /// ```
    /// use kit_database::TypeName;
    ///
    /// assert_eq!(TypeName::new("mood").unwrap().as_str(), "mood");
    /// assert!(TypeName::new(&"x".repeat(64)).is_none());
    /// ```
    pub fn new(name: &str) -> Option<Self> {
        let mut bytes = [0; names::LONGEST];
        bytes.get_mut(..name.len())?.copy_from_slice(name.as_bytes());
        Some(Self {
            bytes,
            length: u8::try_from(name.len()).ok()?,
        })
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        let text = self.bytes.get(..usize::from(self.length)).unwrap_or_default();
        std::str::from_utf8(text).unwrap_or_default()
    }
}

impl fmt::Debug for TypeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl Serialize for TypeName {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for TypeName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::new(&name).ok_or_else(|| serde::de::Error::custom("the name of a type is too long"))
    }
}

/// Type of the elements of an array column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum ElementType {
    /// `uuid`.
    Uuid,
    /// `varchar(n)`.
    Varchar {
        /// Maximum number of characters.
        length: u32,
    },
    /// `text`.
    Text,
    /// `boolean`.
    Boolean,
    /// `integer`.
    Integer,
    /// `bigint`, for a whole `number`.
    BigInt,
    /// `bigint`, for a `bigint` of TypeScript.
    BigIntExact,
    /// `double precision`.
    DoublePrecision,
    /// `numeric(precision, scale)`.
    Numeric {
        /// Maximum number of digits before and after the point together.
        precision: u32,
        /// Number of digits after the point.
        scale: u32,
    },
    /// `timestamptz(3)`.
    Timestamptz,
}

impl ElementType {
    /// Returns the type of elements that are stored like values of a column. Returns `None` if kit has no arrays of this
    /// type.
    ///
    /// ```
    /// use kit_database::{ColumnType, ElementType};
    ///
    /// assert_eq!(ElementType::of(ColumnType::Text), Some(ElementType::Text));
    /// assert_eq!(ElementType::of(ColumnType::Jsonb), None);
    /// ```
    pub fn of(r#type: ColumnType) -> Option<Self> {
        Some(match r#type {
            ColumnType::Uuid => Self::Uuid,
            ColumnType::Varchar { length } => Self::Varchar { length },
            ColumnType::Text => Self::Text,
            ColumnType::Boolean => Self::Boolean,
            ColumnType::Integer => Self::Integer,
            ColumnType::BigInt => Self::BigInt,
            ColumnType::BigIntExact => Self::BigIntExact,
            ColumnType::DoublePrecision => Self::DoublePrecision,
            ColumnType::Numeric { precision, scale } => Self::Numeric { precision, scale },
            ColumnType::Timestamptz => Self::Timestamptz,
            ColumnType::SmallInt
            | ColumnType::Date
            | ColumnType::Timestamp
            | ColumnType::Jsonb
            | ColumnType::Bytes
            | ColumnType::Citext
            | ColumnType::Enum { .. }
            | ColumnType::Array { .. } => return None,
        })
    }

    /// Returns the type of a column that stores one element.
    ///
    /// ```
    /// use kit_database::{ColumnType, ElementType};
    ///
    /// assert_eq!(ElementType::Uuid.column(), ColumnType::Uuid);
    /// ```
    pub fn column(self) -> ColumnType {
        match self {
            Self::Uuid => ColumnType::Uuid,
            Self::Varchar { length } => ColumnType::Varchar { length },
            Self::Text => ColumnType::Text,
            Self::Boolean => ColumnType::Boolean,
            Self::Integer => ColumnType::Integer,
            Self::BigInt => ColumnType::BigInt,
            Self::BigIntExact => ColumnType::BigIntExact,
            Self::DoublePrecision => ColumnType::DoublePrecision,
            Self::Numeric { precision, scale } => ColumnType::Numeric { precision, scale },
            Self::Timestamptz => ColumnType::Timestamptz,
        }
    }
}

impl ColumnType {
    /// Returns true if PostgreSQL has the same type for the two column types, even if their values differ in
    /// TypeScript.
    pub fn is_stored_as(self, other: Self) -> bool {
        self.to_string() == other.to_string()
    }

    /// Returns true for `text` and `varchar(n)`, which PostgreSQL compares with case.
    pub(crate) fn is_text(self) -> bool {
        matches!(self, Self::Varchar { .. } | Self::Text)
    }

    /// Returns true for all types of texts, with and without case.
    pub(crate) fn is_any_text(self) -> bool {
        self.is_text() || self == Self::Citext
    }

    /// Returns true if the values are points in time: a `Date` in TypeScript.
    pub fn is_time(self) -> bool {
        matches!(self, Self::Timestamp | Self::Timestamptz)
    }

    /// Returns true if the values are whole numbers.
    pub(crate) fn is_whole(self) -> bool {
        matches!(
            self,
            Self::SmallInt | Self::Integer | Self::BigInt | Self::BigIntExact
        )
    }
}

impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uuid => f.write_str("uuid"),
            Self::Varchar { length } => write!(f, "varchar({length})"),
            Self::Text => f.write_str("text"),
            Self::Boolean => f.write_str("boolean"),
            Self::Integer => f.write_str("integer"),
            Self::BigInt | Self::BigIntExact => f.write_str("bigint"),
            Self::DoublePrecision => f.write_str("double precision"),
            Self::SmallInt => f.write_str("smallint"),
            Self::Numeric { precision, scale } => write!(f, "numeric({precision},{scale})"),
            Self::Date => f.write_str("date"),
            Self::Timestamp => f.write_str("timestamp"),
            Self::Timestamptz => f.write_str("timestamptz(3)"),
            Self::Jsonb => f.write_str("jsonb"),
            Self::Bytes => f.write_str("bytea"),
            Self::Citext => f.write_str("citext"),
            Self::Array { element } => write!(f, "{}[]", element.column()),
            // Its name needs no quotes.
            Self::Enum { name } => f.write_str(name.as_str()),
        }
    }
}
