//! Search for a JSON value that is in one set and in none of several others.
//!
//! The search decides subtyping of sets with unions, records and recursion exactly, and shows a value if a set is not
//! contained in the others. The decomposition of products and the assumption for recursive types follow Frisch, Castagna
//! and Benzaken, "Semantic subtyping" (Journal of the ACM 55(4), 2008); the treatment of JSON follows Habib, Shinnar, Hirzel
//! and Pradel, "Finding data compatibility bugs with JSON subschema checking" (ISSTA 2021).

mod lists;
mod membership;
mod objects;
mod same;

use kit_pattern::Found;
use rustc_hash::FxHashMap;
use serde_json::{Number, Value};

use crate::graph::{Graph, List, Node, NodeId, Object};
use crate::number::{NumberSet, Outside};
use crate::text::{TextSet, Texts};

/// Maximum number of steps of the search for one slot of a route.
const MAX_STEPS: usize = 60_000;

/// Maximum number of steps of one comparison, so that it takes seconds and not minutes.
const MAX_ALL_STEPS: usize = 1_000_000;

/// Maximum depth of nested values.
const MAX_DEPTH: usize = 60;

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
    /// Number of steps before the last [`Solver::restart`].
    earlier: usize,
    /// Pairs of sets with the same structure.
    same: FxHashMap<(NodeId, NodeId), bool>,
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
            earlier: 0,
            same: FxHashMap::default(),
        }
    }

    /// Allows the next searches all steps again.
    pub(crate) fn restart(&mut self) {
        self.earlier += self.steps;
        self.steps = if self.earlier > MAX_ALL_STEPS {
            MAX_STEPS
        } else {
            0
        };
    }

    /// Searches for a value of `within` that is in none of `others`.
    pub(crate) fn find(&mut self, within: NodeId, others: &[NodeId]) -> Outcome {
        let mut flat = Vec::new();
        if self.flatten(others, &mut flat) {
            return Outcome::Nothing;
        }
        flat.sort_unstable();
        flat.dedup();
        if flat.iter().any(|other| self.is_same(within, *other)) {
            return Outcome::Nothing;
        }
        let question = (within, flat);
        if let Some(known) = self.known.get(&question) {
            return known.clone();
        }
        if let Some(at) = self.open.iter().position(|open| *open == question) {
            // The search meets a question that it still answers. A smallest answer contains no other answer to the same
            // question, so the search assumes that this part has no value.
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
        if (is_final && outcome != Outcome::Unknown) || depth == 0 {
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
}
