//! Shapes: the types of a contract as data. Validation compares values with shapes.

mod build;
mod describe;
mod format;
#[cfg_attr(not(feature = "pattern"), path = "no_pattern.rs")]
mod pattern;
mod template;

pub use describe::{alternatives, count, describe};
pub use format::Format;
#[cfg(feature = "pattern")]
pub use pattern::Pattern;
pub use template::{Template, TemplatePart};

#[cfg(not(feature = "pattern"))]
use pattern::Pattern;

/// The values that a type accepts in JSON.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// Any JSON value.
    Unknown,
    /// No value, as for the type `never`.
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
    /// A literal type, which has one value.
    Literal(Literal),
    /// An array whose items have the same shape.
    Array(Array),
    /// A tuple: each item has its own shape.
    Tuple(Tuple),
    /// An object: declared properties and index signatures.
    Object(Object),
    /// A union of several shapes.
    Union(Union),
    /// A reference to the shape of another type.
    Reference(fn() -> &'static Self),
    /// A reference to a recursive type. Each one on the path to a value counts towards [`MAX_DEPTH`].
    Recursive(fn() -> &'static Self),
}

/// Maximum number of recursive types on the path to a value.
pub const MAX_DEPTH: usize = 256;

/// Rules for strings. Lengths count characters (code points).
#[derive(Debug, Clone, Copy)]
pub struct Text {
    /// Template literal type that the string must match.
    pub template: Option<&'static Template>,
    /// Minimum length.
    pub min_length: Option<usize>,
    /// Maximum length.
    pub max_length: Option<usize>,
    /// Format of `@format`.
    pub format: Option<Format>,
    /// Regular expression of `@pattern`, which must match a part of the string.
    pub pattern: Option<&'static Pattern>,
    /// Phrase of messages in place of the pattern, for a decimal number.
    pub words: Option<&'static str>,
    /// Bounds of a decimal number, which the pattern contains.
    pub bounds: DecimalBounds,
    /// True if the string is a property name, so that failures say "key" in place of "string".
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
        words: None,
        bounds: DecimalBounds {
            minimum: None,
            maximum: None,
            exclusive_minimum: None,
            exclusive_maximum: None,
        },
        is_key: false,
    };
}

/// Bounds of decimal numbers. Each bound is a number as text, such as `0.50`.
#[derive(Debug, Clone, Copy)]
pub struct DecimalBounds {
    /// Smallest valid number (`@minimum`).
    pub minimum: Option<&'static str>,
    /// Largest valid number (`@maximum`).
    pub maximum: Option<&'static str>,
    /// Exclusive lower bound: valid numbers are greater.
    pub exclusive_minimum: Option<&'static str>,
    /// Exclusive upper bound: valid numbers are less.
    pub exclusive_maximum: Option<&'static str>,
}

/// Rules for numbers and bigints. A bigint is compared with the bounds without rounding.
#[derive(Debug, Clone, Copy)]
pub struct Number {
    /// True for integers between -(2^53 - 1) and 2^53 - 1.
    pub integer: bool,
    /// Smallest valid number (`@minimum`).
    pub minimum: Option<f64>,
    /// Largest valid number (`@maximum`).
    pub maximum: Option<f64>,
    /// Exclusive lower bound: valid numbers are greater.
    pub exclusive_minimum: Option<f64>,
    /// Exclusive upper bound: valid numbers are less.
    pub exclusive_maximum: Option<f64>,
    /// Step: valid numbers are multiples of this number.
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

    /// Any integer between -(2^53 - 1) and 2^53 - 1.
    pub const INTEGER: Self = Self {
        integer: true,
        ..Self::ANY
    };

    /// Returns true if the bounds equal the bounds of a `bigint` column in PostgreSQL, which has 64 bits.
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
    /// A bigint as decimal digits, with an optional minus and without leading zeros.
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
    /// Creates an array without a limit on the number of items.
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
    /// Elements in order. At most one element has [`Presence::Rest`].
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

    /// Returns the shape of the item at `index` of a value with `length` items, which [`Self::accepts_length`] accepts.
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
    /// Shape of the items that the element matches.
    pub shape: Shape,
    /// Number of items that it matches.
    pub presence: Presence,
}

/// Number of items that an element of a tuple matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Exactly one item.
    Required,
    /// One item, or none.
    Optional,
    /// Any number of items.
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
    /// Name of the type; `None` for a type without a name.
    pub name: Option<&'static str>,
    /// Properties in order of declaration.
    pub properties: &'static [Property],
    /// Index signatures in order of precedence. The value of a key must fit every signature that matches the key.
    pub index: &'static [Index],
}

/// An index signature.
#[derive(Debug, Clone, Copy)]
pub struct Index {
    /// Keys that the signature matches.
    pub keys: Keys,
    /// Shape with the rules that each matching key must satisfy; `None` if there are no such rules.
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

    /// Creates a signature whose keys must satisfy the rules of the string shape `rules`.
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
    /// Keys that JavaScript writes for a number: `7` and `-1.5`, but not `07`.
    Numeric,
    /// Keys that match a template literal type.
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
    /// True if errors and logs must never show the values.
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

    /// Marks the property as sensitive: errors and logs never show its values.
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
    /// Members. A union inside of a union is replaced by its members, and members without values are omitted.
    pub members: &'static [Shape],
    /// Properties that distinguish the object members, in the order in which they are checked.
    pub discriminants: &'static [&'static str],
}

impl Shape {
    /// Follows references until it reaches a shape that is not a reference.
    pub fn resolve(&'static self) -> &'static Self {
        match self {
            Self::Reference(to) | Self::Recursive(to) => to().resolve(),
            _ => self,
        }
    }

    /// Returns true if the type has a finite list of values: literals, `null` or booleans. Returns false for bigint
    /// literals, because each has two forms in JSON: a string and a number.
    pub fn is_listable(&'static self) -> bool {
        match self.resolve() {
            Self::Literal(literal) => !matches!(literal, Literal::BigInt(_)),
            Self::Never | Self::Null | Self::Boolean => true,
            Self::Union(union) => union.members.iter().all(Self::is_listable),
            _ => false,
        }
    }

    /// Returns true if the type has sensitive properties at any depth.
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
