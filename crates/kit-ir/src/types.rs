//! Types of the IR: the structure of values.

use serde::{Deserialize, Serialize};

use crate::{Constraints, DeclarationId, LiteralValue, Property, TypeId};

/// A type with the rules that its values must satisfy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Type {
    /// Structure of the type, without its rules.
    #[serde(flatten)]
    pub kind: TypeKind,
    /// Rules for the type's values, from doc tags.
    #[serde(default, skip_serializing_if = "Constraints::is_empty")]
    pub constraints: Constraints,
    /// True if a handler's value is an object whose method `toJSON` returns the value on the wire, which the type describes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub calls_to_json: bool,
}

impl From<TypeKind> for Type {
    fn from(kind: TypeKind) -> Self {
        Self {
            kind,
            constraints: Constraints::default(),
            calls_to_json: false,
        }
    }
}

/// Structure of a type. The compiler converts every TypeScript type to one of these kinds. A type that JSON
/// cannot represent is a build error and never reaches the IR.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "kind")]
pub enum TypeKind {
    /// `unknown`: any JSON value, which kit passes on unchanged.
    Unknown,
    /// `never`: a type without values.
    Never,
    /// `null`.
    Null,
    /// `boolean`.
    Boolean,
    /// `number`: a finite JSON number.
    Number,
    /// `string`.
    String,
    /// `bigint`: on the wire a JSON string of decimal digits. A decoder also accepts a JSON number without a
    /// fraction.
    BigInt,
    /// `Date`: on the wire an RFC 3339 `date-time` string.
    Date,
    /// `Uint8Array`: on the wire a base64 string.
    Bytes,
    /// A literal type such as `"text"` or `42`.
    Literal {
        /// Value of the literal type.
        value: LiteralValue,
    },
    /// A template literal type such as `` `user-${number}` ``.
    Template {
        /// Fixed texts and placeholders, in order.
        parts: Vec<TemplatePart>,
    },
    /// An array type: `T[]`.
    Array {
        /// Type of the items: `T`.
        element: TypeId,
    },
    /// A tuple type: `[A, B?, ...C[]]`.
    Tuple {
        /// Elements in order. At most one element is a rest element.
        elements: Vec<TupleElement>,
    },
    /// An object type, from an interface or `{ … }`.
    Object(ObjectType),
    /// A union. Nested unions are flattened, duplicates are removed, and the members have the order of the
    /// source. `undefined` is never a member: a property whose type includes `undefined` is optional.
    Union {
        /// Types of the union; at least two.
        members: Vec<TypeId>,
    },
    /// A reference to a named type. Only a reference can make a type recursive.
    Reference {
        /// The named type.
        declaration: DeclarationId,
    },
}

/// A part of a template literal type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "part", content = "value")]
pub enum TemplatePart {
    /// Text outside of placeholders.
    Text(String),
    /// A placeholder with its type: `${string}`, `${number}`, `${"a" | "b"}`.
    #[serde(rename = "hole")]
    Placeholder(TypeId),
}

/// An element of a tuple.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TupleElement {
    /// Type of the element. For a rest element `...A[]`, the type of one item: `A`.
    pub r#type: TypeId,
    /// True for an optional element: `A?`.
    pub optional: bool,
    /// True for a rest element: `...A[]`.
    pub rest: bool,
    /// Name of a labeled element: `label` in `[label: A]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// Properties of an object type, and the types of keys that are not declared.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ObjectType {
    /// Declared properties in the order of the source, after the inherited properties.
    pub properties: Vec<Property>,
    /// Index signatures, at most one for each kind of key. A decoder drops a key that matches no property and
    /// no signature. If a key matches several signatures, its value must be valid for all of them, and is
    /// decoded with the first signature in the order of [`ObjectType::signatures`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub index: Vec<IndexSignature>,
}

/// An index signature such as `[key: string]: V`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexSignature {
    /// Keys that the signature accepts.
    pub key: IndexKey,
    /// Rules for strings that an accepted key must satisfy: in `Record<Code, V>`, the rules of `Code`. Only
    /// signatures with [`IndexKey::String`] and [`IndexKey::Template`] have rules.
    #[serde(default, skip_serializing_if = "Constraints::is_empty")]
    pub rules: Constraints,
    /// Type of the values: `V` in `[key: string]: V`.
    pub value: TypeId,
}

/// Keys that an index signature accepts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "kind")]
pub enum IndexKey {
    /// `[key: string]`: every key.
    String,
    /// `[key: number]`: every key that is a number as JavaScript prints it, such as `7` and `-1.5` but not
    /// `07`.
    Number,
    /// `` [key: `x-${string}`] ``: every key that fits the template literal type.
    Template {
        /// Fixed texts and placeholders, in order.
        parts: Vec<TemplatePart>,
    },
}

impl ObjectType {
    /// Returns the property with the given name.
    ///
    /// ```
    /// use kit_ir::{ObjectType, Property};
    ///
    /// # let property = |tags: &str| serde_json::from_str::<Property>(&format!(
    /// #     r#"{{ "name": "title", "type": 0, "optional": false, "tags": {tags},
    /// #           "span": {{ "source": 0, "start": 0, "end": 0, "line": 1, "column": 1 }} }}"#,
    /// # )).unwrap();
    /// let note = ObjectType { properties: vec![property("{}")], index: vec![] };
    /// assert_eq!(note.property("title").unwrap().name, "title");
    /// assert_eq!(note.property("author"), None);
    /// ```
    pub fn property(&self, name: &str) -> Option<&Property> {
        self.properties.iter().find(|property| property.name == name)
    }

    /// Returns the index signatures in the order in which a decoder tries them: templates in the order of the
    /// source, then `number`, then `string`.
    ///
    /// ```
    /// use kit_ir::{Constraints, IndexKey, IndexSignature, ObjectType, TypeId};
    ///
    /// let signature = |key| IndexSignature { key, rules: Constraints::default(), value: TypeId(0) };
    /// let object = ObjectType {
    ///     properties: vec![],
    ///     index: vec![signature(IndexKey::String), signature(IndexKey::Number)],
    /// };
    /// assert_eq!(object.signatures()[0].key, IndexKey::Number);
    /// ```
    pub fn signatures(&self) -> Vec<&IndexSignature> {
        let mut signatures: Vec<_> = self.index.iter().collect();
        signatures.sort_by_key(|signature| match signature.key {
            IndexKey::Template { .. } => 0,
            IndexKey::Number => 1,
            IndexKey::String => 2,
        });
        signatures
    }

    /// Returns the type of the values of `[key: string]: V`; `None` if there is no such signature.
    ///
    /// ```
    /// use kit_ir::{Constraints, IndexKey, IndexSignature, ObjectType, TypeId};
    ///
    /// let any = IndexSignature { key: IndexKey::String, rules: Constraints::default(), value: TypeId(3) };
    /// let record = ObjectType { properties: vec![], index: vec![any] };
    /// assert_eq!(record.string_index(), Some(TypeId(3)));
    /// assert_eq!(ObjectType::default().string_index(), None);
    /// ```
    pub fn string_index(&self) -> Option<TypeId> {
        let signature = self
            .index
            .iter()
            .find(|signature| signature.key == IndexKey::String)?;
        Some(signature.value)
    }
}
