//! Check if a set contains a value.

use serde_json::{Map, Value};

use super::Solver;
use crate::graph::{Node, NodeId, Object};
use crate::text::Member;

impl Solver<'_> {
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
