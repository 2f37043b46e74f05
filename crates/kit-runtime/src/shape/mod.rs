//! Types as data: what a value must be, from which failures are explained.

mod build;
mod describe;
mod pattern;
mod template;

pub use describe::{alternatives, count, describe};
pub use pattern::Pattern;
pub use template::{Part, Template};

/// What values a type has on the wire.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// Any JSON.
    Unknown,
    /// Nothing at all.
    Never,
    /// `null`.
    Null,
    /// `true` and `false`.
    Boolean,
    /// An RFC 3339 date-time.
    Date,
    /// Base64.
    Bytes,
    /// A text.
    Text(Text),
    /// A number.
    Number(Number),
    /// A whole number of any size: a text of digits, or a number that is exact.
    BigInt(Number),
    /// One value.
    Literal(Literal),
    /// Items of one shape.
    Array(Array),
    /// Items of a shape each.
    Tuple(Tuple),
    /// Declared properties, and what other keys may hold.
    Object(Object),
    /// One of several.
    Union(Union),
    /// Another type.
    Reference(fn() -> &'static Self),
    /// A type that can hold itself; entering it counts against [`MAX_DEPTH`].
    Recursive(fn() -> &'static Self),
}

/// How many times types that hold themselves may be entered on the way down to a value.
pub const MAX_DEPTH: usize = 256;

/// Rules on texts. Lengths count characters (code points).
#[derive(Debug, Clone, Copy)]
pub struct Text {
    /// The template literal type that its values are of.
    pub template: Option<&'static Template>,
    /// The least length.
    pub min_length: Option<usize>,
    /// The greatest length.
    pub max_length: Option<usize>,
    /// A standard format.
    pub format: Option<Format>,
    /// A regular expression of which a part of the text must be a match.
    pub pattern: Option<&'static Pattern>,
    /// Returns true if the text is the key of a value and not a value itself: failures say so.
    pub is_key: bool,
}

impl Text {
    /// Any text.
    pub const ANY: Self = Self {
        template: None,
        min_length: None,
        max_length: None,
        format: None,
        pattern: None,
        is_key: false,
    };
}

/// Rules on numbers. Bigints are held against the same bounds, exactly.
#[derive(Debug, Clone, Copy)]
pub struct Number {
    /// No fraction, and at most 2^53 - 1 either way.
    pub integer: bool,
    /// The least.
    pub minimum: Option<f64>,
    /// The greatest.
    pub maximum: Option<f64>,
    /// Less than all.
    pub exclusive_minimum: Option<f64>,
    /// Greater than all.
    pub exclusive_maximum: Option<f64>,
    /// What all are a multiple of.
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
    #[allow(clippy::float_cmp)] // Reason: the bounds are these numbers and not their neighbours.
    pub(crate) fn is_bigint_column(&self) -> bool {
        self.minimum == Some(-COLUMN_LIMIT) && self.exclusive_maximum == Some(COLUMN_LIMIT)
    }
}

/// 2^63, which a `bigint` of PostgreSQL stays below.
const COLUMN_LIMIT: f64 = 9_223_372_036_854_775_808.0;

/// The only value of a type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Literal {
    /// A text.
    Text(&'static str),
    /// A number.
    Number(f64),
    /// `true` or `false`.
    Boolean(bool),
    /// A bigint by its digits, with a minus or none and no zeros at the beginning.
    BigInt(&'static str),
}

/// Items of one shape.
#[derive(Debug, Clone, Copy)]
pub struct Array {
    /// Of each item.
    pub element: &'static Shape,
    /// The least number of items.
    pub min_items: Option<usize>,
    /// The greatest number of items.
    pub max_items: Option<usize>,
    /// Whether no two may be equal.
    pub unique_items: bool,
}

impl Array {
    /// Any number of items.
    pub const fn of(element: &'static Shape) -> Self {
        Self {
            element,
            min_items: None,
            max_items: None,
            unique_items: false,
        }
    }
}

/// Items of a shape each.
#[derive(Debug, Clone, Copy)]
pub struct Tuple {
    /// In order; at most one is repeated.
    pub elements: &'static [Element],
}

impl Tuple {
    /// The least number of items.
    pub fn least(&self) -> usize {
        let required = |element: &&Element| element.presence == Presence::Required;
        self.elements.iter().filter(required).count()
    }

    /// The greatest number of items; nothing where there is none.
    pub fn most(&self) -> Option<usize> {
        self.rest().is_none().then_some(self.elements.len())
    }

    fn rest(&self) -> Option<usize> {
        let is_rest = |element: &Element| element.presence == Presence::Rest;
        self.elements.iter().position(is_rest)
    }

    /// Whether a value may have so many items.
    pub fn takes(&self, length: usize) -> bool {
        length >= self.least() && self.most().is_none_or(|most| length <= most)
    }

    /// The shape of an item of a value that has a right number of them.
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
    /// Of its items.
    pub shape: Shape,
    /// How many items it stands for.
    pub presence: Presence,
}

/// How many items an element of a tuple stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// One.
    Required,
    /// One or none.
    Optional,
    /// Any number.
    Rest,
}

impl Element {
    /// One that must be there.
    pub const fn required(shape: Shape) -> Self {
        let presence = Presence::Required;
        Self { shape, presence }
    }

    /// One that may be absent.
    pub const fn optional(shape: Shape) -> Self {
        let presence = Presence::Optional;
        Self { shape, presence }
    }

    /// Any number of them.
    pub const fn rest(shape: Shape) -> Self {
        let presence = Presence::Rest;
        Self { shape, presence }
    }
}

/// Declared properties, and what other keys may hold.
#[derive(Debug, Clone, Copy)]
pub struct Object {
    /// The type's name, if it has one.
    pub name: Option<&'static str>,
    /// In order of declaration.
    pub properties: &'static [Property],
    /// By precedence. A value must fit every signature that takes its key.
    pub index: &'static [Index],
}

/// An index signature.
#[derive(Debug, Clone, Copy)]
pub struct Index {
    /// The keys it takes.
    pub keys: Keys,
    /// Rules that each key it takes must satisfy.
    pub key: Option<Shape>,
    /// What they hold.
    pub shape: Shape,
}

impl Index {
    /// A signature without rules on its keys.
    pub const fn new(keys: Keys, shape: Shape) -> Self {
        Self {
            keys,
            key: None,
            shape,
        }
    }

    /// A signature whose keys must satisfy the rules of a text.
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

/// Keys that an index signature takes.
#[derive(Debug, Clone, Copy)]
pub enum Keys {
    /// Every key.
    Any,
    /// Numbers as JavaScript prints them: `7`, `-1.5`, not `07`.
    Numeric,
    /// Texts of a template literal type.
    Of(&'static Template),
}

impl Keys {
    /// Whether a key is one of them.
    pub fn take(self, key: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Of(template) => template.is_match(key),
            Self::Numeric => {
                let begins = key.starts_with(|first: char| first == '-' || first.is_ascii_digit());
                let number = key.parse::<f64>().ok().filter(|_| begins);
                // JavaScript prints these by name.
                matches!(key, "NaN" | "Infinity" | "-Infinity")
                    || number.is_some_and(|number| crate::json::number_text(number) == key)
            }
        }
    }
}

/// A declared property.
#[derive(Debug, Clone, Copy)]
pub struct Property {
    /// Its name in JSON.
    pub key: &'static str,
    /// Of its values.
    pub shape: Shape,
    /// Whether a request may leave it out.
    pub optional: bool,
    /// Whether its values may never be shown.
    pub sensitive: bool,
}

impl Property {
    /// One that must be there.
    pub const fn required(key: &'static str, shape: Shape) -> Self {
        Self {
            key,
            shape,
            optional: false,
            sensitive: false,
        }
    }

    /// One that may be left out.
    pub const fn optional(key: &'static str, shape: Shape) -> Self {
        Self {
            optional: true,
            ..Self::required(key, shape)
        }
    }

    /// The same, whose values may never be shown.
    #[must_use]
    pub const fn sensitive(self) -> Self {
        Self {
            sensitive: true,
            ..self
        }
    }
}

/// One of several.
#[derive(Debug, Clone, Copy)]
pub struct Union {
    /// Unions inside of it are taken apart, and what no value can be is left out.
    pub members: &'static [Shape],
    /// Properties whose values tell the object members apart, in the order in which they are looked at.
    pub discriminants: &'static [&'static str],
}

/// Names of `@format`.
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
    /// Four decimal numbers.
    Ipv4,
    /// An address of RFC 4291.
    Ipv6,
}

impl Format {
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

    /// A text of the format.
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
    /// The shape itself where it is a reference.
    pub fn resolve(&'static self) -> &'static Self {
        match self {
            Self::Reference(to) | Self::Recursive(to) => to().resolve(),
            _ => self,
        }
    }

    /// Whether all values are literals, `null` or booleans. A bigint is none: on the wire it has two forms.
    pub fn is_listable(&'static self) -> bool {
        match self.resolve() {
            Self::Literal(literal) => !matches!(literal, Literal::BigInt(_)),
            Self::Never | Self::Null | Self::Boolean => true,
            Self::Union(union) => union.members.iter().all(Self::is_listable),
            _ => false,
        }
    }

    /// Whether values may hold something that must not be shown.
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
