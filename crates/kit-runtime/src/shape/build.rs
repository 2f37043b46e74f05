//! Shapes as generated code writes them: `Shape::TEXT.min_length(1).max_length(200)`.

use super::{
    Array, Element, Format, Index, Literal, Number, Object, Pattern, Property, Shape, Template, Text, Tuple,
    Union,
};

/// How generated code writes shapes. A rule on a shape that has no such rule is left out.
impl Shape {
    /// Any text.
    pub const TEXT: Self = Self::Text(Text::ANY);

    /// Any number.
    pub const NUMBER: Self = Self::Number(Number::ANY);

    /// Any integer of at most 2^53 - 1 either way.
    pub const INTEGER: Self = Self::Number(Number::INTEGER);

    /// Any whole number, of whatever size.
    pub const BIGINT: Self = Self::BigInt(Number::ANY);

    /// A named object with these properties.
    pub const fn object(name: &'static str, properties: &'static [Property]) -> Self {
        Self::Object(Object {
            name: Some(name),
            properties,
            index: &[],
        })
    }

    /// An object without a name.
    pub const fn anonymous(properties: &'static [Property]) -> Self {
        Self::Object(Object {
            name: None,
            properties,
            index: &[],
        })
    }

    /// An array of such items.
    pub const fn array(element: &'static Self) -> Self {
        Self::Array(Array::of(element))
    }

    /// Items of a shape each.
    pub const fn tuple(elements: &'static [Element]) -> Self {
        Self::Tuple(Tuple { elements })
    }

    /// A text of a template literal type.
    pub const fn template(template: &'static Template) -> Self {
        Self::Text(Text {
            template: Some(template),
            ..Text::ANY
        })
    }

    /// One of several.
    pub const fn union(members: &'static [Self]) -> Self {
        Self::Union(Union {
            members,
            discriminants: &[],
        })
    }

    /// One text.
    pub const fn literal(text: &'static str) -> Self {
        Self::Literal(Literal::Text(text))
    }

    /// The shape of a named type.
    pub const fn of<T: crate::Contract>() -> Self {
        Self::Reference(T::shape)
    }

    /// What other keys of an object may hold.
    #[must_use]
    pub const fn index(self, index: &'static [Index]) -> Self {
        match self {
            Self::Object(object) => Self::Object(Object { index, ..object }),
            other => other,
        }
    }

    /// The properties that tell the object members of a union apart.
    #[must_use]
    pub const fn discriminants(self, discriminants: &'static [&'static str]) -> Self {
        match self {
            Self::Union(union) => Self::Union(Union {
                discriminants,
                ..union
            }),
            other => other,
        }
    }

    /// `@minLength`.
    #[must_use]
    pub const fn min_length(self, length: usize) -> Self {
        match self {
            Self::Text(rules) => Self::Text(Text {
                min_length: Some(length),
                ..rules
            }),
            other => other,
        }
    }

    /// `@maxLength`.
    #[must_use]
    pub const fn max_length(self, length: usize) -> Self {
        match self {
            Self::Text(rules) => Self::Text(Text {
                max_length: Some(length),
                ..rules
            }),
            other => other,
        }
    }

    /// `@format`.
    #[must_use]
    pub const fn format(self, format: Format) -> Self {
        match self {
            Self::Text(rules) => Self::Text(Text {
                format: Some(format),
                ..rules
            }),
            other => other,
        }
    }

    /// `@pattern`.
    #[must_use]
    pub const fn pattern(self, pattern: &'static Pattern) -> Self {
        match self {
            Self::Text(rules) => Self::Text(Text {
                pattern: Some(pattern),
                ..rules
            }),
            other => other,
        }
    }

    /// `@minimum`.
    #[must_use]
    pub const fn minimum(self, bound: f64) -> Self {
        match self {
            Self::Number(rules) => Self::Number(Number {
                minimum: Some(bound),
                ..rules
            }),
            Self::BigInt(rules) => Self::BigInt(Number {
                minimum: Some(bound),
                ..rules
            }),
            other => other,
        }
    }

    /// `@maximum`.
    #[must_use]
    pub const fn maximum(self, bound: f64) -> Self {
        match self {
            Self::Number(rules) => Self::Number(Number {
                maximum: Some(bound),
                ..rules
            }),
            Self::BigInt(rules) => Self::BigInt(Number {
                maximum: Some(bound),
                ..rules
            }),
            other => other,
        }
    }

    /// `@exclusiveMinimum`.
    #[must_use]
    pub const fn exclusive_minimum(self, bound: f64) -> Self {
        match self {
            Self::Number(rules) => Self::Number(Number {
                exclusive_minimum: Some(bound),
                ..rules
            }),
            Self::BigInt(rules) => Self::BigInt(Number {
                exclusive_minimum: Some(bound),
                ..rules
            }),
            other => other,
        }
    }

    /// `@exclusiveMaximum`.
    #[must_use]
    pub const fn exclusive_maximum(self, bound: f64) -> Self {
        match self {
            Self::Number(rules) => Self::Number(Number {
                exclusive_maximum: Some(bound),
                ..rules
            }),
            Self::BigInt(rules) => Self::BigInt(Number {
                exclusive_maximum: Some(bound),
                ..rules
            }),
            other => other,
        }
    }

    /// `@multipleOf`.
    #[must_use]
    pub const fn multiple_of(self, step: f64) -> Self {
        match self {
            Self::Number(rules) => Self::Number(Number {
                multiple_of: Some(step),
                ..rules
            }),
            Self::BigInt(rules) => Self::BigInt(Number {
                multiple_of: Some(step),
                ..rules
            }),
            other => other,
        }
    }

    /// `@minItems`.
    #[must_use]
    pub const fn min_items(self, count: usize) -> Self {
        match self {
            Self::Array(rules) => Self::Array(Array {
                min_items: Some(count),
                ..rules
            }),
            other => other,
        }
    }

    /// `@maxItems`.
    #[must_use]
    pub const fn max_items(self, count: usize) -> Self {
        match self {
            Self::Array(rules) => Self::Array(Array {
                max_items: Some(count),
                ..rules
            }),
            other => other,
        }
    }

    /// `@uniqueItems`.
    #[must_use]
    pub const fn unique_items(self) -> Self {
        match self {
            Self::Array(rules) => Self::Array(Array {
                unique_items: true,
                ..rules
            }),
            other => other,
        }
    }
}
