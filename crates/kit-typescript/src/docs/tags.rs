//! Doc tags that kit knows.

use kit_diagnostics::closest;

/// Part of the comment after a tag's name that is the tag's argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Argument that ends at the next tag on the line or at the end of the line.
    Line,
    /// Argument as for `Line`, but continued on the next lines, up to an empty line or a tag.
    Paragraph,
    /// Argument that ends at the next line that starts with a tag.
    Block,
}

/// Kind of source code that a comment describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    /// A property of an object type.
    Property,
    /// An interface, or a type alias of an object type.
    Object,
    /// A type alias of any type but an object type.
    Alias,
    /// A key of a group's interface: a route.
    Route,
    /// A constant or function that is a middleware.
    Middleware,
}

impl Target {
    pub(super) fn description(self) -> &'static str {
        match self {
            Self::Property => "a property",
            Self::Object => "an interface",
            Self::Alias => "a type alias",
            Self::Route => "a route",
            Self::Middleware => "a middleware",
        }
    }
}

macro_rules! tags {
    ($($variant:ident $name:literal $style:ident [$($target:ident)*])*) => {
        /// A doc tag that kit knows.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum TagName { $($variant),* }

        impl TagName {
            const ALL: &[Self] = &[$(Self::$variant),*];

            /// Returns the name after the `@`, such as `maxLength`.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            pub(super) fn style(self) -> Style {
                match self { $(Self::$variant => Style::$style),* }
            }

            /// Returns the kinds of source code that the tag may describe.
            pub(crate) fn targets(self) -> &'static [Target] {
                match self { $(Self::$variant => &[$(Target::$target),*]),* }
            }
        }
    };
}

tags! {
    Table "table" Line [Object Alias]
    Owner "owner" Line [Object]
    Tenant "tenant" Line [Object]
    Id "id" Line [Property]
    Generated "generated" Line [Property]
    OnUpdate "onUpdate" Line [Property]
    Default "default" Line [Property]
    Unique "unique" Line [Property Object]
    Index "index" Line [Property Object]
    Check "check" Line [Property Object]
    References "references" Line [Property Object]
    Column "column" Line [Property]
    StoredAs "storedAs" Line [Property]
    RenamedFrom "renamedFrom" Line [Property Object]
    Sensitive "sensitive" Line [Property]
    MinLength "minLength" Line [Property Alias]
    MaxLength "maxLength" Line [Property Alias]
    Format "format" Line [Property Alias]
    Pattern "pattern" Line [Property Alias]
    Minimum "minimum" Line [Property Alias]
    Maximum "maximum" Line [Property Alias]
    ExclusiveMinimum "exclusiveMinimum" Line [Property Alias]
    ExclusiveMaximum "exclusiveMaximum" Line [Property Alias]
    MultipleOf "multipleOf" Line [Property Alias]
    Integer "integer" Line [Property Alias]
    NumberType "type" Line [Property Alias]
    MinItems "minItems" Line [Property Alias]
    MaxItems "maxItems" Line [Property Alias]
    UniqueItems "uniqueItems" Line [Property Alias]
    MaxBytes "maxBytes" Line [Property]
    Mime "mime" Line [Property]
    DataOnly "dataOnly" Line [Object]
    Deprecated "deprecated" Paragraph [Property Object Alias Route]
    DeprecatedSince "deprecatedSince" Line [Route]
    Sunset "sunset" Line [Route]
    Successor "successor" Line [Route]
    Example "example" Block [Property Object Alias Route]
    Operation "operation" Line [Route]
    Status "status" Line [Route]
    Summary "summary" Paragraph [Route]
    Tag "tag" Line [Route]
    Throws "throws" Paragraph [Route Middleware]
    Security "security" Line [Middleware]
}

/// Tags of other tools (`JSDoc`, `TSDoc`), which kit ignores even if they look like a misspelt tag of kit.
const FOREIGN: &[&str] = &[
    "alpha",
    "author",
    "beta",
    "borrows",
    "class",
    "const",
    "constant",
    "constructor",
    "enum",
    "event",
    "exports",
    "extends",
    "external",
    "file",
    "function",
    "global",
    "ignore",
    "implements",
    "inheritDoc",
    "inner",
    "instance",
    "interface",
    "internal",
    "license",
    "link",
    "member",
    "mixes",
    "mixin",
    "module",
    "name",
    "namespace",
    "override",
    "param",
    "private",
    "privateRemarks",
    "property",
    "protected",
    "public",
    "readonly",
    "remarks",
    "returns",
    "return",
    "see",
    "since",
    "static",
    "template",
    "this",
    "todo",
    "type",
    "typedef",
    "version",
    "virtual",
];

/// Arguments of `@type` that are types of numbers.
const NUMBER_TYPES: &[&str] = &[
    "int", "int32", "uint", "uint32", "int64", "uint64", "float", "double",
];

/// Returns the name in the argument of `@type`, which may be in braces: `int32` or `{int32}`.
pub(super) fn number_type_name(argument: &str) -> &str {
    let argument = argument.trim();
    let inner = argument
        .strip_prefix('{')
        .and_then(|inner| inner.strip_suffix('}'));
    inner.unwrap_or(argument).trim()
}

impl TagName {
    /// Returns the tag with a name. `@type` is not among them, because only [`TagName::number_type`] tells if it is a tag
    /// of kit.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|tag| tag.name() == name && *tag != Self::NumberType)
    }

    /// Returns [`TagName::NumberType`] for a name and an argument such as `@type int32`. Returns `None` for the types of
    /// `JSDoc`, such as `@type {Note}`, which kit ignores.
    pub(super) fn number_type(name: &str, argument: &str) -> Option<Self> {
        let is_type = name == Self::NumberType.name() && NUMBER_TYPES.contains(&number_type_name(argument));
        is_type.then_some(Self::NumberType)
    }

    /// Returns the tags for the least and the greatest number that a tag of typia with a number stands for: `@minItems` and
    /// `@maxItems` for `@items 3`, `@minLength` and `@maxLength` for `@length 3`. Returns `None` for any other tag.
    pub(super) fn exact_number(name: &str, argument: &str) -> Option<[Self; 2]> {
        let argument = argument.trim();
        if argument.is_empty() || !argument.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        match name {
            "items" => Some([Self::MinItems, Self::MaxItems]),
            "length" => Some([Self::MinLength, Self::MaxLength]),
            _ => None,
        }
    }

    /// Returns the tag that a misspelt name probably means: `@maxLength` for `maxLenght`. Returns `None` for
    /// a tag of another tool, or if no tag has a similar name.
    pub(super) fn meant_by(name: &str) -> Option<Self> {
        if name.len() < 3 || FOREIGN.contains(&name) {
            return None;
        }
        closest(
            name,
            Self::ALL
                .iter()
                .map(|tag| tag.name())
                .filter(|name| *name != Self::NumberType.name()),
        )
        .and_then(Self::from_name)
    }

    /// Returns true if one comment of this kind of source code may have the tag more than once.
    pub(super) fn is_repeatable(self, target: Target) -> bool {
        if self == Self::References {
            return target == Target::Object;
        }
        matches!(
            self,
            Self::Example
                | Self::Throws
                | Self::Tag
                | Self::Index
                | Self::Unique
                | Self::Check
                | Self::Security
        )
    }

    /// Returns true if the tag is a rule for values. Such a tag changes the type of a property. All other
    /// tags belong to the property itself.
    pub(crate) fn is_constraint(self) -> bool {
        use TagName::{
            ExclusiveMaximum, ExclusiveMinimum, Format, Integer, MaxItems, MaxLength, Maximum, MinItems,
            MinLength, Minimum, MultipleOf, NumberType, Pattern, UniqueItems,
        };
        matches!(
            self,
            MinLength
                | MaxLength
                | Format
                | Pattern
                | Minimum
                | Maximum
                | ExclusiveMinimum
                | ExclusiveMaximum
                | MultipleOf
                | Integer
                | NumberType
                | MinItems
                | MaxItems
                | UniqueItems
        )
    }
}

#[cfg(test)]
mod tests;
