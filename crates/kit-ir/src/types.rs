//! Types: what shapes values have.

use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

use crate::{Constraints, DeclarationId, Property, TypeId};

/// A type with the rules its values satisfy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Type {
    /// The shape.
    #[serde(flatten)]
    pub kind: TypeKind,
    /// The rules.
    #[serde(default, skip_serializing_if = "Constraints::is_empty")]
    pub constraints: Constraints,
}

impl From<TypeKind> for Type {
    fn from(kind: TypeKind) -> Self {
        Self {
            kind,
            constraints: Constraints::default(),
        }
    }
}

/// The shape of a type. TypeScript's type language evaluates to these and to nothing else; what has no JSON form is a
/// build error and never reaches the IR.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "kind")]
pub enum TypeKind {
    /// `unknown`: any JSON value, passed through.
    Unknown,
    /// `never`: no value.
    Never,
    /// `null`.
    Null,
    /// `boolean`.
    Boolean,
    /// `number`: a finite JSON number.
    Number,
    /// `string`.
    String,
    /// `bigint`: on the wire a JSON string of decimal digits (or an integer number when read).
    BigInt,
    /// `Date`: on the wire an RFC 3339 `date-time` string.
    Date,
    /// `Uint8Array`: on the wire a base64 string.
    Bytes,
    /// A literal type.
    Literal {
        /// Its only value.
        value: LiteralValue,
    },
    /// A template literal type such as `` `user-${number}` ``.
    Template {
        /// Text and holes in order.
        parts: Vec<TemplatePart>,
    },
    /// `T[]`.
    Array {
        /// `T`.
        element: TypeId,
    },
    /// `[A, B?, ...C[]]`.
    Tuple {
        /// The elements in order; at most one is a rest element.
        elements: Vec<TupleElement>,
    },
    /// An object type.
    Object(ObjectType),
    /// A union, flattened and without duplicates, members in source order. `undefined` is never a member: a property
    /// that may be undefined is optional.
    Union {
        /// Two or more members.
        members: Vec<TypeId>,
    },
    /// A named type. The only road on which types recurse.
    Reference {
        /// The declaration it names.
        declaration: DeclarationId,
    },
}

/// The value of a literal type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "type", content = "value")]
pub enum LiteralValue {
    /// `"text"`.
    String(String),
    /// `42`, finite.
    Number(f64),
    /// `true`.
    Boolean(bool),
    /// `42n`, its decimal digits with an optional minus.
    BigInt(String),
}

/// Numbers by their bits: two zeros that are equal have two hashes, which costs a cache an entry and nobody a wrong answer.
impl Hash for LiteralValue {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Self::String(text) | Self::BigInt(text) => text.hash(state),
            Self::Number(number) => number.to_bits().hash(state),
            Self::Boolean(value) => value.hash(state),
        }
    }
}

/// A part of a template literal type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "part", content = "value")]
pub enum TemplatePart {
    /// Fixed text.
    Text(String),
    /// `${string}`, `${number}`, a union of literals, …
    Hole(TypeId),
}

/// An element of a tuple.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TupleElement {
    /// Its type; of a rest element the type of each item.
    pub r#type: TypeId,
    /// `A?`.
    pub optional: bool,
    /// `...A[]`.
    pub rest: bool,
    /// `[label: A]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// Properties by name, and what other keys may hold.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ObjectType {
    /// Declared properties in source order (inherited ones first).
    pub properties: Vec<Property>,
    /// Index signatures, at most one of a key: what other keys may hold. A key that is no declared property and that no
    /// signature takes is dropped. A value must fit every signature that takes its key, its key must satisfy the rules of
    /// each of them, and it is read as the first of [`ObjectType::signatures`] that takes its key.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub index: Vec<IndexSignature>,
}

/// An index signature such as `[key: string]: V`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexSignature {
    /// The keys it takes.
    pub key: IndexKey,
    /// Rules of strings that each key it takes must satisfy: those of `Code` in `Record<Code, V>`. Only keys of the kinds
    /// [`IndexKey::String`] and [`IndexKey::Template`] have rules.
    #[serde(default, skip_serializing_if = "Constraints::is_empty")]
    pub rules: Constraints,
    /// `V`.
    pub value: TypeId,
}

/// The keys that an index signature takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "kind")]
pub enum IndexKey {
    /// `[key: string]`: every key.
    String,
    /// `[key: number]`: a key that is a number as JavaScript prints it: `7`, `-1.5`, but not `07`.
    Number,
    /// `` [key: `x-${string}`] ``: a key that fits the template literal type.
    Template {
        /// Text and holes in order.
        parts: Vec<TemplatePart>,
    },
}

impl ObjectType {
    /// The property of that name.
    pub fn property(&self, name: &str) -> Option<&Property> {
        self.properties.iter().find(|property| property.name == name)
    }

    /// The index signatures by precedence: templates in source order, then numbers, then `string`.
    pub fn signatures(&self) -> Vec<&IndexSignature> {
        let mut signatures: Vec<_> = self.index.iter().collect();
        signatures.sort_by_key(|signature| match signature.key {
            IndexKey::Template { .. } => 0,
            IndexKey::Number => 1,
            IndexKey::String => 2,
        });
        signatures
    }

    /// `V` of the signature `[key: string]: V`.
    pub fn string_index(&self) -> Option<TypeId> {
        let signature = self
            .index
            .iter()
            .find(|signature| signature.key == IndexKey::String)?;
        Some(signature.value)
    }
}
