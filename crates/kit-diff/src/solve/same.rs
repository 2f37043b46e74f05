//! Comparison of the structure of two sets. Most types of two states are the same, so that no search is needed.

use rustc_hash::FxHashSet;

use super::{STACK_LEFT, STACK_MORE, Solver};
use crate::graph::{List, Node, NodeId, Object};

/// Pairs of sets that are assumed to be the same, because they are being compared.
type Assumed = FxHashSet<(NodeId, NodeId)>;

impl Solver<'_> {
    /// Returns true if two sets have the same structure, so that the second contains the first.
    pub(super) fn is_same(&mut self, a: NodeId, b: NodeId) -> bool {
        if let Some(known) = self.same.get(&(a, b)) {
            return *known;
        }
        let mut assumed = Assumed::default();
        let is_same = self.compare(a, b, &mut assumed);
        if is_same {
            self.same.extend(assumed.into_iter().map(|pair| (pair, true)));
        } else {
            self.same.insert((a, b), false);
        }
        is_same
    }

    fn compare(&self, a: NodeId, b: NodeId, assumed: &mut Assumed) -> bool {
        if let Some(known) = self.same.get(&(a, b)) {
            return *known;
        }
        if a == b || !assumed.insert((a, b)) {
            return true;
        }
        let nodes = (self.graph.node(a), self.graph.node(b));
        stacker::maybe_grow(STACK_LEFT, STACK_MORE, || match nodes {
            (Node::Any, Node::Any) | (Node::Never, Node::Never) | (Node::Null, Node::Null) => true,
            (Node::Bool(a), Node::Bool(b)) => a == b,
            (Node::Number(a), Node::Number(b)) => a == b,
            (Node::Text(a), Node::Text(b)) => a == b || a.is_written_form_of(b),
            (Node::Union(a), Node::Union(b)) => self.compare_all(a, b, assumed),
            (Node::List(a), Node::List(b)) => self.compare_lists(a, b, assumed),
            (Node::Object(a), Node::Object(b)) => self.compare_objects(a, b, assumed),
            _ => false,
        })
    }

    fn compare_lists(&self, a: &List, b: &List, assumed: &mut Assumed) -> bool {
        let rest = |list: &List| -> Vec<NodeId> { list.rest.into_iter().collect() };
        (a.min, a.max, a.unique) == (b.min, b.max, b.unique)
            && self.compare_all(&a.first, &b.first, assumed)
            && self.compare_all(&rest(a), &rest(b), assumed)
            && self.compare_all(&a.last, &b.last, assumed)
    }

    fn compare_objects(&self, a: &Object, b: &Object, assumed: &mut Assumed) -> bool {
        let nodes = |object: &Object| -> Vec<NodeId> {
            let fields = object.fields.iter().map(|field| field.node);
            fields
                .chain(object.index.iter().map(|signature| signature.value))
                .collect()
        };
        let mut fields = a.fields.iter().zip(&b.fields);
        let mut keys = a.index.iter().zip(&b.index);
        a.fields.len() == b.fields.len()
            && a.index.len() == b.index.len()
            && fields.all(|(a, b)| a.name == b.name && a.optional == b.optional)
            && keys.all(|(a, b)| a.key == b.key && a.rules == b.rules)
            && self.compare_all(&nodes(a), &nodes(b), assumed)
    }

    fn compare_all(&self, a: &[NodeId], b: &[NodeId], assumed: &mut Assumed) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.compare(*a, *b, assumed))
    }
}
