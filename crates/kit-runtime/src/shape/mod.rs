//! Types as data. Validation and its failures are computed from shapes.

mod build;
mod describe;
mod pattern;
mod template;

pub use describe::{alternatives, count, describe};
pub use pattern::Pattern;
pub use template::{Template, TemplatePart};

/// Values that a type has on the wire.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// Any JSON value.
    Unknown,
    /// No value at all.
    Never,
    /// `null`.
    Null,
    /// `true` and `false`.
    Boolean,
    /// An RFC 3339 date-time string.
    Date,
    /// A base64 string.
    Bytes,
    /// A string.
    Text(Text),
    /// A number.
    Number(Number),
    /// An integer of any size: a string of digits, or a number that is exact.
    BigInt(Number),
    /// A single value.
    Literal(Literal),
    /// An array whose items have the same shape.
    Array(Array),
    /// A tuple: each item has its own shape.
    Tuple(Tuple),
    /// An object: declared properties and index signatures.
    Object(Object),
    /// A union of several shapes.
    Union(Union),
    /// Another type.
    Reference(fn() -> &'static Self),
    /// A recursive type. Each entry counts towards [`MAX_DEPTH`].
    Recursive(fn() -> &'static Self),
}

/// Maximum number of recursive types that may be entered on the way to a value.
pub const MAX_DEPTH: usize = 256;

/// Rules for strings. Lengths count characters (code points).
#[derive(Debug, Clone, Copy)]
pub struct Text {
    /// Template literal type of the values.
    pub template: Option<&'static Template>,
    /// Minimum length.
    pub min_length: Option<usize>,
    /// Maximum length.
    pub max_length: Option<usize>,
    /// Standard format.
    pub format: Option<Format>,
    /// Regular expression that must match a part of the string.
    pub pattern: Option<&'static Pattern>,
    /// True if the string is the key of an object and not a value, so that failures say "key".
    pub is_key: bool,
}

impl Text {
    /// Any string.
    pub const ANY: Self = Self {
        template: None,
        min_length: None,
        max_length: None,
        format: None,
        pattern: None,
        is_key: false,
    };
}

/// Rules for numbers. Bigints are compared with the same bounds, without rounding.
#[derive(Debug, Clone, Copy)]
pub struct Number {
    /// True for integers between -(2^53 - 1) and 2^53 - 1.
    pub integer: bool,
    /// Smallest valid number.
    pub minimum: Option<f64>,
    /// Largest valid number.
    pub maximum: Option<f64>,
    /// Bound that valid numbers exceed.
    pub exclusive_minimum: Option<f64>,
    /// Bound that valid numbers stay below.
    pub exclusive_maximum: Option<f64>,
    /// Step: valid numbers are multiples of it.
    pub multiple_of: Option<f64>,
}

impl Number {
    /// Any number.
    pub const ANY: Self = Self {
        integer: false,
        minimum: None,
        maximum: None,
        exclusive_minimum: None,
        exclusive_maximum: None,
        multiple_of: None,
    };

    /// Any integer.
    pub const INTEGER: Self = Self {
        integer: true,
        ..Self::ANY
    };

    /// Returns true if the bounds are those of a `bigint` column, which has 64 bits.
    #[allow(clippy::float_cmp)] // Reason: the bounds must equal exactly these numbers.
    pub(crate) fn is_bigint_column(&self) -> bool {
        self.minimum == Some(-COLUMN_LIMIT) && self.exclusive_maximum == Some(COLUMN_LIMIT)
    }
}

/// 2^63, the exclusive maximum of a `bigint` of PostgreSQL.
const COLUMN_LIMIT: f64 = 9_223_372_036_854_775_808.0;

/// The only value of a type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Literal {
    /// A string.
    Text(&'static str),
    /// A number.
    Number(f64),
    /// `true` or `false`.
    Boolean(bool),
    /// A bigint in decimal digits, with an optional minus and without leading zeros.
    BigInt(&'static str),
}

/// An array whose items have the same shape.
#[derive(Debug, Clone, Copy)]
pub struct Array {
    /// Shape of each item.
    pub element: &'static Shape,
    /// Minimum number of items.
    pub min_items: Option<usize>,
    /// Maximum number of items.
    pub max_items: Option<usize>,
    /// True if all items must be different.
    pub unique_items: bool,
}

impl Array {
    /// Any number of items of a shape.
    pub const fn of(element: &'static Shape) -> Self {
        Self {
            element,
            min_items: None,
            max_items: None,
            unique_items: false,
        }
    }
}

/// A tuple: each item has its own shape.
#[derive(Debug, Clone, Copy)]
pub struct Tuple {
    /// Elements in order; at most one has [`Presence::Rest`].
    pub elements: &'static [Element],
}

impl Tuple {
    /// Returns the minimum number of items.
    pub fn min_items(&self) -> usize {
        let required = |element: &&Element| element.presence == Presence::Required;
        self.elements.iter().filter(required).count()
    }

    /// Returns the maximum number of items; `None` if there is no maximum.
    pub fn max_items(&self) -> Option<usize> {
        self.rest().is_none().then_some(self.elements.len())
    }

    fn rest(&self) -> Option<usize> {
        let is_rest = |element: &Element| element.presence == Presence::Rest;
        self.elements.iter().position(is_rest)
    }

    /// Returns true if a value may have `length` items.
    pub fn accepts_length(&self, length: usize) -> bool {
        length >= self.min_items() && self.max_items().is_none_or(|most| length <= most)
    }

    /// Returns the shape of the item at `index` in a value with `length` items, which must be a valid number of items.
    pub fn element(&self, index: usize, length: usize) -> &'static Shape {
        let elements = self.elements;
        let position = match self.rest() {
            Some(rest) if index >= rest => {
                let from_end = length - index;
                let after = elements.len() - rest - 1;
                if from_end <= after {
                    elements.len() - from_end
                } else {
                    rest
                }
            }
            _ => index,
        };
        &elements[position].shape
    }
}

/// An element of a tuple.
#[derive(Debug, Clone, Copy)]
pub struct Element {
    /// Shape of its items.
    pub shape: Shape,
    /// Number of items that it matches.
    pub presence: Presence,
}

/// Number of items that an element of a tuple matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Exactly one.
    Required,
    /// Zero or one.
    Optional,
    /// Any number.
    Rest,
}

impl Element {
    /// Creates a required element.
    pub const fn required(shape: Shape) -> Self {
        let presence = Presence::Required;
        Self { shape, presence }
    }

    /// Creates an optional element.
    pub const fn optional(shape: Shape) -> Self {
        let presence = Presence::Optional;
        Self { shape, presence }
    }

    /// Creates an element that matches any number of items.
    pub const fn rest(shape: Shape) -> Self {
        let presence = Presence::Rest;
        Self { shape, presence }
    }
}

/// An object: declared properties and index signatures.
#[derive(Debug, Clone, Copy)]
pub struct Object {
    /// Name of the type, if it has one.
    pub name: Option<&'static str>,
    /// Properties in order of declaration.
    pub properties: &'static [Property],
    /// Index signatures by precedence. A value must fit every signature that matches its key.
    pub index: &'static [Index],
}

/// An index signature.
#[derive(Debug, Clone, Copy)]
pub struct Index {
    /// Keys that it matches.
    pub keys: Keys,
    /// Rules that each matching key must satisfy.
    pub key: Option<Shape>,
    /// Shape of the values.
    pub shape: Shape,
}

impl Index {
    /// Creates a signature without rules for its keys.
    pub const fn new(keys: Keys, shape: Shape) -> Self {
        Self {
            keys,
            key: None,
            shape,
        }
    }

    /// Creates a signature whose keys must satisfy the rules of a string shape.
    pub const fn ruled(keys: Keys, shape: Shape, rules: Shape) -> Self {
        let key = match rules {
            Shape::Text(rules) => Some(Shape::Text(Text {
                is_key: true,
                ..rules
            })),
            _ => None,
        };
        Self { keys, key, shape }
    }
}

/// Keys that an index signature matches.
#[derive(Debug, Clone, Copy)]
pub enum Keys {
    /// Every key.
    Any,
    /// Numbers in the format of JavaScript: `7`, `-1.5`, not `07`.
    Numeric,
    /// Strings of a template literal type.
    Template(&'static Template),
}

impl Keys {
    /// Returns true if a key matches.
    pub fn matches(self, key: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Template(template) => template.is_match(key),
            Self::Numeric => {
                let begins = key.starts_with(|first: char| first == '-' || first.is_ascii_digit());
                let number = key.parse::<f64>().ok().filter(|_| begins);
                // JavaScript prints these numbers as words.
                matches!(key, "NaN" | "Infinity" | "-Infinity")
                    || number.is_some_and(|number| crate::json::number_text(number) == key)
            }
        }
    }
}

/// A declared property.
#[derive(Debug, Clone, Copy)]
pub struct Property {
    /// Name in JSON.
    pub key: &'static str,
    /// Shape of the values.
    pub shape: Shape,
    /// True if a request may omit the property.
    pub optional: bool,
    /// True if the values must never be shown.
    pub sensitive: bool,
}

impl Property {
    /// Creates a required property.
    pub const fn required(key: &'static str, shape: Shape) -> Self {
        Self {
            key,
            shape,
            optional: false,
            sensitive: false,
        }
    }

    /// Creates an optional property.
    pub const fn optional(key: &'static str, shape: Shape) -> Self {
        Self {
            optional: true,
            ..Self::required(key, shape)
        }
    }

    /// Marks the property as sensitive: its values must never be shown.
    #[must_use]
    pub const fn sensitive(self) -> Self {
        Self {
            sensitive: true,
            ..self
        }
    }
}

/// A union of several shapes.
#[derive(Debug, Clone, Copy)]
pub struct Union {
    /// Members. Nested unions are flattened, and members without any value are left out.
    pub members: &'static [Shape],
    /// Properties that distinguish the object members, in the order in which they are checked.
    pub discriminants: &'static [&'static str],
}

/// Formats of `@format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A mailbox of RFC 5321.
    Email,
    /// A URI of RFC 3986.
    Uri,
    /// A UUID.
    Uuid,
    /// A `full-date` of RFC 3339.
    Date,
    /// A `date-time` of RFC 3339.
    DateTime,
    /// An IPv4 address: four decimal numbers.
    Ipv4,
    /// An IPv6 address of RFC 4291.
    Ipv6,
}

impl Format {
    /// Returns the name in `@format`.
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

    /// Returns an example of the format.
    pub fn example(self) -> &'static str {
        match self {
            Self::Email => "name@example.com",
            Self::Uri => "https://example.com/",
            Self::Uuid => "123e4567-e89b-12d3-a456-426614174000",
            Self::Date => "2026-01-31",
            Self::DateTime => "2026-01-31T12:00:00Z",
            Self::Ipv4 => "192.0.2.1",
            Self::Ipv6 => "2001:db8::1",
        }
    }
}

impl Shape {
    /// Follows references to the shape itself.
    pub fn resolve(&'static self) -> &'static Self {
        match self {
            Self::Reference(to) | Self::Recursive(to) => to().resolve(),
            _ => self,
        }
    }

    /// Returns true if all values are literals, `null` or booleans. False for bigint literals, because they have two forms on the wire.
    pub fn is_listable(&'static self) -> bool {
        match self.resolve() {
            Self::Literal(literal) => !matches!(literal, Literal::BigInt(_)),
            Self::Never | Self::Null | Self::Boolean => true,
            Self::Union(union) => union.members.iter().all(Self::is_listable),
            _ => false,
        }
    }

    /// Returns true if values may contain sensitive properties.
    pub fn holds_sensitive(&'static self) -> bool {
        self.holds_sensitive_beyond(&mut Vec::new())
    }

    fn holds_sensitive_beyond(&'static self, seen: &mut Vec<*const Self>) -> bool {
        let resolved = self.resolve();
        if seen.contains(&std::ptr::from_ref(resolved)) {
            return false;
        }
        seen.push(resolved);
        match resolved {
            Self::Array(array) => array.element.holds_sensitive_beyond(seen),
            Self::Tuple(tuple) => {
                let mut elements = tuple.elements.iter();
                elements.any(|element| element.shape.holds_sensitive_beyond(seen))
            }
            Self::Union(union) => union
                .members
                .iter()
                .any(|member| member.holds_sensitive_beyond(seen)),
            Self::Object(object) => {
                object
                    .properties
                    .iter()
                    .any(|property| property.sensitive || property.shape.holds_sensitive_beyond(seen))
                    || object
                        .index
                        .iter()
                        .any(|index| index.shape.holds_sensitive_beyond(seen))
            }
            _ => false,
        }
    }
}
