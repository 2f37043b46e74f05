//! Valid values that people can read.

use kit_analysis::{Fit, fit, members, resolve};
use kit_ir::{Constraints, DeclarationId, LiteralValue, ObjectType, Program, TypeId, TypeKind};
use serde_json::{Map, Value};

use super::{numbers, texts};

/// A time that every runtime takes.
pub(super) const DATE_TIME: &str = "2026-01-31T12:00:00Z";

/// What is nested deeper is only filled in where it is required.
const FULL_LEVELS: usize = 8;

/// More items than this are not made.
const MOST_ITEMS: usize = 1000;

/// Makes values of a program's types.
#[derive(Clone, Copy)]
pub(super) struct Samples<'a> {
    pub(super) program: &'a Program,
}

/// What a sample is made for.
#[derive(Clone)]
pub(super) struct Wanted<'a> {
    /// The name of the property that holds it.
    hint: &'a str,
    /// `@example`s of that property.
    examples: &'a [String],
    /// Differs between values that must differ.
    number: usize,
    /// Declarations that are being made: a recursive type ends where it meets itself.
    within: Vec<DeclarationId>,
    level: usize,
}

impl<'a> Wanted<'a> {
    pub(super) fn named(hint: &'a str) -> Self {
        Self {
            hint,
            examples: &[],
            number: 0,
            within: Vec::new(),
            level: 0,
        }
    }

    /// Without recursion into that declaration.
    pub(super) fn inside(mut self, declaration: DeclarationId) -> Self {
        self.within.push(declaration);
        self
    }

    /// Another value of the same.
    pub(super) fn numbered(&self, number: usize) -> Self {
        Self {
            number,
            ..self.clone()
        }
    }
}

impl<'a> Samples<'a> {
    /// A valid value with all that is optional, as far as types do not repeat; nothing where none could be found.
    pub(super) fn of(self, id: TypeId, wanted: &Wanted<'_>) -> Option<Value> {
        let mut wanted = wanted.clone();
        let mut at = id;
        while let TypeKind::Reference { declaration } = self.program.types[at].kind {
            if wanted.within.contains(&declaration) {
                return None;
            }
            wanted.within.push(declaration);
            at = self.program.declarations[declaration].r#type;
        }
        let value = self.given(at, &wanted).or_else(|| self.made(at, &wanted))?;
        (fit(self.program, at, &value) != Fit::No).then_some(value)
    }

    /// The first `@example` that fits.
    fn given(self, id: TypeId, wanted: &Wanted<'_>) -> Option<Value> {
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

    fn made(self, id: TypeId, wanted: &Wanted<'_>) -> Option<Value> {
        let r#type = &self.program.types[id];
        let rules = &r#type.constraints;
        Some(match &r#type.kind {
            TypeKind::Never | TypeKind::Reference { .. } => return None,
            TypeKind::Null => Value::Null,
            TypeKind::Boolean => Value::from(true),
            TypeKind::Number => numbers::sample(rules, wanted.number)?,
            TypeKind::BigInt => {
                let number = numbers::sample(rules, wanted.number)?;
                Value::from(number.to_string())
            }
            TypeKind::String => Value::from(texts::sample(rules, wanted.hint, wanted.number)?),
            TypeKind::Date => Value::from(DATE_TIME),
            TypeKind::Bytes => Value::from("aGVsbG8="),
            TypeKind::Literal { value } => match value {
                LiteralValue::Number(number) => numbers::json(*number),
                LiteralValue::String(text) | LiteralValue::BigInt(text) => Value::from(text.as_str()),
                LiteralValue::Boolean(value) => Value::from(*value),
            },
            TypeKind::Template { .. } => kit_analysis::example(self.program, &[id], true)?,
            TypeKind::Unknown => Value::from("anything"),
            TypeKind::Array { element } => self.array(*element, rules, wanted)?,
            TypeKind::Tuple { elements } => {
                let items = elements.iter().map(|element| {
                    let inner = wanted.numbered(0);
                    self.of(element.r#type, &inner)
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
                order.find_map(|member| self.of(member.r#type, wanted))?
            }
        })
    }

    fn array(self, element: TypeId, rules: &Constraints, wanted: &Wanted<'_>) -> Option<Value> {
        let least = usize::try_from(rules.min_items.unwrap_or(0)).ok()?;
        let most = usize::try_from(rules.max_items.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
        let length = least.max(1).min(most);
        match self.items(element, length, rules.unique_items, wanted) {
            Some(items) => Some(Value::Array(items)),
            // Items of a type that is being made already.
            None if least == 0 => Some(Value::Array(Vec::new())),
            None => None,
        }
    }

    /// So many items; different ones where they must be.
    pub(super) fn items(
        self,
        element: TypeId,
        length: usize,
        unique: bool,
        wanted: &Wanted<'_>,
    ) -> Option<Vec<Value>> {
        if length > MOST_ITEMS {
            return None;
        }
        let wanted = Wanted {
            examples: &[],
            level: wanted.level + 1,
            ..wanted.clone()
        };
        if !unique {
            let item = self.of(element, &wanted)?;
            return Some(vec![item; length]);
        }
        let mut items: Vec<Value> = Vec::new();
        for number in 0..length * 2 {
            if items.len() == length {
                break;
            }
            let item = self.of(element, &wanted.numbered(number))?;
            if !items.contains(&item) {
                items.push(item);
            }
        }
        (items.len() == length).then_some(items)
    }

    fn object(self, object: &'a ObjectType, wanted: &Wanted<'_>) -> Option<Value> {
        let mut value = Map::new();
        for property in &object.properties {
            // Validators read no such key.
            if property.name == "__proto__" {
                continue;
            }
            let required = !property.optional_in_input();
            if !required && wanted.level > FULL_LEVELS {
                continue;
            }
            let inner = Wanted {
                hint: &property.name,
                examples: &property.documentation.examples,
                level: wanted.level + 1,
                ..wanted.clone()
            };
            match self.of(property.r#type, &inner) {
                Some(found) => {
                    value.insert(property.name.clone(), found);
                }
                None if required => return None,
                None => {}
            }
        }
        Some(Value::Object(value))
    }
}
