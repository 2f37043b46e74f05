//! Places of two types at which a value of the first does not fit the second.

use kit_ir::{DeclarationOrigin, Span, TypeId};
use serde_json::{Map, Value};

use crate::describe::described;
use crate::finding::{Finding, Spans, property_path};
use crate::graph::{Field, List, Node, NodeId, Object, State};
use crate::solve::{Outcome, Solver};
use crate::text::{Condition, Member};

/// Maximum number of places that are reported for one slot.
const MAX_PLACES: usize = 50;

/// Returns the places at which values of `sent` do not fit `accepted`. The list is empty if all values fit.
/// `from` is the state of `sent`.
pub(crate) fn explain(
    solver: &mut Solver<'_>,
    from: State,
    (sent, accepted): (NodeId, NodeId),
    spans: Spans,
) -> Vec<Finding> {
    solver.restart();
    let outcome = solver.find(sent, &[accepted]);
    let undecided = outcome == Outcome::Unknown;
    let whole = match outcome {
        Outcome::Nothing => return Vec::new(),
        Outcome::Value(value) if is_proof(solver, sent, accepted, &value) => Some(value),
        Outcome::Value(_) | Outcome::Unknown => None,
    };
    let mut walk = Walk {
        solver,
        from,
        open_pairs: Vec::new(),
        met_open_pair: false,
    };
    let mut found = walk.places(sent, accepted, "", spans);
    found.truncate(MAX_PLACES);
    if found.is_empty() {
        let mut leaf = walk.leaf(sent, accepted, "", spans);
        leaf.value.clone_from(&whole);
        leaf.whole.clone_from(&whole);
        leaf.certain = whole.is_some();
        found.push(leaf);
    }
    for finding in &mut found {
        let is_shown = finding
            .whole
            .as_ref()
            .is_some_and(|whole| is_proof(walk.solver, sent, accepted, whole));
        if !is_shown {
            finding.whole.clone_from(&whole);
        }
        // A break without a proven complete value is not certain. If the search could not decide about the slot, the
        // places keep their own verdicts.
        finding.certain &= finding.whole.is_some() || undecided;
    }
    found
}

/// Returns true if a value certainly fits the first set and not the second.
fn is_proof(solver: &mut Solver<'_>, sent: NodeId, accepted: NodeId, value: &Value) -> bool {
    solver.accepts(sent, value) == Member::Yes && solver.accepts(accepted, value) == Member::No
}

struct Walk<'s, 'a> {
    solver: &'s mut Solver<'a>,
    /// State of the sets that are sent.
    from: State,
    /// Pairs of sets that are being compared.
    open_pairs: Vec<(NodeId, NodeId)>,
    /// True if the walk met a pair that is being compared, so that other places of the pair show the difference.
    met_open_pair: bool,
}

impl Walk<'_, '_> {
    /// Returns the innermost places at which values do not fit.
    fn places(&mut self, sent: NodeId, accepted: NodeId, place: &str, spans: Spans) -> Vec<Finding> {
        let outcome = self.solver.find(sent, &[accepted]);
        if outcome == Outcome::Nothing {
            return Vec::new();
        }
        if self.open_pairs.contains(&(sent, accepted)) {
            self.met_open_pair = true;
            return Vec::new();
        }
        self.open_pairs.push((sent, accepted));
        let met_before = std::mem::take(&mut self.met_open_pair);
        let nodes = (
            self.solver.graph.node(sent).clone(),
            self.solver.graph.node(accepted).clone(),
        );
        let mut found = match nodes {
            (Node::Object(object), Node::Object(accepted)) => {
                let declared = self.declared_span(sent);
                self.fields((&object, declared), &accepted, place, spans)
            }
            (Node::List(sent), Node::List(accepted)) => self.items(&sent, &accepted, place, spans),
            (Node::Union(members), _) => self.members(&members, accepted, place, spans),
            (_, Node::Union(_)) => self.members(&[sent], accepted, place, spans),
            _ => Vec::new(),
        };
        self.open_pairs.pop();
        if found.is_empty() && !self.met_open_pair {
            found.push(self.leaf(sent, accepted, place, spans));
        }
        self.met_open_pair |= met_before;
        found
    }

    /// Returns the location of the declaration of a type, if the type has a name.
    fn declared_span(&self, node: NodeId) -> Option<Span> {
        let (state, id) = self.solver.graph.origin(node)?;
        let mut declarations = self.solver.graph.program(state).declarations.iter();
        let found = declarations.find(|declaration| {
            declaration.r#type == id && matches!(declaration.origin, DeclarationOrigin::Named { .. })
        });
        found.map(|declaration| declaration.span)
    }

    /// Compares the properties of two objects. `declared` is the location of the declaration of the first object.
    fn fields(
        &mut self,
        (sent, declared): (&Object, Option<Span>),
        accepted: &Object,
        place: &str,
        spans: Spans,
    ) -> Vec<Finding> {
        let mut found = Vec::new();
        let from = self.from;
        let to = if from == State::Old {
            State::New
        } else {
            State::Old
        };
        for field in &sent.fields {
            let inner = format!("{place}{}", property_path(&field.name));
            let Some(other) = accepted.field(&field.name) else {
                continue;
            };
            let spans = spans.with(from, field.span).with(to, other.span);
            if field.optional && !other.optional {
                found.push(Finding {
                    rule: "property-required",
                    place: inner.clone(),
                    message: match from {
                        State::Old => format!(
                            "`{}` may be absent in the old type, and is required now",
                            field.name
                        ),
                        State::New => format!(
                            "`{}` is required in the old type, and may be absent now",
                            field.name
                        ),
                    },
                    certain: true,
                    value: None,
                    whole: self.sample(sent, None),
                    spans,
                });
            }
            for mut finding in self.places(field.node, other.node, &inner, spans) {
                finding.whole = finding
                    .whole
                    .and_then(|value| self.sample(sent, Some((&field.name, value))));
                found.push(finding);
            }
        }
        for other in accepted.fields.iter().filter(|other| !other.optional) {
            if sent.field(&other.name).is_some() {
                continue;
            }
            let inner = format!("{place}{}", property_path(&other.name));
            let (rule, message) = match from {
                State::Old => (
                    "property-added",
                    format!("the new property `{}` is required", other.name),
                ),
                State::New => {
                    let name = &other.name;
                    let why = other.deprecated.as_deref().map(|reason| match reason {
                        "" => " (it was deprecated)".to_owned(),
                        reason => format!(" (it was deprecated: {reason})"),
                    });
                    let why = why.unwrap_or_default();
                    (
                        "property-removed",
                        format!("the property `{name}` is required in the old type, and is removed{why}"),
                    )
                }
            };
            found.push(Finding {
                rule,
                place: inner,
                message,
                certain: true,
                value: None,
                whole: self.sample(sent, None),
                spans: spans.with(to, other.span).with(from, declared),
            });
        }
        for own in &sent.index {
            for other in &accepted.index {
                if own.key != other.key {
                    continue;
                }
                let inner = format!("{place}[key]");
                for mut finding in self.places(own.value, other.value, &inner, spans) {
                    let names: Vec<_> = sent
                        .fields
                        .iter()
                        .chain(&accepted.fields)
                        .map(|field| &field.name)
                        .collect();
                    let name = ["key", "a", "x-key", "1", "aa"].into_iter().find(|name| {
                        let is_free = !names.iter().any(|other| other == name);
                        is_free && self.solver.texts.contains(&own.key.and(&own.rules), name) == Member::Yes
                    });
                    finding.whole = finding
                        .whole
                        .zip(name)
                        .and_then(|(value, name)| self.sample(sent, Some((name, value))));
                    found.push(finding);
                }
            }
        }
        found
    }

    /// Returns an object with the required properties and one other property.
    fn sample(&mut self, object: &Object, with: Option<(&str, Value)>) -> Option<Value> {
        let mut entries = Map::new();
        for Field {
            name, node, optional, ..
        } in &object.fields
        {
            match &with {
                Some((own, value)) if own == name => {
                    entries.insert(name.clone(), value.clone());
                }
                _ if !optional => {
                    entries.insert(name.clone(), self.solver.find(*node, &[]).value()?);
                }
                _ => {}
            }
        }
        if let Some((name, value)) = with {
            entries.entry(name).or_insert(value);
        }
        Some(Value::Object(entries))
    }

    fn items(&mut self, sent: &List, accepted: &List, place: &str, spans: Spans) -> Vec<Finding> {
        let mut found = Vec::new();
        let is_one = |list: &List| list.min == 1 && list.max == Some(1) && list.first.len() == 1;
        if is_one(sent) && is_one(accepted) {
            // A text of a query, or another single element.
            for mut finding in self.places(sent.first[0], accepted.first[0], place, spans) {
                finding.whole = finding.whole.map(|value| Value::Array(vec![value]));
                found.push(finding);
            }
            return found;
        }
        for (position, first) in sent.first.iter().enumerate() {
            let other = accepted.first.get(position).copied().or(accepted.rest);
            let inner = format!("{place}[{position}]");
            found.extend(other.map_or_else(Vec::new, |other| {
                self.item(sent, position, *first, other, &inner, spans)
            }));
        }
        if let (Some(rest), Some(other)) = (sent.rest, accepted.rest)
            && sent.first.len() >= accepted.first.len()
        {
            let position = sent.first.len();
            found.extend(self.item(sent, position, rest, other, &format!("{place}[]"), spans));
        }
        found
    }

    fn item(
        &mut self,
        list: &List,
        position: usize,
        sent: NodeId,
        accepted: NodeId,
        place: &str,
        spans: Spans,
    ) -> Vec<Finding> {
        let mut found = self.places(sent, accepted, place, spans);
        for finding in &mut found {
            finding.whole = finding.whole.take().and_then(|value| {
                let length = usize::try_from(list.min)
                    .ok()?
                    .max(position + 1 + list.last.len());
                let items: Option<Vec<Value>> = (0..length)
                    .map(|at| {
                        if at == position {
                            return Some(value.clone());
                        }
                        self.solver.find(list.at(length, at), &[]).value()
                    })
                    .collect();
                Some(Value::Array(items?))
            });
        }
        found
    }

    /// Compares each member with the member of the other union that is most similar.
    fn members(&mut self, sent: &[NodeId], accepted: NodeId, place: &str, spans: Spans) -> Vec<Finding> {
        let rule = if sent.len() == 1 { "type" } else { "member" };
        let mut others = Vec::new();
        self.flat(accepted, &mut others);
        let mut members = Vec::new();
        for member in sent {
            self.flat(*member, &mut members);
        }
        let mut found = Vec::new();
        for member in members {
            let outcome = self.solver.find(member, &[accepted]);
            if outcome == Outcome::Nothing {
                continue;
            }
            let alike = self.most_similar(member, &others);
            let met_before = std::mem::take(&mut self.met_open_pair);
            let inner = match alike {
                Some(alike) => self.places(member, alike, place, spans),
                None => Vec::new(),
            };
            let shown: Vec<Finding> = inner
                .into_iter()
                .filter(|finding| {
                    let whole = finding.whole.as_ref();
                    whole.is_some_and(|whole| self.solver.accepts(accepted, whole) == Member::No)
                })
                .collect();
            if shown.is_empty() && !self.met_open_pair {
                let mut leaf = self.leaf(member, accepted, place, spans);
                leaf.rule = rule;
                if rule == "member" {
                    leaf.message = self.member_message(member, accepted, leaf.value.as_ref());
                }
                found.push(leaf);
            }
            found.extend(shown);
            self.met_open_pair |= met_before;
        }
        found
    }

    /// Returns a sentence about a member of a union that does not fit the other type.
    fn member_message(&self, member: NodeId, accepted: NodeId, value: Option<&Value>) -> String {
        let text = |node: NodeId| {
            let (state, id) = self.solver.graph.origin(node)?;
            Some((state, described(self.solver.graph.program(state), id)))
        };
        let own = text(member).map(|(_, text)| text);
        let own = own
            .or(value.map(|value| format!("`{value}`")))
            .unwrap_or_default();
        match text(accepted) {
            Some((State::New, other)) => {
                format!("the member {own} of the old type does not fit the new type {other}")
            }
            Some((State::Old, other)) => {
                format!("the member {own} of the new type does not fit the old type {other}")
            }
            None => format!("the member {own} does not fit the other type"),
        }
    }

    fn flat(&self, node: NodeId, found: &mut Vec<NodeId>) {
        match self.solver.graph.node(node) {
            Node::Union(members) => members.iter().for_each(|member| self.flat(*member, found)),
            _ => found.push(node),
        }
    }

    /// Returns the only set of the same kind, or the object with the most properties of the same name that shares its
    /// literals.
    fn most_similar(&mut self, node: NodeId, others: &[NodeId]) -> Option<NodeId> {
        let own = self.solver.graph.node(node).clone();
        let kind = std::mem::discriminant(&own);
        let same: Vec<NodeId> = others
            .iter()
            .copied()
            .filter(|other| std::mem::discriminant(self.solver.graph.node(*other)) == kind)
            .collect();
        if Self::is_single(&own) {
            return None;
        }
        let Node::Object(object) = own else {
            return match same.as_slice() {
                [only] => Some(*only),
                _ => None,
            };
        };
        let mut best: Option<(usize, NodeId)> = None;
        for other in same {
            let Node::Object(candidate) = self.solver.graph.node(other).clone() else {
                continue;
            };
            if self.solver.are_disjoint(&object, &candidate) {
                continue;
            }
            let shared = object
                .fields
                .iter()
                .filter(|field| candidate.field(&field.name).is_some())
                .count();
            if best.is_none_or(|(most, _)| shared > most) {
                best = Some((shared, other));
            }
        }
        best.map(|(_, other)| other)
    }

    /// Returns true for a set with one value, which is no narrower form of another set.
    fn is_single(node: &Node) -> bool {
        match node {
            Node::Null | Node::Bool(_) => true,
            Node::Number(set) => set.single().is_some(),
            Node::Text(set) => matches!(set.conditions.as_slice(), [Condition::Literal(_)]),
            _ => false,
        }
    }

    /// Returns the finding for a pair of sets that cannot be divided further.
    fn leaf(&mut self, sent: NodeId, accepted: NodeId, place: &str, spans: Spans) -> Finding {
        let value = self.solver.find(sent, &[accepted]).value();
        let text = |node: NodeId| {
            let origin: Option<(State, TypeId)> = self.solver.graph.origin(node);
            origin.map(|(state, id)| (state, described(self.solver.graph.program(state), id)))
        };
        let message = match (text(sent), text(accepted)) {
            (Some((from, sent)), Some((_, accepted))) => {
                let (old, new) = if from == State::Old {
                    (sent, accepted)
                } else {
                    (accepted, sent)
                };
                if old == new {
                    format!("the type is {new}, and a part of the type changed")
                } else {
                    format!("the type was {old}, and is {new}")
                }
            }
            _ => "the type changed".to_owned(),
        };
        Finding {
            rule: "type",
            place: place.to_owned(),
            message,
            certain: value.is_some(),
            whole: value.clone(),
            value,
            spans,
        }
    }
}
