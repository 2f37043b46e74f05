//! JSON Schema 2020-12 of IR types, as OpenAPI 3.1 uses it.
//!
//! A schema describes the wire form, which depends on the direction: a property that a request may omit (with a default or a
//! generated value) is always present in a response. [`Direction`] selects the schema of requests or of responses, and
//! [`differs_inline`] checks if the two differ.

mod bigint;
mod keys;
mod union;

use std::sync::OnceLock;

use indexmap::IndexMap;
use kit_analysis::{literal_value, numbers};
use kit_ir::{
    Constraints, Decimal, DeclarationId, DefaultValue, Documentation, LiteralValue, ObjectType, Program,
    Property, TupleElement, TypeId, TypeKind,
};
use serde::Serialize;
use serde_json::{Number, Value};

use crate::component_names::ComponentNames;
use crate::direction::Direction;
use crate::template_pattern::template_pattern;

/// A JSON Schema. The fields are printed in this order.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
// Fields have the names of the keywords, and one of them is `contentSchema`.
#[expect(clippy::struct_field_names)]
pub(crate) struct Schema {
    #[serde(rename = "$ref", skip_serializing_if = "Option::is_none")]
    pub(crate) reference: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deprecated: Option<bool>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(crate) r#type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) format: Option<&'static str>,
    #[serde(rename = "const", skip_serializing_if = "Option::is_none")]
    pub(crate) constant: Option<Value>,
    #[serde(rename = "enum", skip_serializing_if = "Option::is_none")]
    pub(crate) choices: Option<Vec<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) min_length: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) max_length: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pattern: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) content_encoding: Option<&'static str>,
    /// Media type of a text or of bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) content_media_type: Option<String>,
    /// Schema of the value that a text contains in its media type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) content_schema: Option<Box<Schema>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) minimum: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) maximum: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) exclusive_minimum: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) exclusive_maximum: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) multiple_of: Option<Number>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) prefix_items: Vec<Schema>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) items: Option<Items>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) min_items: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) max_items: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unique_items: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) properties: Option<IndexMap<String, Schema>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) required: Vec<String>,
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub(crate) pattern_properties: IndexMap<String, Schema>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) additional_properties: Option<Box<Schema>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) property_names: Option<Box<Schema>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) all_of: Vec<Schema>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) any_of: Vec<Schema>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) one_of: Vec<Schema>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) discriminator: Option<Discriminator>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) not: Option<Box<Schema>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) default: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) read_only: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) examples: Vec<Value>,
}

/// OpenAPI's `discriminator`: a property whose value tells which member of a `oneOf` an object is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Discriminator {
    /// Name of the property that distinguishes the members.
    property_name: String,
    /// Values of the property, with the components that they select.
    mapping: IndexMap<String, String>,
}

/// JSON Schema's `items`: the schema of the array items that follow the items of `prefixItems`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Items {
    /// Each further item must match this schema.
    Each(Box<Schema>),
    /// No further items are allowed (`items: false`); the value is always `false`.
    None(bool),
}

/// Pattern of base64 (RFC 4648, section 4), with padding, and with unused bits that are zero.
const BASE64: &str =
    r"^(?:[A-Za-z0-9+\/]{4})*(?:[A-Za-z0-9+\/][AQgw]==|[A-Za-z0-9+\/]{2}[AEIMQUYcgkosw048]=)?$";

/// Creates schemas for one direction.
#[derive(Clone, Copy)]
pub(crate) struct Schemas<'a> {
    pub(crate) program: &'a Program,
    pub(crate) direction: Direction,
    pub(crate) names: &'a ComponentNames,
    /// True to add the minimum and the maximum of safe integers for properties with `@integer`.
    pub(crate) implied: bool,
}

impl Schemas<'_> {
    /// Returns the complete schema of a declaration, with its documentation.
    pub(crate) fn declaration(self, id: DeclarationId) -> Schema {
        let declaration = &self.program.declarations[id];
        documented(self.schema(declaration.r#type), &declaration.documentation)
    }

    /// Returns a schema with a `$ref` to the declaration's component.
    pub(crate) fn reference(self, id: DeclarationId) -> Schema {
        let name = self.names.name(self.program, (id, self.direction));
        Schema {
            reference: Some(format!("#/components/schemas/{name}")),
            ..Schema::default()
        }
    }

    /// Returns the schema of a type.
    pub(crate) fn schema(self, id: TypeId) -> Schema {
        let r#type = &self.program.types[id];
        let constraints = &r#type.constraints;
        match &r#type.kind {
            TypeKind::Unknown => Schema::default(),
            TypeKind::Never => Schema {
                not: Some(Box::default()),
                ..Schema::default()
            },
            TypeKind::Null => of_type("null"),
            TypeKind::Boolean => of_type("boolean"),
            TypeKind::Number => number(constraints, self.implied),
            TypeKind::String => Schema {
                r#type: Some("string"),
                ..Self::text_rules(constraints)
            },
            TypeKind::BigInt => Schema {
                pattern: Some(bigint::pattern(constraints)),
                description: bigint::rules(constraints),
                ..of_type("string")
            },
            TypeKind::Date => Schema {
                format: Some("date-time"),
                ..of_type("string")
            },
            TypeKind::Bytes => Schema {
                // Validators ignore `contentEncoding`, so the pattern checks that the string is base64.
                pattern: Some(BASE64.to_owned()),
                content_encoding: Some("base64"),
                ..of_type("string")
            },
            TypeKind::Literal { value } => Schema {
                constant: Some(literal_value(value)),
                ..of_type(literal_type(value))
            },
            TypeKind::Template { parts } => Schema {
                format: constraints.format.map(kit_ir::Format::name),
                min_length: constraints.min_length,
                max_length: constraints.effective_max_length(),
                pattern: Some(match &constraints.pattern {
                    None => template_pattern(self.program, parts),
                    // A schema can have only one `pattern`, so a lookahead adds the pattern of the doc tag.
                    Some(pattern) => {
                        format!("(?=[^]*(?:{pattern})){}", template_pattern(self.program, parts))
                    }
                }),
                ..of_type("string")
            },
            TypeKind::Array { element } => Schema {
                items: Some(Items::Each(Box::new(self.schema(*element)))),
                min_items: constraints.min_items,
                max_items: constraints.max_items,
                unique_items: constraints.unique_items.then_some(true),
                ..of_type("array")
            },
            TypeKind::Tuple { elements } => self.tuple(elements),
            TypeKind::Object(object) => self.object(object),
            TypeKind::Union { members } => self.union(members),
            TypeKind::Reference { declaration } => self.reference(*declaration),
        }
    }

    fn object(self, object: &ObjectType) -> Schema {
        let properties: IndexMap<_, _> = object
            .properties
            .iter()
            .map(|property| (property.name.clone(), self.property(property)))
            .collect();
        let required = object
            .properties
            .iter()
            .filter(|property| match self.direction {
                Direction::Input => !property.optional_in_input(),
                Direction::Output => !property.optional,
            })
            .map(|property| property.name.clone())
            .collect();
        Schema {
            properties: (!properties.is_empty()).then_some(properties),
            required,
            pattern_properties: self.pattern_properties(object),
            additional_properties: object.string_index().map(|index| Box::new(self.schema(index))),
            property_names: self.property_names(object).map(Box::new),
            ..of_type("object")
        }
    }

    /// Returns the rules of strings as a schema without `type`.
    fn text_rules(constraints: &Constraints) -> Schema {
        Schema {
            format: constraints
                .digits
                .map(|_| "decimal")
                .or(constraints.format.map(kit_ir::Format::name)),
            min_length: constraints.min_length,
            max_length: constraints.effective_max_length(),
            pattern: constraints.pattern.clone(),
            ..Schema::default()
        }
    }

    /// Returns the schema of a property with its doc tags.
    pub(crate) fn property(self, property: &Property) -> Schema {
        let mut schema = documented(self.schema(property.r#type), &property.documentation);
        // A response always contains the property, so only the schema of a request has the default.
        if self.direction == Direction::Input {
            schema.default = property.tags.default.as_ref().and_then(default_value);
        }
        if property.tags.generated.is_some() && self.direction == Direction::Output {
            schema.read_only = Some(true);
        }
        schema
    }

    fn tuple(self, elements: &[TupleElement]) -> Schema {
        let rest = elements.iter().position(|element| element.rest);
        let least = elements
            .iter()
            .filter(|element| !element.optional && !element.rest)
            .count();
        let fixed = &elements[..rest.unwrap_or(elements.len())];
        let items = match rest {
            None => Items::None(false),
            Some(position) => {
                // JSON Schema cannot express the types of elements after a rest element, so all further elements may have any
                // of the types.
                let mut others: Vec<_> = elements[position..]
                    .iter()
                    .map(|element| self.schema(element.r#type))
                    .collect();
                others.dedup();
                Items::Each(Box::new(any_of(others)))
            }
        };
        Schema {
            prefix_items: fixed.iter().map(|element| self.schema(element.r#type)).collect(),
            items: Some(items),
            min_items: Some(least as u64),
            max_items: rest.is_none().then_some(elements.len() as u64),
            ..of_type("array")
        }
    }
}

/// Schemas of all declarations, created on first use. Several documents contain the same schemas.
pub(crate) struct DeclaredSchemas<'a> {
    program: &'a Program,
    names: &'a ComponentNames,
    /// Schemas of responses, made when they are needed. A schema has hundreds of bytes, and an edit needs few of them.
    output: Vec<OnceLock<Box<Schema>>>,
    /// Schemas of requests.
    input: Vec<OnceLock<Box<Schema>>>,
}

impl<'a> DeclaredSchemas<'a> {
    pub(crate) fn new(program: &'a Program, names: &'a ComponentNames) -> Self {
        let empty = || program.declarations.iter().map(|_| OnceLock::new()).collect();
        Self {
            program,
            names,
            output: empty(),
            input: empty(),
        }
    }

    /// Returns the complete schema of a declaration, with its documentation.
    pub(crate) fn get(&self, id: DeclarationId, direction: Direction) -> &Schema {
        let made = match direction {
            Direction::Output => &self.output[usize::from(id)],
            Direction::Input => &self.input[usize::from(id)],
        };
        let schemas = Schemas {
            program: self.program,
            direction,
            names: self.names,
            implied: true,
        };
        made.get_or_init(|| Box::new(schemas.declaration(id)))
    }
}

/// Adds the description, the deprecation and the examples of a doc comment.
pub(crate) fn documented(mut schema: Schema, documentation: &Documentation) -> Schema {
    if documentation.description.is_some() {
        schema.description.clone_from(&documentation.description);
    }
    schema.deprecated = documentation.deprecated.is_some().then_some(true);
    schema.examples = documentation
        .examples
        .iter()
        .map(|example| serde_json::from_str(example).unwrap_or_else(|_| Value::from(example.as_str())))
        .collect();
    schema
}

fn of_type(name: &'static str) -> Schema {
    Schema {
        r#type: Some(name),
        ..Schema::default()
    }
}

fn any_of(mut schemas: Vec<Schema>) -> Schema {
    if schemas.len() == 1 {
        return schemas.remove(0);
    }
    Schema {
        any_of: schemas,
        ..Schema::default()
    }
}

/// Returns a default in wire form; `None` for `now`, whose value is different each time.
pub(crate) fn default_value(default: &DefaultValue) -> Option<Value> {
    match default {
        DefaultValue::Literal(value) => Some(literal_value(value)),
        DefaultValue::Null => Some(Value::Null),
        DefaultValue::Json(text) => serde_json::from_str(text).ok(),
        DefaultValue::Now => None,
    }
}

fn literal_type(value: &LiteralValue) -> &'static str {
    match value {
        LiteralValue::String(_) | LiteralValue::BigInt(_) => "string",
        LiteralValue::Number(_) => "number",
        LiteralValue::Boolean(_) => "boolean",
    }
}

/// Greatest integer that JavaScript's numbers represent exactly, and on which JSON parsers agree (RFC 8259,
/// section 6). `@integer` accepts no greater integer.
const GREATEST_INTEGER: i64 = 9_007_199_254_740_991;

fn number(constraints: &Constraints, implied: bool) -> Schema {
    let mut schema = Schema {
        r#type: Some(if constraints.integer { "integer" } else { "number" }),
        minimum: constraints.minimum.and_then(decimal),
        maximum: constraints.maximum.and_then(decimal),
        exclusive_minimum: constraints.exclusive_minimum.and_then(decimal),
        exclusive_maximum: constraints.exclusive_maximum.and_then(decimal),
        multiple_of: constraints.multiple_of.and_then(decimal),
        ..Schema::default()
    };
    if constraints.integer && implied {
        if schema.minimum.is_none() && schema.exclusive_minimum.is_none() {
            schema.minimum = Some(Number::from(-GREATEST_INTEGER));
        }
        if schema.maximum.is_none() && schema.exclusive_maximum.is_none() {
            schema.maximum = Some(Number::from(GREATEST_INTEGER));
        }
    }
    schema
}

fn decimal(value: Decimal) -> Option<Number> {
    numbers::json(value.get()).as_number().cloned()
}
