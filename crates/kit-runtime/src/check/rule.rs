//! Names of rules, so that programs can distinguish failures.

/// Name of the rule that a value breaks. If JSON Schema has a keyword for the rule, the name is that keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// A required value is missing.
    Required,
    /// The value has a wrong type, such as a number for a string.
    Type,
    /// The value is not one of the listed values.
    Enum,
    /// The value differs from the only valid value, a literal.
    Const,
    /// The string is too short.
    MinLength,
    /// The string is too long.
    MaxLength,
    /// The string does not match a regular expression.
    Pattern,
    /// The string does not have the format of `@format`, such as `email`.
    Format,
    /// The string does not match a template literal type.
    Template,
    /// The string is not base64.
    ContentEncoding,
    /// The number is too small.
    Minimum,
    /// The number is too large.
    Maximum,
    /// The number is equal to the exclusive lower bound, or less.
    ExclusiveMinimum,
    /// The number is equal to the exclusive upper bound, or greater.
    ExclusiveMaximum,
    /// The number is not a multiple of a step.
    MultipleOf,
    /// The array has too few items.
    MinItems,
    /// The array has too many items.
    MaxItems,
    /// Two items of the array are equal.
    UniqueItems,
    /// The value fits no member of a union, and no single rule explains the failure.
    AnyOf,
    /// The type at this location is `never`, so no value is valid.
    Unknown,
    /// The value is nested too deeply.
    MaxDepth,
    /// The failure list is full. This entry replaces all further failures.
    MaxFailures,
    /// The string contains U+0000 or an unpaired surrogate, which databases cannot store.
    Characters,
    /// The file is too large.
    MaxBytes,
    /// The file has another media type.
    Mime,
    /// The framing of a multipart body is invalid.
    Multipart,
    /// The body is not JSON.
    Json,
    /// The body is not valid UTF-8.
    Encoding,
}

impl Rule {
    /// All rules, in the order of their declaration.
    pub const ALL: [Self; 28] = [
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
        Self::MaxBytes,
        Self::Mime,
        Self::Multipart,
        Self::Json,
        Self::Encoding,
    ];

    /// Returns the name that responses contain for the rule: `minLength`.
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
            Self::MaxBytes => "maxBytes",
            Self::Mime => "mime",
            Self::Multipart => "multipart",
            Self::Json => "json",
            Self::Encoding => "encoding",
        }
    }
}
