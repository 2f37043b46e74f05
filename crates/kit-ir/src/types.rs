//! Types: the structure of values.

use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

use crate::{Constraints, DeclarationId, Property, TypeId};

/// A type with the rules that its values satisfy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Type {
    /// Structure of the type.
    #[serde(flatten)]
    pub kind: TypeKind,
    /// Rules for values of the type.
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

/// Structure of a type. Every TypeScript type evaluates to one of these kinds. A type without a JSON form is a build
/// error and never reaches the IR.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "kind")]
pub enum TypeKind {
    /// `unknown`: any JSON value, passed through unchanged.
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
    /// `bigint`: on the wire a JSON string of decimal digits. A decoder also accepts an integer number.
    BigInt,
    /// `Date`: on the wire an RFC 3339 `date-time` string.
    Date,
    /// `Uint8Array`: on the wire a base64 string.
    Bytes,
    /// A literal type.
    Literal {
        /// Value of the literal type.
        value: LiteralValue,
    },
    /// A template literal type such as `` `user-${number}` ``.
    Template {
        /// Fixed text and holes, in order.
        parts: Vec<TemplatePart>,
    },
    /// `T[]`.
    Array {
        /// `T`.
        element: TypeId,
    },
    /// `[A, B?, ...C[]]`.
    Tuple {
        /// Elements in order; at most one is a rest element.
        elements: Vec<TupleElement>,
    },
    /// An object type.
    Object(ObjectType),
    /// A union. Nested unions are flattened, duplicates are removed, and the members have the order of the source.
    /// `undefined` is never a member: a property that may be undefined is optional.
    Union {
        /// Two or more members.
        members: Vec<TypeId>,
    },
    /// A reference to a named type. Only references make types recursive.
    Reference {
        /// Declaration that the reference refers to.
        declaration: DeclarationId,
    },
}

/// Value of a literal type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "type", content = "value")]
pub enum LiteralValue {
    /// `"text"`.
    String(String),
    /// `42`, always finite.
    Number(f64),
    /// `true`.
    Boolean(bool),
    /// `42n`: the decimal digits with an optional minus sign.
    BigInt(String),
}

/// Hashes a number by its bits. `0` and `-0` are equal but have different hashes, so a cache may store an entry twice;
/// results stay correct.
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

/// A segment of a template literal type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "part", content = "value")]
pub enum TemplatePart {
    /// Fixed text.
    Text(String),
    /// A placeholder: `${string}`, `${number}`, a union of literals, …
    #[serde(rename = "hole")]
    Placeholder(TypeId),
}

/// An element of a tuple.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TupleElement {
    /// Type of the element; for a rest element the type of each item.
    pub r#type: TypeId,
    /// True for `A?`.
    pub optional: bool,
    /// True for `...A[]`.
    pub rest: bool,
    /// Label: `label` in `[label: A]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// Properties by name, and the types of other keys.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ObjectType {
    /// Declared properties in source order; inherited properties come first.
    pub properties: Vec<Property>,
    /// Index signatures, at most one for each kind of key. A decoder drops a key that is not a declared property and
    /// that no signature accepts. A value must fit every signature that accepts its key, and its key must satisfy the
    /// rules of each of them. The value is decoded with the first signature of [`ObjectType::signatures`] that accepts
    /// its key.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub index: Vec<IndexSignature>,
}

/// An index signature such as `[key: string]: V`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexSignature {
    /// Keys that the signature accepts.
    pub key: IndexKey,
    /// Rules for strings that each accepted key must satisfy: the rules of `Code` in `Record<Code, V>`. Only keys of
    /// the kinds [`IndexKey::String`] and [`IndexKey::Template`] have rules.
    #[serde(default, skip_serializing_if = "Constraints::is_empty")]
    pub rules: Constraints,
    /// `V`.
    pub value: TypeId,
}

/// Keys that an index signature accepts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "kind")]
pub enum IndexKey {
    /// `[key: string]`: every key.
    String,
    /// `[key: number]`: every key that is a number as JavaScript prints it: `7`, `-1.5`, but not `07`.
    Number,
    /// `` [key: `x-${string}`] ``: every key that fits the template literal type.
    Template {
        /// Fixed text and holes, in order.
        parts: Vec<TemplatePart>,
    },
}

impl ObjectType {
    /// Returns the property with the given name.
    pub fn property(&self, name: &str) -> Option<&Property> {
        self.properties.iter().find(|property| property.name == name)
    }

    /// Returns the index signatures by precedence: templates in source order, then `number`, then `string`.
    pub fn signatures(&self) -> Vec<&IndexSignature> {
        let mut signatures: Vec<_> = self.index.iter().collect();
        signatures.sort_by_key(|signature| match signature.key {
            IndexKey::Template { .. } => 0,
            IndexKey::Number => 1,
            IndexKey::String => 2,
        });
        signatures
    }

    /// Returns `V` of the signature `[key: string]: V`; `None` if there is no such signature.
    pub fn string_index(&self) -> Option<TypeId> {
        let signature = self
            .index
            .iter()
            .find(|signature| signature.key == IndexKey::String)?;
        Some(signature.value)
    }
}
