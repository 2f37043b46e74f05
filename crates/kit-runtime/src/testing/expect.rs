//! Compares responses with contracts.

use std::borrow::Cow;

use serde_json::Value;

use super::client::TestResponse;
use super::document::{Content, DeclaredReply, ErrorPlaces, Table};
use super::outcome::{Checked, Stop};
use crate::Contract;
use crate::check::explain;
use crate::coerce::coerce_headers;
use crate::json::{Json, parse};
use crate::shape::Shape;

/// Maximum number of characters of a response that a message shows.
const MAX_SHOWN: usize = 2000;

/// Type of the contracts that the tables name.
#[derive(Debug, Clone, Copy)]
pub struct NamedShape {
    name: &'static str,
    shape: fn() -> &'static Shape,
}

impl NamedShape {
    /// Creates the entry of a type.
    #[doc(hidden)] // Called only by generated code.
    pub const fn of<T: Contract>() -> Self {
        Self {
            name: T::NAME,
            shape: T::shape,
        }
    }
}

/// Error in a response.
pub(super) struct ReadError {
    pub(super) code: Option<String>,
    pub(super) message: Option<String>,
    details: Option<Value>,
    /// Path, rule and expected value of each invalid value.
    fields: Vec<(String, Option<String>, String)>,
}

/// Contracts with which responses are compared.
pub(super) struct Expectations {
    pub(super) errors: ErrorPlaces,
    pub(super) shapes: &'static [NamedShape],
    /// Types of slots of requests.
    pub(super) requests: &'static [NamedShape],
}

/// Returns the failure of a test: a message with the request and the response.
pub(super) fn fail_with<T>(message: &str, answer: &TestResponse) -> Checked<T> {
    let shown: String = answer.text.chars().take(MAX_SHOWN).collect();
    Err(Stop::Failed(format!(
        "{message}\n{}\nanswered: {} {shown}",
        answer.command, answer.status
    )))
}

impl Expectations {
    /// Returns the type of a slot of requests.
    pub(super) fn request_shape(&self, name: &str) -> Option<&'static Shape> {
        let named = self.requests.iter().find(|named| named.name == name)?;
        Some((named.shape)())
    }

    /// Checks the response to a valid request: the response must be a declared reply with a valid body, or a declared error.
    ///
    /// `must_succeed` is true if the route has a fixture: a declared error then fails the test, too.
    pub(super) fn answered(&self, table: &Table, answer: &TestResponse, must_succeed: bool) -> Checked {
        let route = &table.route;
        if let Some(reply) = reply_of(table, answer) {
            return self.content(route, reply, answer);
        }
        let error = self.format(route, answer)?;
        let message = error.message.as_deref().unwrap_or_default();
        if answer.status >= 500 {
            let code = error.code.unwrap_or_else(|| answer.status.to_string());
            return fail_with(
                &format!("{route} failed with {code}: {message}; the log above has the cause"),
                answer,
            );
        }
        if error.code.as_deref() == Some("VALIDATION_ERROR") && answer.status == self.errors.validation_status
        {
            let fields = error.fields.iter();
            let fields: Vec<_> = fields
                .map(|(path, _, expected)| format!("{path}: expected {expected}"))
                .collect();
            let reasons = if fields.is_empty() {
                message.to_owned()
            } else {
                fields.join("; ")
            };
            let text = format!("{route} refused a request that its contract allows: {reasons}");
            return fail_with(&text, answer);
        }
        let name = name_of(table, answer, &error);
        if !table.errors.contains(&name) {
            let code = name.split(' ').nth(1).unwrap_or("CODE");
            let text = format!(
                "{route} answered with the error {name}, which its contract does not declare. Add `@throws {code} {}` to the route, \
                 or add a fixture for the route",
                answer.status
            );
            return fail_with(&text, answer);
        }
        if let Some(details) = table.details.get(&name) {
            let place = format!("{route} (details of {name})");
            self.shape(&place, details, &error.details.unwrap_or_default(), answer)?;
        }
        if must_succeed {
            let text = format!(
                "{route} answered with the error {name}, though its fixture should make the request succeed"
            );
            return fail_with(&text, answer);
        }
        Ok(())
    }

    /// Checks that a response has a status, and an error code of kit. Returns the error.
    pub(super) fn error(
        &self,
        table: &Table,
        answer: &TestResponse,
        status: u16,
        codes: &[&str],
    ) -> Checked<ReadError> {
        let error = self.format(&table.route, answer)?;
        let has_code =
            self.errors.code.is_empty() || error.code.as_deref().is_some_and(|code| codes.contains(&code));
        if answer.status != status || !has_code {
            let found = error.code.as_deref().map_or_else(
                || answer.status.to_string(),
                |code| format!("{} {code}", answer.status),
            );
            let text = format!(
                "{} answered {found}, expected {status} {}",
                table.route,
                codes.join(" or ")
            );
            return fail_with(&text, answer);
        }
        Ok(error)
    }

    /// Checks that the response to an invalid request reports a failure at a path, and at no other path. With `is_within`, failures
    /// below the path are allowed, too.
    pub(super) fn refused(
        &self,
        table: &Table,
        answer: &TestResponse,
        path: &str,
        is_within: bool,
    ) -> Checked {
        let route = &table.route;
        if reply_of(table, answer).is_some() {
            let text = format!("{route} accepted a request with an invalid value at {path}");
            return fail_with(&text, answer);
        }
        let error = self.error(
            table,
            answer,
            self.errors.validation_status,
            &["VALIDATION_ERROR"],
        )?;
        // A format of the application may not say which values are invalid.
        if self.errors.fields.is_empty() {
            return Ok(());
        }
        if let Some((found, ..)) = error.fields.iter().find(|(_, rule, _)| rule.is_none()) {
            let text = format!("{route} refused the request, but the failure at {found} names no rule");
            return fail_with(&text, answer);
        }
        let is_named = |found: &str| {
            let below = found.strip_prefix(path);
            below.is_some_and(|below| below.is_empty() || is_within && below.starts_with(['.', '[']))
        };
        if error.fields.is_empty() || !error.fields.iter().all(|(found, ..)| is_named(found)) {
            let paths: Vec<_> = error.fields.iter().map(|(found, ..)| found.as_str()).collect();
            let paths = if paths.is_empty() {
                "no path".to_owned()
            } else {
                paths.join(", ")
            };
            let text =
                format!("{route} refused the request, but reports failures at {paths} instead of {path}");
            return fail_with(&text, answer);
        }
        Ok(())
    }

    fn content(&self, route: &str, reply: &DeclaredReply, answer: &TestResponse) -> Checked {
        if let Some(headers) = &reply.headers {
            self.headers(&format!("{route} (headers)"), headers, answer)?;
        }
        if let Some(content) = &reply.content {
            return self.other_content(route, content, answer);
        }
        let Some(body) = &reply.body else {
            if answer.text.is_empty() {
                return Ok(());
            }
            let text = format!("{route} answered with a body, but its contract declares none");
            return fail_with(&text, answer);
        };
        let media_type = answer.header("content-type").unwrap_or("nothing");
        let Some(value) = &answer.json else {
            if !media_type.starts_with("application/json") {
                // A handler that returns another body sets the content type itself.
                return Ok(());
            }
            return fail_with(&format!("{route} answered with a body that is not JSON"), answer);
        };
        if !media_type.starts_with("application/json") {
            let text = format!("{route} answered with the content type {media_type}, expected JSON");
            return fail_with(&text, answer);
        }
        self.shape(route, body, value, answer)
    }

    /// Checks a body that is not JSON, or that has one of several formats.
    fn other_content(&self, route: &str, content: &Content, answer: &TestResponse) -> Checked {
        let found = answer.header("content-type").unwrap_or("nothing").to_owned();
        if !content.choices.is_empty() {
            let essence = found.split(';').next().unwrap_or_default();
            let chosen = content.choices.iter().find(|choice| choice.r#type == essence);
            let Some(chosen) = chosen else {
                let names: Vec<_> = content
                    .choices
                    .iter()
                    .map(|choice| choice.r#type.as_str())
                    .collect();
                let text = format!(
                    "{route} answered with the content type {found}, expected {}",
                    names.join(" or ")
                );
                return fail_with(&text, answer);
            };
            return self.other_content(route, chosen, answer);
        }
        let expected = match content.kind.as_str() {
            "text" => format!("{}; charset=utf-8", content.r#type),
            _ => content.r#type.clone(),
        };
        if found.to_lowercase() != expected {
            let text = format!("{route} answered with the content type {found}, expected {expected}");
            return fail_with(&text, answer);
        }
        match content.kind.as_str() {
            "json" => {
                let Some(value) = &answer.json else {
                    return fail_with(&format!("{route} answered with a body that is not JSON"), answer);
                };
                let Some(name) = &content.json else { return Ok(()) };
                self.shape(&format!("{route} (body)"), name, value, answer)
            }
            "lines" => self.lines(route, content, answer),
            "events" => self.events(route, content, answer),
            _ => Ok(()),
        }
    }

    fn lines(&self, route: &str, content: &Content, answer: &TestResponse) -> Checked {
        // Each line ends with a line feed. A rest is a line that the test has not read completely.
        let complete = answer.text.rsplit_once('\n').map_or("", |(complete, _)| complete);
        for (index, line) in complete.lines().enumerate() {
            let Ok(value) = serde_json::from_str::<Value>(line) else {
                return fail_with(
                    &format!("{route} answered with a line {index} that is not JSON"),
                    answer,
                );
            };
            if let Some(name) = &content.line {
                self.shape(&format!("{route} (line {index})"), name, &value, answer)?;
            }
        }
        Ok(())
    }

    fn events(&self, route: &str, content: &Content, answer: &TestResponse) -> Checked {
        let complete = answer
            .text
            .rsplit_once("\n\n")
            .map_or("", |(complete, _)| complete);
        for block in complete.split("\n\n") {
            let field = |name: &str| {
                let lines = block
                    .lines()
                    .filter_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
                lines
                    .map(|text| text.strip_prefix(' ').unwrap_or(text))
                    .next_back()
            };
            // Clients ignore a block without an event, such as a ping (comments only) or a time for the next connection (`retry`).
            if field("event").is_none() && field("data").is_none() {
                continue;
            }
            let name = field("event").unwrap_or("message");
            let Some(data) = content.events.get(name) else {
                let text =
                    format!("{route} answered with the event {name}, which its contract does not declare");
                return fail_with(&text, answer);
            };
            let Some(data) = data else { continue };
            let Ok(value) = serde_json::from_str::<Value>(field("data").unwrap_or_default()) else {
                return fail_with(
                    &format!("{route} answered with an event {name} whose data is not JSON"),
                    answer,
                );
            };
            self.shape(&format!("{route} (event {name})"), data, &value, answer)?;
        }
        Ok(())
    }

    fn headers(&self, place: &str, name: &str, answer: &TestResponse) -> Checked {
        let shape = self.named(name)?;
        let mut value = coerce_headers(shape, |name| answer.header(name).map(Cow::Borrowed));
        let cookies = answer.headers.get_all("set-cookie").into_iter();
        let cookies: Vec<_> = cookies
            .filter_map(|cookie| Some(Json::String(cookie.to_str().ok()?.to_owned())))
            .collect();
        // The dates of cookies contain commas, so cookies are not a list that commas divide.
        let found = match &mut value {
            Json::Object(headers) => headers.get_mut("set-cookie"),
            _ => None,
        };
        if let (Some(found), false) = (found, cookies.is_empty()) {
            *found = match (&*found, cookies.as_slice()) {
                (Json::Array(_), _) => Json::Array(cookies),
                (_, [first, ..]) => first.clone(),
                _ => Json::Null,
            };
        }
        json_shape(place, shape, &value, answer)
    }

    /// Checks a value against the shape of a type.
    fn shape(&self, place: &str, name: &str, value: &Value, answer: &TestResponse) -> Checked {
        let shape = self.named(name)?;
        match parse(&value.to_string()) {
            Ok(value) => json_shape(place, shape, &value, answer),
            Err(_) => fail_with(&format!("{place} is not valid JSON"), answer),
        }
    }

    pub(super) fn named(&self, name: &str) -> Checked<&'static Shape> {
        match self.shapes.iter().find(|known| known.name == name) {
            Some(known) => Ok((known.shape)()),
            None => Err(Stop::Failed(format!(
                "The generated tests are out of date: they have no type {name}. Run `kit build`"
            ))),
        }
    }

    /// Returns the error in a response. Fails if the body does not have the format of errors.
    fn format(&self, route: &str, answer: &TestResponse) -> Checked<ReadError> {
        let places = &self.errors;
        let body = answer.json();
        let text = |place: &[String]| at(body, place).and_then(Value::as_str).map(str::to_owned);
        let fits = [&places.code, &places.message, &places.trace_id]
            .into_iter()
            .all(|place| place.is_empty() || text(place).is_some());
        if !body.is_object() || !fits {
            let text = format!(
                "{route} answered {} with neither a declared response nor an error in the format of the application",
                answer.status
            );
            return fail_with(&text, answer);
        }
        if let Some(declared) = &places.body {
            self.shape(&format!("{route} (error body)"), declared, body, answer)?;
        }
        let fields = at(body, &places.fields)
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        let fields = fields.map(|field| {
            let text = |name: &str| field.get(name).and_then(Value::as_str).map(str::to_owned);
            (
                text("path").unwrap_or_default(),
                text("rule"),
                text("expected").unwrap_or_default(),
            )
        });
        Ok(ReadError {
            code: text(&places.code),
            message: text(&places.message),
            details: at(body, &places.details).cloned(),
            fields: fields.collect(),
        })
    }

    /// Returns the code of the error in a response. `None` if the response has no error, or no code.
    pub(super) fn code_of(&self, answer: &TestResponse) -> Option<String> {
        let code = at(answer.json(), &self.errors.code)?;
        code.as_str().map(str::to_owned)
    }

    /// Returns the message of the error in a response. `None` if the response has no error, or no message.
    pub(super) fn message_of(&self, answer: &TestResponse) -> Option<String> {
        let message = at(answer.json(), &self.errors.message)?;
        message.as_str().map(str::to_owned)
    }
}

/// Checks a value against a shape. `place` names the route and the part of the response.
fn json_shape(place: &str, shape: &'static Shape, value: &Json, answer: &TestResponse) -> Checked {
    let failures = explain(shape, value);
    let Some(first) = failures.first() else {
        return Ok(());
    };
    let others = match failures.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    let text = format!(
        "The response of {place} does not match its contract: {}: expected {}, received {}{others}",
        first.path, first.expected, first.received
    );
    fail_with(&text, answer)
}

/// Returns the value at nested properties. Returns `None` if there is no such value, or no names.
fn at<'a>(body: &'a Value, names: &[String]) -> Option<&'a Value> {
    if names.is_empty() {
        return None;
    }
    names.iter().try_fold(body, |value, name| value.get(name))
}

/// Returns the declared reply with the status of a response.
pub(super) fn reply_of<'t>(table: &'t Table, answer: &TestResponse) -> Option<&'t DeclaredReply> {
    table.replies.iter().find(|reply| reply.status == answer.status)
}

/// Returns the status and the code of an error. If bodies have no code, the code is that of the declared error with the status.
fn name_of(table: &Table, answer: &TestResponse, error: &ReadError) -> String {
    if let Some(code) = &error.code {
        return format!("{} {code}", answer.status);
    }
    let start = format!("{} ", answer.status);
    let declared = table.errors.iter().find(|declared| declared.starts_with(&start));
    declared.map_or_else(|| answer.status.to_string(), Clone::clone)
}
