//! Finds all rules of a type, each with a value that satisfies or breaks it.

use kit_analysis::{Fit, fit, resolve, samples};
use kit_ir::{
    Constraints, DeclarationId, DefaultValue, IndexSignature, LiteralValue, ObjectType, Program, Property,
    TupleElement, TypeId, TypeKind,
};
use serde_json::Value;

use super::boundaries::texts;
pub(super) use super::rule::{Outcome, RequestValue, Rule, Step, ValueOrigin};
use crate::json_schema::default_value;
use crate::samples::{SampleOptions, Samples, sample_entry};

/// Number of levels for a value that is nested too deeply: more than 256, the maximum depth of recursive values.
const TOO_DEEP: usize = 300;

/// Maximum number of types to visit for one slot. Without it, types that refer to each other would be visited too
/// often.
const MAX_VISITS: usize = 5_000;

/// Finds the rules of types.
pub(super) struct Rules<'a> {
    pub(super) program: &'a Program,
    pub(super) source: ValueOrigin,
    /// Declarations that contain the current type. The number of each is the length of the path at which the
    /// declaration starts.
    open_declarations: Vec<(DeclarationId, usize)>,
    path: Vec<Step>,
    /// Rules on the maximum depth of recursive values. The paths of the rules start at the value of the slot (params,
    /// query, headers, cookies or body).
    depth_limits: Vec<Rule>,
    /// Number of types that were visited so far.
    visits: usize,
}

impl<'a> Rules<'a> {
    pub(super) fn new(program: &'a Program, source: ValueOrigin) -> Self {
        Self {
            program,
            source,
            open_declarations: Vec::new(),
            path: Vec::new(),
            depth_limits: Vec::new(),
            visits: 0,
        }
    }

    /// Returns all rules of a slot. `sample` is a valid value of the slot.
    pub(super) fn of_slot(mut self, id: TypeId, sample: &Value) -> Vec<Rule> {
        let mut rules = self.rules_of(id, Some(sample));
        rules.append(&mut self.depth_limits);
        // Two paths through the types can give the same rule.
        let mut distinct: Vec<Rule> = Vec::new();
        for rule in rules {
            let is_known = distinct
                .iter()
                .any(|other| other.path == rule.path && other.given == rule.given);
            if !is_known {
                distinct.push(rule);
            }
        }
        distinct
    }

    pub(super) fn samples(&self) -> Samples<'a> {
        Samples::new(self.program)
    }

    pub(super) fn fit(&self, id: TypeId, value: &Value) -> Fit {
        fit(self.program, id, value)
    }

    /// Returns the number of rules on the maximum depth.
    pub(super) fn depth_limit_count(&self) -> usize {
        self.depth_limits.len()
    }

    /// Removes the rules on the maximum depth after the first `count`.
    pub(super) fn truncate_depth_limits(&mut self, count: usize) {
        self.depth_limits.truncate(count);
    }

    /// Returns the rules of a type. `sample` is a valid value of the type.
    pub(super) fn rules_of(&mut self, id: TypeId, sample: Option<&Value>) -> Vec<Rule> {
        self.visits += 1;
        if self.visits > MAX_VISITS {
            return Vec::new();
        }
        let depth = self.open_declarations.len();
        let mut target = id;
        while let TypeKind::Reference { declaration } = self.program.types[target].kind {
            if let Some((_, start)) = self
                .open_declarations
                .iter()
                .find(|(known, _)| *known == declaration)
            {
                let start = *start;
                self.add_depth_limit(declaration, start);
                self.open_declarations.truncate(depth);
                // The rules of the properties and items are already listed. Only the rule on the kind of this value is
                // new.
                let resolved = resolve(self.program, id);
                return match self.program.types[resolved].kind {
                    TypeKind::Union { .. } => Vec::new(),
                    _ => self.wrong_kinds(resolved),
                };
            }
            self.open_declarations.push((declaration, self.path.len()));
            target = self.program.declarations[declaration].r#type;
        }
        let program = self.program;
        let r#type = &program.types[target];
        let mut rules = match &r#type.kind {
            TypeKind::Object(object) => self.object(target, object, sample),
            TypeKind::Array { element } => self.array(target, *element, &r#type.constraints, sample),
            TypeKind::Tuple { elements } => self.tuple(elements, sample),
            TypeKind::Union { members } => self.union(target, members, sample),
            _ => self.scalar(target),
        };
        if !matches!(r#type.kind, TypeKind::Union { .. }) {
            let mut wrong = self.wrong_kinds(target);
            wrong.append(&mut rules);
            rules = wrong;
        }
        self.open_declarations.truncate(depth);
        rules
    }

    fn rules_below(&mut self, step: &Step, id: TypeId, sample: Option<&Value>) -> Vec<Rule> {
        self.path.push(step.clone());
        let rules = self.rules_of(id, sample);
        self.path.pop();
        rules.into_iter().map(|rule| rule.below(step.clone())).collect()
    }

    /// Returns rules that refuse values of another kind, such as a number for a string.
    fn wrong_kinds(&self, id: TypeId) -> Vec<Rule> {
        let refused = |description: String, value: &Value| {
            (self.fit(id, value) == Fit::No).then(|| Rule::refuses(description, value.clone()))
        };
        let of_type = |name: &str| refused(format!("{} {name}", article(name)), &samples().json_types[name]);
        if self.source.is_text() {
            // In a query, a single string is also a list with one item, and the query itself is always an object.
            let has_parts = matches!(
                self.program.types[id].kind,
                TypeKind::Object(_) | TypeKind::Array { .. } | TypeKind::Tuple { .. }
            );
            if has_parts {
                return Vec::new();
            }
            let mut found: Vec<Rule> = of_type("string").into_iter().collect();
            if self.can_be_repeated() {
                found.extend(refused("repeated".to_owned(), &Value::from(vec!["one", "two"])));
            }
            return found;
        }
        let null = refused("null".to_owned(), &Value::Null);
        // A wrong text of a string, such as `text` for a decimal number, is no value of another kind.
        let own = matches!(self.program.types[id].kind, TypeKind::String).then_some("string");
        let mut others = samples()
            .json_types
            .keys()
            .filter(|name| *name != "null" && Some(name.as_str()) != own);
        // One value of another kind is enough.
        null.into_iter()
            .chain(others.find_map(|name| of_type(name)))
            .collect()
    }

    /// Returns true if a request can contain a value twice although the contract allows it once, as in the
    /// query `?a=1&a=2`.
    pub(super) fn can_be_repeated(&self) -> bool {
        self.source == ValueOrigin::Query && self.path.len() == 1
    }

    fn object(&mut self, id: TypeId, object: &ObjectType, sample: Option<&Value>) -> Vec<Rule> {
        let mut rules = Vec::new();
        for property in &object.properties {
            let value = sample.and_then(|sample| sample.get(&property.name));
            if property.name == "__proto__" {
                continue;
            }
            let step = Step::Key(property.name.clone());
            if value.is_some() && self.source != ValueOrigin::Params {
                rules.push(self.missing_property(property).below(step.clone()));
            }
            // `value` is `None` for a property of a recursive type, because the sample omits it.
            rules.extend(self.rules_below(&step, property.r#type, value));
        }
        let entry = sample_entry(object).filter(|_| !self.source.is_text());
        if let Some((key, signature)) = entry
            && let Some(sample) = sample
            && let Some(value) = sample.get(&key)
        {
            rules.extend(self.rules_below(&Step::Key(key), signature.value, Some(value)));
            rules.extend(self.key_rules(id, signature, sample, value));
        }
        rules
    }

    /// Returns rules on the keys of an index signature. Each rule adds a key that satisfies or breaks the rules, with
    /// a valid value.
    fn key_rules(&self, id: TypeId, signature: &IndexSignature, sample: &Value, value: &Value) -> Vec<Rule> {
        let mut found = Vec::new();
        for rule in texts(&signature.rules) {
            let RequestValue::Value(Value::String(key)) = &rule.given else {
                continue;
            };
            let mut entries = sample.as_object().cloned().unwrap_or_default();
            if key == "__proto__" || entries.insert(key.clone(), value.clone()).is_some() {
                continue;
            }
            // The key may be a declared property, or another signature may accept it.
            let fits = self.fit(id, &Value::Object(entries));
            if rule.is_refusal() || fits != Fit::No {
                let key = Step::Key(key.clone());
                found.push(Rule {
                    description: format!("a key: {}", rule.description),
                    given: RequestValue::Value(value.clone()),
                    ..rule.below(key)
                });
            }
        }
        found
    }

    fn missing_property(&self, property: &Property) -> Rule {
        let outcome = if property.optional_in_input() {
            let fills = self.filled_in(property);
            Outcome::Accepted { fills }
        } else {
            Outcome::Refused { may_be_below: false }
        };
        Rule {
            path: Vec::new(),
            description: "missing".to_owned(),
            given: RequestValue::Missing,
            outcome,
            runtime_only: false,
        }
    }

    /// Returns the value that a handler gets for a missing property. Returns `None` if JSON cannot represent
    /// the value directly, such as a date.
    fn filled_in(&self, property: &Property) -> Option<Value> {
        if property.optional {
            return None;
        }
        let is_plain = |id: TypeId| {
            matches!(
                self.program.types[resolve(self.program, id)].kind,
                TypeKind::Boolean
                    | TypeKind::Number
                    | TypeKind::String
                    | TypeKind::Literal { .. }
                    | TypeKind::Null
            )
        };
        let plain = match &self.program.types[resolve(self.program, property.r#type)].kind {
            TypeKind::Union { members } => members.iter().all(|member| is_plain(*member)),
            _ => is_plain(property.r#type),
        };
        match property.tags.default.as_ref().filter(|_| plain)? {
            DefaultValue::Literal(LiteralValue::BigInt(_)) | DefaultValue::Json(_) => None,
            default => default_value(default),
        }
    }

    fn array(
        &mut self,
        id: TypeId,
        element: TypeId,
        constraints: &Constraints,
        sample: Option<&Value>,
    ) -> Vec<Rule> {
        let mut rules = Vec::new();
        let first = sample.and_then(|sample| sample.get(0));
        let mut add_length_rule = |length: Option<u64>, description: String, is_accepted: bool| {
            let Some(length) = length.and_then(|length| usize::try_from(length).ok()) else {
                return;
            };
            // A query cannot represent an empty list.
            if length == 0 && self.source.is_text() {
                return;
            }
            let wanted = SampleOptions::named("item");
            let items = match first {
                Some(first) if !constraints.unique_items => Some(vec![first.clone(); length]),
                _ => self
                    .samples()
                    .items(element, length, constraints.unique_items, &wanted),
            };
            let Some(value) = items.map(Value::Array) else {
                return;
            };
            if is_accepted && self.fit(id, &value) != Fit::No {
                rules.push(Rule::accepts(description, value));
            } else if !is_accepted && self.fit(id, &value) == Fit::No {
                rules.push(Rule::refuses(description, value));
            }
        };
        if let Some(least) = constraints.min_items {
            add_length_rule(Some(least), format!("{} (minimum)", items(least)), true);
            let below = least.checked_sub(1);
            add_length_rule(
                below,
                format!("{} (minimum {least})", items(below.unwrap_or(0))),
                false,
            );
        }
        if let Some(most) = constraints.max_items {
            add_length_rule(Some(most), format!("{} (maximum)", items(most)), true);
            let above = most.saturating_add(1);
            add_length_rule(Some(above), format!("{} (maximum {most})", items(above)), false);
        }
        if let (true, Some(first)) = (constraints.unique_items, first) {
            let value = Value::from(vec![first.clone(), first.clone()]);
            let has_room = constraints.max_items.is_none_or(|most| most >= 2);
            if has_room && self.fit(id, &value) == Fit::No {
                rules.push(Rule::refuses("a repeated item", value));
            }
        }
        if first.is_some() {
            rules.extend(self.rules_below(&Step::Index(0), element, first));
        } else {
            // The items have the same type as a value around the list, so the sample has no items that could be
            // changed.
            let found = self.rules_below(&Step::Index(0), element, None);
            let has_room =
                constraints.max_items != Some(0) && constraints.min_items.is_none_or(|least| least <= 1);
            rules.extend(
                found
                    .into_iter()
                    .filter(|rule| has_room && rule.is_refusal() && rule.path.len() == 1),
            );
        }
        rules
    }

    fn tuple(&mut self, elements: &[TupleElement], sample: Option<&Value>) -> Vec<Rule> {
        let mut rules = Vec::new();
        let Some(Value::Array(items)) = sample else {
            return rules;
        };
        let least = elements
            .iter()
            .filter(|element| !element.optional && !element.rest)
            .count();
        if least > 0 {
            let short = items[..least - 1].to_vec();
            rules.push(Rule::refuses("one item too few", Value::Array(short)));
        }
        if !elements.iter().any(|element| element.rest) {
            let mut long = items.clone();
            long.push(Value::from("one more"));
            rules.push(Rule::refuses("one item too many", Value::Array(long)));
        }
        for (index, element) in elements.iter().enumerate() {
            rules.extend(self.rules_below(&Step::Index(index), element.r#type, items.get(index)));
        }
        rules
    }

    /// Adds a rule that refuses a value of a recursive declaration that is nested too deeply.
    fn add_depth_limit(&mut self, declaration: DeclarationId, start: usize) {
        let steps = self.path[start..].to_vec();
        let root = self.path[..start].to_vec();
        let is_known = self.depth_limits.iter().any(|rule| rule.path == root);
        if is_known || steps.is_empty() || self.source.is_text() {
            return;
        }
        let r#type = self.program.declarations[declaration].r#type;
        let Some(sample) = self
            .samples()
            .sample(r#type, &SampleOptions::named("value").inside(declaration))
        else {
            return;
        };
        self.depth_limits.push(Rule {
            path: root,
            description: format!("{TOO_DEEP} nested levels"),
            given: RequestValue::Nested {
                sample,
                steps,
                levels: TOO_DEEP,
            },
            outcome: Outcome::Refused { may_be_below: true },
            runtime_only: false,
        });
    }
}

fn article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'o']) { "an" } else { "a" }
}

fn items(count: u64) -> String {
    if count == 1 {
        "1 item".to_owned()
    } else {
        format!("{count} items")
    }
}

/// Returns a copy of a value in which `given` replaces the value at `path`. Returns `None` if the path does
/// not exist.
pub(super) fn replaced(value: &Value, path: &[Step], given: &RequestValue) -> Option<Value> {
    let Some((step, rest)) = path.split_first() else {
        return match given {
            RequestValue::Value(value) => Some(value.clone()),
            RequestValue::Missing | RequestValue::Nested { .. } => None,
        };
    };
    let mut changed = value.clone();
    match (step, &mut changed) {
        (Step::Key(key), Value::Object(entries)) => {
            if rest.is_empty() && *given == RequestValue::Missing {
                entries.shift_remove(key)?;
            } else {
                let inner = replaced(entries.get(key)?, rest, given)?;
                entries.insert(key.clone(), inner);
            }
        }
        (Step::Index(index), Value::Array(items)) => {
            let inner = replaced(items.get(*index)?, rest, given)?;
            *items.get_mut(*index)? = inner;
        }
        _ => return None,
    }
    Some(changed)
}
