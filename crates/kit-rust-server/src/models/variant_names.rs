//! Names the variants of enums for unions by what distinguishes the members: `Note` for a reference, `Text` for `string`,
//! `Error` for the only object with a property `error`.

use kit_ir::{Format, LiteralValue, ObjectType, TypeId, TypeKind};

use crate::names;
use crate::types::{Types, is_decimal};

/// Names of the variants for the members of a union. Two members may get the same name.
pub(super) struct VariantNames<'a, 'p> {
    types: &'a Types<'p>,
    members: &'a [TypeId],
}

impl<'a, 'p> VariantNames<'a, 'p> {
    pub(super) fn new(types: &'a Types<'p>, members: &'a [TypeId]) -> Self {
        Self { types, members }
    }

    /// Returns the name for the member with this index.
    pub(super) fn name(&self, number: usize) -> String {
        let id = self.members[number];
        let numbered = || format!("Variant{}", number + 1);
        match self.kind(id) {
            TypeKind::Object(object) if super::is_map(object) => "Map".to_owned(),
            TypeKind::Object(object) => self.object(object).unwrap_or_else(numbered),
            TypeKind::Array { element } if self.count(is_array) > 1 => self
                .word(*element)
                .map_or_else(numbered, |word| format!("{word}List")),
            TypeKind::String if self.count(is_text) > 1 => self.text(id),
            _ => self.word(id).unwrap_or_else(numbered),
        }
    }

    fn kind(&self, id: TypeId) -> &'p TypeKind {
        &self.types.program.types[id].kind
    }

    fn count(&self, is: fn(&TypeKind) -> bool) -> usize {
        self.members.iter().filter(|id| is(self.kind(**id))).count()
    }

    /// Returns the name for a type by itself. Returns `None` if the type has none, such as an object.
    fn word(&self, id: TypeId) -> Option<String> {
        let name = match self.kind(id) {
            TypeKind::Reference { declaration } => self.types.name(*declaration),
            TypeKind::Unknown => "Any",
            TypeKind::Null => "Null",
            TypeKind::Boolean => "Boolean",
            TypeKind::Number => "Number",
            TypeKind::String if is_decimal(&self.types.program.types[id].constraints) => "Decimal",
            TypeKind::String | TypeKind::Template { .. } => "Text",
            TypeKind::BigInt => "BigInt",
            TypeKind::Date => "Date",
            TypeKind::Bytes => "Bytes",
            TypeKind::Array { .. } => "List",
            TypeKind::Tuple { .. } => "Tuple",
            TypeKind::Literal { value } => return Some(names::variant(&literal(value))),
            TypeKind::Object(object) if super::is_map(object) => "Map",
            TypeKind::Object(_) | TypeKind::Never | TypeKind::Union { .. } => return None,
        };
        Some(name.to_owned())
    }

    /// Returns the name for a `string` beside other strings.
    fn text(&self, id: TypeId) -> String {
        let rules = &self.types.program.types[id].constraints;
        let name = match rules.format {
            Some(Format::Email) => "Email",
            Some(Format::Uri) => "Uri",
            Some(Format::Uuid) => "Uuid",
            Some(Format::Date) => "Day",
            Some(Format::DateTime) => "DateTime",
            Some(Format::Ipv4) => "Ipv4",
            Some(Format::Ipv6) => "Ipv6",
            None if is_decimal(rules) => "Decimal",
            None => "Text",
        };
        name.to_owned()
    }

    /// Returns the name for an object: the text of a property, such as `Circle` for `kind: "circle"`, another literal
    /// with its property, such as `OkTrue`, or a property that only this member requires.
    fn object(&self, object: &ObjectType) -> Option<String> {
        let literals = || {
            let properties = object.properties.iter();
            properties.filter_map(|property| match self.kind(property.r#type) {
                TypeKind::Literal { value } if !property.optional => Some((property, value)),
                _ => None,
            })
        };
        let text = literals().find_map(|(_, value)| match value {
            LiteralValue::String(text) => Some(names::variant(text)),
            _ => None,
        });
        let other = || {
            let (property, value) = literals().next()?;
            Some(names::variant(&format!("{} {}", property.name, literal(value))))
        };
        let others = || self.members.iter().filter_map(|id| self.properties(*id));
        let is_own = |name: &str| others().filter(|other| other.property(name).is_some()).count() == 1;
        let own = || {
            let mut required = object.properties.iter().filter(|property| !property.optional);
            let property = required.find(|property| is_own(&property.name))?;
            Some(names::variant(&property.name))
        };
        text.or_else(other).or_else(own)
    }

    fn properties(&self, id: TypeId) -> Option<&'p ObjectType> {
        match self.kind(kit_analysis::resolve(self.types.program, id)) {
            TypeKind::Object(object) => Some(object),
            _ => None,
        }
    }
}

/// Returns a literal as words for a name.
fn literal(value: &LiteralValue) -> String {
    match value {
        LiteralValue::String(text) | LiteralValue::BigInt(text) => text.clone(),
        LiteralValue::Number(number) => number.to_string().replace('-', "minus "),
        LiteralValue::Boolean(value) => value.to_string(),
    }
}

fn is_array(kind: &TypeKind) -> bool {
    matches!(kind, TypeKind::Array { .. })
}

fn is_text(kind: &TypeKind) -> bool {
    matches!(kind, TypeKind::String | TypeKind::Template { .. })
}
