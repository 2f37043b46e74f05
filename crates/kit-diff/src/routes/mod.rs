//! Comparison of the routes of two states of an application.

mod answers;
mod bodies;
mod messages;

use kit_ir::{ErrorFormat, Program, Route, SecurityScheme, Segment, Slot};
use serde_json::{Value, json};

use crate::explain::{Finding, Spans, explain};
use crate::graph::{Graph, NodeId, State, Travel};
use crate::report::{Change, Consequence};
use crate::solve::Solver;

/// Maximum number of bytes of a request body by default.
const DEFAULT_LIMIT: u64 = 1024 * 1024;

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
    application(&mut solver, (old, new), &mut changes);
    for route in &old.routes {
        let same = new.routes.iter().find(|other| key(other) == key(route));
        let mut comparison = Comparison {
            solver: &mut solver,
            changes: Vec::new(),
            route: route.reference(),
            spans: Spans {
                old: Some(route.span),
                new: same.map(|route| route.span),
            },
        };
        match same {
            Some(same) => comparison.route(route, same),
            None => comparison.removed(route, today),
        }
        changes.append(&mut comparison.changes);
    }
    for route in &new.routes {
        if !old.routes.iter().any(|other| key(other) == key(route)) {
            changes.extend(old.routes.iter().find(|other| takes_requests(route, other)).map(|other| Change {
                consequence: Consequence::BreaksAnswers,
                rule: "route-taken",
                route: route.reference(),
                place: String::new(),
                message: format!(
                    "the new route answers requests that `{}` answered; kit cannot decide if clients send them, so the change \
                     counts as breaking",
                    other.reference()
                ),
                certain: false,
                value: None,
                example: None,
                new_span: Some(route.span),
                old_span: Some(other.span),
            }));
            changes.push(Change {
                consequence: Consequence::Compatible,
                rule: "route-added",
                route: route.reference(),
                place: String::new(),
                message: "the route is new".to_owned(),
                certain: true,
                value: None,
                example: None,
                new_span: Some(route.span),
                old_span: None,
            });
        }
    }
    changes.sort_by_key(|change| change.consequence);
    changes
}

/// Returns true if a new route with a static segment takes requests from an old route with a parameter at this place.
fn takes_requests(new: &Route, old: &Route) -> bool {
    let ((method, new), (old_method, old)) = (key(new), key(old));
    method == old_method
        && new.len() == old.len()
        && new.iter().zip(&old).all(|(new, old)| new == old || old == "/:")
}

/// Returns the requests that a route matches: its method, and its path without names of parameters.
fn key(route: &Route) -> (String, Vec<String>) {
    let reference = route.reference();
    let method = reference.split(' ').next().unwrap_or_default().to_owned();
    let segments = route.path.segments().iter().map(|segment| match segment {
        Segment::Static(text) => format!("/{text}"),
        Segment::Parameter(_) => "/:".to_owned(),
        Segment::Wildcard(_) => "/*".to_owned(),
    });
    (method, segments.collect())
}

/// Compares the options of the application that belong to answers.
fn application(solver: &mut Solver<'_>, (old, new): (&Program, &Program), changes: &mut Vec<Change>) {
    let (before, after) = (old.application.error_rules(), new.application.error_rules());
    let mut add = |rule, message: String, value: Value| {
        changes.push(Change {
            consequence: Consequence::BreaksAnswers,
            rule,
            route: String::new(),
            place: "errors".to_owned(),
            message,
            certain: true,
            value: Some(value),
            example: None,
            new_span: new
                .application
                .errors
                .as_ref()
                .map(|errors| errors.span)
                .or(new.application.span),
            old_span: old.application.errors.as_ref().map(|errors| errors.span),
        });
    };
    if before.validation_status != after.validation_status {
        let (before, after) = (before.validation_status, after.validation_status);
        add(
            "validation-status",
            format!("a request that breaks its contract got the status {before}, and gets {after}"),
            json!(after),
        );
    }
    let name = |format: &ErrorFormat| match format {
        ErrorFormat::Envelope => "envelope",
        ErrorFormat::ProblemDetails => "problem-details",
        ErrorFormat::Declared(_) => "declared",
    };
    let (before, after) = (&before.format, &after.format);
    if name(before) != name(after) {
        add(
            "error-format",
            format!(
                "the format of errors was `{}`, and is `{}`",
                name(before),
                name(after)
            ),
            json!(name(after)),
        );
    } else if let (ErrorFormat::Declared(before), ErrorFormat::Declared(after)) = (before, after) {
        let sent = solver.graph.declared(State::New, Travel::Written, after.body);
        let accepted = solver.graph.declared(State::Old, Travel::Read, before.body);
        for finding in explain(solver, State::New, (sent, accepted), Spans::default()) {
            changes.push(change(Consequence::BreaksAnswers, "", "errors", finding));
        }
    }
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
}

impl Comparison<'_, '_> {
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
        if let Some(sunset) = sunset.filter(|sunset| sunset.as_str() <= today) {
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
        self.access(old, new);
        self.params(old, new);
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
        // The limit of the application is known only when it runs.
        let certain = before.is_some() && after.is_some();
        let (before, after) = (before.unwrap_or(DEFAULT_LIMIT), after.unwrap_or(DEFAULT_LIMIT));
        if !new.has_body() || after >= before {
            return;
        }
        let mut message = format!("the request body could have {before} bytes, and may have {after}");
        if !certain {
            message.push_str(", if the application has the default limit");
        }
        self.add(Consequence::BreaksRequests, "body-limit", "body", message, None);
        if let Some(last) = self.changes.last_mut() {
            last.certain = certain;
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
        let (Some(before), Some(after)) = (old.slots.params, new.slots.params) else {
            return;
        };
        let before = self.solver.graph.declared(State::Old, Travel::Path, before);
        let after = self.solver.graph.declared(State::New, Travel::Path, after);
        let node = |solver: &Solver<'_>, object, name: &str| match solver.graph.node(object) {
            crate::graph::Node::Object(object) => object.field(name).map(|field| (field.node, field.span)),
            _ => None,
        };
        for (before_name, after_name) in old.parameters.iter().zip(&new.parameters) {
            let before = node(self.solver, before, before_name);
            let after = node(self.solver, after, after_name);
            if let (Some((before, old)), Some((after, new))) = (before, after) {
                let spans = std::mem::replace(&mut self.spans, Spans { old, new });
                let place = format!("params{}", crate::explain::property_path(after_name));
                self.explain(Consequence::BreaksRequests, &place, before, after);
                self.spans = spans;
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
