//! Readable valid values for contract tests and for examples in the OpenAPI document. `kit_analysis::fit` decides if a value
//! is valid.

pub(crate) mod strings;

use std::cell::Cell;

use kit_analysis::{Fit, fit, literal_value, members, numbers, resolve, samples};
use kit_ir::{
    Constraints, DeclarationId, DefaultValue, Format, GeneratedKind, IndexKey, IndexSignature, ObjectType,
    Program, Property, TypeId, TypeKind,
};
use serde_json::{Map, Value};

use crate::json_schema::default_value;

/// Number of nested levels up to which a sample contains optional properties by default.
const FULL_LEVELS: usize = 8;

/// Maximum number of optional properties and items in a sample. Without it, types that refer to each other could have samples
/// of any size.
const MAX_OPTIONAL_PARTS: usize = 20_000;

/// Maximum number of items in a sample.
const MOST_ITEMS: usize = 1000;

/// Maximum number of values that the creation of a sample makes or tries. Required properties of types that refer to each
/// other, and members of unions that have no sample, would otherwise take exponential time and memory.
const MAX_VALUES: usize = 100_000;

/// Returns a key that an index signature accepts, and the signature. Returns `None` if a template literal
/// type defines the keys, or if no key satisfies their rules.
pub(crate) fn sample_entry(object: &ObjectType) -> Option<(String, &IndexSignature)> {
    let found = object.index.iter().find_map(|signature| match signature.key {
        IndexKey::String => Some((strings::sample(&signature.rules, "key", 0)?, signature)),
        // An index signature for all keys would also accept the key `1`, so there must be no second one.
        IndexKey::Number if object.index.len() == 1 => Some(("1".to_owned(), signature)),
        IndexKey::Number | IndexKey::Template { .. } => None,
    });
    found.filter(|(key, _)| key != "__proto__" && object.property(key).is_none())
}

/// Creates a valid value of a program's types.
pub(crate) struct Samples<'a> {
    program: &'a Program,
    /// Number of values that may still be made.
    left: Cell<usize>,
}

/// Options for the creation of a sample.
#[derive(Clone)]
pub(crate) struct SampleOptions<'a> {
    /// Name of the property that contains the sample.
    hint: &'a str,
    /// Arguments of the `@example` tags of that property.
    examples: &'a [String],
    /// Number of the sample. Samples with different numbers have different values.
    number: usize,
    /// Declarations of the values around the sample. A recursive type ends when it refers to one of these
    /// declarations.
    within: Vec<DeclarationId>,
    level: usize,
    /// Number of optional properties and items that the sample may contain. The number is divided evenly among its
    /// properties and items.
    optional_parts: usize,
    purpose: Purpose,
}

/// Purpose of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// For a test: the values differ from the defaults.
    Test,
    /// For the documentation of a request: with default values, and without values that the server generates.
    Request,
    /// For the documentation of a response: with all properties, even properties that a request may omit.
    Response,
}

impl<'a> SampleOptions<'a> {
    pub(crate) fn named(hint: &'a str) -> Self {
        Self {
            hint,
            examples: &[],
            number: 0,
            within: Vec::new(),
            level: 0,
            optional_parts: MAX_OPTIONAL_PARTS,
            purpose: Purpose::Test,
        }
    }

    pub(crate) fn purpose(self, purpose: Purpose) -> Self {
        Self { purpose, ..self }
    }

    /// Records that the sample is part of a value of `declaration`, so that the sample does not contain
    /// another value of this type.
    pub(crate) fn inside(mut self, declaration: DeclarationId) -> Self {
        self.within.push(declaration);
        self
    }

    /// Returns options for another sample of the same type with a different value.
    pub(crate) fn numbered(&self, number: usize) -> Self {
        Self {
            number,
            ..self.clone()
        }
    }
}

impl<'a> Samples<'a> {
    pub(crate) fn new(program: &'a Program) -> Self {
        Self {
            program,
            left: Cell::new(MAX_VALUES),
        }
    }

    /// Returns a valid value with all optional properties, except properties that would nest a recursive type. Returns
    /// `None` if it finds no value, or if the value would have too many parts.
    pub(crate) fn sample(&self, id: TypeId, wanted: &SampleOptions<'_>) -> Option<Value> {
        self.left.set(self.left.get().checked_sub(1)?);
        let mut wanted = wanted.clone();
        let mut at = id;
        while let TypeKind::Reference { declaration } = self.program.types[at].kind {
            if wanted.within.contains(&declaration) {
                return None;
            }
            wanted.within.push(declaration);
            at = self.program.declarations[declaration].r#type;
        }
        let value = self.example(at, &wanted).or_else(|| self.made(at, &wanted))?;
        (fit(self.program, at, &value) != Fit::No).then_some(value)
    }

    /// Returns the value of the first `@example` that satisfies the type.
    fn example(&self, id: TypeId, wanted: &SampleOptions<'_>) -> Option<Value> {
        if wanted.number > 0 {
            return None;
        }
        let mut examples = wanted
            .examples
            .iter()
            .filter_map(|text| serde_json::from_str(text).ok());
        let rules = &self.program.types[resolve(self.program, id)].constraints;
        examples.find(|value: &Value| {
            let keeps_pattern = match (&rules.pattern, value.as_str()) {
                (Some(pattern), Some(text)) => kit_pattern::matches(pattern, text) == Some(true),
                _ => true,
            };
            keeps_pattern && fit(self.program, id, value) != Fit::No
        })
    }

    fn made(&self, id: TypeId, wanted: &SampleOptions<'_>) -> Option<Value> {
        let r#type = &self.program.types[id];
        let rules = &r#type.constraints;
        Some(match &r#type.kind {
            TypeKind::Never | TypeKind::Reference { .. } => return None,
            TypeKind::Null => Value::Null,
            TypeKind::Boolean => Value::from(true),
            TypeKind::Number => number(rules, wanted.number)?,
            TypeKind::BigInt => Value::from(number(rules, wanted.number)?.to_string()),
            TypeKind::String => {
                let text = Value::from(strings::sample(rules, wanted.hint, wanted.number)?);
                self.left.set(self.left.get().checked_sub(parts(&text) - 1)?);
                text
            }
            TypeKind::Date => Value::from(samples().types.date.valid.as_str()),
            TypeKind::Bytes => Value::from(samples().types.bytes.valid.as_str()),
            TypeKind::Literal { value } => literal_value(value),
            TypeKind::Template { .. } => kit_analysis::example(self.program, &[id], true)?,
            TypeKind::Unknown => Value::from("anything"),
            TypeKind::Array { element } => self.array(*element, rules, wanted)?,
            TypeKind::Tuple { elements } => {
                let items = elements.iter().map(|element| {
                    let inner = wanted.numbered(0);
                    self.sample(element.r#type, &inner)
                });
                Value::Array(items.collect::<Option<_>>()?)
            }
            TypeKind::Object(object) => self.object(object, wanted)?,
            TypeKind::Union { members: declared } => {
                let members = members(self.program, declared);
                let is_null = |id| self.program.types[resolve(self.program, id)].kind == TypeKind::Null;
                let (nulls, others): (Vec<_>, Vec<_>) =
                    members.iter().partition(|member| is_null(member.r#type));
                let start = wanted.number % others.len().max(1);
                let (before, after) = others.split_at(start);
                let mut order = after.iter().chain(before).chain(&nulls);
                order.find_map(|member| self.sample(member.r#type, wanted))?
            }
        })
    }

    fn array(&self, element: TypeId, rules: &Constraints, wanted: &SampleOptions<'_>) -> Option<Value> {
        let least = usize::try_from(rules.min_items.unwrap_or(0)).ok()?;
        let most = usize::try_from(rules.max_items.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
        let length = least.max(1).min(most);
        match self.items(element, length, rules.unique_items, wanted) {
            Some(items) => Some(Value::Array(items)),
            // The type of the items contains the list itself. An empty list ends the sample, if it is valid.
            None if least == 0 => Some(Value::Array(Vec::new())),
            None => None,
        }
    }

    /// Returns `length` items for a list. If `unique` is true, all items differ.
    pub(crate) fn items(
        &self,
        element: TypeId,
        length: usize,
        unique: bool,
        wanted: &SampleOptions<'_>,
    ) -> Option<Vec<Value>> {
        if length > MOST_ITEMS {
            return None;
        }
        let wanted = SampleOptions {
            examples: &[],
            level: wanted.level + 1,
            ..wanted.clone()
        };
        if !unique {
            let item = self.sample(element, &wanted)?;
            let copied = parts(&item).saturating_mul(length.saturating_sub(1));
            self.left.set(self.left.get().checked_sub(copied)?);
            return Some(vec![item; length]);
        }
        let mut items: Vec<Value> = Vec::new();
        for number in 0..length * 2 {
            if items.len() == length {
                break;
            }
            let item = self.sample(element, &wanted.numbered(number))?;
            if !items.contains(&item) {
                items.push(item);
            }
        }
        (items.len() == length).then_some(items)
    }

    fn object(&self, object: &'a ObjectType, wanted: &SampleOptions<'_>) -> Option<Value> {
        let mut value = Map::new();
        let parts = object.properties.len() + object.index.len();
        let optional_parts = wanted.optional_parts.saturating_sub(parts) / parts.max(1);
        let is_full = wanted.level <= FULL_LEVELS && wanted.optional_parts >= parts;
        for property in &object.properties {
            // Validators ignore the key `__proto__`.
            if property.name == "__proto__" {
                continue;
            }
            let required = match wanted.purpose {
                Purpose::Response => !property.optional,
                Purpose::Test | Purpose::Request => !property.optional_in_input(),
            };
            let is_made = wanted.purpose == Purpose::Request && property.tags.generated.is_some();
            if !required && (!is_full || is_made) {
                continue;
            }
            let inner = SampleOptions {
                hint: &property.name,
                examples: &property.documentation.examples,
                level: wanted.level + 1,
                optional_parts,
                ..wanted.clone()
            };
            if let Some(usual) = self.typical_value(property, &inner) {
                value.insert(property.name.clone(), usual);
                continue;
            }
            match self.sample(property.r#type, &inner) {
                Some(found) => {
                    value.insert(property.name.clone(), found);
                }
                None if required => return None,
                None => {}
            }
        }
        if let Some((key, signature)) = sample_entry(object)
            && is_full
        {
            let inner = SampleOptions {
                hint: "value",
                examples: &[],
                level: wanted.level + 1,
                optional_parts,
                ..wanted.clone()
            };
            if let Some(found) = self.sample(signature.value, &inner) {
                value.insert(key, found);
            }
        }
        Some(Value::Object(value))
    }

    /// Returns a value for documentation if there is no `@example`: the default, or else a generated value.
    fn typical_value(&self, property: &Property, wanted: &SampleOptions<'_>) -> Option<Value> {
        if wanted.purpose == Purpose::Test || self.example(property.r#type, wanted).is_some() {
            return None;
        }
        let value = match (&property.tags.default, property.tags.generated) {
            (Some(DefaultValue::Null), _) => return None,
            (Some(default), _) => default_value(default)?,
            (None, Some(GeneratedKind::Uuid | GeneratedKind::UuidV7)) => {
                Value::from(strings::of_format(Format::Uuid, wanted.number))
            }
            _ => return None,
        };
        (fit(self.program, property.r#type, &value) == Fit::Yes).then_some(value)
    }
}

/// Returns the number of values in a value, including the value itself. A long text counts as one value for each 100 bytes, because copies
/// need memory for its bytes.
fn parts(value: &Value) -> usize {
    match value {
        Value::String(text) => 1 + text.len() / 100,
        Value::Array(items) => 1 + items.iter().map(parts).sum::<usize>(),
        Value::Object(entries) => 1 + entries.values().map(parts).sum::<usize>(),
        _ => 1,
    }
}

/// Returns a number that satisfies the rules. Calls with different `nth` return different numbers.
fn number(rules: &Constraints, nth: usize) -> Option<Value> {
    #[allow(clippy::cast_precision_loss)] // `nth` is a number of items
    let shift = numbers::step(rules) * nth as f64;
    numbers::candidates(rules)
        .into_iter()
        .flat_map(|start| [start + shift, start - shift])
        .find(|number| numbers::broken_rules(rules, *number).is_empty())
        .map(numbers::json)
}
