//! Comparison of the options of an application, and of its environment variables.

use kit_ir::{Application, Cors, CorsRules, ErrorFormat, LiteralOption, Program};
use serde_json::{Value, json};

use super::change;
use crate::explain::explain;
use crate::finding::Spans;
use crate::graph::{Graph, State, Travel};
use crate::report::{Change, Consequence};
use crate::solve::Solver;

/// Maximum number of bytes of a request body by default.
pub(super) const DEFAULT_LIMIT: u64 = 1024 * 1024;

/// Compares the options of two applications, and adds their changes.
pub(super) fn compare(solver: &mut Solver<'_>, (old, new): (&Program, &Program), changes: &mut Vec<Change>) {
    errors(solver, (old, new), changes);
    environment(solver, (old, new), changes);
    let (before, after) = (&old.application, &new.application);
    // Without a call of `createApp`, the options are not known.
    if before.span.is_some() && after.span.is_some() {
        let mut options = Options {
            spans: Spans::default(),
            place: "",
            changes,
        };
        options.cors(before, after);
        options.csrf(before, after);
        options.limits(before, after);
    }
}

/// Returns the maximum size of request bodies in bytes. Returns `None` if the size is known only when the application runs.
pub(super) fn body_limit(application: &Application) -> Option<u64> {
    // Without a call of `createApp`, nothing is known of the option.
    application.span?;
    let Some(limits) = &application.limits else {
        return Some(DEFAULT_LIMIT);
    };
    match limits.value.as_ref()?.get("bodyBytes") {
        Some(bytes) => bytes.as_u64(),
        None => Some(DEFAULT_LIMIT),
    }
}

/// Compares the format and the status of errors.
fn errors(solver: &mut Solver<'_>, (old, new): (&Program, &Program), changes: &mut Vec<Change>) {
    let span = |program: &Program| program.application.errors.as_ref().map(|errors| errors.span);
    let mut options = Options {
        spans: Spans {
            old: span(old),
            new: span(new).or(new.application.span),
        },
        place: "errors",
        changes,
    };
    let (before, after) = (old.application.error_rules(), new.application.error_rules());
    if before.validation_status != after.validation_status {
        let (before, after) = (before.validation_status, after.validation_status);
        options.add(
            Consequence::BreaksAnswers,
            "validation-status",
            format!("a request that breaks its contract got the status {before}, and gets {after}"),
            Some(json!(after)),
        );
    }
    let name = |format: &ErrorFormat| match format {
        ErrorFormat::Envelope => "envelope",
        ErrorFormat::ProblemDetails => "problem-details",
        ErrorFormat::Declared(_) => "declared",
    };
    let (before, after) = (&before.format, &after.format);
    if name(before) != name(after) {
        let (before, after) = (name(before), name(after));
        options.add(
            Consequence::BreaksAnswers,
            "error-format",
            format!("the format of errors was `{before}`, and is `{after}`"),
            Some(json!(after)),
        );
    } else if let (ErrorFormat::Declared(before), ErrorFormat::Declared(after)) = (before, after) {
        let sent = solver.graph.declared(State::New, Travel::Written, after.body);
        let accepted = solver.graph.declared(State::Old, Travel::Read, before.body);
        for finding in explain(solver, State::New, (sent, accepted), Spans::default()) {
            changes.push(change(Consequence::BreaksAnswers, "", "errors", finding));
        }
    }
}

/// Compares the environment variables: a deployment of the new release may still have the variables of the old release.
fn environment(solver: &mut Solver<'_>, (old, new): (&Program, &Program), changes: &mut Vec<Change>) {
    let Some(after) = &new.application.environment else {
        return;
    };
    let before = old.application.environment.as_ref();
    let spans = Spans {
        old: before.map(|variables| variables.span),
        new: Some(after.span),
    };
    let before = before.map_or(Graph::NO_PROPERTIES, |variables| {
        solver
            .graph
            .declared(State::Old, Travel::Text, variables.declaration)
    });
    let after = solver.graph.declared(State::New, Travel::Text, after.declaration);
    for mut finding in explain(solver, State::Old, (before, after), spans) {
        finding.value = finding.value.map(without_list);
        finding.whole = finding.whole.map(|whole| match whole {
            Value::Object(variables) => variables
                .into_iter()
                .map(|(name, value)| (name, without_list(value)))
                .collect(),
            other => other,
        });
        changes.push(change(Consequence::NeedsEnvironment, "", "environment", finding));
    }
}

/// Returns the only item of a list. An environment variable has one text.
fn without_list(value: Value) -> Value {
    match value {
        Value::Array(mut items) if items.len() == 1 => items.remove(0),
        other => other,
    }
}

/// Changes of an option.
struct Options<'c> {
    spans: Spans,
    place: &'static str,
    changes: &'c mut Vec<Change>,
}

impl Options<'_> {
    fn add(
        &mut self,
        consequence: Consequence,
        rule: &'static str,
        message: impl Into<String>,
        value: Option<Value>,
    ) {
        self.changes.push(Change {
            consequence,
            rule,
            route: String::new(),
            place: self.place.to_owned(),
            message: message.into(),
            certain: true,
            value,
            example: None,
            new_span: self.spans.new,
            old_span: self.spans.old,
        });
    }

    /// Adds a change of an option whose value is known only when the application runs.
    fn add_unknown(&mut self, rule: &'static str) {
        let message = format!(
            "the value of the option `{}` changed, and is known only when the application runs; kit cannot decide if it allows \
             less, so the change counts as breaking",
            self.place
        );
        self.add(Consequence::BreaksRequests, rule, message, None);
        if let Some(change) = self.changes.last_mut() {
            change.certain = false;
        }
    }

    /// Compares the origins, headers and credentials that web pages of other origins may use.
    fn cors(&mut self, old: &Application, new: &Application) {
        let span = |option: &Option<Cors>| option.as_ref().map(|cors| cors.span);
        self.place = "cors";
        self.spans = Spans {
            old: span(&old.cors),
            new: span(&new.cors).or(new.span),
        };
        let Some(before) = &old.cors else { return };
        let Some(after) = &new.cors else {
            let message = "web pages of other origins may not call the application any more";
            return self.add(Consequence::BreaksRequests, "cors-removed", message, None);
        };
        match (&before.rules, &after.rules) {
            (Some(before), Some(after)) => self.cors_rules(before, after),
            // Neither the old nor the new value can be read.
            (None, None) => {}
            _ => self.add_unknown("cors-unknown"),
        }
    }

    fn cors_rules(&mut self, before: &CorsRules, after: &CorsRules) {
        if before.origins_variable != after.origins_variable {
            self.add_unknown("cors-unknown");
        } else if let Some(allowed) = &after.origins {
            match &before.origins {
                None => self.add(
                    Consequence::BreaksRequests,
                    "cors-origin",
                    format!(
                        "web pages of all origins could call the application, and only those of {} may now",
                        listed(allowed)
                    ),
                    None,
                ),
                Some(before) => {
                    for origin in before.iter().filter(|origin| !allowed.contains(origin)) {
                        let message =
                            format!("web pages of `{origin}` may not call the application any more");
                        self.add(
                            Consequence::BreaksRequests,
                            "cors-origin",
                            message,
                            Some(json!(origin)),
                        );
                    }
                }
            }
        }
        if before.credentials && !after.credentials {
            let message = "web pages of other origins may not send cookies any more";
            self.add(Consequence::BreaksRequests, "cors-credentials", message, None);
        }
        if let Some(allowed) = &after.allowed_headers {
            let is_allowed = |name: &String| allowed.iter().any(|other| other.eq_ignore_ascii_case(name));
            match &before.allowed_headers {
                None => self.add(
                    Consequence::BreaksRequests,
                    "cors-header",
                    format!(
                        "web pages could set all request headers, and may set only {} now",
                        listed(allowed)
                    ),
                    None,
                ),
                Some(before) => {
                    for name in before.iter().filter(|name| !is_allowed(name)) {
                        let message = format!("web pages may not set the request header `{name}` any more");
                        self.add(
                            Consequence::BreaksRequests,
                            "cors-header",
                            message,
                            Some(json!(name)),
                        );
                    }
                }
            }
        }
        let is_exposed = |name: &String| {
            let mut exposed = after.exposed_headers.iter();
            exposed.any(|other| other == "*" || other.eq_ignore_ascii_case(name))
        };
        for name in before.exposed_headers.iter().filter(|name| !is_exposed(name)) {
            let message = format!("web pages cannot read the response header `{name}` any more");
            self.add(
                Consequence::BreaksAnswers,
                "cors-exposed-header",
                message,
                Some(json!(name)),
            );
        }
    }

    /// Compares the maximum size of request bodies. Routes may have their own.
    fn limits(&mut self, old: &Application, new: &Application) {
        let span = |application: &Application| {
            let limits = application.limits.as_ref().map(|limits| limits.span);
            limits.or(application.span)
        };
        self.place = "limits";
        self.spans = Spans {
            old: span(old),
            new: span(new),
        };
        match (body_limit(old), body_limit(new)) {
            (Some(before), Some(after)) if after < before => {
                let message = format!("request bodies could have {before} bytes, and may have {after}");
                self.add(Consequence::BreaksRequests, "body-limit", message, None);
            }
            (Some(_), Some(_)) | (None, None) => {}
            _ => self.add_unknown("body-limit"),
        }
    }

    /// Compares the protection against requests that web pages of other origins send with the cookies of a user.
    fn csrf(&mut self, old: &Application, new: &Application) {
        let span = |option: &Option<LiteralOption>| option.as_ref().map(|option| option.span);
        self.place = "csrf";
        self.spans = Spans {
            old: span(&old.csrf),
            new: span(&new.csrf),
        };
        let Some(after) = &new.csrf else { return };
        let Some(before) = &old.csrf else {
            let message = "requests of web pages of other origins that change data are refused now";
            return self.add(Consequence::BreaksRequests, "csrf-added", message, None);
        };
        let (Some(before), Some(after)) = (&before.value, &after.value) else {
            if before.value != after.value {
                self.add_unknown("csrf-unknown");
            }
            return;
        };
        let of_cors = new.cors.as_ref().and_then(|cors| cors.rules.as_ref());
        let of_cors = of_cors
            .and_then(|rules| rules.origins.as_deref())
            .unwrap_or_default();
        let allowed = texts(&after["origins"]);
        for origin in texts(&before["origins"]) {
            if allowed.contains(&origin) || of_cors.iter().any(|other| other == origin) {
                continue;
            }
            let message = format!("web pages of `{origin}` may not send requests that change data any more");
            self.add(
                Consequence::BreaksRequests,
                "csrf-origin",
                message,
                Some(json!(origin)),
            );
        }
        let token = &after["token"];
        if !token.is_null() && *token != before["token"] {
            let message = format!(
                "requests without `sec-fetch-site` and `origin` must repeat the cookie {} in the header {} now",
                token["cookie"], token["header"]
            );
            self.add(Consequence::BreaksRequests, "csrf-token", message, None);
        }
    }
}

/// Returns the texts of a list. A value that is no list has no texts.
fn texts(value: &Value) -> Vec<&str> {
    value
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

/// Returns names for a message: "`a` and `b`", or "none".
fn listed(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(" and ")
}
