//! Constructors of shapes for generated code: `Shape::TEXT.min_length(1).max_length(200)`.

use super::{
    Array, DecimalBounds, Element, Format, Index, Literal, Number, Object, Pattern, Property, Shape,
    Template, Text, Tuple, Union,
};

/// Constructors for generated code. A rule that does not fit the shape, such as `@minLength` for a number, is
/// ignored.
impl Shape {
    /// Any string.
    pub const TEXT: Self = Self::Text(Text::ANY);

    /// Any number.
    pub const NUMBER: Self = Self::Number(Number::ANY);

    /// Any integer between -(2^53 - 1) and 2^53 - 1.
    pub const INTEGER: Self = Self::Number(Number::INTEGER);

    /// Any integer of any size.
    pub const BIGINT: Self = Self::BigInt(Number::ANY);

    /// Creates the shape of an object with a type name and these properties.
    pub const fn object(name: &'static str, properties: &'static [Property]) -> Self {
        Self::Object(Object {
            name: Some(name),
            properties,
            index: &[],
        })
    }

    /// Creates the shape of an object without a type name.
    pub const fn anonymous(properties: &'static [Property]) -> Self {
        Self::Object(Object {
            name: None,
            properties,
            index: &[],
        })
    }

    /// Creates the shape of an array whose items have the shape `element`.
    pub const fn array(element: &'static Self) -> Self {
        Self::Array(Array::of(element))
    }

    /// Creates the shape of a tuple.
    pub const fn tuple(elements: &'static [Element]) -> Self {
        Self::Tuple(Tuple { elements })
    }

    /// Creates the shape of strings that match a template literal type.
    pub const fn template(template: &'static Template) -> Self {
        Self::Text(Text {
            template: Some(template),
            ..Text::ANY
        })
    }

    /// Creates the shape of a union.
    pub const fn union(members: &'static [Self]) -> Self {
        Self::Union(Union {
            members,
            discriminants: &[],
        })
    }

    /// Creates the shape of a string literal.
    pub const fn literal(text: &'static str) -> Self {
        Self::Literal(Literal::Text(text))
    }

    /// Creates a reference to the shape of the type `T`.
    pub const fn of<T: crate::Contract>() -> Self {
        Self::Reference(T::shape)
    }

    /// Sets the index signatures of an object.
    #[must_use]
    pub const fn index(self, index: &'static [Index]) -> Self {
        match self {
            Self::Object(object) => Self::Object(Object { index, ..object }),
            other => other,
        }
    }

    /// Sets the properties whose values distinguish the object members of a union, such as `kind`.
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

    /// Sets the rule `@minLength`, in characters.
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

    /// Sets the rule `@maxLength`, in characters.
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

    /// Sets the rule `@format`.
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

    /// Sets the phrase of messages in place of the pattern.
    #[must_use]
    pub const fn words(self, words: &'static str) -> Self {
        match self {
            Self::Text(rules) => Self::Text(Text {
                words: Some(words),
                ..rules
            }),
            other => other,
        }
    }

    /// Sets the rule `@minimum` of a decimal number, whose pattern contains the bound.
    #[must_use]
    pub const fn decimal_minimum(self, bound: &'static str) -> Self {
        match self {
            Self::Text(rules) => Self::Text(Text {
                bounds: DecimalBounds {
                    minimum: Some(bound),
                    ..rules.bounds
                },
                ..rules
            }),
            other => other,
        }
    }

    /// Sets the rule `@maximum` of a decimal number, whose pattern contains the bound.
    #[must_use]
    pub const fn decimal_maximum(self, bound: &'static str) -> Self {
        match self {
            Self::Text(rules) => Self::Text(Text {
                bounds: DecimalBounds {
                    maximum: Some(bound),
                    ..rules.bounds
                },
                ..rules
            }),
            other => other,
        }
    }

    /// Sets the rule `@exclusiveMinimum` of a decimal number, whose pattern contains the bound.
    #[must_use]
    pub const fn decimal_exclusive_minimum(self, bound: &'static str) -> Self {
        match self {
            Self::Text(rules) => Self::Text(Text {
                bounds: DecimalBounds {
                    exclusive_minimum: Some(bound),
                    ..rules.bounds
                },
                ..rules
            }),
            other => other,
        }
    }

    /// Sets the rule `@exclusiveMaximum` of a decimal number, whose pattern contains the bound.
    #[must_use]
    pub const fn decimal_exclusive_maximum(self, bound: &'static str) -> Self {
        match self {
            Self::Text(rules) => Self::Text(Text {
                bounds: DecimalBounds {
                    exclusive_maximum: Some(bound),
                    ..rules.bounds
                },
                ..rules
            }),
            other => other,
        }
    }

    /// Sets the rule `@pattern`.
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

    /// Sets the rule `@minimum`.
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

    /// Sets the rule `@maximum`.
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

    /// Sets the rule `@exclusiveMinimum`.
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

    /// Sets the rule `@exclusiveMaximum`.
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

    /// Sets the rule `@multipleOf`.
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

    /// Sets the rule `@minItems`.
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

    /// Sets the rule `@maxItems`.
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

    /// Sets the rule `@uniqueItems`.
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
