//! Names of rules, which programs tell failures by.

/// Name of the rule that a value breaks. Where JSON Schema has a keyword for the rule, the name is that keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// The value is missing.
    Required,
    /// The value is of another type.
    Type,
    /// The value is none of several.
    Enum,
    /// The value is not the only one.
    Const,
    /// The text is too short.
    MinLength,
    /// The text is too long.
    MaxLength,
    /// The text does not match a regular expression.
    Pattern,
    /// The text has not a standard format.
    Format,
    /// The text is not of a template literal type.
    Template,
    /// The text does not encode bytes.
    ContentEncoding,
    /// The number is too small.
    Minimum,
    /// The number is too great.
    Maximum,
    /// The number is not greater than a bound.
    ExclusiveMinimum,
    /// The number is not less than a bound.
    ExclusiveMaximum,
    /// The number is not a multiple.
    MultipleOf,
    /// The array has too few items.
    MinItems,
    /// The array has too many items.
    MaxItems,
    /// Two items of the array are equal.
    UniqueItems,
    /// The value fits no member of a union, and no single rule says why.
    AnyOf,
    /// The contract has no value there: its type is `never`.
    Unknown,
    /// The value is nested too deeply.
    MaxDepth,
    /// There are more failures than are listed.
    MaxFailures,
    /// The text has characters that no database keeps.
    Characters,
    /// The text is not JSON.
    Json,
    /// The bytes are not text in the encoding.
    Encoding,
}

impl Rule {
    /// Every rule.
    pub const ALL: [Self; 25] = [
        Self::Required,
        Self::Type,
        Self::Enum,
        Self::Const,
        Self::MinLength,
        Self::MaxLength,
        Self::Pattern,
        Self::Format,
        Self::Template,
        Self::ContentEncoding,
        Self::Minimum,
        Self::Maximum,
        Self::ExclusiveMinimum,
        Self::ExclusiveMaximum,
        Self::MultipleOf,
        Self::MinItems,
        Self::MaxItems,
        Self::UniqueItems,
        Self::AnyOf,
        Self::Unknown,
        Self::MaxDepth,
        Self::MaxFailures,
        Self::Characters,
        Self::Json,
        Self::Encoding,
    ];

    /// The name in an answer.
    pub fn name(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::Type => "type",
            Self::Enum => "enum",
            Self::Const => "const",
            Self::MinLength => "minLength",
            Self::MaxLength => "maxLength",
            Self::Pattern => "pattern",
            Self::Format => "format",
            Self::Template => "template",
            Self::ContentEncoding => "contentEncoding",
            Self::Minimum => "minimum",
            Self::Maximum => "maximum",
            Self::ExclusiveMinimum => "exclusiveMinimum",
            Self::ExclusiveMaximum => "exclusiveMaximum",
            Self::MultipleOf => "multipleOf",
            Self::MinItems => "minItems",
            Self::MaxItems => "maxItems",
            Self::UniqueItems => "uniqueItems",
            Self::AnyOf => "anyOf",
            Self::Unknown => "unknown",
            Self::MaxDepth => "maxDepth",
            Self::MaxFailures => "maxFailures",
            Self::Characters => "characters",
            Self::Json => "json",
            Self::Encoding => "encoding",
        }
    }
}
