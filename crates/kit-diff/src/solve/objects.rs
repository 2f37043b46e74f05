//! Search for an object that is in one set and in none of several others.

use kit_pattern::Found;
use serde_json::{Map, Value};

use super::{MAX_STEPS, Outcome, STACK_LEFT, STACK_MORE, Solver};
use crate::graph::{Node, NodeId, Object, Signature};
use crate::number::NumberSet;
use crate::text::{Condition, Member, TextSet};

impl Solver<'_> {
    pub(super) fn object(&mut self, object: &Object, mut others: Vec<Object>) -> Outcome {
        for field in object.fields.iter().filter(|field| !field.optional) {
            // If the search finds no value, a value may exist. The set counts as not empty.
            if self.find(field.node, &[]) == Outcome::Nothing {
                return Outcome::Nothing;
            }
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

    fn takes(&mut self, signature: &Signature, name: &str) -> bool {
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
