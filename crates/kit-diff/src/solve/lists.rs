//! Search for an array that is in one set and in none of several others.

use serde_json::Value;

use super::{MAX_STEPS, Outcome, Solver};
use crate::graph::{List, Node, NodeId};
use crate::number::NumberSet;
use crate::text::{Condition, Member, TextSet};

/// Maximum number of items of an array that the search creates.
const MAX_ITEMS: u64 = 100_000;

/// Maximum number of items of an array whose items are compared one by one.
const MAX_COMPARED_ITEMS: u64 = 300;

impl Solver<'_> {
    pub(super) fn list(&mut self, list: &List, others: &[List]) -> Outcome {
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
}

/// Items of an array that is being created: each with its set, and the sets that must not contain it.
struct Items {
    chosen: Vec<(NodeId, Vec<NodeId>)>,
    /// True if two of the items must be equal.
    has_pair: bool,
    /// True if no two items may be equal.
    unique: bool,
}
