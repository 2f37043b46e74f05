//! Types as sets of JSON values: the values that one side sends, and the values that the other side accepts.

use kit_analysis::{is_json_part, members, resolve, segments};
use kit_ir::{
    Constraints, DeclarationId, Format, IndexKey, LiteralValue, ObjectType, Program, Span, TupleElement,
    Type, TypeId, TypeKind,
};
use rustc_hash::FxHashMap;

use crate::number::NumberSet;
use crate::text::{Condition, TextSet};

/// Index of a node in the graph.
pub(crate) type NodeId = usize;

/// State of the application that a type belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum State {
    Old,
    New,
}

/// Way in which the values of a type travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Travel {
    /// JSON of a request.
    Request,
    /// Texts of a request: parameters, headers, cookies and forms.
    Text,
    /// Texts of path parameters, which are never empty.
    Path,
    /// Values of request headers, which have no control characters, and no spaces at their ends.
    Header,
    /// Parts of a multipart body: texts, and JSON for compound types.
    Parts,
    /// JSON that a server writes.
    Written,
    /// JSON that a client accepts as a response.
    Read,
}

/// A set of JSON values.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    Any,
    Never,
    Null,
    Bool(bool),
    Number(NumberSet),
    Text(TextSet),
    List(List),
    Object(Object),
    Union(Vec<NodeId>),
}

/// Arrays: first elements, elements of one type, last elements.
#[derive(Debug, Clone)]
pub(crate) struct List {
    pub(crate) first: Vec<NodeId>,
    pub(crate) rest: Option<NodeId>,
    pub(crate) last: Vec<NodeId>,
    pub(crate) min: u64,
    pub(crate) max: Option<u64>,
    pub(crate) unique: bool,
}

impl List {
    pub(crate) fn allows(&self, length: u64) -> bool {
        length >= self.min && self.max.is_none_or(|max| length <= max)
    }

    /// Returns the node of the element at a position of an array with an allowed length.
    pub(crate) fn at(&self, length: usize, position: usize) -> NodeId {
        let from_end = length - position;
        if self.rest.is_some() && from_end <= self.last.len() {
            return self.last[self.last.len() - from_end];
        }
        match (self.first.get(position), self.rest) {
            (Some(first), _) => *first,
            (None, Some(rest)) => rest,
            (None, None) => self.first[self.first.len() - 1],
        }
    }
}

/// Objects. As sent values, they have only keys that are declared or that a signature accepts. As accepted values,
/// they may have other keys, which a decoder drops.
#[derive(Debug, Clone, Default)]
pub(crate) struct Object {
    pub(crate) fields: Vec<Field>,
    pub(crate) index: Vec<Signature>,
}

impl Object {
    pub(crate) fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

/// A declared property.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) node: NodeId,
    pub(crate) optional: bool,
    pub(crate) span: Option<Span>,
    /// Reason after `@deprecated`, if the property has the tag.
    pub(crate) deprecated: Option<String>,
}

/// An index signature.
#[derive(Debug, Clone)]
pub(crate) struct Signature {
    pub(crate) key: TextSet,
    /// Rules that an accepted key must satisfy.
    pub(crate) rules: TextSet,
    pub(crate) value: NodeId,
}

/// Key of the nodes that were created for types.
type Origin = (State, Travel, TypeId);

/// All nodes of a comparison.
pub(crate) struct Graph<'a> {
    old: &'a Program,
    new: &'a Program,
    nodes: Vec<Node>,
    known: FxHashMap<Origin, NodeId>,
    origins: FxHashMap<NodeId, Origin>,
    any_parts: Option<NodeId>,
}

impl<'a> Graph<'a> {
    pub(crate) fn new(old: &'a Program, new: &'a Program) -> Self {
        Self {
            old,
            new,
            nodes: vec![Node::Any, Node::Never, Node::Object(Object::default())],
            known: FxHashMap::default(),
            origins: FxHashMap::default(),
            any_parts: None,
        }
    }

    pub(crate) fn program(&self, state: State) -> &'a Program {
        match state {
            State::Old => self.old,
            State::New => self.new,
        }
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }

    /// Returns the state and the type of a node that was created for a type.
    pub(crate) fn origin(&self, id: NodeId) -> Option<(State, TypeId)> {
        self.origins.get(&id).map(|(state, _, r#type)| (*state, *r#type))
    }

    /// Node of an object without properties.
    pub(crate) const NO_PROPERTIES: NodeId = 2;

    pub(crate) fn add(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Adds lists that have one item of a set.
    pub(crate) fn single(&mut self, item: Node) -> NodeId {
        let item = self.add(item);
        self.add(single(item))
    }

    /// Returns the union of the sets that together contain all JSON values.
    pub(crate) fn any_parts(&mut self) -> NodeId {
        if let Some(parts) = self.any_parts {
            return parts;
        }
        let list = List {
            first: vec![],
            rest: Some(0),
            last: vec![],
            min: 0,
            max: None,
            unique: false,
        };
        let signature = Signature {
            key: TextSet::any(),
            rules: TextSet::any(),
            value: 0,
        };
        let parts = [
            Node::Null,
            Node::Bool(true),
            Node::Bool(false),
            Node::Text(TextSet::any()),
            Node::Number(NumberSet::of(&Constraints::default())),
            Node::List(list),
            Node::Object(Object {
                fields: vec![],
                index: vec![signature],
            }),
        ];
        let parts = parts.map(|part| self.add(part)).to_vec();
        let parts = self.add(Node::Union(parts));
        self.any_parts = Some(parts);
        parts
    }

    pub(crate) fn declared(&mut self, state: State, travel: Travel, id: DeclarationId) -> NodeId {
        let r#type = self.program(state).declarations[id].r#type;
        match travel {
            // The slot is an object, whose values are texts.
            Travel::Text | Travel::Path | Travel::Header | Travel::Parts => {
                self.object_of_texts(state, travel, r#type)
            }
            _ => self.of(state, travel, r#type),
        }
    }

    /// Returns the node of a type.
    pub(crate) fn of(&mut self, state: State, travel: Travel, id: TypeId) -> NodeId {
        let program = self.program(state);
        let id = resolve(program, id);
        let origin = (state, travel, id);
        if let Some(known) = self.known.get(&origin) {
            return *known;
        }
        // Recursive types refer to this node before it is complete.
        let node = self.add(Node::Never);
        self.known.insert(origin, node);
        self.origins.insert(node, origin);
        let created = match travel {
            Travel::Text | Travel::Path | Travel::Header => {
                self.scalar_text(state, travel, &program.types[id])
            }
            _ => self.json(state, travel, &program.types[id]),
        };
        self.nodes[node] = created;
        node
    }

    fn json(&mut self, state: State, travel: Travel, r#type: &Type) -> Node {
        let program = self.program(state);
        let rules = &r#type.constraints;
        let text = |condition| Node::Text(TextSet::of(condition).with_rules(rules));
        match &r#type.kind {
            TypeKind::Unknown => Node::Any,
            TypeKind::Never | TypeKind::Reference { .. } => Node::Never,
            TypeKind::Null => Node::Null,
            TypeKind::Boolean => {
                let both = [Node::Bool(true), Node::Bool(false)].map(|node| self.add(node));
                Node::Union(both.to_vec())
            }
            TypeKind::Number => Node::Number(NumberSet::of(rules)),
            TypeKind::String => Node::Text(TextSet::any().with_rules(rules)),
            TypeKind::Date if travel == Travel::Written => text(Condition::WrittenTimestamp),
            // The published format of a `Date` is `date-time`, which clients of any language read.
            TypeKind::Date if travel == Travel::Read => text(Condition::Format(Format::DateTime)),
            TypeKind::Date => text(Condition::Timestamp),
            TypeKind::Bytes => text(Condition::Bytes),
            TypeKind::Template { parts } => text(Condition::Template(segments(program, parts))),
            TypeKind::BigInt => self.bigint(travel, &NumberSet::of_bigint(rules)),
            TypeKind::Literal { value } => match value {
                LiteralValue::String(text) => Node::Text(TextSet::of(Condition::Literal(text.clone()))),
                LiteralValue::Number(number) => Node::Number(NumberSet::one(*number)),
                LiteralValue::Boolean(value) => Node::Bool(*value),
                LiteralValue::BigInt(digits) => match exact(digits) {
                    Some(number) => self.bigint(travel, &NumberSet::one(number)),
                    None => Node::Text(TextSet::of(Condition::Literal(digits.clone()))),
                },
            },
            TypeKind::Array { element } => {
                let element = self.of(state, travel, *element);
                Node::List(List {
                    first: vec![],
                    rest: Some(element),
                    last: vec![],
                    min: rules.min_items.unwrap_or(0),
                    max: rules.max_items,
                    unique: rules.unique_items,
                })
            }
            TypeKind::Tuple { elements } => Node::List(self.tuple(state, travel, elements)),
            TypeKind::Object(object) => Node::Object(self.object(state, travel, object)),
            TypeKind::Union { members: declared } => {
                let members = members(program, declared);
                Node::Union(
                    members
                        .iter()
                        .map(|member| self.of(state, travel, member.r#type))
                        .collect(),
                )
            }
        }
    }

    /// Returns the forms of a bigint: a text, and in requests also a number.
    fn bigint(&mut self, travel: Travel, set: &NumberSet) -> Node {
        let text = Node::Text(TextSet::of(Condition::Integer(set.clone())));
        if matches!(travel, Travel::Written | Travel::Read) {
            return text;
        }
        let forms = [text, Node::Number(set.clone().safe())].map(|node| self.add(node));
        Node::Union(forms.to_vec())
    }

    fn tuple(&mut self, state: State, travel: Travel, elements: &[TupleElement]) -> List {
        let rest = elements.iter().position(|element| element.rest);
        let mut node = |element: &TupleElement| self.of(state, travel, element.r#type);
        let first = elements[..rest.unwrap_or(elements.len())]
            .iter()
            .map(&mut node)
            .collect();
        let last = rest.map_or_else(Vec::new, |rest| {
            elements[rest + 1..].iter().map(&mut node).collect()
        });
        let required = elements
            .iter()
            .filter(|element| !element.optional && !element.rest)
            .count();
        List {
            first,
            rest: rest.map(|rest| node(&elements[rest])),
            last,
            min: required as u64,
            max: rest.is_none().then_some(elements.len() as u64),
            unique: false,
        }
    }

    fn object(&mut self, state: State, travel: Travel, object: &ObjectType) -> Object {
        let program = self.program(state);
        let is_input = !matches!(travel, Travel::Written | Travel::Read);
        let fields = object.properties.iter().map(|property| Field {
            name: property.name.clone(),
            node: match travel {
                Travel::Parts if is_json_part(program, property.r#type) => {
                    let json = self.of(state, Travel::Request, property.r#type);
                    self.add(single(json))
                }
                Travel::Text | Travel::Path | Travel::Header => {
                    self.list_of_texts(state, travel, property.r#type)
                }
                Travel::Parts => self.list_of_texts(state, Travel::Text, property.r#type),
                _ => self.of(state, travel, property.r#type),
            },
            optional: if is_input {
                property.optional_in_input()
            } else {
                property.optional
            },
            span: Some(property.span),
            deprecated: property.documentation.deprecated.clone(),
        });
        let fields = fields.collect();
        let index = object.signatures().into_iter().map(|signature| Signature {
            key: match &signature.key {
                IndexKey::String => TextSet::any(),
                IndexKey::Number => TextSet::of(Condition::NumericKey),
                IndexKey::Template { parts } => TextSet::of(Condition::Template(segments(program, parts))),
            },
            rules: TextSet::any().with_rules(&signature.rules),
            value: match travel {
                Travel::Text | Travel::Path | Travel::Header => {
                    self.list_of_texts(state, travel, signature.value)
                }
                Travel::Parts => self.list_of_texts(state, Travel::Text, signature.value),
                _ => self.of(state, travel, signature.value),
            },
        });
        let index = index.collect();
        Object { fields, index }
    }

    fn object_of_texts(&mut self, state: State, travel: Travel, id: TypeId) -> NodeId {
        let program = self.program(state);
        let TypeKind::Object(object) = &program.types[resolve(program, id)].kind else {
            return Self::NO_PROPERTIES;
        };
        let object = self.object(state, travel, object);
        let node = self.add(Node::Object(object));
        self.origins.insert(node, (state, travel, id));
        node
    }

    /// Returns the values of a key of a query: a list of texts, which has one text if the type is not an array.
    fn list_of_texts(&mut self, state: State, travel: Travel, id: TypeId) -> NodeId {
        let program = self.program(state);
        let r#type = &program.types[resolve(program, id)];
        let list = match &r#type.kind {
            TypeKind::Array { element } => {
                let element = self.of(state, travel, *element);
                Node::List(List {
                    first: vec![],
                    rest: Some(element),
                    last: vec![],
                    min: r#type.constraints.min_items.unwrap_or(0).max(1),
                    max: r#type.constraints.max_items,
                    unique: r#type.constraints.unique_items,
                })
            }
            TypeKind::Tuple { elements } => {
                let mut list = self.tuple(state, travel, elements);
                list.min = list.min.max(1);
                Node::List(list)
            }
            TypeKind::Union { members: declared } => {
                let members = members(program, declared);
                let lists = members
                    .iter()
                    .map(|member| self.list_of_texts(state, travel, member.r#type))
                    .collect();
                Node::Union(lists)
            }
            _ => {
                let text = self.of(state, travel, id);
                single(text)
            }
        };
        let node = self.add(list);
        self.origins.insert(node, (state, travel, id));
        node
    }

    /// Returns the texts that a coercer converts to values of a type.
    fn scalar_text(&mut self, state: State, travel: Travel, r#type: &Type) -> Node {
        let rules = &r#type.constraints;
        let decimal = |set| Node::Text(TextSet::of(Condition::Decimal(set)));
        let integer = |set| Node::Text(TextSet::of(Condition::Integer(set)));
        let texts = |texts: &[&str]| -> Vec<Node> {
            let literal = |text: &&str| Node::Text(TextSet::of(Condition::Literal((*text).to_owned())));
            texts.iter().map(literal).collect()
        };
        let nodes = match &r#type.kind {
            TypeKind::Unknown => return Node::Text(sent_as(&TextSet::any(), travel)),
            TypeKind::Boolean => texts(&["true", "false", "1", "0"]),
            TypeKind::Number => return decimal(NumberSet::of(rules)),
            TypeKind::BigInt => return integer(NumberSet::of_bigint(rules)),
            TypeKind::Literal { value } => match value {
                LiteralValue::Number(number) => return decimal(NumberSet::one(*number)),
                LiteralValue::BigInt(digits) => {
                    return match exact(digits) {
                        Some(number) => integer(NumberSet::one(number)),
                        None => Node::Text(TextSet::of(Condition::Literal(digits.clone()))),
                    };
                }
                LiteralValue::Boolean(true) => texts(&["true", "1"]),
                LiteralValue::Boolean(false) => texts(&["false", "0"]),
                LiteralValue::String(_) => return self.json(state, Travel::Request, r#type),
            },
            TypeKind::String | TypeKind::Template { .. } => {
                return match self.json(state, Travel::Request, r#type) {
                    Node::Text(set) => Node::Text(sent_as(&set, travel)),
                    node => node,
                };
            }
            TypeKind::Date | TypeKind::Bytes => return self.json(state, Travel::Request, r#type),
            TypeKind::Union { members: declared } => {
                let members = members(self.program(state), declared);
                let texts = members.iter().map(|member| self.of(state, travel, member.r#type));
                return Node::Union(texts.collect());
            }
            TypeKind::Never
            | TypeKind::Null
            | TypeKind::Array { .. }
            | TypeKind::Tuple { .. }
            | TypeKind::Object(_)
            | TypeKind::Reference { .. } => return Node::Never,
        };
        Node::Union(nodes.into_iter().map(|node| self.add(node)).collect())
    }
}

/// Returns the texts that can travel in this way.
fn sent_as(set: &TextSet, travel: Travel) -> TextSet {
    match travel {
        Travel::Path => set.and(&TextSet::not_empty()),
        Travel::Header => set.and(&TextSet::of(Condition::Header)),
        _ => set.clone(),
    }
}

/// Returns the number of a bigint literal, if it is exact.
fn exact(digits: &str) -> Option<f64> {
    let number: f64 = digits.parse().ok()?;
    (number.abs() <= kit_analysis::numbers::MAX_SAFE).then_some(number)
}

fn single(node: NodeId) -> Node {
    Node::List(List {
        first: vec![node],
        rest: None,
        last: vec![],
        min: 1,
        max: Some(1),
        unique: false,
    })
}
