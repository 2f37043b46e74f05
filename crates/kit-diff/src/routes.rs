//! Comparison of the routes of two states of an application.

use kit_ir::{
    BodyFormat, DeclarationId, DeclaredReply, ErrorFormat, FilePart, FormatChoice, Program, Route,
    SecurityScheme, Segment, Slot,
};
use serde_json::{Value, json};

use crate::explain::{Finding, Spans, explain};
use crate::graph::{Graph, NodeId, State, Travel};
use crate::media_type::{covers, matches_any};
use crate::report::{Change, Consequence};
use crate::solve::Solver;

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
    application(old, new, &mut changes);
    for route in &old.routes {
        let same = new.routes.iter().find(|other| key(other) == key(route));
        let mut comparison = Comparison {
            solver: Solver::new(Graph::new(old, new)),
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
fn application(old: &Program, new: &Program, changes: &mut Vec<Change>) {
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
        let mut solver = Solver::new(Graph::new(old, new));
        let sent = solver.graph.declared(State::New, Travel::Written, after.body);
        let accepted = solver.graph.declared(State::Old, Travel::Read, before.body);
        for finding in explain(&mut solver, sent, accepted, Spans::default()) {
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

struct Comparison<'a> {
    solver: Solver<'a>,
    changes: Vec<Change>,
    route: String,
    spans: Spans,
}

impl Comparison<'_> {
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
            if let Some(after) = after {
                let before = before.map(|id| self.solver.graph.declared(State::Old, Travel::Text, id));
                let before = before.unwrap_or_else(|| Graph::NO_PROPERTIES);
                let after = self.solver.graph.declared(State::New, Travel::Text, after);
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
        let limit = |route: &Route| route.limits.body_bytes;
        if let (Some(before), Some(after)) = (limit(old), limit(new))
            && after < before
        {
            let message = format!("the request body could have {before} bytes, and may have {after}");
            self.add(
                Consequence::BreaksRequests,
                "body-limit",
                "body",
                message,
                Some(json!(before)),
            );
        }
    }

    fn explain(&mut self, consequence: Consequence, place: &str, sent: NodeId, accepted: NodeId) {
        for finding in explain(&mut self.solver, sent, accepted, self.spans) {
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
                    Some(json!(names)),
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
            self.add(
                Consequence::BreaksRequests,
                "scopes-added",
                "auth",
                message,
                Some(json!(held)),
            );
        }
    }

    /// Compares path parameters by their positions in the path.
    fn params(&mut self, old: &Route, new: &Route) {
        let (Some(before), Some(after)) = (old.slots.params, new.slots.params) else {
            return;
        };
        let before = self.solver.graph.declared(State::Old, Travel::Text, before);
        let after = self.solver.graph.declared(State::New, Travel::Text, after);
        let node = |solver: &Solver<'_>, object, name: &str| match solver.graph.node(object) {
            crate::graph::Node::Object(object) => object.field(name).map(|field| (field.node, field.span)),
            _ => None,
        };
        for (before_name, after_name) in old.parameters.iter().zip(&new.parameters) {
            let before = node(&self.solver, before, before_name);
            let after = node(&self.solver, after, after_name);
            if let (Some((before, old)), Some((after, new))) = (before, after) {
                let spans = std::mem::replace(&mut self.spans, Spans { old, new });
                let place = format!("params{}", crate::explain::property_path(after_name));
                self.explain(Consequence::BreaksRequests, &place, before, after);
                self.spans = spans;
            }
        }
    }

    // Bodies

    fn body(&mut self, old: &Route, new: &Route) {
        match (old.has_body(), new.has_body()) {
            (false, true) => {
                let message = "requests need a body now";
                return self.add(Consequence::BreaksRequests, "body-added", "body", message, None);
            }
            (true, false) => {
                let message = "the server ignores the body of requests now";
                return self.add(Consequence::Compatible, "body-removed", "body", message, None);
            }
            (false, false) => return,
            (true, true) => {}
        }
        let after = new.body_format.choices(new.slots.body);
        for choice in old.body_format.choices(old.slots.body) {
            let types: Vec<String> = choice
                .format
                .accepted_media_types()
                .into_iter()
                .map(str::to_owned)
                .collect();
            for media_type in types {
                let same = after
                    .iter()
                    .find(|other| matches_any(&other.format.accepted_media_types(), &media_type));
                let Some(same) = same else {
                    let message = format!("requests may not have the media type `{media_type}` any more");
                    self.add(
                        Consequence::BreaksRequests,
                        "media-type-removed",
                        "body",
                        message,
                        Some(json!(media_type)),
                    );
                    continue;
                };
                // All media types of a format have the same type.
                if Some(media_type.as_str()) == choice.format.accepted_media_types().first().copied() {
                    self.request_format(&choice, same);
                }
            }
        }
    }

    fn request_format(&mut self, old: &FormatChoice, new: &FormatChoice) {
        use BodyFormat::{Bytes, Form, Json, Lines, Multipart, Raw, Text};
        let travel = match (&old.format, &new.format) {
            (_, Raw { .. } | Bytes { .. } | Text { .. }) => return,
            (Json, Json) | (Lines, Lines) => Travel::Request,
            (Form, Form) => Travel::Text,
            (Multipart { files: before }, Multipart { files: after }) => {
                let (before, after) = (before.clone(), after.clone());
                self.files(&before, &after);
                Travel::Parts
            }
            _ => {
                let message = format!(
                    "the body was `{}`, and is `{}`",
                    old.format.name(),
                    new.format.name()
                );
                return self.add(Consequence::BreaksRequests, "body-format", "body", message, None);
            }
        };
        let Some(after) = new.body else { return };
        let before = old
            .body
            .map(|id| self.solver.graph.declared(State::Old, travel, id));
        let before = before.unwrap_or_else(|| Graph::NO_PROPERTIES);
        let after = self.solver.graph.declared(State::New, travel, after);
        let place = if matches!(new.format, Lines) {
            "body[]"
        } else {
            "body"
        };
        self.explain(Consequence::BreaksRequests, place, before, after);
    }

    fn files(&mut self, old: &[FilePart], new: &[FilePart]) {
        for file in new {
            let place = format!("body{}", crate::explain::property_path(&file.name));
            let mut refuse = |rule, message: String, value| {
                self.add(Consequence::BreaksRequests, rule, &place, message, value);
            };
            let before = old.iter().find(|other| other.name == file.name);
            let is_required = !file.optional && file.min_items != Some(0);
            let Some(before) = before else {
                if is_required {
                    refuse(
                        "file-added",
                        format!("the new file `{}` is required", file.name),
                        None,
                    );
                }
                continue;
            };
            if before.optional && is_required {
                refuse(
                    "file-required",
                    format!("the file `{}` is required now", file.name),
                    None,
                );
            }
            if before.many && !file.many {
                refuse(
                    "file-count",
                    "requests may have only one file now".to_owned(),
                    Some(json!(2)),
                );
            }
            let (least, most) = (file.min_items.unwrap_or(0), file.max_items.unwrap_or(u64::MAX));
            if file.many && before.many && least > before.min_items.unwrap_or(0) {
                let value = Some(json!(before.min_items.unwrap_or(0)));
                refuse(
                    "file-count",
                    format!("requests need at least {least} files now"),
                    value,
                );
            }
            if file.many && most < before.max_items.unwrap_or(u64::MAX) {
                refuse(
                    "file-count",
                    format!("requests may have at most {most} files now"),
                    Some(json!(most + 1)),
                );
            }
            if let Some(most) = file.max_bytes
                && before.max_bytes.is_none_or(|before| before > most)
            {
                refuse(
                    "file-size",
                    format!("files may have at most {most} bytes now"),
                    Some(json!(most + 1)),
                );
            }
            let all = vec!["*/*".to_owned()];
            let types = |file: &FilePart| {
                if file.media_types.is_empty() {
                    all.clone()
                } else {
                    file.media_types.clone()
                }
            };
            let after = types(file);
            let refused = types(before)
                .into_iter()
                .find(|before| !after.iter().any(|after| covers(after, before)));
            if let Some(refused) = refused {
                let message = format!("files of the media type `{refused}` are refused now");
                refuse("file-media-type", message, Some(json!(refused)));
            }
        }
    }

    // Answers

    fn answers(&mut self, old: &Route, new: &Route) {
        let before = old.responses();
        for reply in new.responses() {
            let status = reply.status;
            let Some(same) = before.iter().find(|other| other.status == status) else {
                let message = format!("the route may answer with the status {status} now");
                self.add(
                    Consequence::BreaksAnswers,
                    "status-added",
                    &format!("response {status}"),
                    message,
                    Some(json!(status)),
                );
                continue;
            };
            let has_one = before.len() == 1;
            let place = if has_one {
                "response".to_owned()
            } else {
                format!("response {status}")
            };
            self.answer(&place, same, &reply);
        }
    }

    fn answer(&mut self, place: &str, old: &DeclaredReply, new: &DeclaredReply) {
        if let Some(before) = old.headers {
            let sent = match new.headers {
                Some(after) => self.solver.graph.declared(State::New, Travel::Written, after),
                None => Graph::NO_PROPERTIES,
            };
            let accepted = self.solver.graph.declared(State::Old, Travel::Read, before);
            self.explain(
                Consequence::BreaksAnswers,
                &format!("{place} headers"),
                sent,
                accepted,
            );
        }
        match (old.has_body(), new.has_body()) {
            (true, false) => {
                let message = "answers have no body any more";
                return self.add(Consequence::BreaksAnswers, "body-removed", place, message, None);
            }
            (false, _) => return,
            (true, true) => {}
        }
        let before = old.format.choices(old.body);
        let after = new.format.choices(new.body);
        for choice in &before {
            for media_type in choice.format.media_types() {
                let same = after
                    .iter()
                    .find(|other| other.format.media_types().contains(&media_type));
                let Some(same) = same else {
                    let message = format!("answers cannot have the media type `{media_type}` any more");
                    self.add(
                        Consequence::BreaksAnswers,
                        "media-type-removed",
                        place,
                        message,
                        Some(json!(media_type)),
                    );
                    continue;
                };
                self.answer_format(place, choice, same);
            }
        }
        let first = |choices: &[FormatChoice]| choices.first().map(|choice| choice.format.names());
        if first(&before) != first(&after) && before.len() > 1 {
            let message = format!(
                "without the header `accept`, answers were `{}`, and are `{}`",
                first(&before).unwrap_or_default(),
                first(&after).unwrap_or_default()
            );
            self.add(Consequence::BreaksAnswers, "default-format", place, message, None);
        }
    }

    fn answer_format(&mut self, place: &str, old: &FormatChoice, new: &FormatChoice) {
        if let (Some(before), Some(after)) = (old.format.events(), new.format.events()) {
            let (before, after) = (before.to_vec(), after.to_vec());
            for event in after {
                let place = format!("{place} event {}", event.name);
                match before.iter().find(|other| other.name == event.name) {
                    None => {
                        let message = format!("the server may send the event `{}` now", event.name);
                        self.add(
                            Consequence::BreaksAnswers,
                            "event-added",
                            &place,
                            message,
                            Some(json!(event.name)),
                        );
                    }
                    Some(same) => self.written(&place, same.data, event.data),
                }
            }
            return;
        }
        let place = if old.format == BodyFormat::Lines {
            format!("{place}[]")
        } else {
            place.to_owned()
        };
        self.written(&place, old.body, new.body);
    }

    /// Compares a type that the new server writes with the type that clients expect.
    fn written(&mut self, place: &str, old: Option<DeclarationId>, new: Option<DeclarationId>) {
        match (old, new) {
            (Some(old), Some(new)) => {
                let sent = self.solver.graph.declared(State::New, Travel::Written, new);
                let accepted = self.solver.graph.declared(State::Old, Travel::Read, old);
                self.explain(Consequence::BreaksAnswers, place, sent, accepted);
            }
            (Some(_), None) => {
                let message = "the value has no type any more";
                self.add(Consequence::BreaksAnswers, "type-removed", place, message, None);
            }
            (None, _) => {}
        }
    }

    /// Compares the errors that the contracts declare. A client must expect errors that no contract declares, so a new error
    /// code breaks nothing.
    fn errors(&mut self, old: &Route, new: &Route) {
        for error in &new.throws {
            let place = format!("error {}", error.code);
            let Some(before) = old.throws.iter().find(|other| other.code == error.code) else {
                let message = format!(
                    "the route may fail with `{}` and the status {}",
                    error.code, error.status
                );
                self.add(Consequence::Compatible, "error-added", &place, message, None);
                continue;
            };
            let (status, was) = (error.status, before.status);
            if status != was {
                let message = format!("the error had the status {was}, and has {status}");
                self.add(
                    Consequence::BreaksAnswers,
                    "error-status",
                    &place,
                    message,
                    Some(json!(status)),
                );
            }
            self.written(&format!("{place} details"), before.details, error.details);
        }
    }

    // WebSockets

    fn messages(&mut self, old: &Route, new: &Route) {
        if let (Some(before), Some(after)) = (old.slots.body, new.slots.body) {
            let sent = self.solver.graph.declared(State::Old, Travel::Request, before);
            let accepted = self.solver.graph.declared(State::New, Travel::Request, after);
            self.explain(Consequence::BreaksRequests, "in", sent, accepted);
        }
        self.written("out", old.slots.response, new.slots.response);
        let before = old.subprotocols.clone();
        let Some(after) = new.subprotocols.clone() else {
            if let Some(name) = before.and_then(|before| before.names.first().cloned()) {
                let message = "the route has no subprotocols any more";
                self.add(
                    Consequence::BreaksRequests,
                    "subprotocol-removed",
                    "protocols",
                    message,
                    Some(json!(name)),
                );
            }
            return;
        };
        let may_be_absent = before.as_ref().is_none_or(|before| before.optional);
        if may_be_absent && !after.optional {
            let message = "clients must offer a subprotocol now";
            self.add(
                Consequence::BreaksRequests,
                "subprotocol-required",
                "protocols",
                message,
                None,
            );
        }
        for name in before.into_iter().flat_map(|before| before.names) {
            if !after.names.contains(&name) {
                let message = format!("the subprotocol `{name}` is removed");
                self.add(
                    Consequence::BreaksRequests,
                    "subprotocol-removed",
                    "protocols",
                    message,
                    Some(json!(name)),
                );
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
