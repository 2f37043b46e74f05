//! Search for a JSON value that is in one set and in none of several others.
//!
//! The search decides subtyping of sets with unions, records and recursion exactly, and shows a value if a set is not
//! contained in the others. The decomposition of products and the assumption for recursive types follow Frisch, Castagna
//! and Benzaken, "Semantic subtyping" (Journal of the ACM 55(4), 2008); the treatment of JSON follows Habib, Shinnar, Hirzel
//! and Pradel, "Finding data compatibility bugs with JSON subschema checking" (ISSTA 2021).

use kit_pattern::Found;
use rustc_hash::FxHashMap;
use serde_json::{Map, Number, Value};

use crate::graph::{Graph, List, Node, NodeId, Object};
use crate::number::{NumberSet, Outside};
use crate::text::{Condition, Member, TextSet, Texts};

/// Maximum number of steps of the search for one slot of a route.
const MAX_STEPS: usize = 60_000;

/// Maximum depth of nested values.
const MAX_DEPTH: usize = 60;

/// Maximum number of items of an array that the search creates.
const MAX_ITEMS: u64 = 100_000;

/// Maximum number of items of an array whose items are compared one by one.
const MAX_COMPARED_ITEMS: u64 = 300;

/// Stack that one step of the search needs at most, and the size of each further part of the stack.
const STACK_LEFT: usize = 128 * 1024;
const STACK_MORE: usize = 2 * 1024 * 1024;

/// Result of a search.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    /// A value that is in the first set and in none of the others.
    Value(Value),
    /// There is no such value.
    Nothing,
    /// The search cannot decide.
    Unknown,
}

impl Outcome {
    pub(crate) fn value(self) -> Option<Value> {
        match self {
            Self::Value(value) => Some(value),
            _ => None,
        }
    }
}

type Question = (NodeId, Vec<NodeId>);

/// Searches in a graph, and remembers results.
pub(crate) struct Solver<'a> {
    pub(crate) graph: Graph<'a>,
    pub(crate) texts: Texts,
    known: FxHashMap<Question, Outcome>,
    /// Questions that are being answered, from the outside to the inside.
    open: Vec<Question>,
    /// Smallest index in `open` of a question that an answer assumed to have no value.
    assumed: usize,
    steps: usize,
}

impl<'a> Solver<'a> {
    pub(crate) fn new(graph: Graph<'a>) -> Self {
        Self {
            graph,
            texts: Texts::default(),
            known: FxHashMap::default(),
            open: Vec::new(),
            assumed: usize::MAX,
            steps: 0,
        }
    }

    /// Allows the next searches all steps again.
    pub(crate) fn restart(&mut self) {
        self.steps = 0;
    }

    /// Searches for a value of `within` that is in none of `others`.
    pub(crate) fn find(&mut self, within: NodeId, others: &[NodeId]) -> Outcome {
        let mut flat = Vec::new();
        if self.flatten(others, &mut flat) {
            return Outcome::Nothing;
        }
        flat.sort_unstable();
        flat.dedup();
        let question = (within, flat);
        if let Some(known) = self.known.get(&question) {
            return known.clone();
        }
        if let Some(at) = self.open.iter().position(|open| *open == question) {
            // A smallest value contains no other value with the same property, so this part has none.
            self.assumed = self.assumed.min(at);
            return Outcome::Nothing;
        }
        self.steps += 1;
        if self.steps > MAX_STEPS || self.open.len() > MAX_DEPTH {
            return Outcome::Unknown;
        }
        let depth = self.open.len();
        self.open.push(question.clone());
        let outer = std::mem::replace(&mut self.assumed, usize::MAX);
        let outcome = stacker::maybe_grow(STACK_LEFT, STACK_MORE, || self.search(within, &question.1));
        self.open.pop();
        // A result without a value holds only under its assumptions about the questions around it.
        let is_final = self.assumed >= depth || matches!(outcome, Outcome::Value(_));
        if is_final && outcome != Outcome::Unknown {
            self.known.insert(question, outcome.clone());
            self.assumed = outer;
        } else {
            self.assumed = self.assumed.min(outer);
        }
        outcome
    }

    /// Adds the members of all unions. Returns true if one of the sets contains all values.
    fn flatten(&self, nodes: &[NodeId], flat: &mut Vec<NodeId>) -> bool {
        nodes.iter().any(|node| match self.graph.node(*node) {
            Node::Any => true,
            Node::Never => false,
            Node::Union(members) => self.flatten(members, flat),
            _ => {
                flat.push(*node);
                false
            }
        })
    }

    fn search(&mut self, within: NodeId, others: &[NodeId]) -> Outcome {
        match self.graph.node(within).clone() {
            Node::Never => Outcome::Nothing,
            Node::Any => {
                let parts = self.graph.any_parts();
                self.find(parts, others)
            }
            Node::Union(members) => {
                let mut found = Outcome::Nothing;
                for member in members {
                    match self.find(member, others) {
                        Outcome::Nothing => {}
                        Outcome::Unknown => found = Outcome::Unknown,
                        value @ Outcome::Value(_) => return value,
                    }
                }
                found
            }
            Node::Null => self.single(Value::Null, others, |node| matches!(node, Node::Null)),
            Node::Bool(value) => self.single(
                Value::Bool(value),
                others,
                |node| matches!(node, Node::Bool(other) if *other == value),
            ),
            Node::Number(set) => {
                let sets: Vec<NumberSet> = others
                    .iter()
                    .filter_map(|other| match self.graph.node(*other) {
                        Node::Number(set) => Some(set.clone()),
                        _ => None,
                    })
                    .collect();
                match set.outside(&sets) {
                    Outside::Number(text) => text
                        .parse::<Number>()
                        .map_or(Outcome::Unknown, |number| Outcome::Value(Value::Number(number))),
                    Outside::Nothing => Outcome::Nothing,
                    Outside::Unknown => Outcome::Unknown,
                }
            }
            Node::Text(set) => {
                let sets: Vec<&TextSet> = others
                    .iter()
                    .filter_map(|other| match self.graph.node(*other) {
                        Node::Text(set) => Some(set),
                        _ => None,
                    })
                    .collect();
                match self.texts.outside(&set, &sets) {
                    Found::Text(text) => Outcome::Value(Value::String(text)),
                    Found::Nothing => Outcome::Nothing,
                    Found::Unknown => Outcome::Unknown,
                }
            }
            Node::List(list) => {
                let lists: Vec<List> = others
                    .iter()
                    .filter_map(|other| match self.graph.node(*other) {
                        Node::List(list) => Some(list.clone()),
                        _ => None,
                    })
                    .collect();
                self.list(&list, &lists)
            }
            Node::Object(object) => {
                let objects: Vec<Object> = others
                    .iter()
                    .filter_map(|other| match self.graph.node(*other) {
                        Node::Object(object) => Some(object.clone()),
                        _ => None,
                    })
                    .collect();
                self.object(&object, objects)
            }
        }
    }

    fn single(&self, value: Value, others: &[NodeId], is_same: impl Fn(&Node) -> bool) -> Outcome {
        if others.iter().any(|other| is_same(self.graph.node(*other))) {
            Outcome::Nothing
        } else {
            Outcome::Value(value)
        }
    }

    // Arrays

    fn list(&mut self, list: &List, others: &[List]) -> Outcome {
        let fixed = |list: &List| list.first.len() + list.last.len();
        let most_fixed = others.iter().chain([list]).map(fixed).max().unwrap_or(0);
        // Each of the other sets needs one item that breaks its rules. Two equal items break `@uniqueItems`.
        let more = (most_fixed + others.len() + 2) as u64;
        let mut starts: Vec<u64> = others
            .iter()
            .flat_map(|other| [Some(other.min), other.max.map(|max| max + 1)])
            .flatten()
            .chain([list.min])
            .collect();
        starts.sort_unstable();
        starts.dedup();
        let mut lengths: Vec<u64> = starts.iter().flat_map(|start| *start..=start + more).collect();
        lengths.sort_unstable();
        lengths.dedup();
        let mut is_unknown = false;
        for length in lengths.into_iter().filter(|length| list.allows(*length)) {
            let same: Vec<&List> = others.iter().filter(|other| other.allows(length)).collect();
            if length > MAX_ITEMS || (length > MAX_COMPARED_ITEMS && (!same.is_empty() || list.unique)) {
                is_unknown = true;
                continue;
            }
            let count = usize::try_from(length).unwrap_or(0);
            let items = (0..count)
                .map(|position| (list.at(count, position), Vec::new()))
                .collect();
            let mut attempt = Items {
                chosen: items,
                has_pair: false,
                unique: list.unique,
            };
            match self.items(&mut attempt, &same, count) {
                Outcome::Nothing => {}
                Outcome::Unknown => is_unknown = true,
                value @ Outcome::Value(_) => return value,
            }
        }
        if is_unknown {
            Outcome::Unknown
        } else {
            Outcome::Nothing
        }
    }

    /// Chooses an item for each of the other sets that breaks the rules of this set.
    fn items(&mut self, attempt: &mut Items, others: &[&List], count: usize) -> Outcome {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Outcome::Unknown;
        }
        let Some((other, later)) = others.split_first() else {
            return self.create_items(attempt);
        };
        let mut is_unknown = false;
        let mut tried: Vec<(NodeId, Vec<NodeId>, NodeId)> = Vec::new();
        for position in 0..count {
            let wrong = other.at(count, position);
            let (node, not) = attempt.chosen[position].clone();
            let signature = (node, not.clone(), wrong);
            if tried.contains(&signature) {
                continue;
            }
            tried.push(signature);
            let mut nodes = not.clone();
            nodes.push(wrong);
            match self.find(node, &nodes) {
                Outcome::Nothing => continue,
                Outcome::Unknown => {
                    is_unknown = true;
                    continue;
                }
                Outcome::Value(_) => {}
            }
            attempt.chosen[position].1 = nodes;
            let outcome = self.items(attempt, later, count);
            attempt.chosen[position].1 = not;
            match outcome {
                Outcome::Nothing => {}
                Outcome::Unknown => is_unknown = true,
                value @ Outcome::Value(_) => return value,
            }
        }
        if other.unique && !attempt.unique && count >= 2 {
            let before = std::mem::replace(&mut attempt.has_pair, true);
            let outcome = self.items(attempt, later, count);
            attempt.has_pair = before;
            match outcome {
                Outcome::Nothing => {}
                Outcome::Unknown => is_unknown = true,
                value @ Outcome::Value(_) => return value,
            }
        }
        if is_unknown {
            Outcome::Unknown
        } else {
            Outcome::Nothing
        }
    }

    fn create_items(&mut self, attempt: &Items) -> Outcome {
        let mut values: Vec<Value> = Vec::with_capacity(attempt.chosen.len());
        for (node, not) in &attempt.chosen {
            let mut found = self.find(*node, not);
            if attempt.unique && found.clone().value().is_some_and(|value| values.contains(&value)) {
                let Some(mut nodes) = self.scalars(&values) else {
                    return Outcome::Unknown;
                };
                nodes.extend(not);
                found = self.find(*node, &nodes);
            }
            match found {
                Outcome::Value(value) => values.push(value),
                other => return other,
            }
        }
        if attempt.has_pair {
            return self.equal_items(attempt, values);
        }
        Outcome::Value(Value::Array(values))
    }

    /// Makes two of the items equal.
    fn equal_items(&mut self, attempt: &Items, mut values: Vec<Value>) -> Outcome {
        let mut is_unknown = false;
        for (second, (node, not)) in attempt.chosen.iter().enumerate() {
            for (first, (other, other_not)) in attempt.chosen[..second].iter().enumerate() {
                let nodes: Vec<NodeId> = not.iter().chain(other_not).copied().collect();
                match self.find(*node, &nodes) {
                    Outcome::Value(value) => {
                        if node == other || self.accepts(*other, &value) == Member::Yes {
                            values[first] = value.clone();
                            values[second] = value;
                            return Outcome::Value(Value::Array(values));
                        }
                        is_unknown = true;
                    }
                    Outcome::Nothing => {}
                    Outcome::Unknown => is_unknown = true,
                }
            }
        }
        if is_unknown {
            Outcome::Unknown
        } else {
            Outcome::Nothing
        }
    }

    /// Returns a node for each value; `None` if a value is an array or an object.
    fn scalars(&mut self, values: &[Value]) -> Option<Vec<NodeId>> {
        values
            .iter()
            .map(|value| {
                let node = match value {
                    Value::Null => Node::Null,
                    Value::Bool(value) => Node::Bool(*value),
                    Value::Number(number) => Node::Number(NumberSet::one(number.as_f64()?)),
                    Value::String(text) => Node::Text(TextSet::of(Condition::Literal(text.clone()))),
                    Value::Array(_) | Value::Object(_) => return None,
                };
                Some(self.graph.add(node))
            })
            .collect()
    }

    // Objects

    fn object(&mut self, object: &Object, mut others: Vec<Object>) -> Outcome {
        let mut is_unknown = false;
        for field in object.fields.iter().filter(|field| !field.optional) {
            match self.find(field.node, &[]) {
                Outcome::Nothing => return Outcome::Nothing,
                Outcome::Unknown => is_unknown = true,
                Outcome::Value(_) => {}
            }
        }
        if is_unknown {
            return Outcome::Unknown;
        }
        others.retain(|other| !self.are_disjoint(object, other));
        others.sort_by_key(|other| other.fields.len() + other.index.len());
        let keys = object
            .fields
            .iter()
            .map(|field| Key {
                name: field.name.clone(),
                node: field.node,
                optional: field.optional,
                presence: Presence::Open,
                not: Vec::new(),
            })
            .collect();
        let mut attempt = Keys {
            keys,
            more: Vec::new(),
        };
        self.keys(object, &mut attempt, &others)
    }

    /// Returns true if a required key of both objects certainly has no common value.
    pub(crate) fn are_disjoint(&mut self, object: &Object, other: &Object) -> bool {
        object.fields.iter().filter(|field| !field.optional).any(|field| {
            let other = other.field(&field.name);
            other.is_some_and(|other| self.have_no_common_scalar(field.node, other.node))
        })
    }

    fn have_no_common_scalar(&mut self, a: NodeId, b: NodeId) -> bool {
        match (self.graph.node(a).clone(), self.graph.node(b).clone()) {
            (Node::Union(members), _) => members
                .iter()
                .all(|member| self.have_no_common_scalar(*member, b)),
            (_, Node::Union(members)) => members
                .iter()
                .all(|member| self.have_no_common_scalar(a, *member)),
            (Node::Never, _) | (_, Node::Never) => true,
            (Node::Null, Node::Null)
            | (Node::Any, _)
            | (_, Node::Any)
            | (Node::List(_), Node::List(_))
            | (Node::Object(_), Node::Object(_)) => false,
            (Node::Bool(a), Node::Bool(b)) => a != b,
            (Node::Text(a), Node::Text(b)) => {
                let literal = |set: &TextSet| match set.conditions.as_slice() {
                    [Condition::Literal(text)] => Some(text.clone()),
                    _ => None,
                };
                match (literal(&a), literal(&b)) {
                    (Some(text), _) => self.texts.contains(&b, &text) == Member::No,
                    (_, Some(text)) => self.texts.contains(&a, &text) == Member::No,
                    _ => false,
                }
            }
            (Node::Number(a), Node::Number(b)) => {
                // A number of one set alone is all of this set.
                let single = |set: &NumberSet| set.single();
                match (single(&a), single(&b)) {
                    (Some(number), _) => b.contains(number) == Some(false),
                    (_, Some(number)) => a.contains(number) == Some(false),
                    _ => false,
                }
            }
            _ => true,
        }
    }

    /// Chooses a key for each of the other sets that breaks the rules of this set.
    fn keys(&mut self, object: &Object, attempt: &mut Keys, others: &[Object]) -> Outcome {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Outcome::Unknown;
        }
        let Some((other, later)) = others.split_first() else {
            return self.create_object(attempt);
        };
        let mut is_unknown = false;
        // `return`s a value, and remembers if the search cannot decide.
        macro_rules! next {
            () => {
                match stacker::maybe_grow(STACK_LEFT, STACK_MORE, || self.keys(object, attempt, later)) {
                    Outcome::Nothing => {}
                    Outcome::Unknown => is_unknown = true,
                    value @ Outcome::Value(_) => return value,
                }
            };
        }
        for field in &other.fields {
            let Some(at) = attempt.keys.iter().position(|key| key.name == field.name) else {
                if !field.optional && !attempt.more.iter().any(|(name, ..)| *name == field.name) {
                    // Values without this key exist, whatever the other keys are.
                    return self.keys(object, attempt, later);
                }
                for signature in &object.index {
                    if field.name == "__proto__" || !self.takes(signature, &field.name) {
                        continue;
                    }
                    match self.find(signature.value, &[field.node]) {
                        Outcome::Nothing => {}
                        Outcome::Unknown => is_unknown = true,
                        Outcome::Value(_) => {
                            attempt
                                .more
                                .push((field.name.clone(), signature.value, vec![field.node]));
                            next!();
                            attempt.more.pop();
                        }
                    }
                    break;
                }
                continue;
            };
            let key = attempt.keys[at].clone();
            if key.optional && !field.optional && key.presence != Presence::Present {
                attempt.keys[at].presence = Presence::Absent;
                next!();
                attempt.keys[at] = key.clone();
            }
            if key.presence != Presence::Absent {
                let mut not = key.not.clone();
                not.push(field.node);
                match self.find(key.node, &not) {
                    Outcome::Nothing => {}
                    Outcome::Unknown => is_unknown = true,
                    Outcome::Value(_) => {
                        attempt.keys[at].presence = Presence::Present;
                        attempt.keys[at].not = not;
                        next!();
                        attempt.keys[at] = key;
                    }
                }
            }
        }
        for signature in &other.index {
            for at in 0..attempt.keys.len() {
                let key = attempt.keys[at].clone();
                let is_declared = other.field(&key.name).is_some() || key.name == "__proto__";
                if is_declared || key.presence == Presence::Absent {
                    continue;
                }
                match self.texts.contains(&signature.key, &key.name) {
                    Member::No => continue,
                    Member::Maybe => {
                        is_unknown = true;
                        continue;
                    }
                    Member::Yes => {}
                }
                if self.texts.contains(&signature.rules, &key.name) == Member::No {
                    attempt.keys[at].presence = Presence::Present;
                    next!();
                    attempt.keys[at] = key.clone();
                }
                let mut not = key.not.clone();
                not.push(signature.value);
                match self.find(key.node, &not) {
                    Outcome::Nothing => {}
                    Outcome::Unknown => is_unknown = true,
                    Outcome::Value(_) => {
                        attempt.keys[at].presence = Presence::Present;
                        attempt.keys[at].not = not;
                        next!();
                        attempt.keys[at] = key;
                    }
                }
            }
            for own in &object.index {
                let names = object
                    .fields
                    .iter()
                    .chain(&other.fields)
                    .map(|field| field.name.clone());
                let used = attempt.more.iter().map(|(name, ..)| name.clone());
                let taken: Vec<TextSet> = names
                    .chain(used)
                    .chain(["__proto__".to_owned()])
                    .map(|name| TextSet::of(Condition::Literal(name)))
                    .collect();
                let possible = own.key.and(&own.rules).and(&signature.key);
                let mut not: Vec<&TextSet> = taken.iter().collect();
                match self.find(own.value, &[signature.value]) {
                    Outcome::Nothing => {}
                    Outcome::Unknown => is_unknown = true,
                    Outcome::Value(_) => match self.texts.outside(&possible, &not) {
                        Found::Text(name) => {
                            attempt.more.push((name, own.value, vec![signature.value]));
                            next!();
                            attempt.more.pop();
                        }
                        Found::Nothing => {}
                        Found::Unknown => is_unknown = true,
                    },
                }
                not.push(&signature.rules);
                match self.texts.outside(&possible, &not) {
                    Found::Text(name) if self.find(own.value, &[]).value().is_some() => {
                        attempt.more.push((name, own.value, Vec::new()));
                        next!();
                        attempt.more.pop();
                    }
                    Found::Text(_) | Found::Nothing => {}
                    Found::Unknown => is_unknown = true,
                }
            }
        }
        if is_unknown {
            Outcome::Unknown
        } else {
            Outcome::Nothing
        }
    }

    fn takes(&mut self, signature: &crate::graph::Signature, name: &str) -> bool {
        self.texts.contains(&signature.key, name) == Member::Yes
            && self.texts.contains(&signature.rules, name) == Member::Yes
    }

    fn create_object(&mut self, attempt: &Keys) -> Outcome {
        let mut entries = Map::new();
        for key in &attempt.keys {
            if key.presence == Presence::Absent || (key.optional && key.presence == Presence::Open) {
                continue;
            }
            match self.find(key.node, &key.not) {
                Outcome::Value(value) => entries.insert(key.name.clone(), value),
                other => return other,
            };
        }
        for (name, node, not) in &attempt.more {
            match self.find(*node, not) {
                Outcome::Value(value) => entries.insert(name.clone(), value),
                other => return other,
            };
        }
        Outcome::Value(Value::Object(entries))
    }

    // Membership

    /// Returns if a set contains a value, as a decoder decides: keys that are not declared do not matter.
    pub(crate) fn accepts(&mut self, node: NodeId, value: &Value) -> Member {
        match (self.graph.node(node).clone(), value) {
            (Node::Any, _) | (Node::Null, Value::Null) => Member::Yes,
            (Node::Bool(expected), Value::Bool(value)) => Member::of(expected == *value),
            (Node::Number(set), Value::Number(number)) => {
                let is_member = number.as_f64().and_then(|number| set.contains(number));
                is_member.map_or(Member::Maybe, Member::of)
            }
            (Node::Text(set), Value::String(text)) => self.texts.contains(&set, text),
            (Node::List(list), Value::Array(items)) => {
                let has_pair = || {
                    items
                        .iter()
                        .enumerate()
                        .any(|(at, item)| items[..at].contains(item))
                };
                if !list.allows(items.len() as u64) || (list.unique && has_pair()) {
                    return Member::No;
                }
                let members = items.iter().enumerate();
                members
                    .map(|(at, item)| self.accepts(list.at(items.len(), at), item))
                    .min()
                    .unwrap_or(Member::Yes)
            }
            (Node::Object(object), Value::Object(entries)) => self.accepts_entries(&object, entries),
            (Node::Union(members), value) => {
                let members = members.iter().map(|member| self.accepts(*member, value));
                members.max().unwrap_or(Member::No)
            }
            _ => Member::No,
        }
    }

    fn accepts_entries(&mut self, object: &Object, entries: &Map<String, Value>) -> Member {
        let mut worst = Member::Yes;
        for field in &object.fields {
            let member = match entries.get(&field.name) {
                Some(value) => self.accepts(field.node, value),
                None => Member::of(field.optional),
            };
            worst = worst.min(member);
        }
        for (name, value) in entries {
            if object.field(name).is_some() || name == "__proto__" {
                continue;
            }
            for signature in &object.index {
                let takes = self.texts.contains(&signature.key, name);
                if takes == Member::No {
                    continue;
                }
                let rules = self.texts.contains(&signature.rules, name);
                let member = rules.min(self.accepts(signature.value, value));
                worst = worst.min(if takes == Member::Maybe {
                    member.max(Member::Maybe)
                } else {
                    member
                });
            }
        }
        worst
    }
}

/// Items of an array that is being created: each with its set, and the sets that must not contain it.
struct Items {
    chosen: Vec<(NodeId, Vec<NodeId>)>,
    /// True if two of the items must be equal.
    has_pair: bool,
    /// True if no two items may be equal.
    unique: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Presence {
    Open,
    Present,
    Absent,
}

/// A key of an object that is being created.
#[derive(Debug, Clone)]
struct Key {
    name: String,
    node: NodeId,
    optional: bool,
    presence: Presence,
    /// Sets that must not contain the value.
    not: Vec<NodeId>,
}

struct Keys {
    keys: Vec<Key>,
    /// Keys that an index signature accepts: name, set of the value, and the sets that must not contain the value.
    more: Vec<(String, NodeId, Vec<NodeId>)>,
}
