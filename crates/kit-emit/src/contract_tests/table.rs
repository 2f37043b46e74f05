//! Makes the table of requests of a route.

use std::collections::{BTreeMap, BTreeSet};

use kit_ir::{BodyFormat, DeclarationId, DeclaredError, Method, Program, Route, Slot, TypeId, TypeKind};
use kit_router::{Match, ParamBuffer, RouteTree};
use serde_json::{Map, Value};

use super::data::Data;
use super::rule::path;
use super::rules::{Outcome, Rule, Rules, Step, ValueOrigin};
use super::sent_headers::is_sent_in_a_header;
use super::unique::unique_strings;
use super::{auth, bodies, lists};
use crate::options::RouteTests;
use crate::samples::{SampleOptions, Samples};

/// Maximum number of tested rules per slot.
const MAX_RULES: usize = 500;

/// Properties of a table, in the order in which they are printed.
pub(super) type Table = Vec<(&'static str, Data)>;

/// Makes tables for the routes of a program.
pub(super) struct Tables<'a> {
    program: &'a Program,
    /// Routes by path. Without a tree, no table has a test of a wrong method.
    tree: Option<&'a RouteTree>,
    /// Paths that already have a test of a method without a route.
    tested_paths: BTreeSet<String>,
}

impl<'a> Tables<'a> {
    pub(super) fn new(program: &'a Program, tree: Option<&'a RouteTree>) -> Self {
        Self {
            program,
            tree,
            tested_paths: BTreeSet::new(),
        }
    }

    /// Returns the tables of a route, one for each format of its request body. `own` are the options for the tests of the route.
    pub(super) fn of(&mut self, route: &Route, own: Option<&RouteTests>) -> Vec<Table> {
        let variants = bodies::variants(route);
        let tables = variants.iter().map(|variant| self.table(variant, own));
        tables.flatten().collect()
    }

    fn table(&mut self, variant: &bodies::Variant, own: Option<&RouteTests>) -> Option<Table> {
        let route = &variant.route;
        let mut table: Table = vec![("route", Data::text(route.reference()))];
        if let Some(reason) = own.and_then(|own| own.skip.as_ref()) {
            table.push(("skip", Data::text(reason)));
            return variant.is_first.then_some(table);
        }
        let slots = self.slots(route);
        if let Some(headers) = own.map(|own| &own.headers).filter(|headers| !headers.is_empty()) {
            let headers = headers.iter().map(|(name, value)| (name, Data::text(value)));
            table.push(("headers", Data::object(headers)));
        }
        if !variant.all.is_empty() {
            let types = route.body_format.media_types();
            let choice = [("type", Data::text(types[0])), ("all", Data::texts(&variant.all))];
            table.push(("choice", Data::object(choice)));
        }
        table.push(("replies", replies(route)));
        table.push(("errors", Data::texts(route.throws.iter().map(error_name))));
        let details = route.throws.iter();
        let details: Vec<_> = details
            .filter_map(|error| Some((error_name(error), Data::Shape(error.details?))))
            .collect();
        if !details.is_empty() {
            table.push(("details", Data::Object(details)));
        }
        table.extend(lists::of(self.program, route).map(|list| ("list", list)));
        table.extend(auth::of(route).map(|auth| ("auth", auth)));
        if let Some((method, allow)) = self.wrong_method(route, &slots) {
            let wrong = [("method", Data::text(method)), ("allow", Data::text(allow))];
            table.push(("wrongMethod", Data::object(wrong)));
        }
        if let Some(missing) = slots.iter().find(|slot| slot.sample.is_none()) {
            let name = missing.slot.name();
            let reason =
                format!("kit cannot generate a valid {name}; add @example to the declaration of the type");
            table.push(("untested", Data::text(reason)));
            return Some(table);
        }
        if route.is_socket() {
            table.push(("socket", bodies::socket(route)));
        } else if let Some(format) = bodies::format(self.program, route) {
            table.push(("format", format));
        }
        self.request(route, &slots, own.map(|own| &own.params), &mut table);
        self.rows(route, &slots, &mut table);
        Some(table)
    }

    /// Adds a valid request for a route.
    fn request(
        &self,
        route: &Route,
        slots: &[SlotSample],
        params: Option<&BTreeMap<String, String>>,
        table: &mut Table,
    ) {
        let mut request = Vec::new();
        let mut unique = Vec::new();
        for slot in slots {
            let Some(mut value) = slot.sample.clone() else {
                continue;
            };
            if slot.slot == Slot::Params
                && let (Some(params), Value::Object(entries)) = (params, &mut value)
            {
                for (name, text) in params.iter().filter(|(name, _)| route.parameters.contains(name)) {
                    entries.insert(name.clone(), Value::from(text.as_str()));
                }
            }
            if slot.slot == Slot::Body {
                value = bodies::value(&route.body_format, value);
                if route.body_format != BodyFormat::Lines {
                    unique = unique_strings(self.program, slot.id, &value);
                }
            }
            request.push((slot.slot.name(), Data::Value(value)));
        }
        table.push(("request", Data::object(request)));
        let mut closed = Vec::new();
        // Params have no undeclared names, every request has undeclared headers and cookies, and only the runtime decodes a
        // body that is not JSON.
        for slot in slots.iter().filter(|slot| {
            slot.slot == Slot::Query || (slot.slot == Slot::Body && route.body_format.is_json())
        }) {
            let Some(sample) = &slot.sample else { continue };
            let r#type = self.program.declarations[slot.id].r#type;
            let mut paths = Vec::new();
            closed_objects(self.program, r#type, sample, &mut Vec::new(), &mut paths);
            let paths = paths.iter();
            closed.extend(paths.map(|path| Data::texts([slot.slot.name(), path.as_str()])));
        }
        if !closed.is_empty() {
            table.push(("closed", Data::List(closed)));
        }
        if !unique.is_empty() {
            let unique = unique.into_iter().map(|(name, text)| (name, Data::text(text)));
            table.push(("fresh", Data::object(unique)));
        }
    }

    /// Adds the rows: requests that the contract accepts, and requests that it refuses.
    fn rows(&self, route: &Route, slots: &[SlotSample], table: &mut Table) {
        let mut rules = Vec::new();
        let mut left_out = 0;
        for slot in slots {
            let Some(sample) = &slot.sample else { continue };
            let r#type = self.program.declarations[slot.id].r#type;
            let mut found = if slot.slot == Slot::Body {
                bodies::rules(self.program, &route.body_format, slot.id, sample)
            } else {
                Rules::new(self.program, slot.source()).of_slot(r#type, sample)
            };
            if slot.slot == Slot::Headers {
                found.retain(is_sent_in_a_header);
            }
            left_out += found.len().saturating_sub(MAX_RULES);
            found.truncate(MAX_RULES);
            rules.extend(found.into_iter().map(|rule| (slot.slot, rule)));
        }
        let (refused, accepted): (Vec<_>, Vec<_>) =
            rules.into_iter().partition(|(_, rule)| rule.is_refusal());
        for (name, rows) in [("accepts", accepted), ("refuses", refused)] {
            let rows = rows.into_iter().map(|(slot, rule)| row(slot, rule));
            table.push((name, Data::List(rows.collect())));
        }
        if left_out > 0 {
            table.push(("leftOut", Data::Value(left_out.into())));
        }
    }

    fn slots(&self, route: &Route) -> Vec<SlotSample> {
        Slot::INPUTS
            .into_iter()
            .filter_map(|slot| {
                let id = route.slots.get(slot)?;
                let mut sample = sample(self.program, id, slot);
                if route.is_list
                    && slot == Slot::Query
                    && let Some(Value::Object(query)) = &mut sample
                {
                    // Only the application can make a cursor that belongs to its list.
                    query.remove("cursor");
                }
                Some(SlotSample { slot, id, sample })
            })
            .collect()
    }

    /// Returns a method that no route has at this path, and the methods that routes have. Returns `None` if
    /// the path already has a test of a wrong method, or if routes have every method.
    fn wrong_method(&mut self, route: &Route, slots: &[SlotSample]) -> Option<(&'static str, String)> {
        let tree = self.tree?;
        if !self.tested_paths.insert(route.path.to_string()) {
            return None;
        }
        let empty = Value::Object(Map::new());
        let params = slots
            .iter()
            .find(|slot| slot.slot == Slot::Params)
            .and_then(|slot| slot.sample.as_ref())
            .unwrap_or(&empty);
        // A parameter gets its valid value, or `1` if the value would need escapes in a path.
        let path = route.path.with_parameters(|name| match params.get(name) {
            Some(Value::String(text)) if !text.contains(['/', '%', '?', '#']) => text.clone(),
            _ => "1".to_owned(),
        });
        let router = tree.router();
        // HEAD matches GET routes, and OPTIONS matches CORS preflight requests.
        let methods = [
            Method::Patch,
            Method::Delete,
            Method::Put,
            Method::Post,
            Method::Get,
        ];
        methods.into_iter().find_map(|method| {
            match router.find(method.name(), &path, &mut ParamBuffer::new()) {
                Match::MethodNotAllowed(allow) => Some((method.name(), allow.to_string())),
                _ => None,
            }
        })
    }
}

/// Returns the replies without an error that a contract declares.
fn replies(route: &Route) -> Data {
    let replies = route.responses().into_iter().map(|reply| {
        let mut fields = vec![
            ("status", Data::Value(reply.status.into())),
            ("body", Data::shape(reply.body.filter(|_| reply.format.is_json()))),
        ];
        fields.extend(bodies::content(&reply.format, reply.body).map(|content| ("content", content)));
        fields.extend(reply.headers.map(|headers| ("headers", Data::Shape(headers))));
        Data::object(fields)
    });
    Data::List(replies.collect())
}

/// Returns the status and the code of an error, such as `404 NOTE_NOT_FOUND`.
fn error_name(error: &DeclaredError) -> String {
    format!("{} {}", error.status, error.code)
}

fn row(slot: Slot, rule: Rule) -> Data {
    let mut cells = vec![
        Data::text(slot.name()),
        Data::text(path(&rule.path)),
        Data::text(rule.description),
        Data::Given(rule.given),
    ];
    match rule.outcome {
        Outcome::Accepted { fills: Some(value) } => cells.push(Data::Value(value)),
        Outcome::Refused { may_be_below: true } => cells.push(Data::text("within")),
        Outcome::Accepted { fills: None } | Outcome::Refused { may_be_below: false } => {}
    }
    Data::List(cells)
}

/// Slot of a request with a valid value.
struct SlotSample {
    slot: Slot,
    id: DeclarationId,
    sample: Option<Value>,
}

impl SlotSample {
    fn source(&self) -> ValueOrigin {
        match self.slot {
            Slot::Params => ValueOrigin::Params,
            Slot::Query => ValueOrigin::Query,
            Slot::Headers => ValueOrigin::Headers,
            Slot::Cookies => ValueOrigin::Cookies,
            Slot::Body | Slot::Response => ValueOrigin::Body,
        }
    }
}

fn sample(program: &Program, id: DeclarationId, slot: Slot) -> Option<Value> {
    let declaration = &program.declarations[id];
    let wanted = SampleOptions::named(slot.name()).inside(id);
    let value = Samples::new(program).sample(declaration.r#type, &wanted)?;
    // A segment of a path cannot be empty.
    let empty = |value: &Value| value.as_str() == Some("");
    let unusable = slot == Slot::Params
        && value
            .as_object()
            .is_some_and(|entries| entries.values().any(empty));
    (!unusable).then_some(value)
}

/// Adds the paths of all objects in a value that refuse undeclared properties to `found`.
fn closed_objects(
    program: &Program,
    id: TypeId,
    value: &Value,
    steps: &mut Vec<Step>,
    found: &mut Vec<String>,
) {
    match (&program.resolve(id).kind, value) {
        (TypeKind::Object(object), Value::Object(entries)) => {
            if object.index.is_empty() {
                found.push(path(steps));
            }
            for property in &object.properties {
                let Some(value) = entries.get(&property.name) else {
                    continue;
                };
                steps.push(Step::Key(property.name.clone()));
                closed_objects(program, property.r#type, value, steps, found);
                steps.pop();
            }
        }
        (TypeKind::Array { element }, Value::Array(items)) => {
            if let Some(first) = items.first() {
                steps.push(Step::Index(0));
                closed_objects(program, *element, first, steps, found);
                steps.pop();
            }
        }
        _ => {}
    }
}
