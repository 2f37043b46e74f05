//! Comparison of the routes of two states of an application.

mod answers;
mod application;
mod bodies;
mod jobs;
mod messages;
mod paths;

use kit_ir::{Program, Route, SecurityScheme, Slot};
use serde_json::Value;

use crate::explain::explain;
use crate::finding::{Finding, Spans};
use crate::graph::{Graph, Node, NodeId, State, Travel};
use crate::report::{Change, Consequence};
use crate::solve::Solver;
use crate::text::{Condition, TextSet};

use self::paths::{Pattern, Source, sources};

/// Compares the contracts of two states of an application. `today` is the current date, such as `2026-01-31`: a route whose
/// sunset is over may be removed. The list begins with the worst changes.
///
/// ```
/// use kit_ir::Program;
///
/// assert!(kit_diff::compare(&Program::default(), &Program::default(), "2026-01-31").is_empty());
/// ```
pub fn compare(old: &Program, new: &Program, today: &str) -> Vec<Change> {
    let mut changes = Vec::new();
    // Routes share types, so that results for one route hold for others.
    let mut solver = Solver::new(Graph::new(old, new));
    application::compare(&mut solver, (old, new), &mut changes);
    jobs::compare(&mut solver, (old, new), &mut changes);
    let limits = [old, new].map(|program| application::body_limit(&program.application));
    let [old_routes, new_routes] =
        [old, new].map(|program| program.routes.iter().map(Pattern::of).collect::<Vec<_>>());
    for old in &old_routes {
        let same = new_routes.iter().find(|other| other.equals(old));
        // The most specific route answers a request that several routes match.
        let covering = || {
            let covering: Vec<_> = new_routes.iter().filter(|other| other.covers(old)).collect();
            let is_most_specific = |own: &&&Pattern<'_>| {
                covering
                    .iter()
                    .all(|other| own.equals(other) || !own.covers(other))
            };
            covering.iter().find(is_most_specific).copied()
        };
        let (route, answering) = (old.route, same.or_else(covering).map(|new| new.route));
        let mut comparison = Comparison {
            solver: &mut solver,
            changes: Vec::new(),
            route: route.reference(),
            spans: Spans {
                old: Some(route.span),
                new: answering.map(|route| route.span),
            },
            limits,
        };
        match answering {
            Some(new) if same.is_some() => comparison.route(route, new),
            Some(new) if !is_over(route, today) => comparison.replaced(route, new),
            _ => comparison.removed(route, today),
        }
        changes.append(&mut comparison.changes);
    }
    for new in &new_routes {
        if old_routes.iter().any(|other| other.equals(new)) {
            continue;
        }
        let mut comparison = Comparison {
            solver: &mut solver,
            changes: Vec::new(),
            route: new.route.reference(),
            spans: Spans {
                old: None,
                new: Some(new.route.span),
            },
            limits,
        };
        comparison.added(old_routes.iter().find(|old| old.covers(new)).map(|old| old.route));
        changes.append(&mut comparison.changes);
    }
    changes.sort_by_key(|change| change.consequence);
    changes
}

/// Returns true if the day has come on which a route stops working.
fn is_over(route: &Route, today: &str) -> bool {
    let sunset = route.lifecycle.sunset.as_ref();
    sunset.is_some_and(|sunset| sunset.as_str() <= today)
}

fn change(consequence: Consequence, route: &str, slot: &str, finding: Finding) -> Change {
    let message = if finding.certain {
        finding.message
    } else {
        format!(
            "{}; kit cannot decide if every value still fits, so the change counts as breaking",
            finding.message
        )
    };
    Change {
        consequence,
        rule: finding.rule,
        route: route.to_owned(),
        place: format!("{slot}{}", finding.place),
        message,
        certain: finding.certain,
        value: finding.value,
        example: finding.whole,
        new_span: finding.spans.new,
        old_span: finding.spans.old,
    }
}

struct Comparison<'s, 'a> {
    solver: &'s mut Solver<'a>,
    changes: Vec<Change>,
    route: String,
    spans: Spans,
    /// Maximum size of bodies in the old and in the new application, if it is known.
    limits: [Option<u64>; 2],
}

impl Comparison<'_, '_> {
    /// Adds a change that counts as breaking because kit cannot decide.
    fn add_uncertain(
        &mut self,
        consequence: Consequence,
        rule: &'static str,
        place: &str,
        message: impl Into<String>,
    ) {
        self.add(consequence, rule, place, message, None);
        if let Some(change) = self.changes.last_mut() {
            change.certain = false;
        }
    }

    /// Adds a new route. `taken` is the old route that matched its requests.
    fn added(&mut self, taken: Option<&Route>) {
        if let Some(other) = taken {
            let message = format!(
                "the new route answers requests that `{}` answered; kit cannot decide if clients send them, so the change \
                 counts as breaking",
                other.reference()
            );
            let before = self.spans.old.replace(other.span);
            self.add_uncertain(Consequence::BreaksAnswers, "route-taken", "", message);
            self.spans.old = before;
        }
        let message = "the route is new";
        self.add(Consequence::Compatible, "route-added", "", message, None);
    }

    fn add(
        &mut self,
        consequence: Consequence,
        rule: &'static str,
        place: &str,
        message: impl Into<String>,
        value: Option<Value>,
    ) {
        let Spans { old, new } = self.spans;
        self.changes.push(Change {
            consequence,
            rule,
            route: self.route.clone(),
            place: place.to_owned(),
            message: message.into(),
            certain: true,
            value,
            example: None,
            new_span: new,
            old_span: old,
        });
    }

    fn removed(&mut self, route: &Route, today: &str) {
        let sunset = route.lifecycle.sunset.as_ref();
        if let Some(sunset) = sunset.filter(|_| is_over(route, today)) {
            let message = format!(
                "the route is removed, as its `@sunset {}` announced",
                sunset.as_str()
            );
            return self.add(Consequence::Compatible, "route-sunset", "", message, None);
        }
        let message = match (sunset, &route.documentation.deprecated) {
            (Some(sunset), _) => format!("the route is removed before its sunset {}", sunset.as_str()),
            (None, Some(_)) => "the route is removed; it was deprecated without `@sunset`".to_owned(),
            (None, None) => "the route is removed".to_owned(),
        };
        self.add(Consequence::BreaksRequests, "route-removed", "", message, None);
    }

    fn route(&mut self, old: &Route, new: &Route) {
        self.names(old, new);
        self.params(old, new);
        self.contract(old, new);
    }

    /// Compares a removed route with the route that answers its requests now.
    fn replaced(&mut self, old: &Route, new: &Route) {
        let message = format!(
            "the route is removed, and `{}` answers its requests now",
            new.reference()
        );
        self.add(Consequence::RenamesClient, "route-replaced", "", message, None);
        self.params(old, new);
        self.contract(old, new);
    }

    /// Compares all of two contracts but the path.
    fn contract(&mut self, old: &Route, new: &Route) {
        self.access(old, new);
        for slot in [Slot::Query, Slot::Headers, Slot::Cookies] {
            let (before, after) = (old.slots.get(slot), new.slots.get(slot));
            let travel = if slot == Slot::Headers {
                Travel::Header
            } else {
                Travel::Text
            };
            if let Some(after) = after {
                let before = before.map(|id| self.solver.graph.declared(State::Old, travel, id));
                let before = before.unwrap_or(Graph::NO_PROPERTIES);
                let after = self.solver.graph.declared(State::New, travel, after);
                self.explain(Consequence::BreaksRequests, slot.name(), before, after);
            }
        }
        if old.is_socket() {
            self.messages(old, new);
        } else {
            self.body(old, new);
            self.answers(old, new);
        }
        self.errors(old, new);
        self.body_limit(old, new);
    }

    fn body_limit(&mut self, old: &Route, new: &Route) {
        let (before, after) = (old.limits.body_bytes, new.limits.body_bytes);
        if !new.has_body() || (before.is_none() && after.is_none()) {
            // A change of the limit of the application is reported once for all routes.
            return;
        }
        let [of_old, of_new] = self.limits;
        let (before, after) = (before.or(of_old), after.or(of_new));
        let certain = before.is_some() && after.is_some();
        let [before, after] = [before, after].map(|limit| limit.unwrap_or(application::DEFAULT_LIMIT));
        if after >= before {
            return;
        }
        let message = format!("the request body could have {before} bytes, and may have {after}");
        if certain {
            self.add(Consequence::BreaksRequests, "body-limit", "body", message, None);
        } else {
            let message = format!("{message}, if the application has the default limit");
            self.add_uncertain(Consequence::BreaksRequests, "body-limit", "body", message);
        }
    }

    fn explain(&mut self, consequence: Consequence, place: &str, sent: NodeId, accepted: NodeId) {
        let from = if consequence == Consequence::BreaksRequests {
            State::Old
        } else {
            State::New
        };
        for finding in explain(self.solver, from, (sent, accepted), self.spans) {
            let change = change(consequence, &self.route, place, finding);
            self.changes.push(change);
        }
    }

    fn names(&mut self, old: &Route, new: &Route) {
        if old.reference() != new.reference() {
            let message = format!("clients call the route by the name `{}` now", new.reference());
            self.add(
                Consequence::RenamesClient,
                "parameter-renamed",
                "params",
                message,
                None,
            );
        }
        let name = |route: &Route| route.operation.clone().unwrap_or_else(|| "(none)".to_owned());
        if old.operation != new.operation {
            let message = format!("the operation was `{}`, and is `{}`", name(old), name(new));
            self.add(Consequence::RenamesClient, "operation-renamed", "", message, None);
        }
    }

    /// Compares the credentials and scopes that requests need.
    fn access(&mut self, old: &Route, new: &Route) {
        // The format of a token is a hint for readers.
        let schemes = |list: &[kit_ir::Security]| -> Vec<SecurityScheme> {
            let schemes = list.iter().map(|security| match &security.scheme {
                SecurityScheme::Bearer { .. } => SecurityScheme::Bearer { format: None },
                scheme => scheme.clone(),
            });
            schemes.collect()
        };
        let before: Vec<_> = old.security.iter().map(|list| schemes(list)).collect();
        for after in new.security.iter().map(|list| schemes(list)) {
            let is_implied = before
                .iter()
                .any(|list| list.iter().all(|scheme| after.contains(scheme)));
            if !is_implied {
                let names: Vec<String> = after.iter().map(scheme_name).collect();
                let message = format!("requests need new credentials: {}", names.join(" or "));
                self.add(
                    Consequence::BreaksRequests,
                    "security-added",
                    "auth",
                    message,
                    None,
                );
            }
        }
        if new.scopes.is_empty() {
            return;
        }
        let none = vec![Vec::new()];
        let before = if old.scopes.is_empty() { &none } else { &old.scopes };
        let refused = before.iter().find(|held| {
            !new.scopes
                .iter()
                .any(|needed| needed.iter().all(|scope| held.contains(scope)))
        });
        if let Some(held) = refused {
            let needed: Vec<String> = new.scopes.iter().map(|needed| needed.join(" and ")).collect();
            let message = format!(
                "a caller with the scopes {held:?} is refused: the route needs {}",
                needed.join(", or ")
            );
            self.add(Consequence::BreaksRequests, "scopes-added", "auth", message, None);
        }
    }

    /// Compares path parameters by their positions in the path.
    fn params(&mut self, old: &Route, new: &Route) {
        let Some(after) = new.slots.params else {
            return;
        };
        let after = self.solver.graph.declared(State::New, Travel::Path, after);
        let before = old
            .slots
            .params
            .map(|params| self.solver.graph.declared(State::Old, Travel::Path, params));
        let field = |solver: &Solver<'_>, object, name: &str| match solver.graph.node(object) {
            Node::Object(object) => object.field(name).map(|field| (field.node, field.span)),
            _ => None,
        };
        for (name, source) in sources(new, old) {
            let Some((after, new_span)) = field(self.solver, after, name) else {
                continue;
            };
            let before = match source {
                Source::Parameter(name) => before.and_then(|before| field(self.solver, before, name)),
                Source::Text(text) => {
                    let text = Node::Text(TextSet::of(Condition::Literal(text.to_owned())));
                    Some((self.solver.graph.single(text), None))
                }
                Source::Several => {
                    let texts = Node::Text(TextSet::not_empty());
                    Some((self.solver.graph.single(texts), None))
                }
            };
            let Some((before, old_span)) = before else {
                continue;
            };
            let place = format!("params{}", crate::finding::property_path(name));
            let before_spans = self.spans;
            self.spans = Spans {
                old: old_span.or(before_spans.old),
                new: new_span.or(before_spans.new),
            };
            let start = self.changes.len();
            self.explain(Consequence::BreaksRequests, &place, before, after);
            self.spans = before_spans;
            if matches!(source, Source::Several) && self.changes.len() > start {
                // The texts of several segments are not known exactly.
                self.changes.truncate(start);
                let message = format!(
                    "`{name}` has the text of several segments of the old path; kit cannot decide if every text fits, so the \
                     change counts as breaking"
                );
                self.add_uncertain(Consequence::BreaksRequests, "type", &place, message);
            }
        }
    }
}

fn scheme_name(scheme: &SecurityScheme) -> String {
    match scheme {
        SecurityScheme::Bearer { .. } => "bearer token".to_owned(),
        SecurityScheme::Basic => "user name and password (Basic)".to_owned(),
        SecurityScheme::Header { name } => format!("API key in the header `{name}`"),
        SecurityScheme::Cookie { name } => format!("API key in the cookie `{name}`"),
        SecurityScheme::Query { name } => format!("API key in the query parameter `{name}`"),
    }
}
